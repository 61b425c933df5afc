import { describe, expect, test } from 'vitest';
import { DEFAULT_PROFILE } from '../../../spec/profile/profile.ts';
import { check, pinsOf } from '../../../testing/checks.ts';
import { startExpress } from '../../../testing/services/express/express.ts';
import { BASE } from '../../../testing/services/service.ts';
import { complaints, learnAndCheck, useForeignService } from '../../../testing/use-foreign-service.ts';

const { closing, serve } = useForeignService();

test.each([
  ['a list without a record is null', 'noRecords=null'],
  ['a list without a record is left out', 'noRecords=left out', 'envelope=data'],
  ['a delete of what never was is fine', 'again=always fine'],
])('a service passes where %s', async (_, ...manners) => {
  const url = await serve('begins=empty', ...manners);
  // Something has to show that this is the service.
  await fetch(`${url}${BASE}/lockerType`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"old"}',
  });
  const results = await learnAndCheck(url, {
    models: ['brand', 'stockOrder', 'subscriptionTask'],
    rules: ['operations', 'absent', 'list', 'required', 'profile'],
  });
  expect(complaints(results)).toEqual([]);
});

test.each([
  ['decimals are taken as numbers alone and shown as texts', 'shareTransfer.price', 'decimals as texts'],
  ['links are taken as ids alone and shown as objects', 'customer.tags', 'links as objects'],
])('a service passes where %s', async (_, field, manner) => {
  const [model = '', name] = field.split('.');
  const results = await learnAndCheck(await serve(`shows=${manner}`), { models: [model] });
  expect(complaints(results)).toEqual([]);
  const about = results.cases.filter((one) => one.field === name && one.rule === 'create.keeps-field');
  expect(about.map(({ outcome }) => outcome)).toEqual(['skip']);
});

test('days that are shown at midnight are judged', async () => {
  const results = await learnAndCheck(await serve('shows=days at midnight'), { models: ['multipack'] });
  expect(complaints(results)).toEqual([]);
  const about = results.cases.filter(({ field, rule }) => field === 'start' && /field/.test(rule));
  expect(about.length).toBeGreaterThan(3);
  expect(about.every(({ outcome }) => outcome === 'pass')).toBe(true);
});

test('a service that keeps two decimals of money and percentages is advised of it', async () => {
  const results = await learnAndCheck(await serve('money=two decimals'), { models: ['stockInvoiceLine'] });
  expect(complaints(results)).toEqual([]);
  const told = results.cases.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
  expect(told).toContain('advice.edge-kept:stockInvoiceLine.taxRate');
});

