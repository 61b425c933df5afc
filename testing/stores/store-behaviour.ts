import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { searchRecords } from '../../mock/store/search.ts';
import type { Query, Records, SessionRecords, Store } from '../../mock/store/store.ts';
import type { TypeName } from '../../spec/catalogue/field.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';

/** By model, the fields that records are often found by. */
export type Indexed = ReadonlyMap<string, readonly string[]>;

/** A place that stores are opened on; where it lasts, one goes on where the one before left off. */
export type StorePlace = {
  open(indexed: Indexed): Promise<Store>;
  remove(): Promise<void>;
};

const INDEXED: Indexed = new Map([['line', ['parent']]]);
const ALL = { liveOnly: false };
const SEED = 20251022;

type Step = { readonly put?: RecordValues; readonly remove?: number; readonly clear?: true };
const ids = fc.integer({ min: 1, max: 9 });
const puts = fc
  .record({ id: ids, parent: fc.constantFrom(1, 2, null), deleted: fc.boolean() })
  .map((put): Step => ({ put }));
const steps = fc.array(
  fc.oneof(
    { arbitrary: puts, weight: 6 },
    { arbitrary: ids.map((remove): Step => ({ remove })), weight: 4 },
    { arbitrary: fc.constant<Step>({ clear: true }), weight: 1 },
  ),
);

export type StoreKind = {
  /** Whether what is stored outlives its process. */
  readonly lasts: boolean;
  /** Whether transactions run side by side: one that another came between runs again, and ids have gaps. */
  readonly isShared?: boolean;
};

