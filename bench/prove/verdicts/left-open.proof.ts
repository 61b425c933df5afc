import { describe, expect, test } from 'vitest';
import { UNKNOWN_ID } from '../../../conformance/records/identity.ts';
import { exitCode } from '../../../conformance/results/results.ts';
import type { Exchange } from '../../../conformance/target/exchange.ts';
import type { Target } from '../../../conformance/target/target.ts';
import { createProfile } from '../../../spec/profile/profile.ts';
import { against, catalogue, check, pinsOf } from '../../../testing/checks.ts';
import { find, startMockService, TASKS, task, useService } from '../../../testing/mock-service.ts';
import type { Asked } from '../../../testing/proxies/recording-proxy.ts';
import { complaints, learn, learnAndCheck, learnTerms } from '../../../testing/use-foreign-service.ts';

const { closing, startUrl } = useService();

test('the status of a create that lacks a required field is looked for where there is one', async () => {
  const url = await startUrl(({ body, method }) =>
    method === 'POST' && !body.includes('"name"') && body !== '{}' ? { status: 400 } : undefined,
  );
  const plan = { models: ['brand', 'customerFile'], rules: ['profile.status.invalid'] };
  const results = await check(url, plan);
  expect(find(results, 'profile.status.invalid:brand').outcome).toBe('pass');
  expect(find(results, 'profile.status.invalid:customerFile')).toMatchObject({
    outcome: 'skip',
    message: 'customerFile has no required field to omit',
  });
});

test('a body that counts as an empty one is no unparsable one, and what it makes is removed', async () => {
  const asked: string[] = [];
  const url = await startUrl(({ headers, method, path }) => {
    asked.push(`${method} ${path}`);
    return headers['content-type'] === 'text/plain' ? { status: 201, body: { id: 777 } } : undefined;
  });
  const plan = { models: ['brand', 'customerFile'], rules: ['profile.status.unparsable'] };
  const results = await check(url, plan);
  expect(find(results, 'profile.status.unparsable:brand')).toMatchObject({
    outcome: 'skip',
    message: expect.stringContaining('does not show status.unparsable'),
  });
  expect(find(results, 'profile.status.unparsable:customerFile')).toMatchObject({
    outcome: 'skip',
    message: expect.stringMatching(
      /^customerFile has no required field, so a malformed body might count as an empty one$/,
    ),
  });
  for (const model of plan.models) expect(asked).toContain(`DELETE /api/model/${model}/777`);
});

test('a model that has deletes and no updates is not updated to judge a delete', async () => {
  const asked: string[] = [];
  const url = await startUrl(({ method, path }) => void asked.push(`${method} ${path}`));
  const models = new Map(catalogue.models);
  const brand = models.get('brand');
  if (brand)
    models.set('brand', { ...brand, operations: brand.operations.filter((one) => one !== 'update') });
  const rules = ['delete.keeps-other-records'];
  const results = await check(url, { catalogue: { ...catalogue, models }, models: ['brand'], rules });
  expect(results.cases.map(({ message, outcome }) => message ?? outcome)).toEqual(['pass']);
  expect(asked.filter((one) => /^POST .*brand\/\d+$/.test(one))).toEqual([]);
});

test('a setting that is unknown is not held against the service', async () => {
  const url = await startUrl(({ path }) =>
    /\/brand\/\d{5,}$/.test(path) ? { status: 404, body: { ok: false } } : undefined,
  );
  const plan = { models: ['brand'], rules: ['profile.errors.form'] };
  const profile = createProfile({ 'errors.form': 'unknown' }, catalogue, 'p.yaml');
  expect(find(await check(url, plan), 'profile.errors.form:brand').outcome).toBe('fail');
  expect(find(await check(url, { ...plan, profile }), 'profile.errors.form:brand')).toMatchObject({
    outcome: 'skip',
    message: 'errors.form is unknown in p.yaml; you can set it in the --profile file',
  });
});

test('a list whose place is unknown is not held against the service', async () => {
  const settings = { 'response.records': '/brands', 'response.total': 'none' };
  const service = closing(await startMockService({ settings }));
  const plan = { models: ['brand'], rules: ['operations.list', 'list', 'profile.response.total'] };
  expect(find(await check(service.url, plan), 'operations.list:brand').outcome).toBe('blocked');
  const unknown = { 'response.total': 'none', 'response.records': 'unknown' };
  const results = await check(service.url, { ...plan, profile: createProfile(unknown, catalogue) });
  expect(against(results)).toEqual([]);
  for (const rule of ['operations.list', 'list.shows-record', 'list.agrees'])
    expect(find(results, `${rule}:brand`)).toMatchObject({
      outcome: 'skip',
      message: expect.stringMatching(/^response\.records is unknown in profile;/),
    });
});

