import { describe, expect, it } from 'vitest';
import { listen } from '../mock/http/server.ts';
import { createMock } from '../mock/mock.ts';
import { loadCatalogue, type Model } from '../spec/catalogue/catalogue.ts';
import { createProfile, type Profile } from '../spec/profile/profile.ts';
import { loadReferences } from '../spec/references.ts';
import { loadRequirements } from '../spec/requirements.ts';
import { demo } from '../testing/demo.ts';
import { credentialsFor } from '../testing/in-process-target.ts';
import { coverProfiles } from '../testing/profile/profile-cover.ts';
import { SOURCE } from '../testing/source-facts.ts';
import type { Results } from './results/results.ts';
import { exitCode } from './results/verdict.ts';
import { runSuite } from './run.ts';
import { createTarget } from './target/target.ts';

const catalogue = loadCatalogue();
const references = loadReferences(catalogue);
const requirements = loadRequirements();
/**
 * Over a socket three are enough, each on a third of the models: the two that differ most from the default profile, and
 * lists of one record a page. The proof (`bench/prove`) tries the cover and other edges on all models, without sockets.
 */
const profiles = [
  ...coverProfiles(catalogue).slice(1, 3),
  createProfile({ 'list.paging': { style: 'offset', default: 1, max: 1 } }, catalogue),
];

describe('the suite against the mock', () => {
  it.each(profiles.map((profile, index) => [index, profile] as const))(
    'conforms under profile %i',
    { timeout: 300_000 },
    async (index, profile) => {
      const models = [...catalogue.models.values()].filter((_, number) => number % profiles.length === index);
      const results = await check(profile, models);
      const bad = results.cases.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'skip');
      expect(bad.map(({ id, message, outcome }) => `${outcome} ${id}: ${message}`)).toEqual([]);
      expect(exitCode(results)).toBe(0);
      expect(results.leftovers).toEqual([]);
      expect(results.cases.length).toBeGreaterThan(SOURCE.totals.models * 30);
      const exercised = results.coverage.operations.filter((operation) => operation.exercised);
      expect(exercised.length).toBeGreaterThanOrEqual(models.flatMap(({ operations }) => operations).length);
      expect(results.requirements.filter(({ state }) => state === 'broken')).toEqual([]);
    },
  );
});

async function check(profile: Profile, models: readonly Model[]): Promise<Results> {
  const mock = await createMock({ catalogue, profile, references, fixtures: demo });
  const server = await listen(mock, { port: 0, host: '127.0.0.1' });
  const target = createTarget({ baseUrl: server.url, credentials: credentialsFor(profile) });
  try {
    const plan = { catalogue, profile, references, requirements };
    const selection = { models: models.map(({ name }) => name) };
    const suite = runSuite({ ...plan, target, profileName: 'covering', selection });
    for await (const event of suite) if (event.type === 'end') return event.results;
    throw new Error('the run ended without results');
  } finally {
    await target.close();
    await server.close();
  }
}
