import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { needsSpace, type Records, StoreFull } from './store/store.ts';

/** Milliseconds between two measurements. */
const LOOK = 5;
/** Milliseconds between two collections of garbage, unless the budget is overdrawn by a quarter. */
const COLLECT = 1000;

/** Limits the heap of the process, in MiB. Garbage does not count, because it is collected before a refusal. */
export function createMemoryBudget(mebibytes: number) {
  const most = mebibytes * 2 ** 20;
  let collect: (() => void) | undefined;
  let isSpent = false;
  let [lookedAt, collectedAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return {
    isSpent: isSpentNow,
    need: () => {
      if (isSpentNow()) throw memoryFull();
    },
    /** Returns records that throw StoreFull for a new or larger one. Removals need no memory. */
    limit: (own: Records): Records => ({
      ...own,
      put: async (model, record) => {
        if (needsSpace(await own.get(model, Number(record.id)), record)) throw memoryFull();
        await own.put(model, record);
      },
    }),
  };

  function isSpentNow(): boolean {
    const now = performance.now();
    if (now - lookedAt < LOOK) return isSpent;
    lookedAt = now;
    const used = getHeapStatistics().used_heap_size;
    if (used <= most) isSpent = false;
    else if (now - collectedAt > COLLECT || used > most * 1.25) {
      setFlagsFromString('--expose-gc');
      collect ??= runInNewContext('gc') as () => void;
      collect();
      collectedAt = performance.now();
      isSpent = getHeapStatistics().used_heap_size > most;
    }
    return isSpent;
  }
}

export type MemoryBudget = ReturnType<typeof createMemoryBudget>;

function memoryFull(): StoreFull {
  return new StoreFull(
    'Nothing was stored because the mock has reached its memory limit. Reset or delete sessions, or start the mock with a higher limit (--max-memory).',
  );
}
