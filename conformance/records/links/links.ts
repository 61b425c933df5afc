import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import { isDeleted } from '../../../spec/catalogue/roles.ts';
import type { Contract } from '../../../spec/contract.ts';
import { onceFor } from '../../../spec/once-for.ts';
import { choicesOf } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Id, isId, isObject } from '../../api/places.ts';
import { Blocked, Skip, Withheld } from '../../assert/failure.ts';
import { sideBySide } from '../../target/side-by-side.ts';
import type { Bindings } from '../bindings.ts';
import { type LinkSource, linkTarget, namedIn, outsideTarget, writableFields } from '../values/values.ts';

/** A few ids of a thing are as good as all of them. */
const MOST_HARVESTED = 5;

/** The records that others link to: made first, found among the target's own, or given. */
export type Links = LinkSource &
  Pick<Harvest, 'isUnbound' | 'remedyFor'> & {
    /** Gets hold of records of everything the models link to; what fails blocks only the cases that need it. */
    prepare(models: ReadonlySet<Model>): Promise<void>;
    /** The same for some fields of a model alone. */
    prepareFields(model: Model, fields: readonly Field[]): Promise<void>;
    /** Whether a client can link records of one model to records of another. */
    mayLink(from: Model, to: Model): boolean;
  };

export type LinksOptions = HarvestOptions & {
  /** Makes a record of a model with its required fields. Throws Blocked. */
  make(model: Model): Promise<number | string>;
  /** Makes one record of each model, and not as many as the links of all others need to move about. */
  readonly oneEach?: boolean;
};

export function createLinks(options: LinksOptions): Links {
  const { bindings, make, oneEach = false, plan, see } = options;
  const { catalogue, references } = plan();
  const { mayLink, requiredInLines, wantedOf, writableWithLines } = createLinkFields(plan());
  const ids = new Map<string, readonly (number | string)[]>(bindings);
  const reasons = new Map<string, Blocked | Withheld>();
  const { harvest, isUnbound, remedyFor, shownOf } = createHarvest(options, ids);
  return {
    async prepare(models) {
      await harvest(models);
      const fields = [...models].flatMap(writableWithLines);
      await ensureAll(fields);
    },
    async prepareFields(model, fields) {
      await harvest(new Set([model]));
      await ensureAll(fields.flatMap((field) => [field, ...requiredInLines(field)]));
    },
    idOf(name, number) {
      const known = ids.get(name) ?? [];
      return known[number % Math.max(1, known.length)];
    },
    whyNone: (name) => reasons.get(name) ?? new Blocked('none could be created'),
    mayLink,
    shownOf,
    isUnbound,
    remedyFor,
  };

  async function ensureAll(fields: readonly Field[]): Promise<void> {
    const under = new Set<string>();
    for (const field of fields) await ensure(linkTarget(field, references), under);
  }

  /** Makes the records others link to; before them, those that they can't be without. */
  async function ensure(name: string | undefined, under: Set<string>): Promise<void> {
    const model = catalogue.models.get(name ?? '');
    if (!model || ids.has(model.name) || under.has(model.name)) return;
    under.add(model.name);
    for (const field of writableWithLines(model))
      if (field.required) await ensure(linkTarget(field, references), under);
    const made: (number | string)[] = [];
    const wanted = oneEach ? 1 : wantedOf(model);
    try {
      if (!model.operations.includes('create')) throw new Blocked(`${model.name} has no create operation`);
      while (made.length < wanted) made.push(await make(model));
    } catch (error) {
      if (error instanceof Withheld) reasons.set(model.name, error);
      else if (error instanceof Skip) reasons.set(model.name, new Blocked(error.message));
      else if (error instanceof Blocked) reasons.set(model.name, error);
      else throw error;
      const telling = model.fields.filter(({ name, role }) => name === 'id' || role === 'deleted');
      for (const record of await see(model, telling))
        if (made.length < wanted && isLink(record.id) && !isDeleted(model, record)) made.push(record.id);
    }
    ids.set(model.name, made);
  }

  /** An id that is a text is understood while learning alone; what links to it would break the contract. */
  function isLink(id: unknown): id is Id {
    return oneEach ? isId(id) : Number.isSafeInteger(id);
  }
}

type HarvestOptions = {
  readonly plan: () => Contract;
  readonly bindings?: Bindings | undefined;
  /** The fields of the records that stand in the list of a model, in canonical form; none where there is no list. */
  see(model: Model, fields: readonly Field[]): Promise<readonly RecordValues[]>;
  /** Requests that may be under way at once. */
  readonly concurrency?: number | undefined;
};

/** What the target's own records show of things that no request of the kit can make. */
type Harvest = Pick<LinkSource, 'shownOf'> & {
  /**
   * Takes ids of things outside the catalogue, and values of lists that nobody knows, from the target's own records:
   * what they hold is surely taken.
   */
  harvest(models: ReadonlySet<Model>): Promise<void>;
  /**
   * What to supply where a refusal may be about ids of things outside the catalogue: those that the model, or what is
   * sent, links to by an id that is made up, or by one of the target's own that the refusal names. Empty where the
   * refusal names none of it; undefined where it is about no such id.
   */
  remedyFor(model: Model, refusal: string, sent?: RecordValues): string | undefined;
  /** Whether a field links to a thing outside the catalogue, and neither the user nor a record of the target gives an ID. */
  isUnbound(field: Field): boolean;
};

