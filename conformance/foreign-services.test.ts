import { afterEach, describe, expect, test } from 'vitest';
import { createProfile, DEFAULT_PROFILE } from '../spec/profile/profile.ts';
import { against, type Checking, catalogue, check, references } from '../testing/checks.ts';
import type { Defect } from '../testing/services/defects/defect.ts';
import { DEFECTS } from '../testing/services/defects/defects.ts';
import { startExpress } from '../testing/services/express/express.ts';
import { startJsonServer } from '../testing/services/json-server/json-server.ts';
import { readOptions } from '../testing/services/plain/options.ts';
import { startPlain } from '../testing/services/plain/plain.ts';
import { BASE, type Service } from '../testing/services/service.ts';
import { startUnstable } from '../testing/services/unstable/unstable.ts';
import { learnedTerms, learnProfile } from './learn/learn.ts';
import { createBindings } from './records/bindings.ts';
import type { Results } from './results/results.ts';
import { headline } from './results/verdict.ts';
import { settling } from './target/settling.ts';
import { createTarget, type Target } from './target/target.ts';

/** Held against a service that shares no code with the suite. */
let service: Service | undefined;
afterEach(() => service?.close());

async function serve(...words: string[]): Promise<string> {
  service = await startPlain({ dialect: readOptions(words) });
  return service.url;
}

/** Learns the profile first, as the command does where none is given. */
async function learnAndCheck(url: string, options: Checking): Promise<Results> {
  const target = createTarget({ baseUrl: url });
  try {
    const learned = await learnProfile({ catalogue, references, target, write: true });
    return await check(url, { ...options, ...learnedTerms(learned) });
  } finally {
    await target.close();
  }
}

function complaints(results: Results): string[] {
  return [...against(results).map(({ id, message }) => `${id}: ${message}`), ...results.leftovers];
}

describe('a form that the source does not show (2.12)', () => {
  const rules = ['fields.wrong-type-on-create', 'fields.wrong-type-on-update'];

  test('is not held against a service that takes any text for a duration', async () => {
    const results = await check(await serve('duration=text'), {
      models: ['voucherType', 'subscription'],
      rules,
    });
    expect(complaints(results)).toEqual([]);
    expect(
      results.cases.filter(({ field, outcome }) => field === 'expiration' && outcome === 'pass'),
    ).toHaveLength(4);
  });
});

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

test.each(['local', 'epoch'])('a point in time of the form %s is judged', async (form) => {
  const models = ['customerToTag', 'voucherTransaction'];
  const results = await learnAndCheck(await serve(`datetime=${form}`), { models, rules: ['create'] });
  expect(complaints(results)).toEqual([]);
  expect(results.cases.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
});

test('a delete of what never was that shows a record is a breach', async () => {
  const defect = DEFECTS.find(({ name }) => name === 'unknown-id-delete-answers');
  service = await startPlain({ ...(defect ? { defect } : {}), dialect: readOptions(['again=always fine']) });
  const results = await check(service.url, { models: ['customerGroup'], rules: ['absent'] });
  expect(against(results).map(({ id }) => id)).toEqual(['absent.record-delete:customerGroup']);
});

test('nothing is left behind where the ids of deleted lines are given to new ones', async () => {
  service = await startJsonServer();
  const before = service.live();
  const models = ['stockOrder', 'stockInvoice', 'stockOrderLine', 'stockInvoiceLine'];
  const results = await learnAndCheck(service.url, { models, rules: ['required', 'advice'] });
  expect(complaints(results)).toEqual([]);
  expect(service.live()).toEqual(before);
});

test('a record that another run made meanwhile is not removed, whatever it is like', async () => {
  const url = await serve();
  let theirs = '';
  const wrap = (target: Target): Target => ({
    ...target,
    async send(request, record) {
      const answer = await target.send(request, record);
      const body = request.method === 'POST' ? JSON.parse(request.body ?? '{}') : { name: 'none' };
      if (theirs !== '' || Object.hasOwn(body, 'name')) return answer;
      const made = await fetch(`${url}${BASE}/customerTag`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, name: 'Theirs' }),
      });
      theirs = `customerTag/${((await made.json()) as { id: number }).id}`;
      return answer;
    },
  });
  await check(url, { models: ['customerTag'], rules: ['required.on-create'], wrap, retry: false });
  expect(theirs).toMatch(/\d$/);
  expect(service?.live()).toContain(theirs);
});

test('amounts that are all rounded to whole ones have a form that is learned, and are not kept', async () => {
  const round = (value: unknown) =>
    /^\d+\.\d\d$/.test(String(value)) ? Number(value).toFixed(0).concat('.00') : value;
  const values: Defect['values'] = (row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, typeof value === 'string' ? round(value) : value]),
    );
  const defect = { name: 'test', rules: [], models: [], values };
  service = await startPlain({ dialect: readOptions(['currency=string', 'begins=empty']), defect });
  const results = await learnAndCheck(service.url, {
    models: ['shareTransfer'],
    rules: ['create.keeps-field'],
  });
  expect(against(results).map(({ id }) => id)).toEqual(['create.keeps-field:shareTransfer.price']);
});

