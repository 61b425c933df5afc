import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { FIELDS } from '../../testing/stores/hostile-values.ts';
import { searchPlainly } from '../../testing/stores/plain-model.ts';
import { describeStore } from '../../testing/stores/store-behavior.ts';
import { queries } from '../../testing/stores/store-steps.ts';
import { createMemoryStore } from './memory.ts';
import { createSqliteStore } from './sqlite/sqlite.ts';
import type { Query } from './store.ts';

describeStore('in memory', 'memory', async () => ({
  open: async (layout) => createMemoryStore(layout),
  remove: async () => {},
}));

describeStore('in a file', 'file', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'store-'));
  return {
    open: async (layout) => createSqliteStore(join(directory, 'mock.db'), layout),
    remove: async () => rmSync(directory, { recursive: true }),
  };
});

// Enough records for the store to keep orders.
const MANY = 1200;

/** A record whose fields each have one of their values, or none. */
const recordOf = (id: number, draw: number): RecordValues => {
  const values = Object.entries(FIELDS).map(([name, { values }], index) => [
    name,
    values[(draw + id * index) % (values.length + 1)] ?? null,
  ]);
  return { ...Object.fromEntries(values), id, unique: `u${id}`, deleted: draw % 11 === 0 };
};

const ids = fc.integer({ min: 1, max: MANY + 20 });
const writes = fc.array(fc.tuple(ids, fc.nat(10_000), fc.boolean()), { maxLength: 6 });

test('among many records, a store finds the same records as a complete search', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(queries, writes), { minLength: 1, maxLength: 5 }), async (steps) => {
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
    }),
    { seed: 20251022, numRuns: 12 },
  );
});

test('many writes without a query in between do not affect the order of later lists', async () => {
  const session = await createMemoryStore().open('a', '@none');
  const query: Query = {
    liveOnly: true,
    sort: [{ field: 'unique', type: 'string', descending: true }],
    size: 2,
  };
  const put = (record: RecordValues) => session.transaction((records) => records.put('m', record));
  for (let id = 1; id <= MANY; id++) await put(recordOf(id, 1));
  await session.find('m', query);
  for (let id = 1; id <= 300; id++) await put({ ...recordOf(id, 1), unique: `v${id}` });
  const found = await session.find('m', query);
  expect([found.records.map(({ unique }) => unique), found.total]).toEqual([['v99', 'v98'], MANY]);
});
