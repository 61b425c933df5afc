import fc from 'fast-check';
import type { Query, Records, SessionRecords, Store } from '../../mock/store/store.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { FIELDS, hostileQueries } from './hostile-values.ts';

/** A store under test, and what its tests need. */
export type Opened = {
  /** The one that is open now. */
  store(): Store;
  /** Closes it, and opens its place again, unless it is in memory. */
  reopen(): Promise<void>;
  /** A name that no session had. */
  nameOne(): string;
  openSession(): Promise<SessionRecords>;
  /** How often a property is tried. */
  runs(many: number): number;
};

export const ALL = { liveOnly: false };
export const SEED = 20251022;

/** The ids of the records that a query finds, in its order. */
export async function idsOf(session: SessionRecords, model: string, query: Query = ALL) {
  return (await session.find(model, query)).records.map(({ id }) => id);
}

type Step = { readonly put?: RecordValues; readonly remove?: number; readonly clear?: true };
const ids = fc.integer({ min: 1, max: 9 });
const puts = fc
  .record({ id: ids, parent: fc.constantFrom(1, 2, null), deleted: fc.boolean() })
  .map((put): Step => ({ put }));
export const steps = fc.array(
  fc.oneof(
    { arbitrary: puts, weight: 6 },
    { arbitrary: ids.map((remove): Step => ({ remove })), weight: 4 },
    { arbitrary: fc.constant<Step>({ clear: true }), weight: 1 },
  ),
);

export async function take(records: Records, taken: readonly Step[], model: string): Promise<void> {
  for (const { clear, put, remove } of taken) {
    if (put) await records.put(model, put);
    else if (clear) await records.clear(model);
    else await records.remove(model, remove ?? 0);
  }
}

export function putAll(session: SessionRecords, model: string, all: readonly RecordValues[]): Promise<void> {
  return session.transaction((records) => putInto(records, model, all));
}

export async function putInto(
  records: Pick<Records, 'put'>,
  model: string,
  all: readonly RecordValues[],
): Promise<void> {
  for (const record of all) await records.put(model, record);
}

/** Opens a session in a new store, which closes after the block. */
export async function openSession(opened: Store | Promise<Store>) {
  const store = await opened;
  const session = await store.open('a', '@none');
  return Object.assign(session, { store, [Symbol.asyncDispose]: () => store.close() });
}

export function nextId(session: SessionRecords, model: string): Promise<number> {
  return session.transaction((records) => records.nextId(model));
}

export const tables = fc.uniqueArray(
  fc.record(
    {
      id: fc.oneof(ids, fc.integer({ min: 1, max: 40 })),
      deleted: fc.boolean(),
      ...Object.fromEntries(
        Object.entries(FIELDS).map(([name, { values }]) => [name, fc.constantFrom(null, ...values)]),
      ),
    },
    { requiredKeys: ['id'] },
  ),
  { selector: ({ id }) => id, maxLength: 12 },
) as fc.Arbitrary<RecordValues[]>;

const anyQuery = fc.constantFrom(...hostileQueries());
/** One query, or the conditions of two, sorted as both say. */
export const queries: fc.Arbitrary<Query> = fc
  .tuple(anyQuery, fc.option(anyQuery, { freq: 2 }))
  .map(([one, other]) => ({
    ...one,
    filters: [...(one.filters ?? []), ...(other?.filters ?? [])],
    sort: [...(one.sort ?? []), ...(other?.sort ?? [])],
  }));
