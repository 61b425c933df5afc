import { expect, test } from 'vitest';
import { UNKNOWN_ID } from '../../../conformance/records/identity.ts';
import { createProfile } from '../../../spec/profile/profile.ts';
import { catalogue, check } from '../../../testing/checks.ts';
import { find, said, TASKS, task, useService } from '../../../testing/mock-service.ts';
import { complaints, learnAndCheck } from '../../../testing/use-foreign-service.ts';

const { startUrl } = useService();

test('the status of invalid creates is judged only for models with a required field', async () => {
  const url = await startUrl(({ body, method }) =>
    method === 'POST' && !body.includes('"name"') && body !== '{}' ? { status: 400 } : undefined,
  );
  const plan = { models: ['brand', 'customerFile'], rules: ['profile.status.invalid'] };
  const results = await check(url, plan);
  expect(find(results, 'profile.status.invalid:brand').outcome).toBe('pass');
  expect(said(results, 'profile.status.invalid:customerFile')).toBe(
    'skip: customerFile has no required field to omit',
  );
});

test('a malformed body that counts as empty is skipped, and the record it creates is deleted', async () => {
  const asked: string[] = [];
  const url = await startUrl(({ headers, method, path }) => {
    asked.push(`${method} ${path}`);
    return headers['content-type'] === 'text/plain' ? { status: 201, body: { id: 777 } } : undefined;
  });
  const plan = { models: ['brand', 'customerFile'], rules: ['profile.status.unparsable'] };
  const results = await check(url, plan);
  expect(said(results, 'profile.status.unparsable:brand')).toMatch(
    /^skip: .*does not show status\.unparsable/,
  );
  expect(said(results, 'profile.status.unparsable:customerFile')).toMatch(
    /^skip: customerFile has no required field, so a malformed body might count as an empty one$/,
  );
  for (const model of plan.models) expect(asked).toContain(`DELETE /api/model/${model}/777`);
});

test('a model with deletes but no updates is not updated to judge a delete', async () => {
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

test('a rejected inferred link in a line blocks cases', async () => {
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

const LINKING = ['bookingDrawItem', 'ecommerceOrder', 'multipackResourceType', 'voucherTransaction'];

test.each(LINKING.slice(0, 2))('a service that checks links only of %s passes', async (odd) => {
  const isChecked = RegExp(`/${odd}$`);
  const url = await startUrl(({ body, method, path }) =>
    method === 'POST' && isChecked.test(path) && body.includes(String(UNKNOWN_ID))
      ? { status: 400, body: { error: 'customer refers to nothing' } }
      : undefined,
  );
  expect(complaints(await learnAndCheck(url, { models: LINKING }))).toEqual([]);
});

test('a 403 to absent operations counts as rejected if the list succeeds', async () => {
  const url = await startUrl(({ method, path }) => {
    if (method !== 'GET' || /Taskk$|Tasks$|TASK$|Tas$|\/\d+$/.test(path)) return { status: 403 };
    return path.startsWith(TASKS) ? { body: [task(1)] } : undefined;
  });
  const rules = ['absent.operation', 'absent.model', 'absent.record-retrieve'];
  const plan = { models: ['subscriptionTask'], rules };
  expect((await check(url, plan)).counts).toMatchObject({ pass: 7, fail: 0, blocked: 0 });
  await expect(check(await startUrl(() => ({ status: 403 })), plan)).rejects.toThrow(
    /^The service returned 403 to the list of subscriptionTask\. Pass credentials that can read/,
  );
});

test('if a service rejects each create, no case passes because of a rejection', async () => {
  const profile = createProfile({ values: { 'customer.language': ['es', 'ca'] } }, catalogue);
  const url = await startUrl(({ method }) => (method === 'POST' ? { status: 422 } : undefined));
  const rules = ['values', 'required', 'fields.wrong-type-on-create', 'profile.values-refused'];
  const { cases } = await check(url, { models: ['customer'], rules, profile });
  const passed = cases.filter(({ outcome }) => outcome === 'pass').map(({ id }) => id);
  expect(passed.filter((id) => !id.startsWith('required.present:'))).toEqual([]);
  expect(cases.map(({ rule }) => rule)).toContain('profile.values-refused');
});
