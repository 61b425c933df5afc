import { AsyncLocalStorage } from 'node:async_hooks';
import type { CaseResult } from '../results/results.ts';
import type { Exchange } from '../target/exchange.ts';
import type { Target } from '../target/target.ts';
import { sleep } from '../target/waits.ts';

export type DelayOptions = {
  /** The path before the model's name, such as `/api/model`. */
  readonly base: string;
  /** Milliseconds between the last write and a list request; can change during the run. */
  readonly ms: number | (() => number);
  /** Returns the writes that the current request waits for; undefined for those of the whole run. */
  readonly writes?: () => Writes | undefined;
  /** Ends a wait: the list isn't requested then, and the wait throws Interrupted. */
  readonly signal?: AbortSignal;
};

/** When the last of some writes ended. */
export type Writes = { last: number };

/**
 * Returns a target that delays list requests after the last write to any model. A list can come from a replica or an
 * index that lags, and a service writes lines with their parent. A retrieve isn't delayed.
 */
export function delayLists(
  target: Target,
  { base, ms, signal, writes = () => undefined }: DelayOptions,
): Target {
  const all: Writes = { last: Number.NEGATIVE_INFINITY };
  return {
    ...target,
    async send(request, record) {
      const some = writes() ?? all;
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
export function isListPath(path: string, base: string): boolean {
  return path.startsWith(`${base}/`) && !path.slice(base.length + 1).includes('/');
}

/** Distinguishes late lists from wrong ones: a late list is right a while after the last write. */
export type LateLists = {
  /** Once lists are known to be late, it delays all list requests until the last write is old enough. */
  readonly target: Target;
  isKnown(): boolean;
  /** The models whose lists were late. */
  models(): ReadonlySet<string>;
  /** Returns the result of a case. If a list made it fail, tries it again with waits before each list request. */
  lookAgain(failed: CaseResult, run: () => Promise<CaseResult>): Promise<CaseResult>;
  /** Whether a list shows the failure of a case. */
  isShown(failed: CaseResult): boolean;
  /** Runs with the longest wait before each list request. */
  waiting<T>(run: () => Promise<T>): Promise<T>;
  /**
   * Finds out whether the list of a model shows a new record only after a wait, twice. `create` creates a record, and
   * returns a function that looks for it in the list; undefined if none can be created.
   */
  measure(model: string, create: () => Promise<(() => Promise<boolean>) | undefined>): Promise<void>;
};

export type LateListsOptions = {
  readonly target: Target;
  /** The path before the model's name. */
  readonly base: string;
  /** Maximum delay of a list in milliseconds. 0 tries nothing again. */
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
};

/** Maximum delay of a list, in milliseconds. */
export const LATE = 1000;

/** After this number of tries without a late list, a wrong list counts as wrong. */
const MOST_VAIN = 2;

export function createLateLists({ base, ms, signal, target }: LateListsOptions): LateLists {
  const late = new Set<string>();
  /** The rules of cases that failed with a wait, too. */
  const vain = new Set<string>();
  const measured = new Set<string>();
  let known = 0;
  let last: Promise<unknown> = Promise.resolve();
  const waits = new AsyncLocalStorage<{ readonly ms: number; readonly writes: Writes }>();
  return {
    target: delayLists(target, {
      base,
      ms: () => waits.getStore()?.ms ?? known,
      writes: () => waits.getStore()?.writes,
      ...(signal ? { signal } : {}),
    }),
    isKnown: () => known > 0,
    models: () => late,
    isShown,
    lookAgain,
    waiting,
    measure,
  };

  function waiting<T>(run: () => Promise<T>): Promise<T> {
    return ms === 0 ? run() : waitingFor(Math.max(ms, known), run);
  }

  async function measure(
    model: string,
    create: () => Promise<(() => Promise<boolean>) | undefined>,
  ): Promise<void> {
    if (ms === 0 || known > 0 || measured.has(model)) return;
    measured.add(model);
    for (let times = 0; times < 2; times++) {
      const isListed = await create();
      if (!isListed || (await isListed()) || !(await waiting(isListed))) return;
    }
    late.add(model);
    known = ms;
  }

  /** Looks at one case at a time, because the first one decides for the others. */
  function lookAgain(failed: CaseResult, run: () => Promise<CaseResult>): Promise<CaseResult> {
    if (ms === 0 || !isShown(failed) || failed.harm !== undefined) return Promise.resolve(failed);
    const mine = last.then(() => look(failed, run));
    last = mine.catch(() => {});
    return mine;
  }

  async function look(failed: CaseResult, run: () => Promise<CaseResult>): Promise<CaseResult> {
    if (known > 0) return waitingFor(Math.max(ms, known), run);
    if (vain.has(failed.rule) || vain.size >= MOST_VAIN) return failed;
    for (const wait of [ms / 4, ms]) {
      const again = await waitingFor(wait, run);
      // A service that loses some writes passes and fails by chance, so the result must depend on the wait twice.
      if (again.outcome !== 'pass' || (await run()).outcome !== 'fail') continue;
      if ((await waitingFor(wait, run)).outcome !== 'pass' || (await run()).outcome !== 'fail') continue;
      late.add(failed.model);
      known = wait * 1.5;
      return again;
    }
    vain.add(failed.rule);
    return failed;
  }

  function waitingFor<T>(wait: number, run: () => Promise<T>): Promise<T> {
    return waits.run({ ms: wait, writes: { last: performance.now() } }, run);
  }

  /** Exchanges end with the one that shows the failure. */
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
