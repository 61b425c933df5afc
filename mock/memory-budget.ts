import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { RecordValues } from '../spec/wire/record-codec.ts';
import { needsSpace, StoreFull } from './store/store.ts';

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
    /** Throws StoreFull for a new or larger record. Removals need no memory. */
    refuseLarger: (before: RecordValues | undefined, after: RecordValues) => {
      if (needsSpace(before, after)) throw memoryFull();
    },
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

/** A request log or a list of writes that uses bytes of an allowance. */
export type Holder = {
  held: number;
  /** Drops its oldest data, and lowers `held`. */
  letGo(): void;
};

export type Allowance = ReturnType<typeof createAllowance>;

/** Limits the bytes of all logs and writes: to a quarter of the limit in MiB, or an eighth of the heap of Node. */
export function createAllowance(limit?: number) {
  const most = limit === undefined ? getHeapStatistics().heap_size_limit / 8 : (limit * 2 ** 20) / 4;
  // Weak references, so that a dropped session frees its holders.
  let holders: WeakRef<Holder>[] = [];
  const known = new WeakSet<Holder>();
  let total = 0;
  return {
    /** Sets the bytes of a holder. If the total is too large, the largest holders drop data. */
    hold(holder: Holder, bytes: number) {
      if (!known.has(holder)) {
        known.add(holder);
        holders.push(new WeakRef(holder));
      }
      total += bytes - holder.held;
      holder.held = bytes;
      if (total > most) letGo();
    },
  };

  function letGo(): void {
    const live = holders.map((one) => one.deref()).filter((one) => one !== undefined);
    if (live.length < holders.length) holders = live.map((one) => new WeakRef(one));
    total = live.reduce((sum, { held }) => sum + held, 0);
    while (total > most) {
      const largest = live.reduce((one, other) => (other.held > one.held ? other : one));
      const before = largest.held;
      largest.letGo();
      if (largest.held >= before) return;
      total += largest.held - before;
    }
  }
}
