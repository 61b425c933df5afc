import { createWireCheck } from '../../conformance/assert/agreement.ts';
import { runSuite } from '../../conformance/run.ts';
import type { Fixtures } from '../../fixtures/fixtures.ts';
import type { Defect, DefectPlace } from '../../mock/defects/defect.ts';
import { decorateWith, nameOfPlace, type PlacedDefect } from '../../mock/defects/defects.ts';
import { createMock } from '../../mock/mock.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { createInProcessTarget, credentialsFor } from '../../testing/in-process-target.ts';
import type { PlacedOnce } from './trials.ts';

/** A run can send this many times the requests of a healthy run with the same selection. */
export const MOST_REQUESTS = 2;
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

export type RunToMeasure = {
  /** Left out for a healthy service. */
  readonly placed?: PlacedDefect;
  /** Whether the service begins without records. */
  readonly onEmpty?: boolean | undefined;
  /** Default: all. */
  readonly models?: readonly string[];
};

/**
 * Measures runs as `check` makes them: with second tries, waits, attribution, and random sequences. A run ends after
 * `limit` milliseconds.
 */
export async function createMeasure(
  contract: Contract,
  fixtures: Fixtures,
  limit = Number.POSITIVE_INFINITY,
): Promise<(run: RunToMeasure) => Promise<Measured>> {
  const full = await createMock({ ...contract, fixtures });
  const empty = await createMock({ ...contract });
  const check = createWireCheck(contract);
  return async ({ models, onEmpty, placed }) => {
    const mock = await (onEmpty ? empty : full).fork(placed && decorateWith(placed, contract));
    const started = ownTime();
    const target = createInProcessTarget(mock, credentialsFor(contract.profile));
    const ending = new AbortController();
    const send: typeof target.send = (...request) => {
      if (ownTime() - started > limit) ending.abort(new DOMException('The time is over.', 'TimeoutError'));
      return target.send(...request);
    };
    const suite = runSuite({
      ...contract,
      profileName: 'proof',
      explore: EXPLORED,
      isDisposable: true,
      signal: ending.signal,
      check,
      selection: models ? { models } : {},
      target: { ...target, send },
    });
    try {
      for await (const _ of suite);
    } catch (error) {
      // A run can't begin if the service has none of the models.
      if (!(error instanceof UsageError)) throw error;
    }
    return { requests: target.requests(), time: ownTime() - started };
  };
}

/** Measures the cost of a defect at one place, in runs of its model. */
export function createCosts(
  measure: (run: RunToMeasure) => Promise<Measured>,
): (trial: PlacedOnce) => Promise<Cost> {
  const healthy = new Map<string, Measured>();
  return async ({ defect, place }) => {
    const cost = await measureBoth(defect, place);
    // Other programs can slow a run down.
    return timeOver(cost) > 0 ? measureBoth(defect, place, true) : cost;
  };

  async function measureBoth(defect: Defect, place: DefectPlace, isAgain = false): Promise<Cost> {
    const usual = await measureHealthy(place.model.name, defect, isAgain);
    const placed = { defect, places: [place] };
    const found = await measure({ placed, onEmpty: defect.onEmpty, models: [place.model.name] });
    const name = [defect.name, nameOfPlace(place)].join(':');
    return costOf(name, found, usual);
  }

  async function measureHealthy(model: string, { onEmpty }: Defect, isAgain: boolean): Promise<Measured> {
    const key = [model, onEmpty].join(' ');
    const known = healthy.get(key);
    if (known && !isAgain) return known;
    const ask = () => measure({ onEmpty, models: [model] });
    // The first run compiles the code.
    if (!known) await ask();
    const found = await ask();
    healthy.set(key, found);
    return found;
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
