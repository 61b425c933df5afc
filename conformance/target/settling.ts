import { sleep } from './backoff.ts';
import type { Target } from './target.ts';

export type SettlingOptions = {
  /** The path before the model's name, such as `/api/model`. */
  readonly base: string;
  /** Milliseconds between the last write and a list request; can change during the run. */
  readonly ms: number | (() => number);
  /** Returns the writes that the current request waits for; undefined for those of the whole run. */
  readonly writes?: () => Writes | undefined;
  /** Ends a wait: the list isn't requested then, and the wait throws Interrupted. */
  readonly signal?: AbortSignal;
};

/** When the last of some writes ended. */
export type Writes = { last: number };

/**
 * Returns a target that delays list requests after the last write to any model. A list can come from a replica or an
 * index that lags, and a service writes lines with their parent. A retrieve isn't delayed.
 */
export function settling(
  target: Target,
  { base, ms, signal, writes = () => undefined }: SettlingOptions,
): Target {
  const all: Writes = { last: Number.NEGATIVE_INFINITY };
  return {
    ...target,
    async send(request, record) {
      const some = writes() ?? all;
      const rest = some.last + (typeof ms === 'number' ? ms : ms()) - performance.now();
      if (rest > 0 && request.method === 'GET' && isListPath(request.path, base)) await sleep(rest, signal);
      try {
        return await target.send(request, record);
      } finally {
        if (request.method !== 'GET') all.last = some.last = performance.now();
      }
    },
  };
}

/** Whether a path has one segment below the base: the model. A longer path names a record. */
export function isListPath(path: string, base: string): boolean {
  return path.startsWith(`${base}/`) && !path.slice(base.length + 1).includes('/');
}