test.each(['local', 'epoch'])('a point in time of the form %s is judged', async (form) => {
  const models = ['customerToTag', 'voucherTransaction'];
  const results = await learnAndCheck(await serve(`datetime=${form}`), { models, rules: ['create'] });
  expect(complaints(results)).toEqual([]);
  expect(results.cases.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
});

describe('is not held against a service', () => {
  test('that its ids have sixteen digits', async () => {
    const results = await check(await serve('ids=large', 'sort=field'), { models: ['brand', 'locker'] });
    expect(complaints(results)).toEqual([]);
    expect(results.counts.pass).toBeGreaterThan(100);
  });

  test.each([
    ['', 'echo=stored'],
    [', and an answer to a write repeats what was sent', 'echo=sent'],
  ])('that it works totals, balances and names of linked records out by itself%s', async (_, echo) => {
    const models = ['stockInvoice', 'stockInvoiceLine', 'voucherTransaction'];
    const rules = [
      'create.keeps-field',
      'create.distinct',
      'update.changes-field',
      'update.keeps-other-fields',
    ];
    const results = await check(await serve('totals=worked out', echo), { models, rules });
    expect(complaints(results)).toEqual([]);
    const skipped = results.cases.filter(({ outcome }) => outcome === 'skip').map(({ id }) => id);
    expect(skipped).toEqual([
      'create.keeps-field:stockInvoiceLine.totalBeforeTaxes',
      'create.keeps-field:stockInvoiceLine.total',
      'update.changes-field:stockInvoiceLine.totalBeforeTaxes',
      'update.changes-field:stockInvoiceLine.total',
      'create.keeps-field:voucherTransaction.customerName',
      'update.changes-field:voucherTransaction.customerName',
    ]);
  });

  test.each(['in the status', 'in the body'])('that it refuses %s what changes nothing', async (refusals) => {
    const results = await check(await serve('noChange=refused', 'sort=field', `refusals=${refusals}`), {
      models: ['customerFile'],
      rules: ['operations.update', 'update.keeps-origin', 'list.shows-update', 'profile.status.updated'],
    });
    expect(complaints(results)).toEqual([]);
    const skipped = results.cases.filter(({ message }) => message?.includes('has none to send'));
    expect(skipped.map(({ rule }) => rule)).toContain('operations.update');
  });

  test('that a duration which nobody gave is an empty text', async () => {
    const results = await check(await serve('unset=blank', 'duration=text'), {
      models: ['subscription'],
      rules: ['fields.type', 'create.keeps-field'],
    });
    expect(complaints(results)).toEqual([]);
  });

  test('that only some of the fields that look like links are links', async () => {
    const service = closing(await startExpress());
    const results = await learnAndCheck(service.url, {
      models: ['lockerType', 'stockInvoiceLine'],
      rules: ['profile.request.references'],
    });
    expect(results.cases.map(({ outcome }) => outcome).sort()).toEqual(['pass', 'skip']);
  });

  test('that others typed no address where one belongs', async () => {
    const url = await serve();
    const made = await fetch(`${url}${BASE}/crmContact`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Old', email: 'none', avatar: 'n/a' }),
    });
    expect(made.status).toBe(201);
    const results = await check(url, { models: ['crmContact'], rules: ['fields.type'] });
    expect(complaints(results)).toEqual([]);
    const addresses = results.cases.filter(({ field }) => field === 'email' || field === 'avatar');
    expect(addresses.map(({ outcome }) => outcome)).toEqual(['pass', 'pass']);
  });

  test.each([
    ['goes on in parts nobody knows how to ask for', ['paging=cursor', 'size=2']],
    ['is cut at a size that was not found out', ['size=2', 'tooMany=refused', 'most=50']],
  ])('that a filtered list %s', async (_, words) => {
    const results = await learnAndCheck(await serve(...words), {
      models: ['customerTag'],
      rules: ['profile.list.filter'],
    });
    expect(complaints(results)).toEqual([]);
  });

  test('that a list in the order of changes shows what was updated on a later page', async () => {
    const url = await serve('order=changed');
    const results = await learnAndCheck(url, { models: ['customer'] });
    expect(complaints(results)).toEqual([]);
  });

  test('that its columns are short', async () => {
    const url = await serve('columns=short', 'sort=field');
    const results = await learnAndCheck(url, { models: ['customer'], rules: ['create', 'operations'] });
    expect(complaints(results)).toEqual([]);
    const left = results.cases.filter(({ outcome }) => outcome === 'skip').map(({ id }) => id);
    expect(left).toEqual([]);
  });

  test.each(['simple', 'problem', 'list', 'fields', 'empty'])(
    'that a refusal stands beside a status of success, as %s',
    async (errors) => {
      const url = await serve(
        'refusals=in the body',
        `errors=${errors}`,
        'readonlyFields=reject',
        'sort=field',
      );
      const results = await learnAndCheck(url, { models: ['locker'] });
      expect(complaints(results)).toEqual([]);
      expect(results.counts.pass).toBeGreaterThan(60);
    },
  );

  test('that an empty text has to be unique too', async () => {
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

  test('that only some values of a text are taken, as a pin says', async () => {
    const results = await check(await serve('empty=kept'), {
      models: ['brand'],
      rules: ['profile.request.blankStrings'],
      pins: pinsOf({ 'brand.name': 'Own' }),
    });
    expect(results.cases.map(({ outcome }) => outcome)).toEqual(['skip']);
  });

  test('that texts of the greatest length have to be unique too', async () => {
    const results = await check(await serve('unique=names in any case', 'textLimit=255'), {
      models: ['brand', 'locker'],
      rules: ['profile.limits.text'],
      profile: { ...DEFAULT_PROFILE, 'limits.text': 255 },
    });
    expect(complaints(results)).toEqual([]);
    expect(results.counts.pass).toBe(2);
  });
});
