import type { Arrangement } from '../records/case-setup.ts';
import type { CaseResult } from '../results/outcome.ts';
import type { PlannedCase } from './plan.ts';
import { runCase } from './run-case.ts';

/**
 * Each failed case once more, alone and with the samples of its first try: what fails again does not depend on what
 * ran beside it. A blocked case gets a second chance, since what it needed may have failed by accident.
 */
export async function retryFailed(
  planned: readonly PlannedCase[],
  results: Map<string, CaseResult>,
  arrangement: Arrangement,
  isStopped: () => boolean,
): Promise<void> {
  for (const item of planned) {
    if (isStopped()) return;
    const first = results.get(item.id);
    if (first?.outcome !== 'fail' && first?.outcome !== 'blocked') continue;
    const second = await runAlone(item);
    if (isStopped()) return;
    // What was blocked at first has had no second try of its own yet.
    const failed = first.outcome === 'blocked' ? second : first;
    results.set(item.id, failed);
    if (failed.outcome !== 'fail') continue;
    const again = failed === first ? second : await runAlone(item);
    if (isStopped()) return;
    results.set(item.id, { ...failed, retried: again.outcome === 'fail' ? 'reproduced' : 'flaky' });
  }

  function runAlone(item: PlannedCase): Promise<CaseResult> {
    arrangement.startAgain(item.model);
    return runCase(item, arrangement);
  }
}
