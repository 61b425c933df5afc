import { createInstruments } from '../../conformance/plan/case-setup.ts';
import { runSuite } from '../../conformance/run.ts';
import type { Fixtures } from '../../fixtures/fixtures.ts';
import { nameOfPlace } from '../../mock/defects/defects.ts';
import { createMock, type Mock } from '../../mock/mock.ts';
import type { Contract } from '../../spec/contract.ts';
import { createInProcessTarget, credentialsFor } from './in-process-target.ts';
import type { PlacedOnce } from './trials.ts';

/** A run may send this many times the requests of a healthy run with the same selection. */
export const MOST_REQUESTS = 2;
/** All runs together may take this many times the time of the healthy ones. */
export const MOST_TIME = 3;
/** Random sequences after the cases, as `check` tries them on this machine. */
const EXPLORED = 200;

/** The requests and milliseconds of a run with a defect, and of the same run without it. */
export type Cost = {
  readonly name: string;
  readonly requests: number;
  readonly healthyRequests: number;
  readonly time: number;
  readonly healthyTime: number;
};

/** Measures runs as `check` makes them: with second tries, attribution, and random sequences. */
export async function createCosts(
  contract: Contract,
  fixtures: Fixtures,
): Promise<(trial: PlacedOnce) => Promise<Cost>> {
  const full = await createMock({ ...contract, fixtures });
  const empty = await createMock({ ...contract });
  const instruments = createInstruments(contract);
  const healthy = new Map<string, ReturnType<typeof measure>>();
  return async ({ defect, place }) => {
    const base = defect.onEmpty ? empty : full;
    const { name } = place.model;
    const key = [name, base === empty].join(' ');
    if (!healthy.has(key)) healthy.set(key, measure(await base.fork(), name));
    const usual = await healthy.get(key);
    const { requests, time } = await measure(await base.fork(defect.decorate(place, contract)), name);
    return {
      name: [defect.name, nameOfPlace(place)].join(':'),
      requests,
      healthyRequests: usual?.requests ?? 0,
      time,
      healthyTime: usual?.time ?? 0,
    };
  };

  async function measure(mock: Mock, model: string): Promise<{ requests: number; time: number }> {
    const target = createInProcessTarget(mock, credentialsFor(contract.profile));
    const started = performance.now();
    const options = { profileName: 'proof', looks: [0], explore: EXPLORED, isDisposable: true };
    const selection = { models: [model] };
    for await (const event of runSuite({ ...contract, ...options, instruments, selection, target }))
      if (event.type === 'end')
        return { requests: event.results.requests, time: performance.now() - started };
    throw new Error('the run ended without results');
  }
}
