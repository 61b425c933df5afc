import { learnProfile } from '../conformance/learn/learn.ts';
import {
  differences,
  HIDDEN,
  HIDDEN_BY_DEMO,
  observableSettings,
} from '../conformance/learn/learned-differences.testing.ts';
import type { Fixtures } from '../fixtures/fixtures.ts';
import type { Plan } from '../mock/defects/defect.ts';
import { createMock } from '../mock/mock.ts';
import { createInProcessTarget, credentialsFor } from './in-process-target.ts';
import { describeBad, runOn } from './run-on.ts';

/** What the suite and learn say of a service without a defect that speaks a profile. */
export type ProfileVerdict = {
  readonly cases: number;
  /** What is not green, and what learn did not recover. */
  readonly bad: readonly string[];
  /** The settings that the service shows, and those of them that were recovered. */
  readonly observable: number;
  readonly recovered: number;
};

const HIDDEN_HERE = [...HIDDEN, ...HIDDEN_BY_DEMO];

/** Runs every rule on a mock that speaks the profile, and lets learn find out which one it is. */
export async function tryProfile(plan: Plan, fixtures: Fixtures): Promise<ProfileVerdict> {
  const { catalogue, profile, references } = plan;
  const mock = await createMock({ ...plan, fixtures });
  const cases = await runOn(await mock.fork(), plan);
  const target = createInProcessTarget(await mock.fork(), credentialsFor(profile));
  const learned = await learnProfile({ catalogue, references, target, write: true });
  const wrong = differences(learned, profile, HIDDEN_HERE);
  const observable = observableSettings(profile, HIDDEN_HERE).length;
  const left = learned.leftovers.map((record) => `learn left ${record} behind`);
  return {
    cases: cases.length,
    bad: [...describeBad(cases), ...wrong, ...left],
    observable,
    recovered: observable - wrong.length,
  };
}
