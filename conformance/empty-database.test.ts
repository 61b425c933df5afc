import { expect, test } from 'vitest';
import { createProfile } from '../spec/profile/profile.ts';
import { catalogue, check, references } from '../testing/checks.ts';
import { changing } from '../testing/proxies/wrap.ts';
import { complaints, learnAndCheck, useForeignService } from '../testing/use-foreign-service.ts';
import { loadBindings } from './records/links.ts';
import { headline } from './results/results.ts';

const { serve } = useForeignService();

test('an empty database has nothing to show of what only its owner can make, which is told and decides nothing', async () => {
  const url = await serve('begins=empty');
  const results = await learnAndCheck(url, { models: ['subscriptionTask', 'lockerType'] });
  expect(complaints(results)).toEqual([]);
  expect(headline(results)).toBe('CONFORMANT, subscriptionTask not seen (no records)');
  expect(results.cases.find(({ id }) => id === 'fields.type:subscriptionTask.id')).toMatchObject({
    outcome: 'skip',
    message: 'there is no subscriptionTask record, and none can be created; name one with --bindings',
  });
  expect(results.cases.find(({ id }) => id === 'absent.operation:subscriptionTask=delete')?.outcome).toBe(
    'skip',
  );
});

test('an empty database is looked into by the id that the bindings give', async () => {
  const tasks = '/api/model/subscriptionTask';
  const results = await check(await serve(), {
    models: ['subscriptionTask'],
    bindings: loadBindings({ subscriptionTask: [1] }, catalogue, references),
    // The list omits a record, because users can see different records.
    wrap: changing((_, { method, path }) => (method === 'GET' && path === tasks ? { body: '[]' } : {})),
  });
  const outcomes = new Map(results.cases.map(({ id, outcome }) => [id, outcome]));
  expect(outcomes.get('fields.type:subscriptionTask.id')).toBe('pass');
  expect(outcomes.get('absent.operation:subscriptionTask=delete')).toBe('pass');
});

test('an empty database can not be told from another where nobody knows how lists show their records', async () => {
  const profile = createProfile({ 'response.records': 'unknown' }, catalogue);
  const url = await serve('begins=empty', 'envelope=laravel');
  const results = await check(url, { models: ['subscriptionTask'], profile });
  expect(results.counts.blocked).toBe(0);
  expect(results.cases.find(({ id }) => id === 'fields.id:subscriptionTask.id')).toMatchObject({
    outcome: 'skip',
    message: expect.stringContaining('response.records'),
  });
});
