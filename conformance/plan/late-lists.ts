import type { CaseResult } from '../results/results.ts';
import type { Exchange } from '../target/exchange.ts';
import { isListPath, settling } from '../target/settling.ts';
import type { Target } from '../target/target.ts';

/** Tells lists that are late from lists that are wrong: a late one is right a while after the last write. */
export type LateLists = {
  /** Once a list was found to be late, all are asked for so late that it does not matter. */
  readonly target: Target;
  /** The models whose lists were late. */
  readonly models: ReadonlySet<string>;
  /** From now on lists are waited for. */
  note(model: string): void;
  /** A case as it was tried, or, where it failed by a list, as it comes out when lists are waited for. */
  lookAgain(failed: CaseResult, run: () => Promise<CaseResult>): Promise<CaseResult>;
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
const MOST_VAIN = 5;

export function createLateLists(options: LateListsOptions): LateLists {
  const { base, ms, signal, target } = options;
  const models = new Set<string>();
  let looking = 0;
  let vain = 0;
  let last: Promise<unknown> = Promise.resolve();
  const wait = () => (models.size > 0 || looking > 0 ? ms : 0);
  return {
    target: settling(target, { base, ms: wait, ...(signal ? { signal } : {}) }),
    models,
    note: (model) => void models.add(model),
    lookAgain,
  };

  /** One after the other: whether a case fails without a wait can't be seen while another one waits. */
  function lookAgain(failed: CaseResult, run: () => Promise<CaseResult>): Promise<CaseResult> {
    const mayBeLate = ms > 0 && failed.outcome === 'fail' && failed.exchanges?.some(isAnsweredList) === true;
    // A second try would harm another record.
    if (failed.harm !== undefined) return Promise.resolve(failed);
    if (!mayBeLate || models.size > 0 || vain >= MOST_VAIN) return Promise.resolve(failed);
    const mine = last.then(() => (vain < MOST_VAIN ? look(failed, run) : failed));
    last = mine.catch(() => {});
    return mine;
  }

  async function look(failed: CaseResult, run: () => Promise<CaseResult>): Promise<CaseResult> {
    const becameKnown = models.size > 0;
    const again = await waiting(run);
    if (becameKnown) return again.outcome === 'pass' ? again : failed;
    // Twice each: a service that loses some writes passes and fails by chance.
    const isLate =
      again.outcome === 'pass' &&
      (await waiting(run)).outcome === 'pass' &&
      (await run()).outcome === 'fail' &&
      (await run()).outcome === 'fail';
    if (!isLate) {
      vain++;
      return failed;
    }
    models.add(failed.model);
    return again;
  }

  function waiting(run: () => Promise<CaseResult>): Promise<CaseResult> {
    looking++;
    return run().finally(() => looking--);
  }

  function isAnsweredList({ request, response }: Exchange): boolean {
    const { pathname } = new URL(request.url);
    const path = pathname.slice(new URL(target.url).pathname.replace(/\/$/, '').length);
    return request.method === 'GET' && isListPath(path, base) && response.status < 300;
  }
}
