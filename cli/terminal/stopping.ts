import { plural } from '../../conformance/results/text.ts';
import { Interrupted } from '../../conformance/target/exchange.ts';
import type { Target } from '../../conformance/target/target.ts';
import { onSignal, say } from './terminal.ts';

/** Seconds for removing the created records after a signal, and at least before the time limit. */
const CLEANUP = 10;
/** Seconds between two lines of progress while records are removed. */
const PROGRESS = 2;
/** Requests that removing a record takes: a delete, and reads of the record and of its lines. */
const REQUESTS_PER_RECORD = 3;
/** Seconds for open cases to end, and for the last looks at records that seem to be there still. */
const LAST_LOOKS = 3;
/** Seconds between two looks at the time limit. */
const LOOK = 0.1;

type Stopping = {
  /** Time limit in seconds for the whole run; undefined means no limit. */
  readonly maxTime: number | undefined;
  readonly target: () => Pick<Target, 'close' | 'requests'>;
  /** The number of records that the run has created and not removed yet. */
  readonly unremoved: () => number;
  /** Called at a second signal, before the process ends. */
  readonly onHurry: () => void;
};

/**
 * Returns a signal that aborts at the first Ctrl+C, or before the time limit with a TimeoutError as its reason. The more
 * records there are to remove, the earlier it aborts. Records that are not removed within ten seconds after Ctrl+C, or by
 * the time limit, remain.
 */
export function createStopSignal({ maxTime, onHurry, target, unremoved }: Stopping): AbortSignal {
  const stop = new AbortController();
  const started = performance.now();
  const end = (seconds: number) => {
    let last = unremoved();
    const progress = setInterval(() => {
      const left = unremoved();
      if (left > 0 && left < last) say(`${plural(left, 'record')} left to remove`);
      last = left;
    }, PROGRESS * 1000).unref();
    setTimeout(() => {
      clearInterval(progress);
      say('The time for removing records is over');
      // Ends all open requests, and refuses new ones.
      void target().close();
    }, seconds * 1000).unref();
  };
  const interrupt = () => {
    say('Stopping and removing the created records. Press Ctrl+C again to stop immediately.');
    stop.abort();
    end(CLEANUP);
  };
  onSignal(interrupt, onHurry);
  if (maxTime === undefined) return stop.signal;
  const look = setInterval(() => {
    const passed = (performance.now() - started) / 1000;
    const rest = maxTime - passed;
    const perSecond = Math.max(1, target().requests() / passed);
    const needed = (unremoved() * REQUESTS_PER_RECORD) / perSecond + LAST_LOOKS;
    if (rest > Math.max(Math.min(needed, maxTime - LAST_LOOKS), Math.min(CLEANUP, maxTime / 4))) return;
    clearInterval(look);
    if (stop.signal.aborted) return;
    say(`The limit of --max-time (${maxTime} s) is near. Stopping and removing the created records.`);
    stop.abort(new DOMException('the time limit was reached', 'TimeoutError'));
    // On a busy machine the limit can be over already.
    end(Math.max(0, rest));
  }, LOOK * 1000).unref();
  return stop.signal;
}

/** Throws Interrupted after a signal or at the time limit. */
export function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new Interrupted(isOutOfTime(signal));
}

/** Whether an error comes from stopping a run. */
export function isCutShort(error: unknown, { aborted }: AbortSignal): boolean {
  const { name } = error as Error;
  return aborted && ['Interrupted', 'NoAnswer', 'Relayed', 'Unreachable'].includes(name);
}

/** Whether the time limit stopped the run, and not Ctrl+C. */
export function isOutOfTime({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason?.name === 'TimeoutError';
}
