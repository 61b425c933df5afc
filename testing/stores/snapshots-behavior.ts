import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Records } from '../../mock/store/store.ts';
import { ALL, idsOf, nextId, type Opened, putAll, SEED, steps, take } from './store-steps.ts';

/** Snapshots, and the sessions that begin with them. */
export function describeSnapshots({ nameOne, runs, store }: Opened): void {
  test('begins a session with the records of a snapshot, what finds them, and the ids it gave', async () => {
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
    expect((await second.find('line', { where: [['parent', 1]], liveOnly: true })).records).toEqual([
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
    expect(await store().sessions()).toEqual(expect.arrayContaining([one, two, three]));
    await store().drop(two);
    expect(await store().sessions()).not.toContain(two);
    expect((await (await store().open(two, 'full')).find('line', ALL)).total).toBe(0);
  });

  test('keeps every snapshot as it was, whatever is written later', async () => {
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
        for (const [snapshot, records] of kept) {
          await store().restore(own, snapshot);
          expect(await session.find('line', ALL)).toEqual(records);
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

  test('begins a snapshot once, and none of work that rejects', async () => {
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
