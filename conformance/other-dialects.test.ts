import { expect, test } from 'vitest';
import { changeProfile } from '../spec/profile/profile.ts';
import { against, catalogue, check, idsAgainst, references } from '../testing/checks.ts';
import { find, said, startMockService } from '../testing/mock-service.ts';
import { changing } from '../testing/proxies/wrap.ts';
import type { Defect, Line } from '../testing/services/defects/defect.ts';
import { complaints, learnAndCheck, learnTerms, useForeignService } from '../testing/use-foreign-service.ts';
import { loadBindings } from './records/links.ts';
import { headline } from './results/results.ts';

const { closing, serve, start } = useForeignService();

const DIALECTS: Readonly<Record<string, readonly [words: string[], models: string[]]>> = {
  'reads form bodies and computes totals': [
    ['body=form', 'totals=worked out'],
    ['brand', 'stockInvoice'],
  ],
  'rejects a second link between the same records': [
    ['unique=pairs of links'],
    ['customerToTag', 'relationship'],
  ],
  'rejects a second link between the same records, and requires full updates': [
    ['unique=pairs of links', 'update=full'],
    ['relationship', 'productSplit'],
  ],
  'ignores null in an update': [['nulls=ignored'], ['lockerCustomer', 'stockOrder', 'customerTag']],
  'rejects an empty update': [['noChange=refused', 'shows=links as objects'], ['consumerHomeItem']],
  // No tag exists that an article can have.
  'rejects an empty update and all tags': [
    ['noChange=refused', 'linksLead=to records, and inside', 'begins=empty'],
    ['helpArticle'],
  ],
  'shows lines as IDs, and adds lines without a parent to a draft': [
    ['loneLines=share a draft', 'lines=ids', 'deletes=remove'],
    ['stockInvoice', 'stockInvoiceLine'],
  ],
  'adds lines without a parent to the newest parent, and deletes them with it': [
    ['loneLines=join the newest', 'deletes=remove'],
    ['stockInvoice', 'stockInvoiceLine'],
  ],
};

test.each(Object.entries(DIALECTS))('a service passes that %s', async (_, [words, models]) => {
  expect(complaints(await learnAndCheck(await serve(...words), { models }))).toEqual([]);
});

test('a service passes that rejects strings above a length that the profile lacks with 409', async () => {
  const url = await serve('columns=short', 'invalid=409');
  const models = ['customer'];
  const { profile, ...terms } = await learnTerms(url, { models });
  const results = await check(url, {
    rules: ['operations.create'],
    tag: 'long',
    seed: 54_987_423,
    ...terms,
    models,
    profile: changeProfile(profile, { 'limits.text': 'none' }, catalogue),
  });
  expect(complaints(results)).toEqual([]);
});

