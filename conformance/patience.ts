import type { TargetResponse } from './exchange.ts';

const LONGEST_WAIT = 60;

/** Resolves when the next request may go out, at so many a second; at once when there is no limit. */
export function createPace(rate: number | undefined): () => Promise<void> | undefined {
  let free = 0;
  return () => {
    if (rate === undefined) return undefined;
    const now = Date.now();
    const wait = Math.max(0, free - now);
    free = Math.max(free, now) + 1000 / rate;
    return wait > 0 ? sleep(wait) : undefined;
  };
}

/** Milliseconds to wait when the target asks for patience (429 or 503 with Retry-After), else undefined. */
export function retryAfter({ status, headers }: TargetResponse): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const header = headers['retry-after'];
  if (header === undefined) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) || seconds > LONGEST_WAIT ? undefined : Math.max(0, seconds) * 1000;
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, milliseconds));
}
