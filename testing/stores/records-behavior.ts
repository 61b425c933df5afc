import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linksTo, type Query } from '../../mock/store/store.ts';
import { HOSTILE_RECORDS, hostileQueries } from './hostile-values.ts';
import { searchPlainly } from './plain-model.ts';
import {
  ALL,
  nextId,
  type Opened,
  putAll,
  putInto,
  queries,
  SEED,
  steps,
  tables,
  take,
} from './store-steps.ts';

/** Records, queries, and IDs. */
export function describeRecords({ openSession, runs }: Opened): void {
  test('finds the same records with and without an index', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const session = await openSession();
        await session.transaction(async (records) => {
          for (const model of ['line', 'other']) await take(records, taken, model);
        });
        for (const parent of [1, 2, null, 3])
          for (const liveOnly of [true, false]) {
            const query = { filters: [linksTo('parent', parent)], liveOnly };
            expect(await session.find('line', query)).toEqual(await session.find('other', query));
          }
      }),
      { seed: SEED, numRuns: runs(60) },
    );
  });

  test('finds, sorts, and pages the same records as a search through all of them', async () => {
    await fc.assert(
      fc.asyncProperty(tables, fc.array(queries, { minLength: 1, maxLength: 8 }), async (kept, asked) => {
        const session = await openSession();
        await putAll(session, 'any', kept);
        const sorted = kept.toSorted((one, other) => Number(one.id) - Number(other.id));
        for (const query of asked)
          expect(await session.find('any', query)).toEqual(searchPlainly(sorted, query));
        for (const record of kept) expect(await session.get('any', Number(record.id))).toEqual(record);
      }),
      { seed: SEED, numRuns: runs(150) },
    );
  });

  test('finds the same records with each operator, value, and sort direction', async () => {
    const session = await openSession();
    await putAll(session, 'any', HOSTILE_RECORDS);
    const check = async (query: Query, index: number) => {
      const expected = searchPlainly(HOSTILE_RECORDS, query);
      expect({ query, ...(await session.find('any', query)) }).toEqual({ query, ...expected });
      if (index % 4 > 0) return;
      const { records } = await session.find('any', { ...query, withTotal: false });
      expect({ query, records }).toEqual({ query, records: expected.records });
    };
    // Tries only each seventh query in a database. Seven has no factor in common with the six queries per value.
    const step = runs(60) < 60 ? 7 : 1;
    const some = [...hostileQueries()].filter((_, index) => index % step === 0);
    // Sends a few at once, because each waits at most five seconds for a connection.
    for (let from = 0; from < some.length; from += 20)
      await Promise.all(some.slice(from, from + 20).map((query, index) => check(query, index)));
  });

  test('pages the current records after each write, even a failed one', async () => {
    const pages = fc.array(
      fc.record({ liveOnly: fc.boolean(), offset: fc.nat({ max: 3 }), size: fc.nat({ max: 4 }) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(steps, fc.boolean()), { minLength: 1, maxLength: 5 }),
        pages,
        async (rounds, asked) => {
          const session = await openSession();
          for (const [taken, fails] of rounds) {
            const written = session.transaction(async (records) => {
              await take(records, taken, 'a');
              for (const page of asked) await records.find('a', page);
              if (fails) throw new Error('no');
            });
            await written.catch(() => undefined);
            const { records } = await session.find('a', ALL);
            for (const page of asked)
              expect(await session.find('a', page)).toEqual(searchPlainly(records, page));
          }
        },
      ),
      { seed: SEED, numRuns: runs(40) },
    );
  });

  test('finds in a transaction the records it wrote before', async () => {
    await fc.assert(
      fc.asyncProperty(
        tables,
        fc.array(fc.tuple(tables, steps, queries), { maxLength: 4 }),
        async (kept, rounds) => {
          const session = await openSession();
          await putAll(session, 'any', kept);
          const last = await session.transaction(async (records) => {
            for (const [put, taken, query] of rounds) {
              await putInto(records, 'any', put);
              await take(records, taken, 'any');
              const all = (await records.find('any', ALL)).records;
              expect(await records.find('any', query)).toEqual(searchPlainly(all, query));
              for (const record of all) expect(await records.get('any', Number(record.id))).toEqual(record);
            }
            return records.find('any', ALL);
          });
          expect(await session.find('any', ALL)).toEqual(last);
        },
      ),
      { seed: SEED, numRuns: runs(60) },
    );
  });

  test('never assigns an ID twice', async () => {
    const session = await openSession();
    await putAll(session, 'a', [{ id: 7 }]);
    expect(await nextId(session, 'a')).toBe(8);
    await session.transaction((records) => records.remove('a', 7));
    expect(await nextId(session, 'a')).toBe(9);
    expect(await nextId(session, 'b')).toBe(1);
    await session.transaction((records) => records.clear('a'));
    expect(await nextId(session, 'a')).toBe(1);
  });

  test('assigns no ID above the safe integers', async () => {
    const session = await openSession();
    await putAll(session, 'a', [{ id: Number.MAX_SAFE_INTEGER - 1 }]);
    expect(await nextId(session, 'a')).toBe(Number.MAX_SAFE_INTEGER);
    await expect(nextId(session, 'a')).rejects.toThrow('No ID is left for a after 9007199254740991');
  });

  test('stores values unchanged, and only in their session', async () => {
    const [one, other] = await Promise.all([openSession(), openSession()]);
    const odd = {
      id: 1,
      text: 'a\u0000b \ud83d\ude00 \'"',
      list: [1, 'a', null],
      unset: null,
      __proto__x: 1.5e-7,
    };
    await putAll(one, '__proto__', [odd]);
    expect(await one.get('__proto__', 1)).toEqual(odd);
    expect(await other.get('__proto__', 1)).toBeUndefined();
    expect(await other.find('__proto__', ALL)).toEqual({ records: [], total: 0 });
  });
}