test('a service passes that omits zero seconds, as Java does', async () => {
  const url = await serve('datetime=local', 'time=minutes');
  const wrap = changing(({ body }) => ({ body: body.replaceAll(/(?<=T\d\d:\d\d):00(\.0+)?(?=")/g, '') }));
  const models = ['customerToTag', 'voucherType'];
  const results = await check(url, { ...(await learnTerms(url, { models, wrap })), models, wrap });
  expect(complaints(results)).toEqual([]);
  for (const field of ['customerToTag.start', 'voucherType.startTime'])
    expect(find(results, `fields.type:${field}`)).toMatchObject({ outcome: 'pass' });
});

test('a service passes that ignores the case of paths, as Express and ASP.NET Core do', async () => {
  const isBrand = ({ model }: Line) => model.toLowerCase() === 'brand';
  const { url } = await start({ route: (line) => (isBrand(line) ? { ...line, model: 'brand' } : line) });
  expect(complaints(await check(url, { models: ['brand'], rules: ['absent'] }))).toEqual([]);
});

test('a service passes that returns 204 for an empty list', async () => {
  const url = await serve('begins=empty');
  const wrap = changing(({ body }) => (body.trim() === '[]' ? { status: 204, body: '' } : {}));
  const models = ['brand', 'subscriptionTask'];
  const results = await check(url, { ...(await learnTerms(url, { models, wrap })), models, wrap });
  expect([complaints(results), results.counts.blocked]).toEqual([[], 0]);
});

test('a JSON object without records in place of a list fails', async () => {
  const url = await serve('begins=empty');
  const wrap = changing(({ body }) => (body.trim() === '[]' ? { body: '{"message":"none"}' } : {}));
  const results = await check(url, { models: ['subscriptionTask'], rules: ['operations.list'], wrap });
  expect(against(results)).toMatchObject([{ id: 'operations.list:subscriptionTask', outcome: 'fail' }]);
});

test('an amount that is accepted as integer and returned with decimals is skipped', async () => {
  const url = await serve('currency=cents', 'shows=decimals as texts');
  const results = await learnAndCheck(url, { models: ['deposit'] });
  expect(complaints(results)).toEqual([]);
  expect(said(results, 'create.keeps-field:deposit.balance')).toMatch(/^skip: .*types.currency could not/);
});

test.each([
  ['', { success: true, id: 3 }, 'pass'],
  ['/data', 'gone', 'skip'],
])('a service with records at "%s" may respond to a delete with %j', async (place, body, outcome) => {
  const settings = { 'response.record': place, 'response.records': place, 'response.total': 'none' };
  const service = await startMockService({ settings }, (answer) => async (request, sent) => {
    const reply = await answer(request, sent);
    const id = Number(request.url?.split('/').at(-1));
    if (request.method !== 'DELETE' || reply.status !== 200) return reply;
    return { status: 200, body: typeof body === 'object' ? { ...body, id } : body };
  });
  const results = await learnAndCheck(closing(service).url, { models: ['brand'] });
  expect(complaints(results)).toEqual([]);
  expect(find(results, 'profile.delete.answer:brand').outcome).toBe(outcome);
});

test('a service with form bodies fails if it stores the string of a readonly field', async () => {
  const { url } = await start({ takes: (_, { name }) => name === 'createUser' }, 'body=form');
  const failed = against(await learnAndCheck(url, { models: ['brand'], rules: ['readonly'] }));
  expect(failed.map(({ id }) => id)).toEqual([
    'readonly.on-create:brand.createUser',
    'readonly.on-update:brand.createUser',
  ]);
});

test('a service passes that clears fields that an update omits, and shows 0 for unset numbers', async () => {
  const numbers = ['int', 'float', 'currency', 'percent'];
  const shown: Defect['shown'] = (row, { model }) => {
    const unset = model.fields.filter(({ name, type }) => numbers.includes(type) && row[name] === null);
    return { ...row, ...Object.fromEntries(unset.map(({ name }) => [name, 0])) };
  };
  const models = ['voucherProduct', 'warehouse'];
  const { url } = await start({ shown }, 'update=full');
  expect(complaints(await learnAndCheck(url, { models }))).toEqual([]);
});

test.each([
  ['passes if transitions lead to all states', { 2: [3] }, []],
  ['fails if no transition leads to one of the states', { 2: [] }, ['values.accepted:stockOrder.status=3']],
])('a service whose new records all have one state %s', async (_, last, failing) => {
  const moves = { new: [0], 0: [1], 1: [2], 3: [], ...last };
  const settings = { transitions: { 'stockOrder.status': moves } };
  const { url } = closing(await startMockService({ settings }));
  const results = await learnAndCheck(url, { models: ['stockOrder'] });
  expect(idsAgainst(results)).toEqual(failing);
});

test('if every second create is lost after the response, the run does not treat lists as delayed', async () => {
  let creates = 0;
  const after: Defect['after'] = ({ id, model, on, tables }) => {
    if (on !== 'create' || model.name !== 'customerTag' || id === undefined) return;
    if (++creates % 2 === 0) setImmediate(() => tables.remove(model.name, id));
  };
  const plan = { models: ['customerTag'], looks: [0, 50, 100] };
  const healthy = await check(await serve('sort=field'), plan);
  const results = await check((await start({ after }, 'sort=field')).url, plan);
  expect([healthy.counts.fail, results.counts.fail > 0, results.oddities ?? []]).toEqual([0, true, []]);
  // The run looks for each lost record again, but doesn't read the list again and again.
  expect(results.requests).toBeLessThan(5 * healthy.requests);
});

test('a model without records and without a create is skipped, and the headline names it', async () => {
  const url = await serve('begins=empty');
  const results = await learnAndCheck(url, { models: ['subscriptionTask', 'lockerType'] });
  expect(complaints(results)).toEqual([]);
  expect(headline(results)).toBe('CONFORMANT, subscriptionTask not seen (no records)');
  expect(said(results, 'fields.type:subscriptionTask.id')).toBe(
    'skip: there is no subscriptionTask record, and none can be created; name one with --bindings',
  );
  expect(find(results, 'absent.operation:subscriptionTask=delete').outcome).toBe('skip');
});

test('a record that no list shows is judged by the ID in the bindings', async () => {
  const tasks = '/api/model/subscriptionTask';
  const results = await check(await serve(), {
    models: ['subscriptionTask'],
    bindings: loadBindings({ subscriptionTask: [1] }, catalogue, references),
    // The list omits a record, because users can see different records.
    wrap: changing((_, { method, path }) => (method === 'GET' && path === tasks ? { body: '[]' } : {})),
  });
  for (const id of ['fields.type:subscriptionTask.id', 'absent.operation:subscriptionTask=delete'])
    expect(find(results, id).outcome).toBe('pass');
});

test('an empty database can not be told from another where nobody knows how lists show their records', async () => {
  const url = await serve('begins=empty', 'envelope=laravel');
  const results = await check(url, {
    models: ['subscriptionTask'],
    settings: { 'response.records': 'unknown' },
  });
  expect(results.counts.blocked).toBe(0);
  expect(said(results, 'fields.id:subscriptionTask.id')).toMatch(/^skip: .*response\.records/);
});
