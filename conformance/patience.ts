import { setTimeout as pause } from 'node:timers/promises';
import type { TargetResponse } from './exchange.ts';

/** In seconds. */
const LONGEST_WAIT = 60;
/** What was made is still removed after an interruption, unless that takes longer waits. In milliseconds. */
const LONGEST_LAST_WAIT = 1000;

/** A request was not sent, or not sent again, since the run is to end. */
export class Interrupted extends Error {
  override name = 'Interrupted';
  constructor() {
    super('interrupted');
  }
}

/** The target asked for a pause of so many milliseconds. */
export type Wait = { readonly milliseconds: number; readonly status: number };

export type PatienceOptions = {
  /** Requests a second; no limit when absent. */
  readonly rate?: number;
  readonly signal?: AbortSignal;
  readonly onWait?: (wait: Wait) => void;
};

/** The waits of a target. All of them throw Interrupted when the signal comes. */
export type Patience = {
  /** Resolves when the next request may go out; undefined when that is at once. */
  pace(method: string): Promise<void> | undefined;
  /** Waits where the answer asks for it; whether it did. */
  grant(response: TargetResponse): Promise<boolean>;
};

export function createPatience({ onWait, rate, signal }: PatienceOptions): Patience {
  let free = 0;
  let told = 0;
  return { pace, grant };

  function pace(method: string): Promise<void> | undefined {
    if (rate === undefined) return undefined;
    const now = Date.now();
    const wait = Math.max(0, free - now);
    free = Math.max(free, now) + 1000 / rate;
    // After the signal the rate is kept all the same; what is being removed does not stop waiting.
    const stoppable = method !== 'DELETE' && !signal?.aborted;
    return wait > 0 ? sleep(wait, stoppable ? signal : undefined) : undefined;
  }

  async function grant(response: TargetResponse): Promise<boolean> {
    const wait = retryAfter(response);
    if (wait === undefined) return false;
    if (wait <= LONGEST_LAST_WAIT) {
      await sleep(wait);
      return true;
    }
    if (signal?.aborted) throw new Interrupted();
    // Requests side by side wait together.
    if (Date.now() >= told) {
      told = Date.now() + wait;
      onWait?.({ milliseconds: wait, status: response.status });
    }
    await sleep(wait, signal);
    return true;
  }
}

/** Milliseconds to wait when the target asks for patience (429 or 503 with Retry-After), else undefined. */
function retryAfter({ status, headers }: TargetResponse): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const header = headers['retry-after'];
  if (header === undefined) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) || seconds > LONGEST_WAIT ? undefined : Math.max(0, seconds) * 1000;
}

async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await pause(milliseconds, undefined, signal ? { signal } : {});
  } catch {
    throw new Interrupted();
  }
}
