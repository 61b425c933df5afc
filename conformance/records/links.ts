import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { isDeleted } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { checkShape } from '../../spec/files/shape.ts';
import { readAll, refuseMistakes, unexpected } from '../../spec/files/usage-error.ts';
import { readYaml, readYamlFile } from '../../spec/files/yaml-file.ts';
import { onceFor } from '../../spec/once-for.ts';
import { linkedModel, type References } from '../../spec/references.ts';
import { choicesOf } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { findRecords, type Id, isAccepted, isId, isObject } from '../api/answer.ts';
import { createApi } from '../api/api.ts';
import { createWireCheck } from '../assert/agreement.ts';
import { blocked, type Ending, isEnded, unlessEnded } from '../assert/ending.ts';
import { sideBySide } from '../target/exchange.ts';
import type { Target } from '../target/target.ts';
import { namedIn, outsideTarget, writableFields } from './values/values.ts';

/** Maximum number of IDs of a thing. No record links to more records of one model. */
const MOST_IDS = 5;

type LinksOptions = {
  readonly plan: () => Contract;
  readonly bindings?: BoundIds | undefined;
  /** Returns fields of the records in a model's list, in canonical form; nothing if there is no list. */
  see(model: Model, fields: readonly Field[]): Promise<readonly RecordValues[]>;
  /** Maximum number of parallel requests. */
  readonly concurrency?: number | undefined;
  /** Creates a record of a model with its required fields. Throws `blocked`. */
  make(model: Model): Promise<Id>;
  /** Creates only the records that one record of each model needs for its links. */
  readonly oneEach?: boolean;
};

/** The records that others link to: created first, found in the target, or given by the user. */
export type Links = ReturnType<typeof createLinks>;

export function createLinks(options: LinksOptions) {
  const { bindings, make, oneEach = false, plan, see } = options;
  const { catalogue, references } = plan();
  const { linesOf, mayLink, wantedOf, writableWithLines } = createLinkFields(plan());
  const ids = new Map<string, readonly Id[]>(bindings);
  const reasons = new Map<string, Ending>();
  const { harvest, isUnbound, remedyFor, shownOf } = createHarvest(options, ids);
  return {
    /** Creates or finds all records that the models link to. A failure blocks only the cases that need the record. */
    async prepare(models: ReadonlySet<Model>): Promise<void> {
      await harvest(models);
      await ensureAll([...models].flatMap(writableWithLines));
    },
    /** Does the same for some fields of a model. */
    async prepareFields(model: Model, fields: readonly Field[]): Promise<void> {
      await harvest(new Set([model]));
      await ensureAll(
        fields.flatMap((field) => [field, ...linesOf(field).filter(({ required }) => required)]),
      );
    },
    idOf(name: string, number: number): Id | undefined {
      const known = ids.get(name) ?? [];
      return known[number % Math.max(1, known.length)];
    },
    /** Links only to one record of a model until the returned function is called. */
    useOnly(name: string, id: Id): () => void {
      const before = ids.get(name) ?? [];
      if (!bindings?.has(name)) ids.set(name, [id]);
      return () => void ids.set(name, before);
    },
    whyNone: (name: string): Ending =>
      reasons.get(name) ?? { outcome: 'blocked', message: 'none could be created' },
    another,
    mayLink,
    shownOf,
    isUnbound,
    remedyFor,
  };

  /**
   * Returns the ID of a new record for a field to link to; undefined if the run can't create one. Of a thing outside the
   * catalogue it returns the guess, because not every service looks it up.
   */
  async function another(field: Field, guess: () => Id): Promise<Id | undefined> {
    const outside = outsideTarget(field, references);
    const target = outside ?? linkedModel(references, field);
    if (field.type !== 'int' || target === undefined || bindings?.has(target)) return undefined;
    if (outside !== undefined) return guess();
    const model = catalogue.models.get(target);
    if (!model?.operations.includes('create')) return undefined;
    const id = await unlessEnded(() => make(model));
    if (id !== undefined) ids.set(model.name, [...(ids.get(model.name) ?? []), id]);
    return id;
  }

  async function ensureAll(fields: readonly Field[]): Promise<void> {
    const under = new Set<string>();
    for (const field of fields) await ensure(linkedModel(references, field), under);
  }

  /** Creates the records that others link to, after the records that those require. */
  async function ensure(name: string | undefined, under: Set<string>): Promise<void> {
    const model = catalogue.models.get(name ?? '');
    if (!model || ids.has(model.name) || under.has(model.name)) return;
    under.add(model.name);
    for (const field of writableWithLines(model))
      if (field.required) await ensure(linkedModel(references, field), under);
    const made: Id[] = [];
    const wanted = wantedOf(model) - (oneEach ? 1 : 0);
    try {
      if (!model.operations.includes('create')) throw blocked(`${model.name} has no create operation`);
      while (made.length < wanted) made.push(await make(model));
    } catch (error) {
      if (!isEnded(error, 'blocked', 'skip')) throw error;
      const { ending } = error;
      reasons.set(model.name, ending.withheld ? ending : { ...ending, outcome: 'blocked' });
      const telling = model.fields.filter(({ name, role }) => name === 'id' || role === 'deleted');
      for (const record of await see(model, telling))
        if (made.length < wanted && isLink(record.id) && !isDeleted(model, record)) made.push(record.id);
    }
    ids.set(model.name, made);
  }

  /** Whether an ID can be in a link. A string would break the contract, so only learning accepts it. */
  function isLink(id: unknown): id is Id {
    return oneEach ? isId(id) : Number.isSafeInteger(id);
  }
}

