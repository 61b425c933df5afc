import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Records, SessionRecords } from '../../mock/store/store.ts';
import { ALL, idsOf, type Opened, putAll, SEED, steps, take } from './store-steps.ts';

/** Transactions, side by side too. */
export function describeTransactions({ isShared, openSession, runs }: Opened): void {
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
}
