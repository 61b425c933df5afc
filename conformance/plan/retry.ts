import type { CaseResult } from '../results/results.ts';
import type { CaseSetup } from './case-setup.ts';
import type { PlannedCase } from './plan.ts';
import { runCase } from './run-case.ts';

/**
 * Tries each failed case once more, alone and with the samples of its first try: what fails again does not depend on
 * what ran beside it. A case that passes then is flaky, unless its failing exchange proves the breach by itself. A
 * blocked case is tried again too, since what it needed may have failed by accident.
 */
export async function retryFailed(
  planned: readonly PlannedCase[],
  results: Map<string, CaseResult>,
  setup: CaseSetup,
  isStopped: () => boolean,
): Promise<void> {
  for (const item of planned) {
    if (isStopped()) return;
    let failed = results.get(item.id);
    if (failed?.outcome === 'blocked') {
      failed = await runAlone(item);
      if (isStopped()) return;
      results.set(item.id, failed);
    }
    if (failed?.outcome !== 'fail') continue;
    const again = await runAlone(item, true);
    if (isStopped()) return;
    results.set(item.id, settle(item, failed, again));
  }

  function runAlone(item: PlannedCase, keepExchanges = false): Promise<CaseResult> {
    setup.startAgain(item.model);
    return runCase(item, setup, keepExchanges);
  }
}

/** What two tries of a case come to, the first of which failed. */
function settle(
  { rule }: PlannedCase,
  failed: CaseResult,
  { exchanges = [], ...again }: CaseResult,
): CaseResult {
  if (again.outcome === 'fail') return { ...failed, retried: 'reproduced' };
  const status = failed.exchanges?.at(-1)?.response.status ?? 0;
  // An answer of the wrong shape is a failure, even if the next one is right.
  const isProven = rule.provenByAnswer === true && status >= 200 && status < 300;
  // A second try that can't be judged does not change the first result.
  const isOpen = again.outcome === 'blocked' || again.outcome === 'error';
  const outcome = isProven ? 'fail' : isOpen ? again.outcome : 'flaky';
  return { ...failed, outcome, retried: 'not reproduced', again: exchanges };
}
