import { expect, test } from 'vitest';
import { check } from '../../testing/checks.ts';
import { profile, useFaultyService } from '../../testing/use-faulty-service.ts';

const { start } = useFaultyService();

test('a list that cannot be read is no proof that it has no total', async () => {
  const first = (method: string, path: string) =>
    method === 'GET' && path === '/api/model/brand' ? { status: 500 } : undefined;
  const { url } = await start({ faults: { first } });
  const { cases } = await check(url, {
    profile,
    models: ['brand'],
    rules: ['profile.response.total'],
    looks: [0],
  });
  expect(cases.map(({ outcome }) => outcome)).toEqual(['skip']);
});
