import { expect, test } from 'vitest';
import type { Model } from '../spec/catalogue/catalogue.ts';
import { createProfile } from '../spec/profile/profile.ts';
import { vectorsOf } from '../spec/types/vectors.ts';
import { against, type Checking, catalogue, check, idsAgainst } from '../testing/checks.ts';
import { find, said, startMockService, TASKS, task, useService } from '../testing/mock-service.ts';
import { before } from '../testing/proxies/wrap.ts';
import type { Defect } from '../testing/services/defects/defect.ts';
import { createAt } from '../testing/services/service.ts';
import { learnAndCheck, useForeignService } from '../testing/use-foreign-service.ts';

const { closing, startUrl } = useService();

test('a case about an accepted value passes only if a response shows a record with the value', async () => {
  const url = await startUrl(({ method, path }) =>
    method === 'POST' && path === '/api/model/locker' ? { status: 201, body: { status: 0 } } : undefined,
  );
  const results = await check(url, { models: ['locker'], rules: ['values.accepted'] });
  expect(said(results, 'values.accepted:locker.status=0')).toMatch(
    /^blocked: .*, but the returned id is not an integer: nothing/,
  );
  expect(results.leftovers).toContain('locker/(unknown ID)');
});

test('a type passes only if a response has a value, and a closed model fails with unknown fields', async () => {
  const shown = task(1, { updateUser: null, odd: 1 });
  const url = await startUrl(({ path }) => (path.startsWith(TASKS) ? { body: [shown] } : undefined));
  const rules = ['fields.type', 'fields.only'];
  const results = await check(url, { models: ['subscriptionTask'], rules, readOnly: true });
  expect(idsAgainst(results)).toEqual(['fields.only:subscriptionTask']);
  expect(find(results, 'fields.type:subscriptionTask.createUser').outcome).toBe('pass');
  expect(said(results, 'fields.type:subscriptionTask.updateUser')).toBe(
    'skip: no response contains a value of subscriptionTask.updateUser',
  );
});

test('a case about fields that an update keeps needs another field to update', async () => {
  const results = await check(await startUrl(() => undefined), {
    models: ['brand', 'locker'],
    rules: ['update.keeps-other-fields'],
  });
  expect(said(results, 'update.keeps-other-fields:brand.name')).toBe(
    'skip: the model has no field to update except name',
  );
  expect(find(results, 'update.keeps-other-fields:locker.name').outcome).toBe('pass');
});

test('an unset address can be an empty string, unless the field is required', async () => {
  const supplier = { ...task(1), name: 'one', main: true, deleted: false, email: '', web: '', logo: '' };
  const url = await startUrl(({ path }) =>
    path.startsWith('/api/model/supplier') ? { body: [supplier] } : undefined,
  );
  const rules = ['fields.type', 'profile.types.image'];
  const plan = { models: ['supplier'], rules, readOnly: true };
  const results = await check(url, plan);
  expect(against(results)).toEqual([]);
  expect(find(results, 'fields.type:supplier.email').message).toMatch(
    /no response contains a value of supplier\.email/,
  );
  const { fields, ...model } = catalogue.models.get('supplier') ?? { fields: [] };
  const strict = fields.map((field) => (field.name === 'email' ? { ...field, required: true } : field));
  const models = new Map([...catalogue.models, ['supplier', { ...model, fields: strict } as Model]]);
  expect(against(await check(url, { ...plan, catalogue: { ...catalogue, models } }))).toMatchObject([
    { id: 'fields.type:supplier.email', outcome: 'fail' },
  ]);
});

test('if lists can be filtered by an excepted field, the exception in the profile fails', async () => {
  const except = { 'supplier.email': { 'list.filter': 'none' } };
  const results = await check(await startUrl(() => undefined), {
    models: ['supplier'],
    rules: ['profile.list.filter'],
    settings: { except },
  });
  expect(idsAgainst(results)).toEqual(['profile.list.filter:supplier.email']);
});

const BRANDS = '/api/model/brand';

test('a list without a query can omit records, but its records are still judged', async () => {
  let body: unknown = [];
  const url = await startUrl(({ method, path }) =>
    method === 'GET' && path === BRANDS ? { body } : undefined,
  );
  const judge = (shown: unknown) => {
    body = shown;
    return check(url, { models: ['brand'], rules: ['operations', 'list', 'fields', 'required'] });
  };
  const first = await createAt(url, 'brand', { name: 'First' });
  // Another record shows values of a record of the run, and the run judges them.
  const whole = { ...first, id: 999, created: '2025-10-22T09:30:00Z', updated: '2025-10-22T09:30:00Z' };
  expect(idsAgainst(await judge([whole]))).not.toContain('list.shows-record:brand');
  const { name: _, ...nameless } = whole as { name?: string };
  const results = await judge([{ ...nameless, deleted: 'no' }]);
  expect(find(results, 'required.present:brand.name').outcome).toBe('fail');
  expect(find(results, 'fields.type:brand.deleted').outcome).toBe('fail');
});

test('if a list always shows its first page, a record on a later page does not fail the case', async () => {
  const supposed = { 'request.unknownFields': 'ignore', 'response.total': 'none' };
  const paging = { style: 'offset', size: 'size', from: 'from', default: 2 };
  const service = closing(await startMockService({ settings: { ...supposed, 'list.paging': paging } }));
  // These records fill the first page.
  for (const name of ['One', 'Two']) await createAt(service.url, 'brand', { name });
  const results = await check(service.url, { settings: supposed, models: ['brand'], rules: ['list'] });
  for (const rule of ['list.shows-record', 'list.shows-update'])
    expect(said(results, `${rule}:brand`)).toMatch(
      /^skip: the list is too long to search, and the pages read do not contain id \d+$/,
    );
});

