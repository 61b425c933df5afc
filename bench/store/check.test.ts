import { expect, test } from 'vitest';
import { exitCode } from '../../conformance/results/verdict.ts';
import { catalogue } from '../../testing/mocks/mocks.ts';
import { coverProfiles } from '../../testing/profile/profile-cover.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { checkReplicas, faultsOf } from '../replicas/replicas.ts';

const directory = useDirectory();
/** The default profile, and one that differs most from it. `node bench/store/check.ts` checks all models. */
const profiles = coverProfiles(catalogue);
const CASES = [
  [0, ['stockOrder']],
  [1, ['stockInvoice']],
] as const;

test.each(CASES)('the suite finds nothing wrong with a mock on a file, profile %i', async (index, models) => {
  const [profile] = profiles.slice(index);
  if (!profile) throw new Error(`no profile ${index}`);
  const results = await checkReplicas(directory.path('mock.db'), { replicas: 1, profile, models });
  expect(faultsOf(results)).toEqual([]);
  expect(exitCode(results)).toBe(0);
  expect(results.leftovers).toEqual([]);
  expect(results.cases.length).toBeGreaterThan(100);
});
