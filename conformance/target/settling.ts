import { sleep } from './backoff.ts';
import type { Target } from './target.ts';

export type SettlingOptions = {
  /** The path before the model's name, such as `/api/model`. */
  readonly base: string;
  /** Milliseconds from the last write until a list is asked for; may change. */
  readonly ms: number | (() => number);
  /** Ends a wait: the list is not asked for then, and Interrupted is thrown. */
  readonly signal?: AbortSignal;
};

/**
 * A target whose lists are asked for only so many milliseconds after the last write, to whichever model: lists may come
 * from a replica or an index that is behind, and lines are written with their parent. A record by its id is asked for
 * at once.
 */
export function settling(target: Target, { base, ms, signal }: SettlingOptions): Target {
  let written = Number.NEGATIVE_INFINITY;
  return {
    ...target,
    async send(request, record) {
      const rest = written + (typeof ms === 'number' ? ms : ms()) - performance.now();
      if (rest > 0 && request.method === 'GET' && isListPath(request.path, base)) await sleep(rest, signal);
      try {
        return await target.send(request, record);
      } finally {
        if (request.method !== 'GET') written = performance.now();
      }
    },
  };
}

/** One segment below the base names a model; what is longer names a record of it. */
export function isListPath(path: string, base: string): boolean {
  return path.startsWith(`${base}/`) && !path.slice(base.length + 1).includes('/');
}
