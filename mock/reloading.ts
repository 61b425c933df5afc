import { isProbe } from './control/address.ts';
import type { Served } from './http/server.ts';
import type { Mock } from './running-mock.ts';

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
    bodyLimit: (target) => (typeof mock.bodyLimit === 'number' ? mock.bodyLimit : mock.bodyLimit(target)),
    get profile() {
      return mock.profile;
    },
    isOpen: isProbe,
    refuse: (status, detail) => mock.refuse(status, detail),
  };
  return {
    /** The current mock. */
    get mock() {
      return mock;
    },
    served,
    /** Replaces the mock with the result of `make`, one replacement at a time. If `make` rejects, the mock stays. */
    reload: (make: (old: Mock) => Promise<Mock>) => {
      const replaced = last.then(async () => {
        const next = await make(mock);
        if (mock.parts.forward) next.parts.forward?.adopt(mock.parts.forward);
        mock = next;
      });
      last = replaced.catch(() => {});
      return replaced;
    },
  };
}
