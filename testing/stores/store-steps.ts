import fc from 'fast-check';
import type { Filter, Query, Records, SessionRecords, Store } from '../../mock/store/store.ts';
import type { TypeName } from '../../spec/catalogue/field.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { FIELDS, PARTS, SCALARS } from './hostile-values.ts';

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

const names = Object.keys(FIELDS);
const valuesOf = (field: string) => FIELDS[field]?.values ?? [];
const typeOf = (field: string): TypeName => FIELDS[field]?.type ?? 'text';

export const tables = fc.uniqueArray(
  fc.record(
    {
      id: fc.oneof(ids, fc.integer({ min: 1, max: 40 })),
      deleted: fc.boolean(),
      ...Object.fromEntries(names.map((name) => [name, fc.constantFrom(null, ...valuesOf(name))])),
    },
    { requiredKeys: ['id'] },
  ),
  { selector: ({ id }) => id, maxLength: 12 },
) as fc.Arbitrary<RecordValues[]>;

const anyField = fc.constantFrom(...Object.keys(SCALARS));
const filterOf = (
  field: string,
  operators: readonly Filter['operator'][],
  values: fc.Arbitrary<readonly Value[]>,
): fc.Arbitrary<Filter> =>
  fc.record({
    field: fc.constant(field),
    type: fc.constant(typeOf(field)),
    operator: fc.constantFrom(...operators),
    values,
  });
const filters = anyField.chain((field) => {
  const value = fc.constantFrom(...valuesOf(field));
  return fc.oneof(
    filterOf(field, ['gt', 'gte', 'lt', 'lte'], fc.tuple(value)),
    filterOf(field, ['equal'], fc.tuple(fc.oneof(value, fc.constant(null)))),
    filterOf(field, ['in'], fc.array(value, { maxLength: 3 })),
    filterOf(field, ['null'], fc.tuple(fc.boolean())),
    filterOf('name', ['contains'], fc.tuple(fc.constantFrom(...PARTS))),
  );
});
export const queries: fc.Arbitrary<Query> = fc.record(
  {
    liveOnly: fc.boolean(),
    filters: fc.array(filters, { maxLength: 3 }),
    sort: fc.array(
      anyField.chain((field) =>
        fc.record({ field: fc.constant(field), type: fc.constant(typeOf(field)), descending: fc.boolean() }),
      ),
      { maxLength: 2 },
    ),
    offset: fc.nat({ max: 6 }),
    size: fc.nat({ max: 6 }),
  },
  { requiredKeys: ['liveOnly'] },
);
