import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryStore } from './memory.ts';

const indexed = new Map([['line', ['parent']]]);
const all = { liveOnly: false };

const openSession = (fields?: typeof indexed) => createMemoryStore(fields).open('a', '@none');

type Step = {
  readonly put?: { id: number; parent: number | null; deleted: boolean };
  readonly remove?: number;
};
const ids = fc.integer({ min: 1, max: 9 });
const steps = fc.array(
  fc.oneof(
    ids.map((remove): Step => ({ remove })),
    fc
      .record({ id: ids, parent: fc.constantFrom(1, 2, null), deleted: fc.boolean() })
      .map((put): Step => ({ put })),
  ),
);

describe('a store in memory', () => {
  test('finds by an indexed field what it finds without an index', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const [plain, fast] = await Promise.all([openSession(), openSession(indexed)]);
        for (const id of Array.from({ length: 9 }, (_, index) => index + 1))
          for (const store of [plain, fast]) await store.put('line', { id, parent: null, deleted: false });
        for (const { put, remove } of taken)
          for (const store of [plain, fast])
            await (put ? store.put('line', put) : store.remove('line', remove ?? 0));
        for (const parent of [1, 2, null, 3])
          for (const liveOnly of [true, false]) {
            const query = { where: [['parent', parent]] as const, liveOnly };
            const found = await fast.find('line', query);
            const other = await plain.find('line', query);
            const byId = (records: typeof other.records) =>
              records.toSorted((a, b) => Number(a.id) - Number(b.id));
            expect(found.records).toEqual(byId(other.records));
            expect(found.total).toBe(other.total);
          }
      }),
      { seed: 20251022 },
    );
  });

  test('lists in the order of ids, also after records were changed or came back', async () => {
    const store = await openSession();
    for (const id of [1, 2, 3]) await store.put('a', { id, deleted: id === 1 });
    await store.put('a', { id: 2, deleted: false, name: 'b' });
    await store.put('a', { id: 1, deleted: false });
    const found = async (liveOnly: boolean) =>
      (await store.find('a', { liveOnly })).records.map(({ id }) => id);
    expect(await found(false)).toEqual([1, 2, 3]);
    expect(await found(true)).toEqual([1, 2, 3]);
  });

  test('never gives an id twice', async () => {
    const store = await openSession();
    await store.put('a', { id: 7 });
    expect(await store.nextId('a')).toBe(8);
    await store.remove('a', 7);
    expect(await store.nextId('a')).toBe(9);
    expect(await store.nextId('b')).toBe(1);
  });

  test('gives no id that JSON does not keep', async () => {
    const store = await openSession();
    await store.put('a', { id: Number.MAX_SAFE_INTEGER - 1 });
    expect(await store.nextId('a')).toBe(Number.MAX_SAFE_INTEGER);
    await expect(store.nextId('a')).rejects.toThrow('a 9007199254740991 has the last id there is');
  });

  test('begins a session with the records of a snapshot, what finds them, and the ids it gave', async () => {
    const store = createMemoryStore(indexed);
    const first = await store.open('first', '@none');
    await first.put('line', { id: 7, parent: 1 });
    await first.put('line', { id: 8, parent: 1 });
    await first.remove('line', 8);
    await store.save('first', 'full');
    await first.put('line', { id: 7, parent: 2 });
    const [second, third] = [await store.open('second', 'full'), await store.open('third', 'full')];
    await third.put('line', { id: 9, parent: 1 });
    expect((await second.find('line', { where: [['parent', 1]], liveOnly: true })).records).toEqual([
      { id: 7, parent: 1 },
    ]);
    expect(await second.nextId('line')).toBe(9);
    expect(await third.nextId('line')).toBe(10);
    expect(await first.get('line', 7)).toEqual({ id: 7, parent: 2 });
    await store.restore('first', 'full');
    expect(await first.get('line', 7)).toEqual({ id: 7, parent: 1 });
    expect(await store.snapshots()).toEqual(['full']);
    await store.forget('full');
    expect(await store.snapshots()).toEqual([]);
    expect(await second.get('line', 7)).toEqual({ id: 7, parent: 1 });
    await store.drop('second');
    expect((await (await store.open('second', 'full')).find('line', all)).total).toBe(0);
  });

  test('stores nothing of a transaction that rejects', async () => {
    await fc.assert(
      fc.asyncProperty(steps, steps, async (before, after) => {
        const store = await openSession(indexed);
        const take = async (taken: readonly Step[]) => {
          for (const { put, remove } of taken)
            await (put ? store.put('line', put) : store.remove('line', remove ?? 0));
        };
        await take(before);
        const known = await store.find('line', all);
        const failing = store.transaction(async (records) => {
          for (const { put, remove } of after)
            await (put ? records.put('line', put) : records.remove('line', remove ?? 0));
          await records.clear('line');
          await records.put('line', { id: 3, parent: 1, deleted: false });
          throw new Error('no');
        });
        await expect(failing).rejects.toThrow('no');
        expect(await store.find('line', all)).toEqual(known);
        for (const parent of [1, 2])
          expect((await store.find('line', { where: [['parent', parent]], liveOnly: true })).records).toEqual(
            known.records.filter((one) => one.parent === parent && one.deleted !== true),
          );
      }),
      { seed: 20251022, numRuns: 60 },
    );
  });

  test('runs transactions one after the other, also after one that failed', async () => {
    const store = await openSession();
    const events: string[] = [];
    const work = (name: string) => async () => {
      events.push(`${name} begins`);
      await store.find('a', all);
      if (name === 'b') throw new Error('b fails');
      events.push(`${name} ends`);
      return name;
    };
    const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => store.transaction(work(name))));
    expect(events).toEqual(['a begins', 'a ends', 'b begins', 'c begins', 'c ends']);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  test('keeps what it was given and shares nothing between two of a kind', async () => {
    const [one, other] = await Promise.all([openSession(), openSession()]);
    await one.put('a', { id: 1 });
    expect(await one.get('a', 1)).toEqual({ id: 1 });
    expect(await other.get('a', 1)).toBeUndefined();
    expect(await other.find('a', all)).toEqual({ records: [], total: 0 });
  });
});
