import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { pagesOf, SETTINGS } from '../../spec/profile/profile.ts';
import { coverProfiles, profilesToProve } from './profile-cover.ts';

const catalogue = loadCatalogue();
const cover = coverProfiles(catalogue);

test('the covering profiles use each option of each setting', () => {
  const missing = SETTINGS.flatMap(({ name, variants }) =>
    variants
      .filter((variant) => !cover.some((profile) => isDeepStrictEqual(profile[name], variant)))
      .map((variant) => `${name} ${JSON.stringify(variant)}`),
  );
  expect(missing).toEqual([]);
  expect(cover.length).toBeGreaterThanOrEqual(12);
});

test('the proofs use the covering profiles and edge cases, without duplicates', () => {
  const all = profilesToProve(catalogue);
  expect(all.slice(0, cover.length)).toEqual(cover);
  expect(new Set(all.map((profile) => JSON.stringify(profile))).size).toBe(all.length);
  expect(all.map((profile) => pagesOf(profile)?.default)).toContain(7);
});
