import { describe, expect, it } from 'vitest';
import { loadFixtures } from '../fixtures/fixtures.ts';
import { listen } from '../mock/http/server.ts';
import { createMock } from '../mock/mock.ts';
import { loadCatalogue } from '../spec/catalogue/catalogue.ts';
import { createProfile, type Profile, SETTINGS } from '../spec/profile/profile.ts';
import { loadReferences } from '../spec/references.ts';
import { loadRequirements } from '../spec/requirements.ts';
import { coverProfiles } from '../testing/profile-cover.ts';
import type { Results } from './results/outcome.ts';
import { exitCode } from './results/verdict.ts';
import { runSuite } from './run.ts';
import { createTarget } from './target/target.ts';

const catalogue = loadCatalogue();
const references = loadReferences(catalogue);
const requirements = loadRequirements();
const covering = coverProfiles(catalogue).slice(0, 13);
/** Answers at the edge of what a profile may say. */
const edges = [
  { 'list.defaultSize': 1, 'list.maxSize': 1 },
  { 'status.deleted': 205 },
  { 'list.offsetParameter': 'start' },
  { 'status.noOperation': 501, 'response.total': 'none', 'list.defaultSize': 7, 'list.maxSize': 7 },
].map((settings) => createProfile(settings, catalogue));
const profiles = [...covering, ...edges];

describe('the suite against the mock', () => {
  it('tries profiles that together use every option of every setting', () => {
    const missing = SETTINGS.flatMap(({ name, variants }) =>
      variants
        .filter((variant) => !covering.some((profile) => sameValue(profile[name], variant)))
        .map((variant) => `${name} ${JSON.stringify(variant)}`),
    );
    expect(missing).toEqual([]);
    expect(covering.length).toBeGreaterThanOrEqual(12);
  });

  it.each(profiles.map((profile, index) => [index, profile] as const))(
    'conforms under profile %i',
    { timeout: 180_000 },
    async (_, profile) => {
      const results = await check(profile);
      const bad = results.cases.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'skip');
      expect(bad.map(({ id, message, outcome }) => `${outcome} ${id}: ${message}`)).toEqual([]);
      expect(exitCode(results)).toBe(0);
      expect(results.leftovers).toEqual([]);
      expect(results.cases.length).toBeGreaterThan(5000);
      expect(results.coverage.operations.filter(({ exercised }) => exercised)).toHaveLength(262);
      expect(results.requirements.filter(({ state }) => state === 'broken')).toEqual([]);
    },
  );
});

async function check(profile: Profile): Promise<Results> {
  const mock = await createMock({ catalogue, profile, references, fixtures: loadFixtures('demo') });
  const server = await listen(mock, { port: 0, host: '127.0.0.1' });
  const target = createTarget({ baseUrl: server.url, credentials: credentialsOf(profile) });
  try {
    const suite = runSuite({ catalogue, profile, references, requirements, target, profileName: 'covering' });
    for await (const event of suite) if (event.type === 'end') return event.results;
    throw new Error('the run ended without results');
  } finally {
    await target.close();
    await server.close();
  }
}

function credentialsOf(profile: Profile): Record<string, string> {
  switch (profile['auth.scheme']) {
    case 'none':
      return {};
    case 'bearer':
      return { authorization: 'Bearer token' };
    case 'basic':
      return { authorization: `Basic ${Buffer.from('user:password').toString('base64')}` };
    case 'apiKey':
      return { [profile['auth.header'].toLowerCase()]: 'key' };
  }
}

function sameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
