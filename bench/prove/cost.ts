import { createWireCheck } from '../../conformance/assert/agreement.ts';
import { runSuite } from '../../conformance/run.ts';
import type { Fixtures } from '../../fixtures/fixtures.ts';
import { nameOfPlace } from '../../mock/defects/defects.ts';
import type { Mock } from '../../mock/mock.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { createInProcessTarget, credentialsFor } from '../../testing/in-process-target.ts';
import { createForks } from './run-on.ts';
import type { PlacedOnce } from './trials.ts';

/** A run can send this many times the requests of a healthy run with the same selection. */
const MOST_REQUESTS = 2;
/** A run can take this many times the time of a healthy run with the same selection. */
export const MOST_TIME = 3;
/**
 * Milliseconds that a run of one model can take in addition. A healthy one takes some 50 ms, but one wait for a list
 * that might be late takes a second.
 */
const MOST_WAIT = 12_000;
/** Random sequences after the cases, as `check` tries them on this machine. */
const EXPLORED = 150;

/** The requests and milliseconds of a run. */
export type Measured = { readonly requests: number; readonly time: number };

/** The cost of a run with a defect, and of the same run without it. */
export type Cost = Measured & {
  readonly name: string;
  readonly healthyRequests: number;
  readonly healthyTime: number;
};

/**
 * Measures the cost of a defect at one place, in runs of its model as `check` makes them: with second tries, waits,
 * attribution, and random sequences.
 */
export async function createCosts(
  contract: Contract,
  fixtures: Fixtures,
): Promise<(trial: PlacedOnce) => Promise<Cost>> {
  const fork = await createForks(contract, fixtures);
  const check = createWireCheck(contract);
  const healthy = new Map<string, Measured>();
  return async (trial) => {
    const cost = await measureBoth(trial);
    // Other programs can slow a run down.
    return timeOver(cost) > 0 ? measureBoth(trial, true) : cost;
  };

  async function measureBoth({ defect, place }: PlacedOnce, isAgain = false): Promise<Cost> {
    const { name } = place.model;
    const usual = await measureHealthy(name, () => fork(defect), `${name} ${defect.onEmpty}`, isAgain);
    const found = await measure(name, await fork(defect, place));
    return costOf(`${defect.name}:${nameOfPlace(place)}`, found, usual);
  }

  async function measureHealthy(model: string, open: () => Promise<Mock>, key: string, isAgain: boolean) {
    const known = healthy.get(key);
    if (known && !isAgain) return known;
    // The first run compiles the code.
    if (!known) await measure(model, await open());
    const found = await measure(model, await open());
    healthy.set(key, found);
    return found;
  }

  async function measure(model: string, mock: Mock): Promise<Measured> {
    const started = ownTime();
    const target = createInProcessTarget(mock, credentialsFor(contract.profile));
    const run = {
      profileName: 'proof',
      explore: EXPLORED,
      isDisposable: true,
      selection: { models: [model] },
    };
    try {
      for await (const _ of runSuite({ ...contract, ...run, check, target }));
    } catch (error) {
      // A run can't begin if the service does not have the model.
      if (!(error instanceof UsageError)) throw error;
    }
    return { requests: target.requests(), time: ownTime() - started };
  }
}

export function costOf(name: string, found: Measured, usual: Measured): Cost {
  return { name, ...found, healthyRequests: usual.requests, healthyTime: usual.time };
}

/** Returns the milliseconds that this thread worked or waited, without those in which other programs had its core. */
export function ownTime(): number {
  const { system, user } = process.threadCpuUsage();
  return (user + system) / 1000 + performance.eventLoopUtilization().idle;
}

/** Returns one line for each bound that the run exceeds. */
export function costProblems(cost: Cost): string[] {
  const { healthyTime, name, time } = cost;
  const line = `${name} takes ${inSeconds(time)} s; a healthy run takes ${inSeconds(healthyTime)} s`;
  return [...requestProblems(cost), ...(timeOver(cost) > 0 ? [line] : [])];
}

/** Returns a line if the run sends too many requests. */
export function requestProblems({ healthyRequests, name, requests }: Cost): string[] {
  if (requests <= MOST_REQUESTS * healthyRequests) return [];
  return [`${name} costs ${requests} requests; a healthy run costs ${healthyRequests}`];
}

/** The milliseconds by which a run takes more time than it can; negative for one that takes less. */
function timeOver({ healthyTime, time }: Cost): number {
  return time - MOST_TIME * healthyTime - MOST_WAIT;
}

function inSeconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1);
}
