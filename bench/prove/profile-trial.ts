import { isDeepStrictEqual } from 'node:util';
import { createWireCheck, type WireCheck } from '../../conformance/assert/agreement.ts';
import { learnedTerms, learnProfile } from '../../conformance/learn/learn.ts';
import type { Selection } from '../../conformance/plan/plan.ts';
import type { Results } from '../../conformance/results/results.ts';
import type { Fixtures } from '../../fixtures/fixtures.ts';
import { createMock, type Mock } from '../../mock/mock.ts';
import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { loadRequirements } from '../../spec/requirements.ts';
import { createInProcessTarget, credentialsFor } from '../../testing/in-process-target.ts';
import {
  differences,
  HIDDEN,
  HIDDEN_BY_DEMO,
  HIDDEN_BY_EMPTINESS,
  observableSettings,
} from '../../testing/profile/learned-differences.ts';
import { createTrial, type DefectVerdict } from './defect-trial.ts';
import { createForks, describeBad, type Fork, resultsOn, runOn } from './run-on.ts';
import { drawKinds, drawSample, listTrials } from './trials.ts';

/** The verdicts of the suite and of `learn` on a service under a profile. */
export type ProfileVerdict = {
  readonly cases: number;
  /** Cases that are not green, and settings that `learn` did not recover. */
  readonly bad: readonly string[];
  /** The settings that the service shows, and those of them that were recovered. */
  readonly observable: number;
  readonly recovered: number;
  /** The verdicts of the suite on the service with one defect, for a random sample of defects. */
  readonly defects: readonly DefectVerdict[];
};

/** The size of each random sample, and its seed. */
export type Lot = {
  /** The number of defects. */
  readonly defects: number;
  /** Checks each nth model; 1 checks all. */
  readonly oneIn: number;
  /** Checks each nth model again under the learned profile. */
  readonly learnedOneIn: number;
  readonly seed: number;
};

const requirements = loadRequirements();
const HIDDEN_HERE = [...HIDDEN, ...HIDDEN_BY_DEMO];
const HIDDEN_WITHOUT_RECORDS = [...HIDDEN, ...HIDDEN_BY_EMPTINESS];

/**
 * Runs each rule on a mock under the profile, lets `learn` find the profile, and tries some defects. Also tries `learn`
 * without records, and without write access.
 */
export async function tryProfile(contract: Contract, fixtures: Fixtures, lot: Lot): Promise<ProfileVerdict> {
  const { catalogue, profile, references } = contract;
  const fork = await createForks(contract, fixtures);
  const check = createWireCheck(contract);
  const selection = drawModels(catalogue, lot.oneIn, lot.seed);
  const results = await resultsOn(await fork(), { ...contract, check, requirements, selection });
  const learn = async (service: Mock, write: boolean) =>
    learnProfile({
      catalogue,
      references,
      write,
      target: createInProcessTarget(service, credentialsFor(profile)),
    });
  const learned = await learn(await fork(), true);
  const withoutRecords = await learn(await createMock(contract), true);
  const readOnly = await learn(await fork(), false);
  // Without a profile file, settings that can't be learned are unknown.
  const supposed = { ...contract, profile: learnedTerms(learned).profile };
  const asLearned = isDeepStrictEqual(learned.profile, profile)
    ? []
    : await runOn(await fork(), {
        ...supposed,
        selection: drawModels(catalogue, lot.learnedOneIn, lot.seed),
      });
  const wrong = differences(learned, profile, HIDDEN_HERE);
  const observable = observableSettings(profile, HIDDEN_HERE).length;
  return {
    cases: results.cases.length,
    bad: [
      ...describeBad(results.cases),
      ...describeIncomplete(results, (model) => selection.models?.includes(model) ?? true),
      ...describeBad(asLearned).map((line) => `as learned: ${line}`),
      ...wrong,
      ...differences(withoutRecords, profile, HIDDEN_WITHOUT_RECORDS).map(
        (line) => `without records: ${line}`,
      ),
      ...differences(readOnly, profile, HIDDEN_HERE, false).map((line) => `only read: ${line}`),
      ...[learned, withoutRecords].flatMap(({ leftovers }) =>
        leftovers.map((record) => `learn left ${record} behind`),
      ),
    ],
    observable,
    recovered: observable - wrong.length,
    defects: await tryDefects(contract, fixtures, lot, fork, check),
  };
}

/** A whole run, which is more than one with every model named, or one with some of them. */
function drawModels({ models }: Catalogue, oneIn: number, seed: number): Selection {
  if (oneIn === 1) return {};
  return { models: drawSample([...models.keys()], Math.ceil(models.size / oneIn), seed) };
}

/** The parts that a run leaves out. */
function describeIncomplete(
  { coverage, leftovers, requirements }: Results,
  isWanted: (model: string) => boolean,
): string[] {
  return [
    ...leftovers.map((record) => `the suite left ${record} behind`),
    ...coverage.operations
      .filter(({ exercised, name }) => !exercised && isWanted(name.split(' ')[1] ?? ''))
      .map(({ name }) => `${name} is asked by no case`),
    ...requirements.filter(({ state }) => state === 'broken').map(({ id }) => `${id} is said to be broken`),
  ];
}

async function tryDefects(
  contract: Contract,
  fixtures: Fixtures,
  { defects, seed }: Lot,
  fork: Fork,
  check: WireCheck,
): Promise<DefectVerdict[]> {
  // A service with a rate limit would take minutes.
  if (contract.profile['limits.rate'] !== 'none') return [];
  const trial = await createTrial(contract, fixtures, fork, check);
  const verdicts: DefectVerdict[] = [];
  for (const { defect, place } of drawKinds(listTrials(contract), defects, seed))
    verdicts.push(await trial(defect, place));
  return verdicts;
}