test('a message names a content coding that the request did not ask for', async () => {
  const reply = { headers: { 'content-encoding': 'gzip' }, body: '\u001f\u008b' };
  const url = await startUrl(({ path }) => (path.startsWith(BRANDS) ? reply : undefined));
  const results = await check(url, { models: ['brand'], rules: ['operations.list'] });
  expect(find(results, 'operations.list:brand')).toMatchObject({
    outcome: 'fail',
    found: expect.stringContaining(
      'a body (with content-encoding gzip, which the request did not ask for) that is not JSON: "\\u',
    ),
  });
});

const { start } = useForeignService();

// Of the defects of the foreign services, one for each way to fail that no other test takes.
test.each<[defect: string, ...ids: string[]]>([
  ['lines-reversed', 'create.keeps-field:stockOrder.lines', 'update.changes-field:stockOrder.lines'],
  ['pages-hold-one-less', 'profile.pages:brand'],
  ['list-shows-old-update', 'list.agrees:brand'],
])('a service with the defect %s fails %s', async (defect, ...ids) => {
  const [, model = ''] = /:(\w+)/.exec(ids.join()) ?? [];
  const rules = ids.map((id) => id.replace(/:.*/, ''));
  const { url } = await start(defect);
  const { cases } = await check(url, { models: [model], rules, looks: [0] });
  expect(cases.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id)).toEqual(ids);
});

/** Values that no codec of the suite made, sent to a service that shares no code with it. */
const settings = { 'types.currency': 'string' };

async function run(defect: Partial<Defect>, more: Checking = {}) {
  const service = await start(defect, 'sort=field', 'currency=string');
  return check(service.url, { settings, models: ['voucherPrice'], looks: [0], ...more });
}

test('amounts are sent in their golden forms, and a service that keeps them passes', async () => {
  const sent = new Set<unknown>();
  const wrap = before(({ body, method }) => method === 'POST' && sent.add(JSON.parse(body || '{}').price));
  const results = await run({}, { rules: ['advice.edge-kept'], wrap });
  const golden: unknown[] = vectorsOf('currency', createProfile(settings, catalogue)).pairs.map(
    ([, wire]) => wire,
  );
  expect([...sent]).toEqual(expect.arrayContaining(golden));
  expect(results.counts.fail).toBe(0);
});

test('a string "0" that the service stores as null fails', async () => {
  const values: Defect['values'] = (row) => (row.description === '0' ? { ...row, description: null } : row);
  const results = await run({ values }, { rules: ['advice.text-kept', 'create.keeps-field'] });
  expect(idsAgainst(results)).toEqual(['create.keeps-field:voucherPrice.description']);
});

test('a service that accepts a fraction for an int fails, unless it stores a whole number', async () => {
  const forgives: Defect['forgives'] = ({ kind, value }) => kind === 'type' && value === 1.5;
  const rules = ['fields.wrong-type-on-create'];
  const failed = idsAgainst(await run({ forgives }, { rules }));
  expect(failed).toContain('fields.wrong-type-on-create:voucherPrice.minAge');
  const whole: Defect['values'] = (row) => ({ ...row, minAge: row.minAge && Math.trunc(Number(row.minAge)) });
  const results = await run({ forgives: (found) => found.field.name === 'minAge', values: whole }, { rules });
  expect(against(results)).toEqual([]);
});

const COMMON = ['id', 'created', 'createUser', 'updated', 'updateUser', 'deleted'];

/** The cases that fail if a service omits some fields of a model. */
async function failures(model: string, omitted: readonly string[], words: readonly string[] = []) {
  const shown: Defect['shown'] = (row, at) =>
    at.model.name === model
      ? Object.fromEntries(Object.entries(row).filter(([name]) => !omitted.includes(name)))
      : row;
  const service = await start({ shown }, ...words);
  const results = await learnAndCheck(service.url, { models: [model, 'customerGroup'], rules: ['fields'] });
  return { failed: idsAgainst(results), results };
}

test('a service that omits all common fields fails for each of them', async () => {
  const { failed } = await failures('multipackItem', COMMON.slice(1));
  expect(failed.filter((id) => id.startsWith('fields.shown'))).toEqual(
    COMMON.slice(1).map((name) => `fields.shown:multipackItem.${name}`),
  );
});

test('a service that omits unset fields fails if it also omits created and deleted', async () => {
  const { failed } = await failures('brand', ['created', 'deleted'], ['unset=absent']);
  expect(failed).toEqual(['fields.shown:brand.created', 'fields.shown:brand.deleted']);
});

test('a field that no response shows is skipped, not covered, and named in the results', async () => {
  const { failed, results } = await failures('brand', ['createUser'], ['unset=absent']);
  expect(failed).toEqual([]);
  const row = results.cases.find(({ id }) => id === 'fields.shown:brand.createUser');
  expect(row).toMatchObject({ outcome: 'skip', unjudged: true });
  expect(results.coverage.fields.find(({ name }) => name === 'brand.createUser')?.exercised).toBe(false);
});
