import { plural } from '../../conformance/report/text.ts';
import type { Results } from '../../conformance/results/results.ts';
import { type RunEvent, Unreachable } from '../../conformance/run.ts';
import type { Target } from '../../conformance/target/target.ts';
import { createStatus, type Status, say } from '../terminal/console.ts';

/** Milliseconds between two updates in a terminal. */
const PAUSE = 100;

/** Shows the progress of a run on standard error. */
export function createProgress() {
  let [total, done, bad] = [0, 0, 0];
  let status: Status | undefined;
  let results: Results | undefined;
  return { follow, clear: () => status?.clear(), results: () => results };

  /** Shows a run to its end. Returns the error if the target was lost; there can be results in that case too. */
  async function follow(run: AsyncIterable<RunEvent>, target: Target): Promise<Unreachable | undefined> {
    try {
      for await (const event of run) show(event, target);
      return undefined;
    } catch (error) {
      if (error instanceof Unreachable) return error;
      throw error;
    }
  }

  function show(event: RunEvent, target: Target): void {
    if (event.type === 'plan') {
      total = event.cases;
      say(`Running ${plural(total, 'case')} on ${plural(event.models, 'model')} at ${target.url}`);
      status = createStatus(PAUSE);
    } else if (event.type === 'end') {
      status?.clear();
      results = event.results;
    } else {
      done++;
      if (event.result.outcome !== 'pass' && event.result.outcome !== 'skip') bad++;
      status?.show(`${done} of ${plural(total, 'case')}${bad > 0 ? `, ${bad} failed or blocked` : ''}`);
    }
  }
}
