import { expect, test } from 'vitest';
import { createProfile } from '../../spec/profile/profile.ts';
import { against, type Checking, catalogue, check } from '../../testing/checks.ts';
import { readOptions } from '../../testing/services/plain/options.ts';
import { startPlain } from '../../testing/services/plain/plain.ts';
import { complaints, learnTerms, useForeignService } from '../../testing/use-foreign-service.ts';
import type { Target } from '../target/target.ts';

const { closing } = useForeignService();

/** Updates a record as a program does that reads it, changes some values, and writes it as a whole. */
const readsFirst = (target: Target): Target => ({
  ...target,
  async send(request, record) {
    if (request.method !== 'POST' || !/\/\d+$/.test(request.path)) return target.send(request, record);
    const before = await target.send({ method: 'GET', path: request.path }, () => {});
    if (before.status !== 200) return target.send(request, record);
    const { id, created, createUser, updated, updateUser, deleted, ...values } = JSON.parse(before.body);
    const body = JSON.stringify({ ...values, ...JSON.parse(request.body ?? '{}') });
    return target.send({ ...request, body }, record);
  },
});

async function run(words: readonly string[], more: Checking = {}) {
  const service = closing(await startPlain({ dialect: readOptions(words) }));
  const rules = ['operations', 'create', 'update', 'advice.lost-update'];
  const results = await check(service.url, { models: ['crmContact', 'warehouse', 'share'], rules, ...more });
  return { results, cases: results.cases.filter(({ rule }) => rule === 'advice.lost-update') };
}

test('an update that is lost in a concurrent one gets advice, and fails no other rule', async () => {
  const { cases, results } = await run([], { wrap: readsFirst });
  expect(cases.map(({ level, outcome }) => `${level} ${outcome}`)).toEqual(Array(3).fill('advice fail'));
  expect(against(results)).toEqual([]);
  for (const { exchanges = [] } of cases)
    expect(exchanges.slice(-3).map(({ request }) => request.method)).toEqual(['POST', 'POST', 'GET']);
});

test('a service that keeps both passes', async () => {
  expect((await run([])).cases.map(({ outcome }) => outcome)).toEqual(['pass', 'pass', 'pass']);
});

test('where an update replaces the record, the rule has no cases', async () => {
  const profile = createProfile({ 'request.update': 'full' }, catalogue);
  expect((await run(['update=full'], { profile })).cases).toEqual([]);
});

test.each(['null', 'blank'])(
  'an update that replaces the record is learned where unset is %s',
  async (unset) => {
    const service = closing(await startPlain({ dialect: readOptions(['update=full', `unset=${unset}`]) }));
    const models = ['crmContact', 'warehouse', 'share'];
    const { profile } = await learnTerms(service.url, { models });
    expect(profile['request.update']).toBe('full');
    const results = await check(service.url, { profile, models, rules: ['operations', 'create', 'update'] });
    expect(complaints(results)).toEqual([]);
  },
);