/** What every store does, whatever stands behind it. */
export function describeStore(
  name: string,
  { isShared = false, lasts }: StoreKind,
  makePlace: () => Promise<StorePlace>,
): void {
  describe(`a store ${name}`, () => {
    // Where a database answers, each run costs milliseconds; other stores see to the rest.
    const runs = (many: number) => (isShared ? Math.ceil(many / 6) : many);
    let place: StorePlace;
    let store: Store;
    let opened = 0;
    beforeAll(async () => {
      place = await makePlace();
      store = await place.open(INDEXED);
    });
    afterAll(async () => {
      await store.close();
      await place.remove();
    });
    const nameOne = () => `session-${++opened}`;
    const openSession = () => store.open(nameOne(), '@none');
    const idsOf = async (session: SessionRecords, model: string, query: Query = ALL) =>
      (await session.find(model, query)).records.map(({ id }) => id);

    test('finds by an indexed field what it finds without an index', async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (taken) => {
          const session = await openSession();
          await session.transaction(async (records) => {
            for (const model of ['line', 'other']) await take(records, taken, model);
          });
          for (const parent of [1, 2, null, 3])
            for (const liveOnly of [true, false]) {
              const query = { where: [['parent', parent]] as const, liveOnly };
              expect(await session.find('line', query)).toEqual(await session.find('other', query));
            }
        }),
        { seed: SEED, numRuns: runs(60) },
      );
    });

    test('finds, filters, sorts and cuts as a search through all records does', async () => {
      await fc.assert(
        fc.asyncProperty(tables, fc.array(queries, { minLength: 1, maxLength: 8 }), async (kept, asked) => {
          const session = await openSession();
          await session.transaction(async (records) => {
            for (const record of kept) await records.put('any', record);
          });
          const sorted = kept.toSorted((one, other) => Number(one.id) - Number(other.id));
          for (const query of asked) {
            const searched = sorted.filter((one) => !query.liveOnly || one.deleted !== true);
            expect(await session.find('any', query)).toEqual(searchRecords(searched, query));
          }
          for (const record of kept) expect(await session.get('any', Number(record.id))).toEqual(record);
        }),
        { seed: SEED, numRuns: runs(150) },
      );
    });

    test('lists in the order of ids, also after records were changed or came back', async () => {
      const session = await openSession();
      await putAll(
        session,
        'a',
        [3, 1, 2].map((id) => ({ id, deleted: id === 1 })),
      );
      await putAll(session, 'a', [
        { id: 2, deleted: false, name: 'b' },
        { id: 1, deleted: false },
      ]);
      expect(await idsOf(session, 'a')).toEqual([1, 2, 3]);
      expect(await idsOf(session, 'a', { liveOnly: true })).toEqual([1, 2, 3]);
    });

    test('never gives an id twice', async () => {
      const session = await openSession();
      await putAll(session, 'a', [{ id: 7 }]);
      expect(await nextId(session, 'a')).toBe(8);
      await session.transaction((records) => records.remove('a', 7));
      expect(await nextId(session, 'a')).toBe(9);
      expect(await nextId(session, 'b')).toBe(1);
      await session.transaction((records) => records.clear('a'));
      expect(await nextId(session, 'a')).toBe(1);
    });

    test('gives no id that JSON does not keep', async () => {
      const session = await openSession();
      await putAll(session, 'a', [{ id: Number.MAX_SAFE_INTEGER - 1 }]);
      expect(await nextId(session, 'a')).toBe(Number.MAX_SAFE_INTEGER);
      await expect(nextId(session, 'a')).rejects.toThrow('a 9007199254740991 has the last id there is');
    });

    test('begins a session with the records of a snapshot, what finds them, and the ids it gave', async () => {
      const [one, two, three] = [nameOne(), nameOne(), nameOne()];
      const first = await store.open(one, '@none');
      await putAll(
        first,
        'line',
        [7, 8].map((id) => ({ id, parent: 1 })),
      );
      await first.transaction((records) => records.remove('line', 8));
      await store.save(one, 'full');
      await putAll(first, 'line', [{ id: 7, parent: 2 }]);
      const [second, third] = [await store.open(two, 'full'), await store.open(three, 'full')];
      await putAll(third, 'line', [{ id: 9, parent: 1 }]);
      expect([first.from, second.from]).toEqual(['@none', 'full']);
      expect((await second.find('line', { where: [['parent', 1]], liveOnly: true })).records).toEqual([
        { id: 7, parent: 1 },
      ]);
      expect(await nextId(second, 'line')).toBe(9);
      expect(await nextId(third, 'line')).toBe(10);
      expect(await first.get('line', 7)).toEqual({ id: 7, parent: 2 });
      await store.restore(one, 'full');
      expect(await first.get('line', 7)).toEqual({ id: 7, parent: 1 });
      expect(await store.snapshots()).toEqual(['full']);
      await store.forget('full');
      expect(await store.snapshots()).toEqual([]);
      expect(await second.get('line', 7)).toEqual({ id: 7, parent: 1 });
      expect(await store.sessions()).toEqual(expect.arrayContaining([one, two, three]));
      await store.drop(two);
      expect(await store.sessions()).not.toContain(two);
      expect((await (await store.open(two, 'full')).find('line', ALL)).total).toBe(0);
    });

    test('keeps every snapshot as it was, whatever is written later', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(steps, { maxLength: 6 }), async (rounds) => {
          const own = nameOne();
          const session = await store.open(own, '@none');
          const kept: (readonly [string, unknown])[] = [];
          for (const [index, taken] of rounds.entries()) {
            await session.transaction((records) => take(records, taken, 'line'));
            await store.save(own, `${own}-${index}`);
            kept.push([`${own}-${index}`, await session.find('line', ALL)]);
          }
          for (const [snapshot, records] of kept) {
            await store.restore(own, snapshot);
            expect(await session.find('line', ALL)).toEqual(records);
            const other = nameOne();
            expect(await (await store.open(other, snapshot)).find('line', ALL)).toEqual(records);
            await store.drop(other);
            await store.forget(snapshot);
          }
          await store.drop(own);
        }),
        { seed: SEED, numRuns: runs(20) },
      );
      expect(await store.snapshots()).toEqual([]);
    });

    test('begins a snapshot once, and none of work that rejects', async () => {
      const failing = store.begin('@begun', async (records) => {
        await records.put('a', { id: 1 });
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      const work = (id: number) => (records: Records) => records.put('a', { id });
      const begun = await Promise.all([2, 3].map((id) => store.begin('@begun', work(id))));
      expect(begun.toSorted()).toEqual([false, true]);
      expect(await store.begin('@begun', work(4))).toBe(false);
      const [id = 0] = await idsOf(await store.open(nameOne(), '@begun'), 'a');
      expect(begun[Number(id) - 2]).toBe(true);
      await store.forget('@begun');
    });

    test('stores nothing of a transaction that rejects', async () => {
      await fc.assert(
        fc.asyncProperty(steps, steps, async (before, after) => {
          const session = await openSession();
          await session.transaction((records) => take(records, before, 'line'));
          const known = await session.find('line', ALL);
          const failing = session.transaction(async (records) => {
            await take(records, after, 'line');
            await records.clear('line');
            await records.put('line', { id: 3, parent: 1, deleted: false });
            throw new Error('no');
          });
          await expect(failing).rejects.toThrow('no');
          expect(await session.find('line', ALL)).toEqual(known);
          for (const parent of [1, 2])
            expect(
              (await session.find('line', { where: [['parent', parent]], liveOnly: true })).records,
            ).toEqual(known.records.filter((one) => one.parent === parent && one.deleted !== true));
        }),
        { seed: SEED, numRuns: runs(60) },
      );
    });

    test('runs transactions one after the other, also after one that failed', async () => {
      const session = await openSession();
      const events: string[] = [];
      const work = (label: string) => async (records: Records) => {
        events.push(`${label} begins`);
        await records.find('a', ALL);
        if (label === 'b') throw new Error('b fails');
        events.push(`${label} ends`);
      };
      const results = await Promise.allSettled(
        ['a', 'b', 'c'].map((label) => session.transaction(work(label))),
      );
      if (isShared) expect(events).toHaveLength(5);
      else expect(events).toEqual(['a begins', 'a ends', 'b begins', 'c begins', 'c ends']);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    });

    test('loses no update of many at once, in one session or several', async () => {
      const sessions = await Promise.all([openSession(), openSession()]);
      for (const session of sessions) await putAll(session, 'a', [{ id: 1, count: 0 }]);
      const add = (session: SessionRecords) =>
        session.transaction(async (records) => {
          const record = await records.get('a', 1);
          await records.put('a', { id: 1, count: Number(record?.count) + 1 });
          await records.put('b', { id: await records.nextId('b') });
        });
      await Promise.all(Array.from({ length: 20 }, () => sessions.map(add)).flat());
      for (const session of sessions) {
        expect(await session.get('a', 1)).toEqual({ id: 1, count: 20 });
        const given = await idsOf(session, 'b');
        expect(new Set(given).size).toBe(20);
        if (!isShared) expect(given).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
      }
    });

    test('keeps what it was given and shares nothing between sessions', async () => {
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

    if (lasts)
      test('goes on where the one before left off', async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.tuple(steps, fc.boolean()), { minLength: 1, maxLength: 5 }),
            async (rounds) => {
              const own = nameOne();
              for (const [taken, saves] of rounds) {
                const session = await store.open(own, '@none');
                await session.transaction((records) => take(records, taken, 'line'));
                const id = await nextId(session, 'line');
                if (saves) await store.save(own, own);
                const [known, snapshots] = [await session.find('line', ALL), await store.snapshots()];
                await store.close();
                store = await place.open(INDEXED);
                expect(await store.sessions()).toContain(own);
                expect(await store.snapshots()).toEqual(snapshots);
                const again = await store.open(own, 'other');
                expect(again.from).toBe('@none');
                expect(await again.find('line', ALL)).toEqual(known);
                expect(await nextId(again, 'line')).toBe(id + 1);
              }
              await store.forget(own);
              await store.drop(own);
            },
          ),
          { seed: SEED, numRuns: runs(10) },
        );
      });
  });
}

