import { createInstruments } from '../../conformance/plan/case-setup.ts';
import { runSuite } from '../../conformance/run.ts';
import type { Fixtures } from '../../fixtures/fixtures.ts';
import { decorateWith, nameOfPlace, type PlacedDefect } from '../../mock/defects/defects.ts';
import { createMock, type Mock } from '../../mock/mock.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { createInProcessTarget, credentialsFor } from './in-process-target.ts';

/** A run can send this many times the requests of a healthy run with the same selection. */
export const MOST_REQUESTS = 2;
/** A run can take this many times the time of a healthy run with the same selection. */
export const MOST_TIME = 3;
/**
 * Milliseconds that a run of one model can take in addition. A healthy one takes some 50 ms, but one wait for a list
 * that might be late takes a second.
 */
export const MOST_WAIT = 5000;
/** Random sequences after the cases, as `check` tries them on this machine. */
const EXPLORED = 200;

/** The requests and milliseconds of a run with a defect, and of the same run without it. */
export type Cost = {
  readonly name: string;
  /** Whether the service has the defect at all its places, and the run covers all models. */
  readonly isEverywhere: boolean;
  readonly requests: number;
  readonly healthyRequests: number;
  readonly time: number;
  readonly healthyTime: number;
};

type Measured = Pick<Cost, 'requests' | 'time'>;

/**
 * Measures runs as `check` makes them: with second tries, waits, attribution, and random sequences. A defect at one
 * place costs a run of its model; one at several places costs a run of all models. A run ends after `limit`
 * milliseconds.
 */
export async function createCosts(
  contract: Contract,
  fixtures: Fixtures,
  limit = Number.POSITIVE_INFINITY,
): Promise<(placed: PlacedDefect) => Promise<Cost>> {
  const full = await createMock({ ...contract, fixtures });
  const empty = await createMock({ ...contract });
  const instruments = createInstruments(contract);
  const healthy = new Map<string, Measured>();
  return async (placed) => {
    const { defect, places } = placed;
    const [place] = places.length === 1 ? places : [];
    const models = place && [place.model.name];
    const base = defect.onEmpty ? empty : full;
    const measureBoth = async (isAgain = false): Promise<Cost> => {
      const usual = await measureHealthy(base, models, isAgain);
      const found = await measure(await base.fork(decorateWith(placed, contract)), models);
      return {
        name: place ? [defect.name, nameOfPlace(place)].join(':') : defect.name,
        isEverywhere: !place,
        ...found,
        healthyRequests: usual.requests,
        healthyTime: usual.time,
      };
    };
    const cost = await measureBoth();
    // Other programs can slow a run down.
    const again = timeOver(cost) > 0 && cost.time < limit ? await measureBoth(true) : cost;
    return timeOver(again) < timeOver(cost) ? again : cost;
  };

  async function measureHealthy(
    base: Mock,
    models: readonly string[] | undefined,
    isAgain: boolean,
  ): Promise<Measured> {
    const key = [base === empty, ...(models ?? [])].join(' ');
    const known = healthy.get(key);
    if (known && !isAgain) return known;
    // The first run compiles the code.
    if (!known) await measure(await base.fork(), models);
    const found = await measure(await base.fork(), models);
    healthy.set(key, found);
    return found;
  }

  async function measure(mock: Mock, models?: readonly string[]): Promise<Measured> {
    const started = ownTime();
    const isOver = () => ownTime() - started > limit;
    const target = createInProcessTarget(mock, credentialsFor(contract.profile));
    const ending = new AbortController();
    const send: typeof target.send = (...request) => {
      if (isOver()) ending.abort(new DOMException('The time is over.', 'TimeoutError'));
      return target.send(...request);
    };
    const options = { profileName: 'proof', explore: EXPLORED, isDisposable: true, signal: ending.signal };
    const selection = models ? { models } : {};
    try {
      for await (const _ of runSuite({
        ...contract,
        ...options,
        instruments,
        selection,
        target: { ...target, send },
      }));
    } catch (error) {
      // A run can't begin if the service has none of the models.
      if (!(error instanceof UsageError)) throw error;
    }
    return { requests: target.requests(), time: ownTime() - started };
  }
}

/** Returns the milliseconds that this thread worked or waited, without those in which other programs had its core. */
export function ownTime(): number {
  const { system, user } = process.threadCpuUsage();
  return (user + system) / 1000 + performance.eventLoopUtilization().idle;
}

/** Returns one line for each bound that the run exceeds. */
export function costProblems(cost: Cost): string[] {
  const { healthyRequests, healthyTime, name, requests, time } = cost;
  return [
    ...(requests > MOST_REQUESTS * healthyRequests
      ? [`${name} costs ${requests} requests; a healthy run costs ${healthyRequests}`]
      : []),
    ...(timeOver(cost) > 0
      ? [`${name} takes ${inSeconds(time)} s; a healthy run takes ${inSeconds(healthyTime)} s`]
      : []),
  ];
}

/** The milliseconds by which a run takes more time than it can; negative for one that takes less. */
function timeOver({ healthyTime, isEverywhere, time }: Cost): number {
  return time - MOST_TIME * healthyTime - (isEverywhere ? 0 : MOST_WAIT);
}

export function inSeconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1);
}
