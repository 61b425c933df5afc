import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exitCode } from '../../conformance/results/verdict.ts';
import { catalogue } from '../../testing/mocks/mocks.ts';
import { coverProfiles } from '../../testing/profile/profile-cover.ts';
import { NO_POSTGRES, startPostgres, type TestPostgres } from '../../testing/stores/postgres.ts';
import { checkReplicas, faultsOf } from './replicas.ts';

/** The default profile, and two that differ most from it. `npm run prove:replicas` checks all models. */
const profiles = coverProfiles(catalogue);
const CASES = [
  [3, 0, ['stockOrder']],
  [1, 1, ['warehouse']],
  [3, 2, ['warehouse']],
] as const;

describe.skipIf(NO_POSTGRES)('the suite against mocks on one database', () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each(CASES)(
    'finds nothing wrong with %i behind a balancer, profile %i',
    async (replicas, index, models) => {
      const [profile] = profiles.slice(index);
      if (!profile) throw new Error(`no profile ${index}`);
      const results = await checkReplicas(await server.database(), { replicas, profile, models });
      expect(faultsOf(results)).toEqual([]);
      expect(exitCode(results)).toBe(0);
      expect(results.leftovers).toEqual([]);
      expect(results.cases.length).toBeGreaterThan(100);
    },
  );
});