/** Finds values of things that the suite can't create in the records of the target. Adds IDs to the known ones. */
function createHarvest({ bindings, concurrency, plan, see }: LinksOptions, ids: Map<string, readonly Id[]>) {
  const { catalogue, references } = plan();
  const { writableWithLines } = createLinkFields(plan());
  const shown = new Map<Field, readonly Value[]>();
  return { harvest, shownOf: (field: Field) => shown.get(field) ?? [], remedyFor, isUnbound };

  /** Whether a field links to a thing outside the catalogue of which neither the user nor the target gives an ID. */
  function isUnbound(field: Field): boolean {
    const thing = outsideTarget(field, references);
    return thing !== undefined && !bindings?.has(thing) && !shown.get(field)?.length;
  }

  /** Finds IDs of things outside the catalogue, and values of open lists, that the service has accepted. */
  async function harvest(models: ReadonlySet<Model>): Promise<void> {
    const wanted = new Set([...models].flatMap((model) => guessed(model)));
    const sources = [...catalogue.models.values()].flatMap((model) => {
      const fields = model.fields.filter((field) => {
        const thing = outsideTarget(field, references);
        return thing === undefined ? models.has(model) && isOpen(field) : wanted.has(thing);
      });
      return fields.length === 0 ? [] : [{ model, fields }];
    });
    const seen = await sideBySide(
      sources,
      async ({ fields, model }) => ({ fields, records: await see(model, fields) }),
      concurrency,
    );
    const some = (values: readonly Id[]) => [...new Set(values)].slice(0, MOST_IDS);
    for (const { fields, records } of seen)
      for (const field of fields) {
        const thing = outsideTarget(field, references);
        // A test of the service might have stored a long text where no list is enforced.
        const isMember = (value: unknown) =>
          typeof value === 'number' || (typeof value === 'string' && value.length <= 64);
        const isWanted = (value: unknown): value is Id =>
          Number.isSafeInteger(value) || (thing === undefined && isMember(value));
        const found = records.flatMap((record) => record[field.name]).filter(isWanted);
        shown.set(field, some(found));
        if (thing !== undefined && found.length > 0)
          ids.set(thing, some([...(ids.get(thing) ?? []), ...found]));
      }
  }

  /** Whether neither the source nor the profile shows the values of a list. */
  function isOpen(field: Field): boolean {
    const { profile } = plan();
    return !field.readonly && field.type === 'select' && choicesOf({ field, profile }) === undefined;
  }

  /**
   * Returns what the user can supply after a refusal: IDs that the suite generated, or found in the target if the refusal
   * names their field. Empty if the refusal names none of them; undefined if the body links to no such thing.
   */
  function remedyFor(model: Model, refusal: string, sent?: RecordValues): string | undefined {
    const named = namedIn(writableWithLines(model), refusal);
    const about = named.flatMap((field) => outsideTarget(field, references) ?? []);
    const found = about.filter((thing) => ids.has(thing) && !bindings?.has(thing));
    const things = [...new Set([...found, ...guessed(model, sent)])];
    const told = things.filter((thing) => about.includes(thing));
    if (told.length > 0) return `; pass IDs of ${told.join(', ')} with --bindings`;
    return things.length > 0 ? '' : undefined;
  }

  /** Returns the things outside the catalogue that a model, or a body of it, links to and whose IDs are unknown. */
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

/** Returns the fields that can link records of a model to others, also in its lines. */
function createLinkFields({ catalogue, references }: Contract) {
  const linked = onceFor(
    (model: Model) => new Set(writableWithLines(model).map((field) => linkedModel(references, field))),
  );
  return { linesOf, mayLink, writableWithLines, wantedOf };

  /** Whether a client can link records of one model to records of another. */
  function mayLink(from: Model, to: Model): boolean {
    return linked(from).has(to.name);
  }

  /** Returns how many records of a model one record can link to, and one more, so that each link can move. */
  function wantedOf({ name }: Model): number {
    const linksOf = ({ fields }: Model) =>
      fields
        .filter((field) => !field.readonly && linkedModel(references, field) === name)
        .flatMap(({ type }) => (type === 'manyToMany' ? [1, 2] : [1])).length;
    return 1 + Math.max(1, ...[...catalogue.models.values()].map(linksOf));
  }

  function writableWithLines(model: Model): Field[] {
    return writableFields(model).flatMap((field) => [field, ...linesOf(field)]);
  }

  function linesOf({ lines = '' }: Field): Field[] {
    const line = catalogue.models.get(lines);
    return line ? writableFields(line) : [];
  }
}

/** IDs of existing records, per model or per name of a thing outside the catalogue; or a query such as `?active=true`. */
export type Bindings = ReadonlyMap<string, readonly number[] | string>;

/** Bindings whose queries were sent. */
export type BoundIds = ReadonlyMap<string, readonly number[]>;

/**
 * Reads a file such as `product: [101, 102]`, or an object with the same. Throws UsageError if no field links to a name,
 * or a name has no IDs.
 */
export function loadBindings(
  given: string | Readonly<Record<string, readonly number[] | string>>,
  catalogue: Catalogue,
  references: References,
): Bindings {
  const file = typeof given === 'string' ? readYamlFile(given) : readYaml(JSON.stringify(given), 'bindings');
  const outside = [...references.values()].flatMap((reference) =>
    'outside' in reference ? [reference.outside] : [],
  );
  const known = [...new Set([...outside, ...catalogue.models.keys()])];
  const bindings = new Map(
    readAll(file.entries(), ([key, list]): [string, readonly number[] | string] => {
      const name = String(key);
      if (!known.includes(name)) list.fail(unexpected('name', name, known));
      if (typeof list.value === 'string' && list.value.startsWith('?')) {
        if (!catalogue.models.get(name)?.operations.includes('list'))
          list.fail(`${name} has no list that a query can search. Use IDs, such as ${name}: [101, 102].`);
        return [name, list.value];
      }
      const ids = list.items().map(({ value }) => value);
      if (ids.length === 0 || !ids.every(Number.isSafeInteger))
        list.fail(
          `The IDs of ${name} must be whole numbers, two if possible, but are ${JSON.stringify(ids)}.`,
        );
      return [name, ids as number[]];
    }),
  );
  checkShape(file, 'bindings');
  return bindings;
}

/** Sends the queries, and returns the IDs of the first records. Throws UsageError that names each query without one. */
export async function findBound(bindings: Bindings, plan: Contract, target: Target): Promise<BoundIds> {
  const api = createApi({ target, catalogue: plan.catalogue, profile: () => plan.profile });
  const check = createWireCheck(plan);
  const found = new Map<string, readonly number[]>();
  const mistakes: string[] = [];
  for (const [name, bound] of bindings) {
    const model = plan.catalogue.models.get(name);
    if (typeof bound !== 'string') found.set(name, bound);
    else if (model) {
      const ids = await idsOf(model, Object.fromEntries(new URLSearchParams(bound)));
      found.set(name, ids);
      if (ids.length === 0)
        mistakes.push(
          `The service lists no ${name} for the binding "${bound}". Create such a record, correct the query, or bind IDs, such as ${name}: [101, 102].`,
        );
    }
  }
  refuseMistakes(mistakes);
  return found;

  /** Returns the IDs on the first page of a list, from any place in the response, because `learn` might not know it yet. */
  async function idsOf(model: Model, filter: Record<string, string>): Promise<readonly number[]> {
    const answer = await api.list(model.name, filter);
    const records =
      (isAccepted(answer) && (api.recordsIn(answer) ?? findRecords(model, answer.json)?.value)) || [];
    // A service might ignore the query.
    const hasValues = (record: RecordValues) =>
      Object.entries(filter).every(
        ([name, value]) => !Object.hasOwn(record, name) || String(record[name]) === value,
      );
    return records
      .filter((record) => hasValues(record) && !isDeleted(model, check.read(model, record)))
      .map(({ id }) => id)
      .filter((id): id is number => Number.isSafeInteger(id))
      .slice(0, MOST_IDS);
  }
}
