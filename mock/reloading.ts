import { isDeepStrictEqual } from 'node:util';
import { UsageError } from '../spec/files/usage-error.ts';
import { isProbe } from './http/http.ts';
import type { Served } from './http/server.ts';
import type { Mock } from './mock.ts';

/** Serves a mock that can be replaced while requests arrive. */
export function createReloading(first: Mock) {
  let mock = first;
  let last: Promise<void> = Promise.resolve();
  const served: Served = {
    // Requests wait during a replacement, so that no write goes to the old mock. Probes do not wait.
    handle: async (request, whenDone) => {
      if (!isProbe(request.target)) await last;
      return mock.handle(request, whenDone);
    },
    bodyLimit: (target) => mock.bodyLimit(target),
    get profile() {
      return mock.profile;
    },
    refuse: (status, detail) => mock.refuse(status, detail),
  };
  return {
    get mock() {
      return mock;
    },
    served,
    /** Replaces the mock with the result of `make`, one replacement at a time. If `make` rejects, the mock stays. */
    reload: (make: (old: Mock) => Promise<Mock>) => {
      const replaced = last.then(async () => {
        mock = await make(mock);
      });
      last = replaced.catch(() => {});
      return replaced;
    },
  };
}

/**
 * Opens the same sessions in another mock, with the records of those that have changed since the start. Returns a line for
 * each record that does not fit. Resets clocks and faults, and drops snapshots and the request log.
 */
export async function carryOver(from: Mock, to: Mock): Promise<string[]> {
  const beginning = await (await from.fork()).state();
  const lost: string[] = [];
  for (const session of from.parts.sessions.list()) {
    const next = await to.parts.sessions.use(session.name);
    const records = await from.parts.state.read(session);
    if (isDeepStrictEqual(records, beginning)) continue;
    try {
      await to.parts.state.write(next, records, 'all');
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      lost.push(...error.message.split('\n'));
    }
  }
  return lost;
}
