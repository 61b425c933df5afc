import { setTimeout as delay } from 'node:timers/promises';
import type { Target } from './target.ts';

/**
 * A target whose lists are asked for only so many milliseconds after the last write to their model: lists may come from
 * a replica or an index that is behind. A record by its id is asked for at once.
 */
export function settling(target: Target, ms: number): Target {
  const written = new Map<string, number>();
  return {
    ...target,
    async send(request, record) {
      const list = request.path.replace(/\/[^/]*\d[^/]*$/, '');
      if (request.method === 'GET' && list === request.path) {
        const rest = (written.get(list) ?? Number.NEGATIVE_INFINITY) + ms - performance.now();
        if (rest > 0) await delay(rest);
      }
      try {
        return await target.send(request, record);
      } finally {
        if (request.method !== 'GET') written.set(list, performance.now());
      }
    },
  };
}