test('a link that is inferred and refused blocks what rests on it, and says what to supply', async () => {
  const url = await startUrl(({ body, method, path }) =>
    method === 'POST' && /\/stockTransaction\/\d+$/.test(path) && body.includes('"product"')
      ? { status: 422, body: { detail: 'product is unknown' } }
      : undefined,
  );
  const rules = ['operations.update', 'update', 'list.shows-update', 'advice.update-twice'];
  const results = await check(url, { models: ['stockTransaction'], rules });
  const { message, outcome } = find(results, 'update.keeps-origin:stockTransaction');
  expect({ message, outcome }).toEqual({
    outcome: 'blocked',
    message: expect.stringMatching(
      /^the target rejects an update of a stockTransaction: status \d+: \{"detail":"product is unknown"\}; pass IDs of product with --bindings$/,
    ),
  });
  expect(results.counts.blocked).toBeGreaterThan(4);
  expect(results.cases.filter((one) => one.outcome === 'fail').map(({ id }) => id)).toEqual([]);
});

test('a link that is inferred and refused inside a line blocks too', async () => {
  const url = await startUrl(({ body, method, path }) =>
    // The service knows some IDs, so it accepts some creates and refuses others.
    method === 'POST' && path === '/api/model/stockOrder' && /"product":\d*[13579]\b/.test(body)
      ? { status: 422, body: { detail: '/lines: product is unknown' } }
      : undefined,
  );
  const rules = ['values.accepted', 'profile.request.readonlyFields'];
  const results = await check(url, { models: ['stockOrder'], rules });
  expect(results.counts).toMatchObject({ fail: 0, blocked: expect.any(Number) });
  const blocked = results.cases.filter(({ outcome }) => outcome === 'blocked');
  expect(blocked.length).toBeGreaterThan(0);
  for (const { message } of blocked) expect(message).toMatch(/; pass IDs of product /);
});

test.each([
  { status: 422, body: { detail: 'out of stock' } },
  { status: 403, body: { detail: 'not for you' } },
  { status: 500, body: { detail: 'out of order' } },
])('records refused with $status block stated rules only; others say why', async (refusal) => {
  const url = await startUrl(({ method, path }) =>
    method === 'POST' && path === '/api/model/brand' ? refusal : undefined,
  );
  const { cases } = await check(url, { models: ['brand'] });
  const levelsOf = (wanted: string) =>
    new Set(cases.filter(({ outcome }) => outcome === wanted).map(({ level }) => level));
  expect(levelsOf('blocked')).toEqual(new Set(['stated']));
  expect(levelsOf('skip')).toContain('assumed');
  expect(levelsOf('skip')).toContain('advice');
  const skipped = cases.filter(({ level, outcome }) => outcome === 'skip' && level !== 'stated');
  expect(skipped.filter(({ message }) => message === undefined)).toEqual([]);
});

test('an assumed rule that is not judged leaves a service conformant', async () => {
  const url = await startUrl(({ body, method }) =>
    method === 'POST' && body.includes('notAField') ? { status: 503 } : undefined,
  );
  const results = await check(url, {
    models: ['brand'],
    rules: ['profile.request.unknownFields', 'operations.retrieve'],
  });
  expect(find(results, 'profile.request.unknownFields:brand')).toMatchObject({
    outcome: 'skip',
    message: expect.stringContaining('does not show request.unknownFields'),
  });
  expect(exitCode(results)).toBe(0);
});

const LINKING = ['bookingDrawItem', 'ecommerceOrder', 'multipackResourceType', 'voucherTransaction'];

test.each(LINKING.slice(0, 2))(
  'links of %s may be checked by a service that does not check others',
  async (odd) => {
    const isChecked = RegExp(`/${odd}$`);
    const url = await startUrl(({ body, method, path }) =>
      method === 'POST' && isChecked.test(path) && body.includes(String(UNKNOWN_ID))
        ? { status: 400, body: { error: 'customer refers to nothing' } }
        : undefined,
    );
    expect(complaints(await learnAndCheck(url, { models: LINKING }))).toEqual([]);
  },
);

