import { setTimeout as pause } from 'node:timers/promises';
import type { TargetResponse, Wait } from './exchange.ts';
import { Interrupted } from './no-answer.ts';

export type BackoffOptions = {
  /** Requests a second; no limit when absent. */
  readonly rate?: number;
  readonly signal?: AbortSignal;
  readonly onWait?: (wait: Wait) => void;
  /** Milliseconds before each retry of an answer that asks for a pause and names no time; so many retries. */
  readonly pauses?: readonly number[];
  /** Milliseconds that a service may be away, answering 503 to all. Default 60 000. */
  readonly longestOutage?: number;
};

/** In seconds. */
const LONGEST_WAIT = 60;
/** What was made is still removed after an interruption, unless that takes longer waits. In milliseconds. */
const LONGEST_LAST_WAIT = 1000;
/** In milliseconds, growing: some services count by the second, some by ten. */
const PAUSES: readonly number[] = [250, 750, 2000, 4000];

/** The waits of a target. All of them throw Interrupted when the signal comes. */
export type Backoff = {
  /** Resolves when the rate lets the next request go out; undefined when that is at once. */
  pace(method: string): Promise<void> | undefined;
  /** Resolves when nobody waits for the rate limit of the target any more; undefined when that is so. */
  clear(): Promise<void> | undefined;
  /** Asks again while the answers ask for a pause, as often as there are pauses; gives the last answer. */
  retry(method: string, first: TargetResponse, ask: () => Promise<TargetResponse>): Promise<TargetResponse>;
};

/**
 * A 429 is about all requests: who retries does so alone, and everybody else waits. A 503 is about one: the rest goes
 * on. Own code, since what counts is who waits for whom; libraries for retries know one caller.
 */
export function createBackoff({ onWait, pauses = PAUSES, rate, signal }: BackoffOptions): Backoff {
  let free = 0;
  let told = 0;
  /** The retries after a 429, one after the other: nobody else is to use up what the target allows next. */
  let last: Promise<unknown> | undefined;
  const inVain = new Set<string>();
  return { pace, clear: () => (last ? untilClear() : undefined), retry };

  function pace(method: string): Promise<void> | undefined {
    if (rate === undefined) return undefined;
    const now = Date.now();
    const wait = Math.max(0, free - now);
    free = Math.max(free, now) + 1000 / rate;
    // After the signal the rate is kept all the same; what is being removed does not stop waiting.
    const stoppable = method !== 'DELETE' && !signal?.aborted;
    return wait > 0 ? sleep(wait, stoppable ? signal : undefined) : undefined;
  }

  async function untilClear(): Promise<void> {
    while (last) await last.catch(() => {});
  }

  function retry(...given: Parameters<Backoff['retry']>): Promise<TargetResponse> {
    const [method, first] = given;
    if (waitAfter(first, 0) === undefined) return Promise.resolve(first);
    if (first.status === 503) return askAgain('unavailable', undefined, ...given);
    // Of what is removed alone it is not known yet whether waiting is in vain.
    const mine = askAgain(method === 'DELETE' ? 'remove' : 'ask', last, ...given).finally(() => {
      if (last === mine) last = undefined;
    });
    last = mine;
    return mine;
  }

  /** What was waited for in vain is not waited for again. */
  async function askAgain(
    kind: string,
    before: Promise<unknown> | undefined,
    ...[, first, ask]: Parameters<Backoff['retry']>
  ): Promise<TargetResponse> {
    let answer = first;
    for (const index of pauses.keys()) {
      const wait = waitAfter(answer, index);
      if (wait === undefined) return answer;
      const due = Date.now() + wait;
      if (index === 0) await before?.catch(() => {});
      if (inVain.has(kind)) return answer;
      await waitUntil(due, { milliseconds: wait, status: answer.status });
      answer = await ask();
    }
    if (waitAfter(answer, 0) !== undefined) inVain.add(kind);
    return answer;
  }

  /** Milliseconds to wait; undefined when the target asks for no pause, or for one that is too long. */
  function waitAfter(answer: TargetResponse, index: number): number | undefined {
    if (!asksForPause(answer)) return undefined;
    const seconds = secondsIn(answer.headers['retry-after']);
    if (seconds === undefined) return pauses[index];
    return seconds > LONGEST_WAIT ? undefined : Math.max(0, seconds) * 1000;
  }

  async function waitUntil(due: number, wait: Wait): Promise<void> {
    const left = Math.max(0, due - Date.now());
    if (left <= LONGEST_LAST_WAIT) return sleep(left);
    if (signal?.aborted) throw new Interrupted();
    // Requests side by side wait together.
    if (Date.now() >= told) {
      told = due;
      onWait?.(wait);
    }
    await sleep(left, signal);
  }
}

/** Whether a service says that it can't answer now. */
export function asksForPause({ status }: TargetResponse): boolean {
  return status === 429 || status === 503;
}

/** What Retry-After says, in seconds from now; undefined when it says nothing. */
export function secondsIn(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : seconds;
}

/** Waits; throws Interrupted when the signal comes. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await pause(milliseconds, undefined, signal ? { signal } : {});
  } catch {
    throw new Interrupted();
  }
}
