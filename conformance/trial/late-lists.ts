import { AsyncLocalStorage } from 'node:async_hooks';
import { unlessEnded } from '../assert/ending.ts';
import type { ModelRecords } from '../records/model-records.ts';
import type { CaseResult } from '../results/results.ts';
import type { Exchange } from '../target/exchange.ts';
import type { Target } from '../target/target.ts';
import { sleep } from '../target/waits.ts';

/** When the last of some writes ended. */
type Writes = { last: number };

/**
 * Returns a target that delays list requests after the last write to any model. A list can come from a replica or an
 * index that lags, and a service writes lines with their parent. A retrieve isn't delayed.
 */
export function delayLists(
  target: Target,
  options: {
    /** The path before the model's name, such as `/api/model`. */
    readonly base: string;
    /** Milliseconds between the last write and a list request; can change during the run. */
    readonly ms: number | (() => number);
    /** Returns the writes that the current request waits for; undefined for those of the whole run. */
    readonly writes?: () => Writes | undefined;
    /** Ends a wait: the list isn't requested then, and the wait throws Interrupted. */
    readonly signal?: AbortSignal | undefined;
  },
): Target {
  const { base, ms, signal, writes } = options;
  const all: Writes = { last: Number.NEGATIVE_INFINITY };
  return {
    ...target,
    async send(request, record) {
      const some = writes?.() ?? all;
      const rest = some.last + (typeof ms === 'number' ? ms : ms()) - performance.now();
      if (rest > 0 && request.method === 'GET' && isListPath(request.path, base)) await sleep(rest, signal);
      try {
        return await target.send(request, record);
      } finally {
        if (request.method !== 'GET') all.last = some.last = performance.now();
      }
    },
  };
}

/** Whether a path has one segment below the base: the model. A longer path names a record. */
function isListPath(path: string, base: string): boolean {
  return path.startsWith(`${base}/`) && !path.slice(base.length + 1).includes('/');
}

export type LateListsOptions = {
  readonly target: Target;
  /** The path before the model's name. */
  readonly base: string;
  /** Maximum delay of a list in milliseconds. 0 measures nothing. */
  readonly ms: number;
  /** Calls `work` with the records of a model; not if the run can't create one and list it. */
  readonly open: (
    model: string,
    work: (records: ModelRecords) => Promise<number | undefined>,
  ) => Promise<number | undefined>;
  readonly signal?: AbortSignal | undefined;
};

/** Maximum delay of a list, in milliseconds. */
export const LATE = 1000;

/** After this number of models whose lists stay wrong, no further list is measured. */
const MOST_VAIN = 2;

/** Milliseconds between two looks at a list. */
const PAUSE = 20;

/** Distinguishes late lists from wrong ones: a late list shows a new record only after a while, twice. */
export type LateLists = ReturnType<typeof createLateLists>;

export function createLateLists({ base, ms, open, signal, target }: LateListsOptions) {
  const late = new Set<string>();
  const measured = new Set<string>();
  let known = 0;
  let vain = 0;
  let last: Promise<unknown> = Promise.resolve();
  const waits = new AsyncLocalStorage<Writes>();
  return {
    /** Once lists are known to be late, it delays all list requests until the last write is old enough. */
    target: delayLists(target, {
      base,
      ms: () => (waits.getStore() ? ms : known),
      writes: () => waits.getStore(),
      signal,
    }),
    /** The models whose lists were late. */
    models: (): ReadonlySet<string> => late,
    isShown,
    lookAgain,
    waiting,
    measure,
  };

  /** Runs with the longest wait before each list request. */
  function waiting<T>(run: () => Promise<T>): Promise<T> {
    return waits.run({ last: performance.now() }, run);
  }

  /** Finds out whether the list of a model is late, and how much. */
  async function measure(model: string): Promise<void> {
    if (ms === 0 || known > 0 || measured.has(model) || vain === MOST_VAIN) return;
    measured.add(model);
    const first = await open(model, lagIn);
    const second = first && (await open(model, lagIn));
    if (!first || !second) return;
    late.add(model);
    known = Math.min(ms, 2 * Math.max(first, second));
  }

  /** Returns after how many milliseconds a list shows a new record; undefined if it does at once, or never. */
  async function lagIn(records: ModelRecords): Promise<number | undefined> {
    const made = await unlessEnded(() => records.make());
    const isListed = async () =>
      (await records.listing())?.records.some(({ id }) => id === made?.id) === true;
    const began = performance.now();
    if (!made || (await isListed())) return undefined;
    while (performance.now() - began < ms) {
      await sleep(PAUSE, signal);
      if (await isListed()) return performance.now() - began;
    }
    vain++;
    return undefined;
  }

  /**
   * Returns the result of a case. If a late list made it fail, runs it again, and waits before each list request. Looks at
   * one case at a time, because the first one decides for the others.
   */
  function lookAgain(failed: CaseResult, run: () => Promise<CaseResult>): Promise<CaseResult> {
    if (ms === 0 || !isShown(failed) || failed.harm !== undefined) return Promise.resolve(failed);
    const mine = last.then(async () => {
      await measure(failed.model);
      return known > 0 ? waiting(run) : failed;
    });
    last = mine.catch(() => {});
    return mine;
  }

  /** Whether a list shows the failure of a case. Exchanges end with the one that shows it. */
  function isShown({ exchanges = [], outcome, rule }: CaseResult): boolean {
    const telling = /\blist/.test(rule) ? exchanges : exchanges.slice(-1);
    return outcome === 'fail' && telling.some(isAnsweredList);
  }

  function isAnsweredList({ request, response }: Exchange): boolean {
    const { pathname } = new URL(request.url);
    const path = pathname.slice(new URL(target.url).pathname.replace(/\/$/, '').length);
    return (
      request.method === 'GET' && isListPath(path, base) && response.status >= 200 && response.status < 300
    );
  }
}
