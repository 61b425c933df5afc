import type { Defect, DefectPlace } from '../../mock/defects/defect.ts';
import { DEFECTS } from '../../mock/defects/defects.ts';
import type { Contract } from '../../spec/contract.ts';
import { createRandom } from '../../testing/services/draw.ts';

/** A defect at one of its places. */
export type PlacedOnce = { readonly defect: Defect; readonly place: DefectPlace };

/** Every defect at every place it applies to, model by model; always in the same order. */
export function listTrials(contract: Contract, only?: string): PlacedOnce[] {
  const wanted = DEFECTS.filter(
    ({ name }) => only === undefined || name === only || name.startsWith(`${only}.`),
  );
  return [...contract.catalogue.models.values()].flatMap((model) =>
    wanted.flatMap((defect) => defect.places(model, contract).map((place) => ({ defect, place }))),
  );
}

/** A drawn defect is tried at this many places, or at all if it has fewer. */
const LEAST_PLACES = 2;

/** Draws trials with a seed, and returns their numbers in order: first some of each defect, then any. */
export function drawTrials(trials: readonly PlacedOnce[], size: number, seed: number): number[] {
  const mixed = drawSample([...trials.entries()], trials.length, seed);
  const times = new Map<Defect, number>();
  const isEarly = ({ defect }: PlacedOnce) => {
    const time = (times.get(defect) ?? 0) + 1;
    times.set(defect, time);
    return time <= LEAST_PLACES;
  };
  const drawn = Map.groupBy(mixed, ([, trial]) => isEarly(trial));
  return [...(drawn.get(true) ?? []), ...(drawn.get(false) ?? [])]
    .slice(0, size)
    .map(([number]) => number)
    .toSorted((one, other) => one - other);
}

/**
 * Draws one trial for each of several kinds of defects, at random places. The next seed takes the next kinds, so that a
 * few draws cover all.
 */
export function drawKinds(trials: readonly PlacedOnce[], size: number, seed: number): PlacedOnce[] {
  const kinds = [...Map.groupBy(trials, ({ defect }) => defect.name).values()];
  return Array.from({ length: Math.min(size, trials.length) }, (_, index) => {
    const places = kinds[(seed * size + index) % kinds.length] ?? [];
    return drawSample(places, 1, seed + Math.floor(index / kinds.length));
  }).flat();
}

/** Draws numbers below a limit with a seed, and sorts them. */
export function drawNumbers(limit: number, size: number, seed: number): number[] {
  return drawSample([...Array(limit).keys()], size, seed).toSorted((one, other) => one - other);
}

/** Draws items with a seed. The same seed draws the same items. */
export function drawSample<T>(items: readonly T[], size: number, seed: number): T[] {
  const random = createRandom(seed);
  return items
    .map((item) => [random(), item] as const)
    .sort(([one], [other]) => one - other)
    .slice(0, size)
    .map(([, item]) => item);
}
