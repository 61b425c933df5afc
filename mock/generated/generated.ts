import { type Catalogue, isOfKit, type Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { isDeleted, isIdField } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { FORMULAS } from '../engine/formulas.ts';
import { findLineRelations, type LineRelations } from '../engine/links.ts';
import { type FixtureRecord, type Fixtures, numberRecords } from '../seed/seed-record.ts';
import { firstIndex } from '../store/order.ts';
import { agree, OWN_TARGETS } from './agree.ts';
import { type Draft, drawValue } from './values.ts';

/** More would take minutes, and gigabytes. */
const MOST_GENERATED = 200_000;

/** The most records of a model that the user did not name, but others need. */
const FEW = 20;

const DAY = 86_400_000;

/**
 * Generates records in the form of fixtures, in addition to the existing ones. Texts are in Spanish for the models of
 * the kit, and neutral for others. Records agree with each other. Each is created after the records it refers to, and
 * before the version date of the catalogue. Missing records that others need are generated too. The same seed gives the
 * same records. Throws UsageError for an unknown model or too many records.
 */
export async function generateRecords(
  wanted: Wanted,
  contract: Contract,
  options: {
    readonly seed: number;
    /** ReturnType<typeof readExisting> records. They don't change, and generated ones can refer to them. */
    readonly existing: Fixtures;
    /** Where the images are, such as `http://127.0.0.1:4010`. */
    readonly origin: string;
  },
): Promise<Fixtures> {
  const { existing, origin, seed } = options;
  // Only here: it takes longer to load than all else of a start.
  const { faker } = await import('@faker-js/faker/locale/es');
  const { catalogue, references } = contract;
  const relations = findLineRelations(catalogue, references);
  const there = readExisting(existing, catalogue);
  const counts = countRecords(wanted, contract, there, relations);
  const made = new Map<string, Draft[]>();
  const pool = createPool(there, made);
  const depths = new Map<string, number>();
  const seen = new Set<string>();
  const end = Date.parse(catalogue.version) || Date.UTC(2025, 9, 22);
  for (const name of counts.keys()) generate(wantedModel(contract, name));
  return new Map([...made].map(([name, drafts]) => [name, drafts.map(({ record }) => record)]));

  /** Generates the models that a model refers to first. Their records begin a day earlier. */
  function generate(model: Model, path: readonly string[] = []): void {
    if (made.has(model.name) || path.includes(model.name)) return;
    const targets = linksOf(model, contract).map(({ to }) => to);
    for (const to of targets) if (counts.has(to)) generate(wantedModel(contract, to), [...path, model.name]);
    const depth = 1 + Math.max(0, ...targets.map((to) => depths.get(to) ?? 0));
    depths.set(model.name, depth);
    faker.seed([seed, ...Buffer.from(model.name)]);
    const first = end - (140 - depth) * DAY;
    const count = counts.get(model.name) ?? 0;
    const step = (end - DAY - first) / Math.max(1, count);
    for (let index = 0; index < count; index++)
      add(model, first + Math.floor((index + faker.number.float({ max: 0.5 })) * step));
  }

  function add(model: Model, at: number, parent: Readonly<Record<string, unknown>> = {}): void {
    const created = `${new Date(at).toISOString().slice(0, 19)}Z`;
    const id = pool.nextId(model.name);
    const user = faker.number.int({ min: 1, max: 4 });
    const record: Record<string, unknown> = { id };
    for (const field of model.fields) {
      const value = valueOfRole(field, created, user);
      if (value !== undefined) record[field.name] = value;
    }
    const draft: Draft = {
      record,
      model,
      created: Date.parse(created),
      faker,
      origin,
      find: pool.find,
      neighbor: pool.neighbor,
      isMade: (name) => counts.has(name),
      once: (key) => seen.size < seen.add(key).size,
    };
    for (const field of model.fields) {
      if (isIdField(field) || field.role || field.lines !== undefined || isWorkedOut(field, model)) continue;
      const link = parent[field.name] ?? linkFor(field, draft);
      const value = link === undefined ? drawValue(field, draft, references) : link;
      if (value !== null && value !== undefined) record[field.name] = value;
    }
    agree(draft);
    pool.made(model.name).push(draft);
    for (const { line, link } of relations.ofParent(model)) {
      if (link === undefined || counts.has(line.name)) continue;
      const count = faker.number.int({ min: 1, max: 4 });
      for (let index = 0; index < count; index++) add(line, draft.created, { [link]: id });
    }
  }

  /** The id of a record that was there before this one; records made here go before others. */
  function linkFor(field: Field, draft: Draft): number | number[] | undefined | null {
    const reference = references.get(field.key);
    if (reference === undefined || 'outside' in reference) return undefined;
    if (!field.required && faker.number.float() < 0.3) return null;
    const { count, idAt } = pool.before(reference.to, draft.created);
    const draw = () => idAt(faker.number.int({ max: Math.max(0, count - 1) }));
    if (field.type === 'manyToMany') {
      const several = [draw(), draw()].filter((id) => id !== undefined);
      return [...new Set(several)].toSorted((one, other) => one - other);
    }
    return draw() ?? (field.required ? 1 : null);
  }
}

/** The value of a common field with a role, in the form of its type; undefined for any other, and for the mark. */
function valueOfRole({ role, type }: Field, time: string, user: number): unknown {
  switch (role) {
    case 'created':
    case 'updated':
      return { datetime: time, date: time.slice(0, 10) }[type as string];
    case 'createdBy':
    case 'updatedBy':
      return { int: user, string: `user ${user}` }[type as string];
    default:
      return undefined;
  }
}

/** Whether the service computes the field, so that it is not generated. */
function isWorkedOut({ key, readonly }: Field, model: Model): boolean {
  return readonly && isOfKit(model) && Object.hasOwn(FORMULAS, key);
}

function createPool(there: ReturnType<typeof readExisting>, made: Map<string, Draft[]>) {
  const madeOf = (model: string) => made.get(model) ?? [];
  return {
    /** Returns the generated records of a model, the oldest first. */
    made(model: string) {
      const drafts = madeOf(model);
      made.set(model, drafts);
      return drafts;
    },
    nextId: (model: string) => 1 + Number(madeOf(model).at(-1)?.record.id ?? there.lastId(model)),
    /**
     * Returns the number of records of a model that a record can link to from a time on, and their IDs. Generated
     * records come before existing ones.
     */
    before(model: string, time: number): { count: number; idAt(place: number): number | undefined } {
      const own = madeOf(model);
      const count = firstIndex(own, ({ created }) => created > time);
      if (count > 0) return { count, idAt: (place) => Number(own[place]?.record.id) };
      const ids = there.liveIds(model);
      return { count: ids.length, idAt: (place) => ids[place] };
    },
    find(model: string, id: unknown) {
      const own = madeOf(model);
      const at = Number(id) - Number(own[0]?.record.id);
      return own[at]?.record ?? { ...there.find(model, Number(id)) };
    },
    neighbor(model: string, id: number) {
      if (id > Number(madeOf(model)[0]?.record.id)) return id - 1;
      const ids = there.liveIds(model);
      return ids.findLast((other) => other < id) ?? ids.find((other) => other !== id);
    },
  };
}

/** The number of records per model. A number alone is for each model. */
export type Wanted = number | Readonly<Record<string, number>>;

/** The model of a name. Throws UsageError where there is none. */
function wantedModel({ catalogue }: Contract, name: string): Model {
  const model = catalogue.models.get(name);
  if (model) return model;
  throw new UsageError(unexpected('model', name, [...catalogue.models.keys()], 'in --records'));
}

/** The links of a model into others that are described. */
function linksOf(model: Model, { references }: Contract): { readonly field: Field; readonly to: string }[] {
  return model.fields.flatMap((field) => {
    const reference = references.get(field.key);
    if (reference === undefined || 'outside' in reference) return [];
    // Lines are generated with their parents, unless the user asks for them.
    return reference.to === model.name ? [] : [{ field, to: reference.to }];
  });
}

/** Counts the records to generate: those that the user wants, and missing ones that they need. */
function countRecords(
  wanted: Wanted,
  contract: Contract,
  there: ReturnType<typeof readExisting>,
  relations: LineRelations,
): ReadonlyMap<string, number> {
  const asked =
    typeof wanted === 'number'
      ? [...contract.catalogue.models.values()]
          // Lines are made with their parents.
          .filter((model) => relations.ofLine(model).length === 0)
          .map(({ name }) => [name, wanted] as const)
      : Object.entries(wanted);
  const all = new Map<string, number>(asked.filter(([name]) => wantedModel(contract, name)));
  const sum = [...all.values()].reduce((total, count) => total + count, 0);
  if (sum > MOST_GENERATED)
    throw new UsageError(
      `--records needs ${sum} records, and the limit is ${MOST_GENERATED}. Ask for fewer.`,
    );
  for (const [name, count] of all)
    for (const { field, to } of linksOf(wantedModel(contract, name), contract)) {
      const isOwn = OWN_TARGETS.includes(field.key);
      const isThere = there.liveIds(to).length > 0 && !isOwn;
      if ((field.required || isOwn) && count > 0 && !all.has(to) && !isThere)
        all.set(to, Math.min(FEW, count));
    }
  return all;
}

/** Returns the existing records, by the IDs that they have or get. */
function readExisting(fixtures: Fixtures, { models }: Catalogue) {
  const records = new Map([...fixtures].map(([name, all]) => [name, byId(all)]));
  const live = new Map([...records].map(([name, all]) => [name, liveOf(all, models.get(name))]));
  return {
    find: (model: string, id: number) => records.get(model)?.get(id),
    /** Returns the IDs that a link can have. */
    liveIds: (model: string): readonly number[] => live.get(model) ?? [],
    /** Returns the highest ID; 0 for none. */
    lastId: (model: string) =>
      [...(records.get(model)?.keys() ?? [])].reduce((most, id) => Math.max(most, id), 0),
  };
}

function byId(records: readonly FixtureRecord[]): ReadonlyMap<number, FixtureRecord> {
  const numbered = [...numberRecords(records)].map(([record, id]) => [Number(id), record] as const);
  return new Map(numbered.filter(([id]) => Number.isSafeInteger(id)));
}

function liveOf(records: ReadonlyMap<number, FixtureRecord>, model: Model | undefined): number[] {
  return [...records].filter(([, record]) => !model || !isDeleted(model, record)).map(([id]) => id);
}
