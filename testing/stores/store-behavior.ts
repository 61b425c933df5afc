import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Layout,
  linksTo,
  type Records,
  type RecordsPart,
  type SessionRecords,
  type Store,
} from '../../mock/store/store.ts';
import { FIELDS, HOSTILE_RECORDS } from './hostile-values.ts';
import { describeRecords } from './records-behavior.ts';
import { ALL, idsOf, nextId, type Opened, putAll, putInto, SEED, steps, take } from './store-steps.ts';

/** The place of a store, which can be opened again. */
export type StorePlace = {
  open(layout: Layout): Promise<Store>;
  remove(): Promise<void>;
};

const TYPES = new Map(Object.entries(FIELDS).map(([name, { type }]) => [name, type]));
const INDEXED: Layout = {
  links: new Map([['line', ['parent']]]),
  types: new Map([['any', TYPES]]),
  mark: 'deleted',
};

/** A file is read into the store in memory, which finds its records. A database finds records itself. */
export type StoreKind = 'memory' | 'file' | 'database';

/** The behavior of all stores. */
export function describeStore(name: string, kind: StoreKind, makePlace: () => Promise<StorePlace>): void {
  describe(`a store ${name}`, () => {
    // Each run takes milliseconds in a database. The other stores are tried with more.
    const runs = (many: number) => (kind === 'database' ? Math.ceil(many / 6) : many);
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
    const all: Opened = {
      store: () => store,
      reopen: async () => {
        if (kind === 'memory') return;
        await store.close();
        store = await place.open(INDEXED);
      },
      nameOne,
      openSession: () => store.open(nameOne(), '@none'),
      runs,
    };
    if (kind !== 'file') describeRecords(all);
    describeSnapshots(all);
    describeTransactions(all);
    if (kind !== 'memory') describeLasting(all);
  });
}

function describeLasting({ nameOne, reopen, runs, store }: Opened): void {
  test('has values unchanged after it is opened again', async () => {
    const name = nameOne();
    await putAll(await store().open(name, '@none'), 'any', HOSTILE_RECORDS);
    await reopen();
    const { records } = await (await store().open(name, '@none')).find('any', ALL);
    expect(records).toEqual(HOSTILE_RECORDS);
  });

  test('has the records, IDs, and snapshots after it is opened again', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(steps, fc.boolean()), { minLength: 1, maxLength: 5 }),
        async (rounds) => {
          const own = nameOne();
          for (const [taken, saves] of rounds) {
            const session = await store().open(own, '@none');
            await session.transaction((records) => take(records, taken, 'line'));
            const failing = session.transaction(async (records) => {
              await records.put('line', { id: 2, parent: 2 });
              await records.clear('line');
              await take(records, taken, 'line');
              throw new Error('no');
            });
            await expect(failing).rejects.toThrow('no');
            const id = await nextId(session, 'line');
            if (saves) await store().save(own, own);
            const [known, snapshots] = [await session.find('line', ALL), await store().snapshots()];
            await reopen();
            expect(await sessionNames(store())).toContain(own);
            expect(await store().snapshots()).toEqual(snapshots);
            const again = await store().open(own, 'other');
            expect(again.from).toBe('@none');
            expect(await again.find('line', ALL)).toEqual(known);
            expect(await nextId(again, 'line')).toBe(id + 1);
          }
          await store().forget(own);
          await store().drop(own);
        },
      ),
      { seed: SEED, numRuns: runs(10) },
    );
  });
}

/** Transactions, also concurrent ones. */
function describeTransactions({ openSession, runs }: Opened): void {
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
            (await session.find('line', { filters: [linksTo('parent', parent)], liveOnly: true })).records,
          ).toEqual(known.records.filter((one) => one.parent === parent && one.deleted !== true));
      }),
      { seed: SEED, numRuns: runs(60) },
    );
  });

  test('runs transactions of a session one after the other, even after one that failed', async () => {
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
    expect(events).toEqual(['a begins', 'a ends', 'b begins', 'c begins', 'c ends']);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  test('loses no concurrent update, in one session or several', async () => {
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
      expect(given).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    }
  });
}

