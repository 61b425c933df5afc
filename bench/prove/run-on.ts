import type { CaseResult, Results } from '../../conformance/results/results.ts';
import { type RunOptions, runSuite } from '../../conformance/run.ts';
import type { Mock } from '../../mock/mock.ts';
import { createInProcessTarget, credentialsFor } from '../../testing/in-process-target.ts';

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