async function take(records: Records, taken: readonly Step[], model: string): Promise<void> {
  for (const { clear, put, remove } of taken) {
    if (put) await records.put(model, put);
    else if (clear) await records.clear(model);
    else await records.remove(model, remove ?? 0);
  }
}

function putAll(session: SessionRecords, model: string, all: readonly RecordValues[]): Promise<void> {
  return session.transaction(async (records) => {
    for (const record of all) await records.put(model, record);
  });
}

function nextId(session: SessionRecords, model: string): Promise<number> {
  return session.transaction((records) => records.nextId(model));
}

/** Values that sort, compare and are written in different ways, and are often equal. */
const FIELDS: Readonly<Record<string, { readonly type: TypeName; readonly values: readonly Value[] }>> = {
  name: {
    type: 'text',
    values: ['', 'a', 'B', 'Ä', 'ä', '10', '9', '\uffee', '\ud83d\ude00', 'a%_\\b', 'ß', 'İ', 'a\u0000'],
  },
  price: { type: 'float', values: [0, -1, 2.5, 10, 1e21, 9, -0.1] },
  stock: { type: 'int', values: [0, 1, 9, 10, -3, 9007199254740991] },
  open: { type: 'bool', values: [true, false] },
  at: { type: 'datetime', values: ['2025-10-22T09:30:00Z', '2024-02-29T00:00:00Z', '1970-01-01T00:00:00Z'] },
};
const names = Object.keys(FIELDS);
const valuesOf = (field: string) => FIELDS[field]?.values ?? [];
const typeOf = (field: string): TypeName => FIELDS[field]?.type ?? 'text';

const tables = fc.uniqueArray(
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

const anyField = fc.constantFrom(...names);
const filters = anyField.chain((field) => {
  const value = fc.constantFrom(...valuesOf(field));
  const type = typeOf(field);
  return fc.oneof(
    fc.record({
      field: fc.constant(field),
      type: fc.constant(type),
      operator: fc.constantFrom('gt' as const, 'gte' as const, 'lt' as const, 'lte' as const),
      values: fc.tuple(value),
    }),
    fc.record({
      field: fc.constant(field),
      type: fc.constant(type),
      operator: fc.constant('in' as const),
      values: fc.array(value, { maxLength: 3 }),
    }),
    fc.record({
      field: fc.constant(field),
      type: fc.constant(type),
      operator: fc.constant('null' as const),
      values: fc.tuple(fc.boolean()),
    }),
    fc.record({
      field: fc.constant('name'),
      type: fc.constant('text' as const),
      operator: fc.constant('contains' as const),
      values: fc.tuple(fc.constantFrom('A', 'ä', '%', '_', '\\', '', '\ud83d', 'SS', 'i')),
    }),
  );
});
const queries: fc.Arbitrary<Query> = fc.record(
  {
    liveOnly: fc.boolean(),
    where: fc.array(
      anyField.chain((field) => fc.tuple(fc.constant(field), fc.constantFrom(null, ...valuesOf(field)))),
      { maxLength: 2 },
    ),
    filters: fc.array(filters, { maxLength: 2 }),
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
