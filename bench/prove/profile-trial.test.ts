import { expect, test } from 'vitest';
import { createProfile } from '../../spec/profile/profile.ts';
import { demo as fixtures } from '../../testing/demo.ts';
import { catalogue, few, references } from '../../testing/mocks/mocks.ts';
import { tryProfile } from './profile-trial.ts';

test('a service that speaks a profile passes under it and is learned', async () => {
  const profile = createProfile({ 'response.record': '/data', 'types.currency': 'string' }, catalogue);
  const links = new Map([...references].filter(([, link]) => !('to' in link) || few.models.has(link.to)));
  const small = { catalogue: few, references: links, profile };
  const records = new Map([...fixtures].filter(([name]) => few.models.has(name)));
  const verdict = await tryProfile(small, records, { defects: 20, oneIn: 1, learnedOneIn: 3, seed: 1 });
  expect(verdict.bad).toEqual([]);
  expect(verdict.recovered).toBe(verdict.observable);
  expect(verdict.observable).toBeGreaterThan(30);
  expect(verdict.defects).toHaveLength(20);
  expect(verdict.defects.filter(({ caught }) => !caught)).toEqual([]);
});
