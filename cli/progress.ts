import type { Results } from '../conformance/outcome.ts';
import { type RunEvent, Unreachable } from '../conformance/run.ts';
import type { Target } from '../conformance/target.ts';
import { say } from './console.ts';

/** Progress on standard error: a line that is written over in a terminal, a line now and then elsewhere. */
export function createProgress() {
  const terminal = process.stderr.isTTY === true;
  const pause = terminal ? 100 : 10_000;
  let [total, done, bad, last] = [0, 0, 0, 0];
  let results: Results | undefined;
  return { follow, clear, results: () => results };

  /** Shows a run to its end. Gives what ended it early, if anything did: there may be results all the same. */
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
      last = Date.now();
      say(`${event.cases} cases on ${event.models} models at ${target.url}`);
    } else if (event.type === 'end') {
      clear();
      results = event.results;
    } else {
      done++;
      if (event.result.outcome !== 'pass' && event.result.outcome !== 'skip') bad++;
      if (Date.now() - last < pause) return;
      last = Date.now();
      const line = `${done} of ${total} cases${bad > 0 ? `, ${bad} not passed` : ''}`;
      process.stderr.write(terminal ? `\r\u001b[2K${line}` : `${line}\n`);
    }
  }

  function clear(): void {
    if (terminal && done > 0) process.stderr.write('\r\u001b[2K');
  }
}
