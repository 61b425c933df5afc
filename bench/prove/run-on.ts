import { type PlannedCase, planRun, type Selection } from '../../conformance/plan/plan.ts';
import type { CaseResult, Results } from '../../conformance/results/results.ts';
import { type RunOptions, runSuite } from '../../conformance/run.ts';
import type { Fixtures } from '../../fixtures/fixtures.ts';
import type { Defect, DefectPlace } from '../../mock/defects/defect.ts';
import { decorateWith } from '../../mock/defects/defects.ts';
import { createMock, type Mock, type MockOptions } from '../../mock/mock.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { createInProcessTarget, credentialsFor } from '../../testing/in-process-target.ts';

/** Starts a service with a defect at a place, if there is one. */
export type Fork = (defect?: Defect, place?: DefectPlace) => Promise<Mock>;

/** Services have these records, or none if the defect needs that. They share what a mock compiles. */
export async function createForks(
  contract: Contract,
  fixtures: Fixtures,
  more: MockOptions = {},
): Promise<Fork> {
  const full = await createMock({ ...contract, ...more, fixtures });
  let empty: Promise<Mock> | undefined;
  return async (defect, place) => {
    if (defect?.onEmpty) empty ??= createMock({ ...contract, ...more });
    const mock = (defect?.onEmpty && (await empty)) || full;
    return mock.fork(defect && place && decorateWith({ defect, places: [place] }, contract));
  };
}

/** Returns the cases of a selection, which can be none. */
export function casesOf(contract: Contract, selection: Selection): readonly PlannedCase[] {
  try {
    return planRun(contract, selection).flat();
  } catch (error) {
    if (error instanceof UsageError) return [];
    throw error;
  }
}

/** Runs the suite on a mock in this process, with the credentials of the profile it checks under. */
export async function resultsOn(
  mock: Pick<Mock, 'answer'>,
  options: Omit<RunOptions, 'target' | 'profileName'>,
): Promise<Results> {
  const target = createInProcessTarget(mock, credentialsFor(options.profile));
  // A defect can make a model look as if it were not built.
  const proof = { ...options, judgeAll: true, target, profileName: 'proof', retry: false, looks: [0] };
  for await (const event of runSuite(proof)) if (event.type === 'end') return event.results;
  throw new Error('the run ended without results');
}

export async function runOn(...of: Parameters<typeof resultsOn>): Promise<readonly CaseResult[]> {
  return (await resultsOn(...of)).cases;
}

/** Returns one line for each case that is not green. */
export function describeBad(cases: readonly CaseResult[]): string[] {
  return cases.flatMap(({ found, id, message, outcome }) => {
    if (outcome === 'pass' || outcome === 'skip') return [];
    return [
      `${outcome} ${id}: ${message?.slice(0, 200)}${found === undefined ? '' : ` (${found.slice(0, 100)})`}`,
    ];
  });
}
