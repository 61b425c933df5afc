import { onSignal, say } from './console.ts';

/** Seconds in which what was made is to be removed. */
const CLEANUP = 10;

export type Stopping = {
  /** Seconds that all of it may take; no limit when absent. */
  readonly maxTime: number | undefined;
  /** Ends every request under way, and refuses those to come. */
  readonly abandon: () => void;
  /** A second signal ends at once; this is done first. */
  readonly onHurry: () => void;
};

/**
 * Aborts at the first Ctrl-C, and when the time is nearly over, then with a TimeoutError as its reason. What is not
 * removed within ten seconds after that, or by the end of the time, stays.
 */
export function createStopSignal({ abandon, maxTime, onHurry }: Stopping): AbortSignal {
  const stop = new AbortController();
  const later = (seconds: number, act: () => void) => setTimeout(act, seconds * 1000).unref();
  const giveUp = () => {
    say('No more time to remove what is left');
    abandon();
  };
  const interrupt = () => {
    say('Stopping, and removing what was made; a second Ctrl-C ends at once');
    stop.abort();
    later(CLEANUP, giveUp);
  };
  onSignal(interrupt, onHurry);
  if (maxTime === undefined) return stop.signal;
  later(maxTime - Math.min(CLEANUP, maxTime / 4), () => {
    if (stop.signal.aborted) return;
    say(`The ${maxTime} s of --max-time are nearly over: stopping, and removing what was made`);
    stop.abort(new DOMException('the time is over', 'TimeoutError'));
    later(Math.min(CLEANUP, maxTime / 4), giveUp);
  });
  return stop.signal;
}

/** Whether an error is what is left of a run that was stopped, and no other trouble. */
export function isCutShort(error: unknown, { aborted }: AbortSignal): boolean {
  const { name } = error as Error;
  return aborted && ['Interrupted', 'NoAnswer', 'Relayed', 'Unreachable'].includes(name);
}

/** Whether the time was over, rather than that somebody pressed Ctrl-C. */
export function isOutOfTime({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason?.name === 'TimeoutError';
}