test('links that are required may be the only ones that are checked', async () => {
  const settings = { 'request.references': 'some' };
  const { url } = closing(await startMockService({ settings }));
  const terms = await learnTerms(url, { models: LINKING });
  expect(terms.profile['request.references']).toBe('some');
  expect(complaints(await check(url, { ...terms, models: LINKING }))).toEqual([]);
});

test('a 403 to what must not exist is a refusal where the list is answered', async () => {
  const forbidden = ({ method, path }: Asked) =>
    method !== 'GET' || /Taskk$|Tasks$|TASK$|Tas$|\/\d+$/.test(path);
  const serving = (lists: boolean) =>
    startUrl((asked) => {
      if (forbidden(asked) || !lists) return { status: 403 };
      return asked.path.startsWith(TASKS) ? { body: [task(1)] } : undefined;
    });
  const rules = ['absent.operation', 'absent.model', 'absent.record-retrieve'];
  const plan = { models: ['subscriptionTask'], rules };
  const open = await check(await serving(true), plan);
  expect(open.counts).toMatchObject({ pass: 7, fail: 0, blocked: 0 });
  await expect(check(await serving(false), plan)).rejects.toThrow(
    /^The service returned 403 to the list of subscriptionTask\. Pass credentials that can read/,
  );
});

test('a 403 to what has to exist says that it is not allowed', async () => {
  const url = await startUrl(({ method, path }) =>
    method === 'POST' && /^\/api\/model\/brand(\?|$)/.test(path) ? { status: 403 } : undefined,
  );
  const results = await check(url, { models: ['brand'], rules: ['operations', 'create.distinct'] });
  expect(find(results, 'operations.create:brand')).toMatchObject({
    outcome: 'blocked',
    message: 'the request is forbidden, perhaps for these credentials: POST /api/model/brand returned 403',
  });
  expect(find(results, 'create.distinct:brand').message).toMatch(
    /^a valid brand could not be created: status 403/,
  );
});

test('where a service refuses every create, no rule takes a refusal for a proof', async () => {
  const profile = createProfile({ values: { 'customer.language': ['es', 'ca'] } }, catalogue);
  const url = await startUrl(({ method }) => (method === 'POST' ? { status: 422 } : undefined));
  const rules = ['values', 'required', 'fields.wrong-type-on-create', 'profile.values-refused'];
  const { cases } = await check(url, { models: ['customer'], rules, profile });
  const passed = cases.filter(({ outcome }) => outcome === 'pass').map(({ id }) => id);
  expect(passed.filter((id) => !id.startsWith('required.present:'))).toEqual([]);
  expect(cases.map(({ rule }) => rule)).toContain('profile.values-refused');
});

describe('a defect that depends on a value', () => {
  const isCreate = ({ method, path }: Asked) => method === 'POST' && /\/customerTag(\?|$)/.test(path);
  const checkTags = async (url: string, seed: number) =>
    (await check(url, { models: ['customerTag'], seed })).cases.filter(({ level }) => level === 'stated');

  test.each([1000, 1001])(
    'is reproduced, hints at no setting, and is shown, where samples start from %i',
    async (seed) => {
      const url = await startUrl((asked) =>
        isCreate(asked) && asked.body.includes('"isDefault":false')
          ? { status: 422, body: { isDefault: ['is required'] } }
          : undefined,
      );
      const cases = (await checkTags(url, seed)).filter(({ outcome }) => outcome !== 'pass');
      expect(cases.length).toBeGreaterThan(1);
      expect(
        cases.filter(({ outcome }) => outcome !== 'skip').map(({ id, outcome }) => [id, outcome]),
      ).toEqual([['operations.create-required:customerTag', 'fail']]);
      for (const { exchanges, id, message, outcome, retried } of cases) {
        if (outcome === 'skip') continue;
        expect({ id, message }).toEqual({ id, message: expect.not.stringContaining('accepted under') });
        expect({ id, retried }).toEqual({ id, retried: outcome === 'fail' ? 'reproduced' : undefined });
        expect({ id, status: exchanges?.at(-1)?.response.status }).toEqual({ id, status: 422 });
      }
    },
  );

  test.each([1000, 1001])('and is stored as another is reproduced, from %i', async (seed) => {
    // It stores true for false.
    const service = await startMockService({}, (answer) => (request, sent) => {
      return answer(request, sent.replaceAll('"isDefault":false', '"isDefault":true'));
    });
    const cases = await checkTags(closing(service).url, seed);
    const failed = cases.filter(({ outcome }) => outcome === 'fail');
    expect(failed.length).toBeGreaterThan(0);
    // A contradiction of the whole run isn't tried again.
    for (const { id, retried = 'reproduced' } of failed)
      expect({ id, retried }).toEqual({ id, retried: 'reproduced' });
  });
});

