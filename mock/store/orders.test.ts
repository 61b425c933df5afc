import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { SCALARS } from '../../testing/stores/hostile-values.ts';
import { searchPlainly } from '../../testing/stores/plain-model.ts';
import { queries, SEED } from '../../testing/stores/store-steps.ts';
import { createMemoryStore } from './memory.ts';
import type { Query } from './store.ts';

// Enough records for the store to keep orders.
const MANY = 1200;

/** A record whose values are often those of others, except one. */
const recordOf = (id: number, draw: number): RecordValues => ({
  ...Object.fromEntries(
    Object.entries(SCALARS).map(([name, { values }]) => [name, values[draw % (values.length + 1)] ?? null]),
  ),
  id,
  place: `u${id}`,
  deleted: draw % 11 === 0,
});

const longQueries = fc
  .tuple(queries, fc.constantFrom(0, 3, 500), fc.constantFrom(5, 40, Number.POSITIVE_INFINITY))
  .map(([query, offset, size]): Query => ({ ...query, offset, size }));
const ids = fc.integer({ min: 1, max: MANY + 20 });
const writes = fc.array(fc.tuple(ids, fc.nat(10_000), fc.boolean()), { maxLength: 6 });

test('among many records, a store finds what a search through all of them finds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(longQueries, writes), { minLength: 1, maxLength: 5 }),
      async (steps) => {
        const store = createMemoryStore();
        const session = await store.open('a', '@none');
        const known = new Map<number, RecordValues>();
        const put = async (record: RecordValues) => {
          known.set(Number(record.id), record);
          await session.transaction((records) => records.put('m', record));
        };
        await session.transaction(async (records) => {
          for (let id = 1; id <= MANY; id++) await records.put('m', recordOf(id, id * 7919));
        });
        for (let id = 1; id <= MANY; id++) known.set(id, recordOf(id, id * 7919));
        const check = async (query: Query) => {
          expect(await session.find('m', query)).toEqual(searchPlainly(known.values(), query));
        };
        for (const [query, written] of steps) {
          // An order is made when it is asked for again and again.
          for (let time = 0; time < 3; time++) await session.find('m', query);
          await check(query);
          for (const [id, draw, isGone] of written) {
            if (!isGone) await put(recordOf(id, draw));
            else if (known.delete(id)) await session.transaction((records) => records.remove('m', id));
          }
          for (const [earlier] of steps) await check(earlier);
        }
        // A write of one session does not change the tables of another.
        await store.save('a', 'kept');
        const other = await store.open('b', 'kept');
        await other.transaction(async (records) => {
          await records.put('m', recordOf(1, 5));
          await records.remove('m', 2);
        });
        for (const [query] of steps) await check(query);
        await store.close();
      },
    ),
    { seed: SEED, numRuns: 12 },
  );
});

test('many writes that nobody looks at between leave lists right', async () => {
  const session = await createMemoryStore().open('a', '@none');
  const query: Query = {
    liveOnly: true,
    sort: [{ field: 'place', type: 'url', descending: true }],
    size: 2,
  };
  const put = (record: RecordValues) => session.transaction((records) => records.put('m', record));
  for (let id = 1; id <= MANY; id++) await put(recordOf(id, 1));
  await session.find('m', query);
  for (let id = 1; id <= 300; id++) await put({ ...recordOf(id, 1), place: `v${id}` });
  const found = await session.find('m', query);
  expect([found.records.map(({ place }) => place), found.total]).toEqual([['v99', 'v98'], MANY]);
});