/** Puts the ids that it finds among those that are known. */
function createHarvest(
  { bindings, concurrency, plan, see }: HarvestOptions,
  ids: Map<string, readonly (number | string)[]>,
): Harvest {
  const { catalogue, references } = plan();
  const { writableWithLines } = createLinkFields(plan());
  const shown = new Map<Field, readonly Value[]>();
  return { harvest, shownOf: (field) => shown.get(field) ?? [], remedyFor, isUnbound };

  function isUnbound(field: Field): boolean {
    const thing = outsideTarget(field, references);
    return thing !== undefined && !bindings?.has(thing) && !shown.get(field)?.length;
  }

  async function harvest(models: ReadonlySet<Model>): Promise<void> {
    const wanted = new Set([...models].flatMap((model) => guessed(model)));
    const thingOf = (field: Field) => outsideTarget(field, references) ?? '';
    const sources = [...catalogue.models.values()].flatMap((model) => {
      const fields = model.fields.filter((field) => wanted.has(thingOf(field)));
      const choosing = models.has(model) ? model.fields.filter(isOpen) : [];
      return fields.length + choosing.length === 0 ? [] : [{ model, fields, choosing }];
    });
    const seen = await sideBySide(
      sources,
      ({ choosing, fields, model }) => see(model, [...fields, ...choosing]),
      concurrency,
    );
    for (const [index, { choosing, fields }] of sources.entries()) {
      const records = seen[index] ?? [];
      for (const field of fields) {
        const found = records.flatMap((record) => record[field.name]).filter(isInteger);
        shown.set(field, [...new Set(found)].slice(0, MOST_HARVESTED));
        const all = new Set([...(ids.get(thingOf(field)) ?? []), ...found]);
        if (all.size > 0) ids.set(thingOf(field), [...all].slice(0, MOST_HARVESTED));
      }
      for (const field of choosing) {
        const values = records
          .map((record) => record[field.name])
          .filter((value) => typeof value === 'string' || typeof value === 'number');
        shown.set(field, [...new Set(values)].slice(0, MOST_HARVESTED));
      }
    }
  }

  /** A list of values that neither the source nor the profile shows. */
  function isOpen(field: Field): boolean {
    const { profile } = plan();
    return !field.readonly && field.type === 'select' && choicesOf({ field, profile }) === undefined;
  }

  function remedyFor(model: Model, refusal: string, sent?: RecordValues): string | undefined {
    const fields = namedIn(writableWithLines(model), refusal);
    const about = new Set(fields.map((field) => outsideTarget(field, references)));
    const found = [...about].filter(
      (thing) => thing !== undefined && ids.has(thing) && !bindings?.has(thing),
    );
    const things = [...guessed(model, sent), ...found];
    if (things.length === 0) return undefined;
    const told = things.filter((thing) => about.has(thing));
    if (told.length > 0) return `; pass IDs of ${told.join(', ')} with --bindings`;
    const lists = fields.filter(isOpen).map(({ key }) => key);
    return lists.length > 0 ? `; list values of ${lists.join(', ')} in --profile (values)` : '';
  }

  /** The things outside the catalogue that a model, or what is sent of it, links to and of which no id is known. */
  function guessed(model: Model, sent?: RecordValues): string[] {
    const bodies = sent === undefined ? [] : [sent, ...Object.values(sent).flat().filter(isObject)];
    const isSent = (field: Field) =>
      sent === undefined || bodies.some((body) => Object.hasOwn(body, field.name));
    const things = writableWithLines(model)
      .filter(isSent)
      .flatMap((field) => outsideTarget(field, references) ?? []);
    return [...new Set(things)].filter((thing) => !ids.has(thing));
  }
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** The fields by which records of a model may link to others, those in its lines too. */
function createLinkFields({ catalogue, references }: Contract) {
  const linked = onceFor(
    (model: Model) => new Set(writableWithLines(model).map((field) => linkTarget(field, references))),
  );
  return { mayLink, writableWithLines, requiredInLines, wantedOf };

  /** Whether a client can link records of one model to records of another. */
  function mayLink(from: Model, to: Model): boolean {
    return linked(from).has(to.name);
  }

  /** As many as one record may hold links to, and one more, so that each link can be moved to a free one. */
  function wantedOf({ name }: Model): number {
    const linksOf = ({ fields }: Model) =>
      fields
        .filter((field) => !field.readonly && linkTarget(field, references) === name)
        .flatMap(({ type }) => (type === 'manyToMany' ? [1, 2] : [1])).length;
    return 1 + Math.max(1, ...[...catalogue.models.values()].map(linksOf));
  }

  function writableWithLines(model: Model): Field[] {
    return writableFields(model).flatMap((field) => [field, ...linesOf(field)]);
  }

  function requiredInLines(field: Field): Field[] {
    return linesOf(field).filter(({ required }) => required);
  }

  function linesOf({ lines = '' }: Field): Field[] {
    const line = catalogue.models.get(lines);
    return line ? writableFields(line) : [];
  }
}
