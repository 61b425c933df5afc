import { setTimeout as pause } from 'node:timers/promises';
import type { TargetResponse, Wait } from './exchange.ts';
import { Interrupted } from './no-answer.ts';

export type BackoffOptions = {
  /** Maximum number of requests per second; no limit by default. */
  readonly rate?: number;
  readonly signal?: AbortSignal;
  readonly onWait?: (wait: Wait) => void;
  /** Milliseconds before each retry of a response that asks for a pause without a time. */
  readonly pauses?: readonly number[];
  /** Maximum milliseconds during which a service may return 503 to all requests. Default 60 000. */
  readonly longestOutage?: number;
};

/** In seconds; the suite doesn't wait longer than this for one retry. */
const LONGEST_WAIT = 60;
/** In milliseconds. After an interruption, the run still removes its records, but only with waits up to this. */
const LONGEST_LAST_WAIT = 1000;
/** In milliseconds. They grow because some services count requests per second, others per ten seconds. */
const PAUSES: readonly number[] = [250, 750, 2000, 4000];

/**
 * Creates the waits of a target. A 429 concerns all requests: one request is retried, and all others wait. A 503
 * concerns one request: the others go on. So does a 502 or a 504 of a gateway while the service starts. Libraries for retries know only one caller.
 */
export function createBackoff({ onWait, pauses = PAUSES, rate, signal }: BackoffOptions) {
  let free = 0;
  let told = 0;
  /** The retries after a 429, one after the other, so that no other request uses up the limit. */
  let last: Promise<unknown> | undefined;
  const inVain = new Set<string>();
  let isUp = false;
  return { pace, clear, retry, asksForPause };

  /** Whether a response asks the client to try again later. Until the first success, the service might be starting. */
  function asksForPause({ status }: TargetResponse): boolean {
    isUp ||= status < 300;
    return [429, 503, ...(isUp ? [] : [502, 504])].includes(status);
  }

  /** Resolves when the rate allows the next request; returns undefined if it may go at once. */
  function pace(method: string): Promise<void> | undefined {
    if (rate === undefined) return undefined;
    const now = Date.now();
    const wait = Math.max(0, free - now);
    free = Math.max(free, now) + 1000 / rate;
    // The rate applies after the signal too, and a removal still waits for it.
    const stoppable = method !== 'DELETE' && !signal?.aborted;
    return wait > 0 ? sleep(wait, stoppable ? signal : undefined) : undefined;
  }

  /** Resolves when no request waits for the rate limit of the target; returns undefined if none does. */
  function clear(): Promise<void> | undefined {
    return last ? untilClear() : undefined;
  }

  async function untilClear(): Promise<void> {
    while (last) await last.catch(() => {});
  }

  /** Repeats a request while its responses ask for a pause, once per pause, and returns the last response. */
  function retry(
    method: string,
    first: TargetResponse,
    ask: () => Promise<TargetResponse>,
  ): Promise<TargetResponse> {
    if (waitAfter(first, 0) === undefined) return Promise.resolve(first);
    if (first.status !== 429) return askAgain('unavailable', undefined, first, ask);
    // A delete can have a separate limit, so its waits are counted separately.
    const mine = askAgain(method === 'DELETE' ? 'remove' : 'ask', last, first, ask).finally(() => {
      if (last === mine) last = undefined;
    });
    last = mine;
    return mine;
  }

  /** Repeats the request. A kind of request that still failed after all waits isn't waited for again. */
  async function askAgain(
    kind: string,
    before: Promise<unknown> | undefined,
    first: TargetResponse,
    ask: () => Promise<TargetResponse>,
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

  /** Returns the milliseconds to wait; undefined if the target asks for no pause, or for one that is too long. */
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
    // Requests that wait at the same time are reported once.
    if (Date.now() >= told) {
      told = due;
      onWait?.(wait);
    }
    await sleep(left, signal);
  }
}

/** Returns the seconds from now in a Retry-After header; undefined if there are none. */
export function secondsIn(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : seconds;
}

/** Waits. Throws Interrupted if the signal aborts. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await pause(milliseconds, undefined, signal ? { signal } : {});
  } catch {
    throw new Interrupted();
  }
}
