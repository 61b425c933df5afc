import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { choicesOf } from '../../spec/types/select.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Id, isId, isObject } from '../api/places.ts';
import { Blocked, Skip, Withheld } from '../assert/failure.ts';
import type { Bindings } from './bindings.ts';
import { createLinkFields } from './link-fields.ts';
import { type LinkSource, linkTarget, outsideTarget } from './values/values.ts';

/** The records that others link to: made first, found among the target's own, or given. */
export type Links = LinkSource & {
  /** Gets hold of records of everything the models link to; what fails blocks only the cases that need it. */
  prepare(models: ReadonlySet<Model>): Promise<void>;
  /** The same for some fields of a model alone. */
  prepareFields(model: Model, fields: readonly Field[]): Promise<void>;
  /**
   * What to supply where a refusal may be about ids of things outside the catalogue: those that the model, or what is
   * sent, links to by an id that is made up, or by one of the target's own that the refusal names. Of what the refusal
   * names, if it names any of it; empty where it is about no such id.
   */
  remedyFor(model: Model, refusal: string, sent?: RecordValues): string;
};

export type LinksOptions = {
  readonly plan: () => Contract;
  readonly bindings?: Bindings | undefined;
  /** Makes a record of a model with its required fields. Throws Blocked. */
  make(model: Model): Promise<number | string>;
  /** The records that stand in the list of a model, in canonical form; none where there is no list. */
  see(model: Model): Promise<readonly RecordValues[]>;
  /** Makes one record of each model, and not as many as the links of all others need to move about. */
  readonly oneEach?: boolean;
};

/** A few ids of a thing are as good as all of them. */
const MOST_HARVESTED = 5;

export function createLinks({ bindings, make, oneEach = false, plan, see }: LinksOptions): Links {
  const { catalogue, references } = plan();
  const { requiredInLines, wantedOf, writableWithLines } = createLinkFields(plan());
  const ids = new Map<string, readonly (number | string)[]>(bindings);
  const reasons = new Map<string, Blocked | Withheld>();
  const shown = new Map<Field, readonly Value[]>();
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
    whyNone: (name) => reasons.get(name) ?? new Blocked('none could be made'),
    shownOf: (field) => shown.get(field) ?? [],
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
      if (!model.operations.includes('create')) throw new Blocked(`${model.name} has no create`);
      while (made.length < wanted) made.push(await make(model));
    } catch (error) {
      if (error instanceof Withheld) reasons.set(model.name, error);
      else if (error instanceof Skip) reasons.set(model.name, new Blocked(error.message));
      else if (error instanceof Blocked) reasons.set(model.name, error);
      else throw error;
      for (const { deleted, id } of await see(model))
        if (made.length < wanted && isLink(id) && deleted !== true) made.push(id);
    }
    ids.set(model.name, made);
  }

  /** An id that is a text is understood while learning alone; what links to it would break the contract. */
  function isLink(id: unknown): id is Id {
    return oneEach ? isId(id) : Number.isSafeInteger(id);
  }

  /**
   * Takes ids of things outside the catalogue, and values of lists that nobody knows, from the target's own records:
   * what they hold is surely taken.
   */
  async function harvest(models: ReadonlySet<Model>): Promise<void> {
    const wanted = new Set([...models].flatMap((model) => guessed(model)));
    const thingOf = (field: Field) => outsideTarget(field, references) ?? '';
    for (const model of catalogue.models.values()) {
      const fields = model.fields.filter((field) => wanted.has(thingOf(field)));
      const choosing = models.has(model) ? model.fields.filter(isOpen) : [];
      if (fields.length + choosing.length === 0) continue;
      const records = await see(model);
      for (const field of fields) {
        const found = records.flatMap((record) => record[field.name]).filter(Number.isSafeInteger);
        const all = new Set([...(ids.get(thingOf(field)) ?? []), ...(found as number[])]);
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

  function remedyFor(model: Model, refusal: string, sent?: RecordValues): string {
    const fields = writableWithLines(model).filter(({ name }) => new RegExp(`\\b${name}\\b`).test(refusal));
    const about = new Set(fields.map((field) => outsideTarget(field, references)));
    const found = [...about].filter(
      (thing) => thing !== undefined && ids.has(thing) && !bindings?.has(thing),
    );
    const things = [...guessed(model, sent), ...found];
    if (things.length === 0) return '';
    const told = things.filter((thing) => about.has(thing));
    const lists = fields.filter(isOpen).map(({ key }) => key);
    return told.length === 0 && lists.length > 0
      ? `; list values of ${lists.join(', ')} in --profile (values)`
      : `; supply ids of ${(told.length > 0 ? told : things).join(', ')} in --bindings`;
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
