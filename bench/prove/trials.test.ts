import { describe, expect, test } from 'vitest';
import { DEFECTS } from '../../mock/defects/defects.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { catalogue, references } from '../../testing/mocks/mocks.ts';
import { drawKinds, drawTrials, listTrials } from './trials.ts';

const contract = { catalogue, references, profile: DEFAULT_PROFILE };

test('draws with seeds that follow each other take all kinds of defects in turns', () => {
  const trials = listTrials(contract);
  const kinds = new Set(trials.map(({ defect }) => defect.name)).size;
  const draws = Array.from({ length: 12 }, (_, seed) => drawKinds(trials, 100, seed + 1));
  const times = Map.groupBy(draws.flat(), ({ defect }) => defect.name);
  expect(times.size).toBe(kinds);
  expect(Math.min(...[...times.values()].map(({ length }) => length))).toBeGreaterThanOrEqual(5);
});

describe('a sample', () => {
  const all = listTrials(contract);
  const kindsOf = (numbers: readonly number[]) => new Set(numbers.map((number) => all[number]?.defect)).size;
  test('has the size that is wanted, each trial once, and every defect where there is room', () => {
    const drawn = drawTrials(all, 400, 1);
    expect([drawn.length, new Set(drawn).size, kindsOf(drawn)]).toEqual([400, 400, DEFECTS.length]);
    expect(drawTrials(all, 5, 1)).toHaveLength(5);
    expect(drawTrials(all, all.length + 1, 1)).toEqual([...all.keys()]);
  });
  test('is the same for the same seed, and another for another', () => {
    expect(drawTrials(all, 50, 7)).toEqual(drawTrials(all, 50, 7));
    expect(drawTrials(all, 50, 7)).not.toEqual(drawTrials(all, 50, 8));
  });
});
