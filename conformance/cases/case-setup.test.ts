import { expect, test } from 'vitest';
import { against, check } from '../../testing/checks.ts';
import { useService } from '../../testing/mock-service.ts';
import type { Asked } from '../../testing/proxies/recording-proxy.ts';
import { createAt } from '../../testing/services/service.ts';
import { exitCode } from '../results/results.ts';

const { start: startService } = useService();

/** A service that knows products by their ids, and refuses others where a voucher type or its product names one. */
const start = (products: readonly number[]) =>
  startService(({ body, method }) => {
    const product = method === 'POST' && body.startsWith('{') ? JSON.parse(body).product : undefined;
    if (typeof product !== 'number' || products.includes(product)) return undefined;
    return { status: 422, body: { status: 422, detail: 'there is no such product' } };
  });

/** A service that creates no locker types. */
const startWithoutTypes = () =>
  startService(({ method, path }) =>
    method === 'POST' && path === '/api/model/lockerType' ? { status: 405 } : undefined,
  );
const isCreate = (asked: Asked, model: string) =>
  asked.method === 'POST' && asked.path === `/api/model/${model}`;

function productsSent(asked: readonly Asked[], model: string): number[] {
  const creates = asked.filter((one) => isCreate(one, model));
  // Where a create is refused, it is tried as a form too.
  const sent = creates.flatMap(({ body }) => (body.startsWith('{') ? JSON.parse(body).product : []));
  return [...new Set(sent.filter((id): id is number => typeof id === 'number'))].sort();
}

/** Of a product that the service knows. */
const INVOICE = {
  lines: [{ product: 7001, description: 'x', price: 1, priceBeforeTaxes: 1, units: 1 }],
  discountTotal: 0,
  currency: 'EUR',
  taxTotal: 0,
};
const CREATE = { models: ['voucherType'], rules: ['operations', 'create'] };

test('IDs of models outside the catalogue are read from existing records of any model', async () => {
  const { asked, service, url } = await start([7001, 7002]);
  await createAt(url, 'stockInvoice', INVOICE);
  const before = await service.count();
  const results = await check(url, CREATE);
  expect(against(results)).toEqual([]);
  expect(results.counts.pass).toBeGreaterThan(5);
  expect(productsSent(asked, 'voucherType')).toEqual([7001]);
  expect(await service.count()).toBe(before);
});

test('given IDs of models outside the catalogue take precedence over IDs that the suite finds', async () => {
  const { asked, url } = await start([7001, 9001, 9002]);
  await createAt(url, 'stockInvoice', INVOICE);
  const results = await check(url, { ...CREATE, bindings: new Map([['product', [9001, 9002]]]) });
  expect(against(results)).toEqual([]);
  expect(productsSent(asked, 'voucherType')).toEqual([9001, 9002]);
});

test('IDs of models outside the catalogue are generated if the service shows none', async () => {
  const { asked, service, url } = await start([]);
  const results = await check(url, CREATE);
  expect(productsSent(asked, 'voucherType').length).toBeGreaterThan(0);
  expect(new Set(against(results).map(({ outcome }) => outcome))).toEqual(new Set(['blocked']));
  expect(exitCode(results)).toBe(1);
  const messages = Object.fromEntries(against(results).map(({ id, message }) => [id, message]));
  const why =
    /^(?:the target rejects a valid voucherType: status|a valid voucherType could not be created: (?:status|POST \/api\/model\/voucherType returned)) 422: \{"status":422,"detail":"there is no such product"\}; pass IDs of product with --bindings$/;
  for (const rule of [
    'operations.create',
    'operations.create-required',
    'operations.delete',
    'create.distinct',
  ])
    expect(messages[`${rule}:voucherType`]).toMatch(why);
  expect(await service.count()).toBe(2);
});

test('a rejected create without external IDs, or a crash, is not attributed to missing bindings', async () => {
  const broken = await startService(undefined, { defect: 'operations.failing:voucherType=create' });
  const results = await check(broken.url, CREATE);
  expect(against(results).map(({ id, outcome }) => [id, outcome])).toContainEqual([
    'operations.create:voucherType',
    'fail',
  ]);
  expect(JSON.stringify(results)).not.toContain('--bindings');

  const refusing = await startService((asked) => (isCreate(asked, 'deposit') ? { status: 422 } : undefined));
  // Its product is optional, so a create with the required fields names none.
  const ofDeposit = await check(refusing.url, { models: ['deposit'], rules: ['operations'] });
  const outcomes = against(ofDeposit).map(({ outcome, rule }) => [rule, outcome]);
  expect(outcomes).toContainEqual(['operations.create', 'blocked']);
  expect(outcomes).toContainEqual(['operations.create-required', 'fail']);
});

test('the suite creates and deletes records to link to, unless IDs are given', async () => {
  const settings = { 'request.references': 'reject' };
  const { asked, service, url } = await startService(undefined, { settings });
  const customers = () => asked.filter((one) => isCreate(one, 'customer'));
  const options = { models: ['deposit'], rules: ['operations'] };
  expect(against(await check(url, options))).toEqual([]);
  expect(customers()).toHaveLength(5);
  expect(await service.count()).toBe(2);

  // Given ids are taken as they are; nothing is made in their place.
  const given = await check(url, { ...options, bindings: new Map([['customer', [999]]]) });
  expect(customers()).toHaveLength(5);
  expect(against(given)[0]?.message).toMatch(/a valid deposit|a create/);
});

test("if the suite can't create records to link to, it uses existing records of the target", async () => {
  const { asked, service, url } = await startWithoutTypes();
  const { id: mine } = await createAt(service.url, 'lockerType', { name: 'big' });
  const results = await check(url, { models: ['locker'], rules: ['operations'] });
  expect(against(results)).toEqual([]);
  const lockers = asked.filter((one) => isCreate(one, 'locker'));
  expect(new Set(lockers.map(({ body }) => JSON.parse(body).type))).toEqual(new Set([mine]));
});

test('cases without any record to link to are blocked, and name --bindings', async () => {
  const { url } = await startWithoutTypes();
  const results = await check(url, { models: ['locker', 'brand'], rules: ['operations'] });
  const blocked = against(results);
  expect(new Set(blocked.map(({ model, outcome }) => `${model} ${outcome}`))).toEqual(
    new Set(['locker blocked']),
  );
  expect(blocked[0]?.message).toMatch(
    /^locker\.type needs a lockerType record: a valid lockerType could not be created: POST \/api\/model\/lockerType returned 405\. Pass IDs with --bindings$/,
  );
});

test('a check under a wrong profile deletes all records that it creates', async () => {
  const { service, url } = await startService();
  const settings = { 'response.record': '/data', 'response.records': '/data/items' };
  const results = await check(url, { settings, models: ['voucher'] });
  expect(exitCode(results)).toBe(1);
  expect([await service.count(), results.leftovers]).toEqual([2, []]);
});
