import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type SessionRecords, StoreFull } from './store/store.ts';

/** Whether so much memory is in use that no more may be kept. */
export type MemoryBudget = { isSpent(): boolean };

const MEBIBYTE = 1024 * 1024;
/** Milliseconds between two looks. */
const LOOK = 5;
/** Milliseconds between two collections of garbage, unless the budget is overdrawn by a quarter. */
const COLLECT = 1000;

/** What the process may use of its heap, in MiB. Garbage does not count: it is collected before anything is refused. */
export function createMemoryBudget(mebibytes: number): MemoryBudget {
  const most = mebibytes * MEBIBYTE;
  let collect: (() => void) | undefined;
  let isSpent = false;
  let [lookedAt, collectedAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return {
    isSpent: () => {
      const now = performance.now();
      if (now - lookedAt < LOOK) return isSpent;
      lookedAt = now;
      const used = getHeapStatistics().used_heap_size;
      if (used <= most) isSpent = false;
      else if (now - collectedAt > COLLECT || used > most * 1.25) {
        collect ??= findCollector();
        collect();
        collectedAt = performance.now();
        isSpent = getHeapStatistics().used_heap_size > most;
      }
      return isSpent;
    },
  };
}

function findCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

/** Records that refuse to grow while the budget is spent. */
export function withinBudget(records: SessionRecords, budget: MemoryBudget): SessionRecords {
  return {
    ...records,
    transaction: async (work) => {
      if (budget.isSpent())
        throw new StoreFull(
          'Nothing was stored because the mock has reached its memory limit. Reset or delete sessions, or start the mock with a higher limit (--max-memory).',
        );
      return records.transaction(work);
    },
  };
}
