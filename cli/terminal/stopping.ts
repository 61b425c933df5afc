import { onSignal, say } from './console.ts';

/** Seconds for removing the created records. */
const CLEANUP = 10;

export type Stopping = {
  /** Time limit in seconds for the whole run; undefined means no limit. */
  readonly maxTime: number | undefined;
  /** Ends all open requests and refuses new ones. */
  readonly abandon: () => void;
  /** Called at a second signal, before the process ends. */
  readonly onHurry: () => void;
};

/**
 * Returns a signal that aborts at the first Ctrl+C, or shortly before the time limit with a TimeoutError as its reason. Records
 * that are not removed within ten seconds after that, or by the time limit, remain.
 */
export function createStopSignal({ abandon, maxTime, onHurry }: Stopping): AbortSignal {
  const stop = new AbortController();
  const later = (seconds: number, act: () => void) => setTimeout(act, seconds * 1000).unref();
  const giveUp = () => {
    say('The time for removing records is over');
    abandon();
  };
  const interrupt = () => {
    say('Stopping and removing the created records. Press Ctrl+C again to stop immediately.');
    stop.abort();
    later(CLEANUP, giveUp);
  };
  onSignal(interrupt, onHurry);
  if (maxTime === undefined) return stop.signal;
  later(maxTime - Math.min(CLEANUP, maxTime / 4), () => {
    if (stop.signal.aborted) return;
    say(`The limit of --max-time (${maxTime} s) is near. Stopping and removing the created records.`);
    stop.abort(new DOMException('the time limit was reached', 'TimeoutError'));
    later(Math.min(CLEANUP, maxTime / 4), giveUp);
  });
  return stop.signal;
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