/** Refuses each create because of one field. */
const refusing = (name: string, taken: RegExp, model = 'customer') =>
  startUrl(({ body, method, path }) =>
    method === 'POST' &&
    new RegExp(`/${model}(\\?|$)`).test(path) &&
    body.includes(`"${name}":`) &&
    !taken.test(body)
      ? { status: 422, body: { [name]: ['is not valid'] } }
      : undefined,
  );
const rules = ['operations.create', 'operations.create-required', 'update.keeps-origin'];
test.each([
  ['language', /; pass an accepted value with --pin customer\.language=VALUE$/],
  ['phone', /; pass an accepted value with --pin customer\.phone=VALUE$/],
  ['country', /; pass IDs of country with --bindings$/],
])(
  'a refusal that names fields of an optional one whose values the source leaves open skips the cases of %s alone',
  async (name, remedy) => {
    const url = await refusing(name, /"(language|phone)":"(es|34600)"/);
    const { cases } = await check(url, { models: ['customer'], rules: [...rules, 'create.keeps-field'] });
    const others = cases.filter(({ outcome }) => outcome !== 'pass');
    expect(others.map(({ id, outcome }) => [id, outcome])).toEqual([
      [`create.keeps-field:customer.${name}`, 'skip'],
    ]);
    expect(others[0]?.message).toMatch(remedy);
  },
);

test('a refusal that names fields of an optional one can be met with a value that is taken everywhere', async () => {
  const url = await refusing('phone', /"phone":"34600"/);
  const pins = pinsOf({ 'customer.phone': '34600' });
  const { cases } = await check(url, {
    models: ['customer'],
    pins,
    rules: [...rules, 'create.keeps-field'],
  });
  expect(cases.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
});

test('a refusal that names fields of a required link asks for the ids of what it links to, and no others', async () => {
  const url = await refusing('product', /"product":(1|2),/, 'voucherType');
  const { cases } = await check(url, { models: ['voucherType'], rules });
  const found = cases.flatMap(({ message }) => message ?? []);
  expect(found.length).toBeGreaterThan(1);
  for (const message of found) expect(message).toMatch(/; pass IDs of product with --bindings$/);
});

const settings = { 'errors.form': 'simple' };
const wrap = (target: Target): Target => ({
  ...target,
  async send(request, record) {
    const as200 = (status: number) => (status >= 400 && status < 500 ? 200 : status);
    const show = ({ request, response }: Exchange) =>
      record({ request, response: { ...response, status: as200(response.status) } });
    const response = await target.send(request, show);
    return { ...response, status: as200(response.status) };
  },
});

test('an error that is answered with 200 is a refusal, and learned as one', async () => {
  const service = closing(await startMockService({ settings }));
  const learned = await learn(service.url, { wrap });
  expect(learned.profile['errors.form']).toBe('simple');
  expect(learned.settings.get('status.invalid')).toMatchObject({
    kind: 'unknown',
    reason: expect.stringMatching(/^only the body of POST \S+ shows that the request is rejected/),
  });

  const { profile } = learned;
  const results = await check(service.url, {
    profile,
    wrap,
    models: ['brand', 'locker', 'subscriptionTask'],
  });
  const failed = results.cases.filter(({ level, outcome }) => level === 'stated' && outcome !== 'pass');
  expect(failed.filter(({ outcome }) => outcome !== 'skip').map(({ id }) => id)).toEqual([]);
  expect(results.leftovers).toEqual([]);
});

test('an error that is answered with 200 is none where it stores all the same', async () => {
  const defect = 'required.not-asked-for:brand.name';
  const service = closing(await startMockService({ settings, defect }));
  const profile = createProfile({ 'errors.form': 'simple' }, catalogue);
  const results = await check(service.url, { profile, wrap, models: ['brand'], rules: ['required'] });
  expect(find(results, 'required.on-create:brand.name').outcome).toBe('fail');
});
