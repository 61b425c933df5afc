import { isDeepStrictEqual } from 'node:util';
import { learnProfile } from '../../conformance/learn/learn.ts';
import type { Fixtures } from '../../fixtures/fixtures.ts';
import { createMock } from '../../mock/mock.ts';
import type { Contract } from '../../spec/contract.ts';
import {
  differences,
  HIDDEN,
  HIDDEN_BY_DEMO,
  observableSettings,
} from '../../testing/learned-differences.ts';
import { createTrial, type Verdict } from './defect-trial.ts';
import { createInProcessTarget, credentialsFor } from './in-process-target.ts';
import { describeBad, runOn } from './run-on.ts';
import { drawSample, listTrials } from './trials.ts';

/** What the suite and learn say of a service that speaks a profile. */
export type ProfileVerdict = {
  readonly cases: number;
  /** What is not green, and what learn did not recover. */
  readonly bad: readonly string[];
  /** The settings that the service shows, and those of them that were recovered. */
  readonly observable: number;
  readonly recovered: number;
  /** What the suite says of it with one defect, for some drawn by lot. */
  readonly defects: readonly Verdict[];
};

/** The number of defects to draw, and the seed they are drawn with. */
export type Lot = { readonly size: number; readonly seed: number };

const HIDDEN_HERE = [...HIDDEN, ...HIDDEN_BY_DEMO];

/** Runs every rule on a mock that speaks the profile, lets learn find out which one it is, and tries some defects. */
export async function tryProfile(contract: Contract, fixtures: Fixtures, lot: Lot): Promise<ProfileVerdict> {
  const { catalogue, profile, references } = contract;
  const mock = await createMock({ ...contract, fixtures });
  const cases = await runOn(await mock.fork(), contract);
  const target = createInProcessTarget(await mock.fork(), credentialsFor(profile));
  const learned = await learnProfile({ catalogue, references, target, write: true });
  // What a user sees who gives no profile: what could not be learned is supposed.
  const supposed = { ...contract, profile: learned.profile };
  const asLearned = isDeepStrictEqual(learned.profile, profile)
    ? []
    : await runOn(await mock.fork(), supposed);
  const wrong = differences(learned, profile, HIDDEN_HERE);
  const observable = observableSettings(profile, HIDDEN_HERE).length;
  const left = learned.leftovers.map((record) => `learn left ${record} behind`);
  return {
    cases: cases.length,
    bad: [
      ...describeBad(cases),
      ...describeBad(asLearned).map((line) => `as learned: ${line}`),
      ...wrong,
      ...left,
    ],
    observable,
    recovered: observable - wrong.length,
    defects: await tryDefects(contract, fixtures, lot),
  };
}

async function tryDefects(contract: Contract, fixtures: Fixtures, { seed, size }: Lot): Promise<Verdict[]> {
  // A service that lets only so many requests through a second would take minutes.
  if (contract.profile['limits.rate'] !== 'none') return [];
  const trial = await createTrial(contract, fixtures);
  const verdicts: Verdict[] = [];
  for (const { defect, place } of drawSample(listTrials(contract), size, seed))
    verdicts.push(await trial(defect, place));
  return verdicts;
}