test('a total that is only rounded is none that the service works out', async () => {
  service = await startPlain({ defect: DEFECTS.find(({ name }) => name === 'money-rounded-to-whole') });
  const results = await check(service.url, { models: ['deposit'], rules: ['create.keeps-field'] });
  expect(against(results).map(({ id }) => id)).toEqual(['create.keeps-field:deposit.balance']);
});

describe('records under the name of their model', () => {
  const models = ['brand', 'lockerType', 'voucherCategory', 'subscriptionTask'];

  test.each([
    ['as HAL has them', ['envelope=hal'], ['response.records /_embedded/{model}List']],
    [
      'as Rails has them, on a new database',
      ['envelope=rails', 'begins=empty'],
      ['response.record /{model_name}', 'response.records /{model_names}'],
    ],
  ])('are learned and checked, %s', async (_, words, places) => {
    const results = await learnAndCheck(await serve(...words), { models });
    expect(complaints(results)).toEqual([]);
    expect(results.profile.differs).toEqual(expect.arrayContaining(places));
    expect(results.counts.pass).toBeGreaterThan(250);
  });
});

describe('a list that is behind', () => {
  const selection = { models: ['brand'], rules: ['list', 'create', 'delete', 'update'] };
  const serveLate = async () => {
    service = await startUnstable(await startPlain(), ['late-lists'], { late: 60 });
    return service.url;
  };

  test('is waited for, where the user says how long', async () => {
    const wrap = (target: Target) => settling(target, { base: BASE, ms: 120 });
    expect(complaints(await check(await serveLate(), { ...selection, wrap }))).toEqual([]);
  });

  test('is no failure where the user says nothing, and told as advice', async () => {
    const results = await check(await serveLate(), { ...selection, looks: [120] });
    expect(complaints(results)).toEqual([]);
    expect(results.oddities).toEqual([expect.stringContaining('the list of brand is late')]);
  });

  test('is still held against the target for what it shows wrong at any time', async () => {
    const defect = DEFECTS.find(({ name }) => name === 'list-hides-new');
    service = await startUnstable(await startPlain({ defect }), ['late-lists'], { late: 60 });
    const results = await check(service.url, { ...selection, models: ['lockerType'], looks: [120] });
    expect(against(results).map(({ id }) => id)).toContain('list.shows-record:lockerType');
  });
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
    service = await startExpress();
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

describe('an empty database', () => {
  test('has nothing to show of what only its owner can make, which is told and decides nothing', async () => {
    const url = await serve('begins=empty');
    const results = await learnAndCheck(url, { models: ['subscriptionTask', 'lockerType'] });
    expect(complaints(results)).toEqual([]);
    expect(headline(results)).toBe('CONFORMANT, subscriptionTask not seen (no records)');
    expect(results.cases.find(({ id }) => id === 'fields.type:subscriptionTask.id')).toMatchObject({
      outcome: 'skip',
      message: 'there is no subscriptionTask, and none can be made; --bindings may name one',
    });
    expect(results.cases.find(({ id }) => id === 'absent.operation:subscriptionTask=delete')?.outcome).toBe(
      'skip',
    );
  });

  test('is looked into by the id that the bindings give', async () => {
    const tasks = '/api/model/subscriptionTask';
    const results = await check(await serve(), {
      models: ['subscriptionTask'],
      bindings: createBindings({ subscriptionTask: [1] }, catalogue, references),
      // What one user may see can be missing in the list.
      wrap: (target) => ({
        ...target,
        send: async (request, ...more) => {
          const response = await target.send(request, ...more);
          return request.method === 'GET' && request.path === tasks ? { ...response, body: '[]' } : response;
        },
      }),
    });
    const outcomes = new Map(results.cases.map(({ id, outcome }) => [id, outcome]));
    expect(outcomes.get('fields.type:subscriptionTask.id')).toBe('pass');
    expect(outcomes.get('absent.operation:subscriptionTask=delete')).toBe('pass');
  });

  test('can not be told from another where nobody knows how lists show their records', async () => {
    const profile = createProfile({ 'response.records': 'unknown' }, catalogue);
    const url = await serve('begins=empty', 'envelope=laravel');
    const results = await check(url, { models: ['subscriptionTask'], profile });
    expect(results.counts.blocked).toBe(0);
    expect(results.cases.find(({ id }) => id === 'fields.id:subscriptionTask.id')).toMatchObject({
      outcome: 'skip',
      message: expect.stringContaining('response.records'),
    });
  });
});

test('what a framework says about a record is no field of it, and told as advice', async () => {
  const results = await check(await serve(), {
    models: ['customerFile'],
    rules: ['fields.only', 'advice.fields-only'],
    wrap: (target) => ({
      ...target,
      send: async (...asked) => {
        const response = await target.send(...asked);
        return { ...response, body: response.body.replaceAll('{"id":', '{"_links":{},"id":') };
      },
    }),
  });
  expect(results.cases.map(({ id, outcome }) => [id, outcome])).toEqual([
    ['fields.only:customerFile', 'pass'],
    ['advice.fields-only:customerFile', 'fail'],
  ]);
});
