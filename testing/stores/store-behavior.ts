import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Layout, Store } from '../../mock/store/store.ts';
import { describeRecords } from './records-behavior.ts';
import { describeSnapshots } from './snapshots-behavior.ts';
import { ALL, nextId, type Opened, SEED, steps, take } from './store-steps.ts';
import { describeTransactions } from './transactions-behavior.ts';

/** By model, the fields that records are often found by. */

/** A place that stores are opened on; where it lasts, one goes on where the one before left off. */
export type StorePlace = {
  open(layout: Layout): Promise<Store>;
  remove(): Promise<void>;
};

const INDEXED: Layout = { links: new Map([['line', ['parent']]]), mark: 'deleted' };

export type StoreKind = {
  /** Whether what is stored outlives its process. */
  readonly lasts: boolean;
  /** Whether transactions run side by side: one that another came between runs again, and ids have gaps. */
  readonly isShared?: boolean;
};

/** The behavior of all stores. */
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
    const all: Opened = {
      store: () => store,
      reopen: async () => {
        await store.close();
        store = await place.open(INDEXED);
      },
      nameOne,
      openSession: () => store.open(nameOne(), '@none'),
      runs,
      isShared,
    };
    describeRecords(all);
    describeSnapshots(all);
    describeTransactions(all);
    if (lasts) describeLasting(all);
  });
}

function describeLasting({ nameOne, reopen, runs, store }: Opened): void {
  test('goes on where the one before left off', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(steps, fc.boolean()), { minLength: 1, maxLength: 5 }),
        async (rounds) => {
          const own = nameOne();
          for (const [taken, saves] of rounds) {
            const session = await store().open(own, '@none');
            await session.transaction((records) => take(records, taken, 'line'));
            const id = await nextId(session, 'line');
            if (saves) await store().save(own, own);
            const [known, snapshots] = [await session.find('line', ALL), await store().snapshots()];
            await reopen();
            expect(await store().sessions()).toContain(own);
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
