import { AsyncLocalStorage } from 'node:async_hooks';
import type { CaseResult } from '../results/results.ts';
import type { Exchange } from '../target/exchange.ts';
import { isListPath, settling, type Writes } from '../target/settling.ts';
import type { Target } from '../target/target.ts';

/** Tells lists that are late from lists that are wrong: a late one is right a while after the last write. */
export type LateLists = {
  /** Once lists are known to be late, it delays all list requests until the last write is old enough. */
  readonly target: Target;
  /** Whether lists are known to be late. */
  isKnown(): boolean;
  /** The models whose lists were late. */
  models(): ReadonlySet<string>;
  /** The second looks at a list that contradicts what is known. */
  readonly secondLooks: SecondLooks;
  /** A case as it was tried, or, where it failed by a list, as it comes out when lists are waited for. */
  lookAgain(failed: CaseResult, run: () => Promise<CaseResult>): Promise<CaseResult>;
};

export type SecondLooks = {
  /** Milliseconds before a second look. */
  readonly ms: number;
  /**
   * Resolves when a second look can begin, to a function that takes the model if its list was only late. Resolves to
   * undefined if second looks don't help on this service.
   */
  begin(): Promise<((lateModel?: string) => void) | undefined>;
};

export type LateListsOptions = {
  readonly target: Target;
  /** The path before the model's name. */
  readonly base: string;
  /** Milliseconds that a list may be late. 0 looks but once. */
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
};

/** Milliseconds that a list may be late. */
export const LATE = 1000;

/** Looks that did not help; more of them say nothing new. */
const MOST_VAIN = 2;
/** If this many second looks helped, lists are late. On a service that breaks lists, one can help by chance. */
const ENOUGH = 3;

export function createLateLists(options: LateListsOptions): LateLists {
  const { base, ms, signal, target } = options;
  const ofCases = new Set<string>();
  const cases = createTries();
  /** The rules of cases that failed with a wait too. */
  const vainRules = new Set<string>();
  const { lateModels, ...secondLooks } = createSecondLooks(ms);
  /** The writes of a case that is tried again. The other cases don't wait. */
  const waiting = new AsyncLocalStorage<Writes>();
  return {
    target: settling(target, {
      base,
      ms: () => (isKnown() || waiting.getStore() ? ms : 0),
      writes: () => waiting.getStore(),
      ...(signal ? { signal } : {}),
    }),
    isKnown,
    models: () => new Set([...ofCases, ...lateModels(1)]),
    secondLooks,
    lookAgain,
  };

  function isKnown(): boolean {
    return ofCases.size > 0 || lateModels(ENOUGH).length > 0;
  }

  async function lookAgain(failed: CaseResult, run: () => Promise<CaseResult>): Promise<CaseResult> {
    // A second try would harm another record.
    if (ms === 0 || !mayBeLate(failed) || failed.harm !== undefined || isKnown()) return failed;
    if (vainRules.has(failed.rule)) return failed;
    const end = await cases.begin();
    if (!end) return failed;
    let isVain = false;
    try {
      if (vainRules.has(failed.rule)) return failed;
      const becameKnown = isKnown();
      const again = await waitingFor(run);
      if (becameKnown) return again.outcome === 'pass' ? again : failed;
      // Twice each: a service that loses some writes passes and fails by chance.
      isVain = !(
        again.outcome === 'pass' &&
        (await run()).outcome === 'fail' &&
        (await waitingFor(run)).outcome === 'pass' &&
        (await run()).outcome === 'fail'
      );
      if (isVain) {
        vainRules.add(failed.rule);
        return failed;
      }
      ofCases.add(failed.model);
      return again;
    } finally {
      end(isVain);
    }
  }

  function waitingFor(run: () => Promise<CaseResult>): Promise<CaseResult> {
    return waiting.run({ last: performance.now() }, run);
  }

  /** Whether a list shows the failure. Exchanges end with the one that shows it. */
  function mayBeLate({ exchanges = [], outcome, rule }: CaseResult): boolean {
    const telling = /\blist/.test(rule) ? exchanges : exchanges.slice(-1);
    return outcome === 'fail' && telling.some(isAnsweredList);
  }

  function isAnsweredList({ request, response }: Exchange): boolean {
    const { pathname } = new URL(request.url);
    const path = pathname.slice(new URL(target.url).pathname.replace(/\/$/, '').length);
    return request.method === 'GET' && isListPath(path, base) && response.status < 300;
  }
}

function createSecondLooks(ms: number) {
  const tries = createTries();
  const late: string[] = [];
  let vain = 0;
  return {
    ms,
    /** The models whose lists were late, if at least this many second looks helped, and more than didn't. */
    lateModels: (least: number) => (late.length >= least && late.length > vain ? late : []),
    async begin() {
      const end = ms > 0 ? await tries.begin() : undefined;
      return end && ((model?: string) => note(end, model));
    },
  };

  function note(end: (isVain: boolean) => void, model: string | undefined): void {
    if (model === undefined) vain++;
    else late.push(model);
    end(model === undefined);
  }
}

/** Bounds the tries that are in vain. A try that could be one too many waits for the result of those under way. */
function createTries() {
  const open = new Set<Promise<void>>();
  let vain = 0;
  return { begin };

  /** Resolves to a function that ends the try; to undefined if there were too many in vain. */
  async function begin(): Promise<((isVain: boolean) => void) | undefined> {
    while (vain < MOST_VAIN && vain + open.size >= MOST_VAIN) await Promise.race(open);
    if (vain >= MOST_VAIN) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    open.add(promise);
    return (isVain) => {
      if (isVain) vain++;
      open.delete(promise);
      resolve();
    };
  }
}
