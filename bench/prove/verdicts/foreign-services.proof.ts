import { expect, test } from 'vitest';
import { DEFAULT_PROFILE } from '../../../spec/profile/profile.ts';
import { check, idsAgainst } from '../../../testing/checks.ts';
import { changing } from '../../../testing/proxies/wrap.ts';
import { createAt } from '../../../testing/services/service.ts';
import {
  complaints,
  learnAndCheck,
  learnTerms,
  useForeignService,
} from '../../../testing/use-foreign-service.ts';

const { serve, start } = useForeignService();

test.each([
  ['page-misses-one', 'profile.list.paging:brand', 'from zero'],
  ['page-shows-first-twice', 'profile.list.paging:brand', 'from zero'],
  ['total-counts-the-page', 'profile.response.total:brand', 'from zero'],
  ['page-misses-one', 'list.shows-record:brand', 'cursor'],
  ['page-shows-first-twice', 'list.shows-record:brand', 'cursor number'],
  ['list-shows-task-twice', 'list.shows-record:subscriptionTask', 'page'],
  ['list-shows-task-twice', 'list.shows-record:subscriptionTask', 'cursor'],
])('a service with the defect %s fails %s with paging %s', async (defect, id, style) => {
  const models = [id.split(':')[1] ?? ''];
  const words = [`paging=${style}`, 'sort=field'];
  const terms = await learnTerms(await serve(...words), { models });
  const { url } = await start(defect, ...words);
  const results = await check(url, { models, rules: ['profile', 'list'], ...terms });
  expect(idsAgainst(results)).toContain(id);
});

test('existing records with invalid addresses do not fail the service', async () => {
  const url = await serve();
  const made = await createAt(url, 'crmContact', { name: 'Old', email: 'none', avatar: 'n/a' });
  expect(made).toMatchObject({ email: 'none' });
  const results = await check(url, { models: ['crmContact'], rules: ['fields.type'] });
  expect(complaints(results)).toEqual([]);
  const addresses = results.cases.filter(({ field }) => field === 'email' || field === 'avatar');
  expect(addresses.map(({ outcome }) => outcome)).toEqual(['pass', 'pass']);
});

test('a service that requires unique strings passes, even if the empty string is in use', async () => {
  const url = await serve('unique=names', 'empty=kept');
  const outcomes = async () => {
    const results = await check(url, {
      models: ['brand', 'taskComment'],
      rules: ['profile.request.blankStrings'],
      profile: { ...DEFAULT_PROFILE, 'request.blankStrings': 'accept' },
    });
    return results.cases.map(({ message, outcome }) => message ?? outcome);
  };
  expect(await outcomes()).toEqual(['pass', 'pass']);
  const taken = 'name must be unique, and another record might have the empty string';
  expect((await outcomes()).toSorted()).toEqual([taken, 'pass']);
});

test('a service that requires unique strings of the maximum length passes', async () => {
  const results = await check(await serve('unique=names in any case', 'textLimit=255'), {
    models: ['brand', 'locker'],
    rules: ['profile.limits.text'],
    profile: { ...DEFAULT_PROFILE, 'limits.text': 255 },
  });
  expect(complaints(results)).toEqual([]);
  expect(results.counts.pass).toBe(2);
});

test('lines that a delete leaves under a reused ID are deleted', async () => {
  const service = await start({ leavesLines: true }, 'ids=used again', 'deletes=remove');
  const before = service.live();
  const { leftovers } = await learnAndCheck(service.url, { models: ['stockOrder', 'stockOrderLine'] });
  expect({ leftovers, live: service.live() }).toEqual({ leftovers: [], live: before });
});

test('metadata of a framework in a record leads only to advice', async () => {
  const results = await check(await serve(), {
    models: ['customerFile'],
    rules: ['fields.only', 'advice.fields-only'],
    wrap: changing(({ body }) => ({ body: body.replaceAll('{"id":', '{"_links":{},"id":') })),
  });
  expect(results.cases.map(({ id, outcome }) => [id, outcome])).toEqual([
    ['fields.only:customerFile', 'pass'],
    ['advice.fields-only:customerFile', 'fail'],
  ]);
});
