import { describe, expect, test } from 'vitest';
import { NOWHERE } from '../../../conformance/records/values/samples.ts';
import { exitCode } from '../../../conformance/results/verdict.ts';
import { createProfile } from '../../../spec/profile/profile.ts';
import { against, catalogue, check } from '../../../testing/checks.ts';
import { find, startMockService, useService } from '../../../testing/mock-service.ts';
import { complaints, learnAndCheck, learnTerms } from '../../../testing/use-foreign-service.ts';

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

describe('a link that is inferred', () => {
  test('and refused blocks what rests on it, and says what to supply', async () => {
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

  test('and refused inside a line blocks too', async () => {
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
});

describe('a model whose records are refused', () => {
  test.each([
    { status: 422, body: { detail: 'out of stock' } },
    { status: 403, body: { detail: 'not for you' } },
    { status: 500, body: { detail: 'out of order' } },
  ])('with $status blocks stated rules only, and the others are skipped with the reason', async (refusal) => {
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

describe('links', () => {
  const LINKING = ['bookingDrawItem', 'ecommerceOrder', 'multipackResourceType', 'voucherTransaction'];

  test.each(LINKING.slice(0, 2))(
    'of %s may be checked by a service that does not check others',
    async (odd) => {
      const isChecked = RegExp(`/${odd}$`);
      const url = await startUrl(({ body, method, path }) =>
        method === 'POST' && isChecked.test(path) && body.includes(String(NOWHERE))
          ? { status: 400, body: { error: 'customer refers to nothing' } }
          : undefined,
      );
      expect(complaints(await learnAndCheck(url, { models: LINKING }))).toEqual([]);
    },
  );

  test('that are required may be the only ones that are checked', async () => {
    const settings = { 'request.references': 'some' };
    const { url } = closing(await startMockService({ settings }));
    const terms = await learnTerms(url, { models: LINKING });
    expect(terms.profile['request.references']).toBe('some');
    expect(complaints(await check(url, { ...terms, models: LINKING }))).toEqual([]);
  });
});
