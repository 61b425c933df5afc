import { join } from 'node:path';
import type { Served } from '../../mock/http/server.ts';
import type { Mock } from '../../mock/mock.ts';

/** A mock that is served while another takes its place. */
export type Reloading = {
  readonly served: Served;
  /** Puts what `make` gives in the place of the mock; one after the other. */
  reload(make: (old: Mock) => Promise<Mock>): void;
};

export function createReloading(first: Mock): Reloading {
  let mock = first;
  let last: Promise<void> = Promise.resolve();
  const served: Served = {
    // What is asked meanwhile waits, so that nothing is written to a mock that goes.
    handle: async (request, whenDone) => {
      await last;
      return mock.handle(request, whenDone);
    },
    bodyLimit: (target) => (typeof mock.bodyLimit === 'number' ? mock.bodyLimit : mock.bodyLimit(target)),
    get profile() {
      return mock.profile;
    },
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

/** The files that a mock is made of, as far as they are the user's. */
export function filesOf({ catalogue, fixtures = [], profile, users }: Files): string[] {
  const own = fixtures.filter((source) => source !== 'demo' && source !== 'none');
  const ofCatalogue = catalogue === undefined ? [] : [catalogue, join(catalogue, '..', 'references.yaml')];
  return [...own, ...ofCatalogue, profile ?? [], users ?? []].flat();
}