/** Snapshots, and the sessions that begin with them. */
function describeSnapshots({ nameOne, reopen, runs, store }: Opened): void {
  test('starts a session with the records, links, and next IDs of a snapshot', async () => {
    const [one, two, three] = [nameOne(), nameOne(), nameOne()];
    const first = await store().open(one, '@none');
    await putAll(
      first,
      'line',
      [7, 8].map((id) => ({ id, parent: 1 })),
    );
    await first.transaction((records) => records.remove('line', 8));
    await store().save(one, 'full');
    await putAll(first, 'line', [{ id: 7, parent: 2 }]);
    const [second, third] = [await store().open(two, 'full'), await store().open(three, 'full')];
    await putAll(third, 'line', [{ id: 9, parent: 1 }]);
    expect([first.from, second.from]).toEqual(['@none', 'full']);
    expect((await second.find('line', { filters: [linksTo('parent', 1)], liveOnly: true })).records).toEqual([
      { id: 7, parent: 1 },
    ]);
    expect(await nextId(second, 'line')).toBe(9);
    expect(await nextId(third, 'line')).toBe(10);
    expect(await first.get('line', 7)).toEqual({ id: 7, parent: 2 });
    await store().restore(one, 'full');
    expect(await first.get('line', 7)).toEqual({ id: 7, parent: 1 });
    expect(await store().snapshots()).toEqual(['full']);
    await store().forget('full');
    expect(await store().snapshots()).toEqual([]);
    expect(await second.get('line', 7)).toEqual({ id: 7, parent: 1 });
    expect(await sessionNames(store())).toEqual(expect.arrayContaining([one, two, three]));
    await store().drop(two);
    expect(await sessionNames(store())).not.toContain(two);
    expect((await (await store().open(two, 'full')).find('line', ALL)).total).toBe(0);
  });

  test('does not change a snapshot by later writes, even if the store is opened again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 6 }), async (rounds) => {
        const own = nameOne();
        const session = await store().open(own, '@none');
        const kept: (readonly [string, unknown])[] = [];
        for (const [index, taken] of rounds.entries()) {
          await session.transaction((records) => take(records, taken, 'line'));
          await store().save(own, `${own}-${index}`);
          kept.push([`${own}-${index}`, await session.find('line', ALL)]);
        }
        const next = await nextId(session, 'line');
        await reopen();
        const again = await store().open(own, 'other');
        expect(await nextId(again, 'line')).toBe(next + 1);
        for (const [snapshot, records] of kept) {
          await store().restore(own, snapshot);
          expect(await again.find('line', ALL)).toEqual(records);
          const other = nameOne();
          expect(await (await store().open(other, snapshot)).find('line', ALL)).toEqual(records);
          await store().drop(other);
          await store().forget(snapshot);
        }
        await store().drop(own);
      }),
      { seed: SEED, numRuns: runs(20) },
    );
    expect(await store().snapshots()).toEqual([]);
  });

  test('reads all records in parts, as they were at the start of the read', async () => {
    const session = await store().open(nameOne(), '@none');
    const many = Array.from({ length: 2001 }, (_, index) => ({ id: index + 1, parent: 1 }));
    await putAll(session, 'line', many);
    await putAll(session, 'other', [{ id: 3 }, { id: 2, deleted: true }]);
    const parts: RecordsPart[] = [];
    for await (const part of session.readAll(['line', 'none', 'other'])) {
      if (parts.length === 0)
        await session.transaction(async (all) => {
          await all.remove('line', 1500);
          await all.put('other', { id: 9 });
        });
      parts.push(part);
    }
    const sizes = parts.map(({ records }) => records.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1000);
    const models = parts.map(({ model }) => model);
    expect([...new Set(models)]).toEqual(['line', 'none', 'other']);
    expect(models).toEqual(models.toSorted());
    const found = parts.flatMap(({ model, records }) => records.map(({ id }) => [model, id]));
    const lines = many.map(({ id }) => ['line', id]);
    expect(found).toEqual([...lines, ['other', 2], ['other', 3]]);
    // A reader that stops early keeps nothing.
    for await (const _ of session.readAll(['line'])) break;
    expect((await session.find('line', ALL)).total).toBe(2000);
  });

  test('fills a snapshot with values that formats, sort orders, and searches treat differently', async () => {
    const fill = (records: Records) => putInto(records, 'any', HOSTILE_RECORDS);
    await store().begin('@hostile', fill);
    const session = await store().open(nameOne(), '@hostile');
    expect(await session.find('any', ALL)).toEqual({
      records: HOSTILE_RECORDS,
      total: HOSTILE_RECORDS.length,
    });
    const live = HOSTILE_RECORDS.filter(({ deleted }) => deleted === false);
    expect((await session.find('any', { liveOnly: true, size: 1 })).total).toBe(live.length);
    expect(await nextId(session, 'any')).toBe(HOSTILE_RECORDS.length + 1);
    await store().forget('@hostile');
  });

  test('fills a snapshot once, and stores nothing of a fill that fails', async () => {
    const failing = store().begin('@begun', async (records) => {
      await records.put('a', { id: 1 });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    const work = (id: number) => (records: Records) => records.put('a', { id });
    const begun = await Promise.all([2, 3].map((id) => store().begin('@begun', work(id))));
    expect(begun.toSorted()).toEqual([false, true]);
    expect(await store().begin('@begun', work(4))).toBe(false);
    const [id = 0] = await idsOf(await store().open(nameOne(), '@begun'), 'a');
    expect(begun[Number(id) - 2]).toBe(true);
    await store().forget('@begun');
  });
}

async function sessionNames(store: Store): Promise<string[]> {
  return (await store.sessions()).map(({ name }) => name);
}
