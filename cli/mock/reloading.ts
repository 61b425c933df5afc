import { join } from 'node:path';
import { isProbe } from '../../mock/control/probes.ts';
import type { Served } from '../../mock/http/server.ts';
import type { Mock } from '../../mock/mock.ts';

/** A served mock that can be replaced while requests arrive. */
export type Reloading = {
  readonly served: Served;
  /** Replaces the mock with the result of `make`, one replacement at a time. */
  reload(make: (old: Mock) => Promise<Mock>): void;
};

export function createReloading(first: Mock): Reloading {
  let mock = first;
  let last: Promise<void> = Promise.resolve();
  const served: Served = {
    // Requests wait during a replacement, so that no write goes to the old mock.
    handle: async (request, whenDone) => {
      await last;
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
    served,
    reload: (make) => {
      last = last.then(async () => {
        mock = await make(mock);
      });
    },
  };
}

type Files = {
  readonly catalogue?: string;
  readonly fixtures?: readonly string[];
  readonly profile?: string;
  readonly users?: string;
};

/** Returns the user's files that a mock reads. */
export function filesOf({ catalogue, fixtures = [], profile, users }: Files): string[] {
  const own = fixtures.filter((source) => source !== 'demo' && source !== 'none');
  const ofCatalogue = catalogue === undefined ? [] : [catalogue, join(catalogue, '..', 'references.yaml')];
  return [...own, ...ofCatalogue, profile ?? [], users ?? []].flat();
}
