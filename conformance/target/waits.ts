import { setTimeout as pause } from 'node:timers/promises';
import { Expired, Interrupted, isDenied, NoAnswer, type TargetResponse, type Wait } from './exchange.ts';

export type BackoffOptions = {
  /** Maximum number of requests per second; no limit by default. */
  readonly rate?: number | undefined;
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

  /** Resolves when the rate allows the next request. */
  async function pace(method: string): Promise<void> {
    if (rate === undefined) return;
    const now = Date.now();
    const wait = Math.max(0, free - now);
    free = Math.max(free, now) + 1000 / rate;
    // The rate applies after the signal too, and a removal still waits for it.
    const stoppable = method !== 'DELETE' && !signal?.aborted;
    if (wait > 0) await sleep(wait, stoppable ? signal : undefined);
  }

  /** Resolves when no request waits for the rate limit of the target. */
  async function clear(): Promise<void> {
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
  await pause(milliseconds, undefined, signal && { signal }).catch(() => {
    throw new Interrupted();
  });
}

/** In milliseconds. */
const OUTAGE_STEP = 2000;

/** Reads of several models, because only one table of the service might be broken. */
const MOST_READS = 3;

/**
 * Remembers some reads that succeeded. They show whether a failed request says something about the service as a whole: it
 * is away for a while, or gone, or refuses the credentials that it accepted before.
 */
export function createOutage({
  longestOutage = 60_000,
  onWait,
  signal,
}: Pick<BackoffOptions, 'longestOutage' | 'onWait' | 'signal'>) {
  const every = Math.min(OUTAGE_STEP, longestOutage / 10);
  const reads = new Map<string, () => Promise<TargetResponse>>();
  /** All waiting requests share one watch. */
  let watch: Promise<'there' | 'back' | 'away'> | undefined;
  let search: Promise<boolean> | undefined;
  /** The number of the last request that the service let in. */
  let accepted = 0;
  let expired: Expired | undefined;
  /** After a failed watch, requests don't wait again. */
  let isLost = false;
  return {
    /** Remembers one successful read per model. They show later whether the service is away. */
    note(path: string, ask: () => Promise<TargetResponse>): void {
      if (reads.size === MOST_READS) return;
      const model = path.replace(/\/\d+$/, '');
      if (!reads.has(model)) reads.set(model, ask);
    },
    /** Throws Expired if the service has refused the credentials. */
    needAccess(): void {
      if (expired) throw expired;
    },
    /** Throws Expired if the service refuses a request, and then also one of these reads. */
    async noteAccess({ status }: TargetResponse, requests: number): Promise<void> {
      const [ask] = reads.values();
      if (!isDenied(status)) accepted = requests;
      else if (ask && isDenied(await statusOf(ask))) {
        expired ??= new Expired(accepted, status);
        throw expired;
      }
    },
    /** Whether none of these reads has a response now; undefined if there is no read. */
    async isGone(): Promise<boolean | undefined> {
      if (reads.size === 0) return undefined;
      search ??= Promise.all([...reads.values()].map(statusOf))
        .then((statuses) => statuses.every((status) => status === 0))
        .finally(() => {
          search = undefined;
        });
      return search;
    },
    /**
     * Returns the 503 if the service responds to other requests. If it is away, waits for it and repeats the request.
     * Throws NoAnswer if it doesn't come back.
     */
    async sit(
      answer: TargetResponse,
      asked: string,
      again: () => Promise<TargetResponse>,
    ): Promise<TargetResponse> {
      if (isLost || reads.size === 0 || answer.status !== 503) return answer;
      watch ??= wait().finally(() => {
        watch = undefined;
      });
      const found = await watch;
      if (found === 'there') return answer;
      if (found === 'back') return again();
      isLost = true;
      const seconds = Math.round(longestOutage / 1000);
      throw new NoAnswer(
        `${asked} returned 503, as did all other requests in the last ${seconds} s`,
        '',
        true,
      );
    },
  };

  async function wait(): Promise<'there' | 'back' | 'away'> {
    if (!(await areAway())) return 'there';
    const end = performance.now() + longestOutage;
    onWait?.({ milliseconds: longestOutage, status: 503 });
    while (performance.now() < end) {
      await sleep(every, signal);
      if (!(await areAway())) return 'back';
    }
    return 'away';
  }

  /** A service that restarts can refuse connections for a moment. */
  async function areAway(): Promise<boolean> {
    for (const ask of reads.values()) if (![0, 503].includes(await statusOf(ask))) return false;
    return true;
  }
}

/** Returns the status of a response, 0 if there is none. */
async function statusOf(ask: () => Promise<TargetResponse>): Promise<number> {
  try {
    return (await ask()).status;
  } catch (error) {
    if (error instanceof NoAnswer) return 0;
    throw error;
  }
}
