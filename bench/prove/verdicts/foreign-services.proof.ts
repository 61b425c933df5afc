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
  ['a list without a record is null', 'noRecords=null'],
  ['a list without a record is left out', 'noRecords=left out', 'envelope=data'],
  ['a delete of what never was is fine', 'again=always fine'],
])('a service passes where %s', async (_, ...manners) => {
  const url = await serve('begins=empty', ...manners);
  // Something has to show that this is the service.
  await createAt(url, 'lockerType', { name: 'old' });
  const results = await learnAndCheck(url, {
    models: ['brand', 'stockOrder', 'subscriptionTask'],
    rules: ['operations', 'absent', 'list', 'required', 'profile'],
  });
  expect(complaints(results)).toEqual([]);
});

/** Services by their options, each with the models that show the difference. */
const DIALECTS: readonly (readonly [words: string, models: string])[] = [
  ['ids=large sort=field', 'brand locker'],
  ['totals=worked_out', 'stockInvoice stockInvoiceLine voucherTransaction'],
  ['totals=worked_out echo=sent', 'stockInvoice stockInvoiceLine voucherTransaction'],
  ['noChange=refused refusals=in_the_body', 'customerFile'],
  ['duration=text unset=blank', 'voucherType subscription'],
  ['datetime=milliseconds', 'customerToTag voucherTransaction'],
  ['shows=days_at_midnight', 'multipack'],
  ['paging=cursor size=2', 'customerTag'],
  ['size=2 tooMany=refused most=50', 'customerTag'],
  // A later page shows an update.
  ['order=changed', 'customer'],
  ['envelope=hal', 'brand subscriptionTask'],
  ['envelope=rails begins=empty', 'brand voucherCategory subscriptionTask'],
  ...['simple', 'problem', 'list', 'fields', 'empty'].map(
    (errors) => [`refusals=in_the_body errors=${errors} readonlyFields=reject sort=field`, 'locker'] as const,
  ),
];

test.each(DIALECTS)('a service passes with %s, in %s', async (words, models) => {
  const url = await serve(...words.split(' ').map((word) => word.replaceAll('_', ' ')));
  const results = await learnAndCheck(url, { models: models.split(' ') });
  expect(complaints(results)).toEqual([]);
  expect(results.counts.pass).toBeGreaterThan(30);
});

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

test('it is not held against a service that others typed no address where one belongs', async () => {
  const url = await serve();
  const made = await createAt(url, 'crmContact', { name: 'Old', email: 'none', avatar: 'n/a' });
  expect(made).toMatchObject({ email: 'none' });
  const results = await check(url, { models: ['crmContact'], rules: ['fields.type'] });
  expect(complaints(results)).toEqual([]);
  const addresses = results.cases.filter(({ field }) => field === 'email' || field === 'avatar');
  expect(addresses.map(({ outcome }) => outcome)).toEqual(['pass', 'pass']);
});

test('it is not held against a service that an empty text has to be unique too', async () => {
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

test('it is not held against a service that texts of the greatest length have to be unique too', async () => {
  const results = await check(await serve('unique=names in any case', 'textLimit=255'), {
    models: ['brand', 'locker'],
    rules: ['profile.limits.text'],
    profile: { ...DEFAULT_PROFILE, 'limits.text': 255 },
  });
  expect(complaints(results)).toEqual([]);
  expect(results.counts.pass).toBe(2);
});

test('lines that a delete leaves under an ID that is used again are removed', async () => {
  const service = await start({ leavesLines: true }, 'ids=used again', 'deletes=remove');
  const before = service.live();
  const { leftovers } = await learnAndCheck(service.url, { models: ['stockOrder', 'stockOrderLine'] });
  expect({ leftovers, live: service.live() }).toEqual({ leftovers: [], live: before });
});

test('what a framework says about a record is no field of it, and told as advice', async () => {
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
