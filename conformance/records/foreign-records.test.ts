import { expect, test } from 'vitest';
import { catalogue, check, contract, pinsOf } from '../../testing/checks.ts';
import { demo } from '../../testing/demo.ts';
import { startMockService } from '../../testing/mock-service.ts';
import { startRecordingProxy } from '../../testing/proxies/recording-proxy.ts';
import { after, before } from '../../testing/proxies/wrap.ts';
import { BASE, createAt } from '../../testing/services/service.ts';
import { BARE, complaints, insert, learn, useForeignService } from '../../testing/use-foreign-service.ts';
import { createWireCheck } from '../assert/agreement.ts';
import type { Exchange } from '../target/exchange.ts';
import type { Target, TargetRequest } from '../target/target.ts';
import { createRecords } from './records.ts';

const { closing, start } = useForeignService();

test("another client's deposit with the pinned balance is not deleted, and does not fail the service", async () => {
  const { live, url } = await start();
  const theirs: string[] = [];
  let valid: object | undefined;
  const wrap = after(async ({ body: sent = '{}', method, path }, { status }) => {
    if (method !== 'POST' || !path.endsWith('/deposit')) return;
    const body = JSON.parse(sent);
    if (status < 300) valid = body;
    else if (valid && Object.hasOwn(body, 'balance')) {
      const { id } = await createAt(url, 'deposit', { ...valid, ...body });
      theirs.push(`deposit/${id}`);
    }
  });
  const { cases } = await check(url, {
    models: ['deposit'],
    rules: ['required.on-create'],
    pins: pinsOf({ 'deposit.balance': 5000 }),
    tag: 'k4w9',
    wrap,
    retry: false,
  });
  expect(theirs.length).toBeGreaterThan(0);
  expect(theirs.filter((one) => !live().includes(one))).toEqual([]);
  expect(cases.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
});

test('a string of a record that is too long for a value list is not sent as a sample', async () => {
  const { url } = await start();
  const text = 'x'.repeat(3000);
  const flags = 'isCompany taxExempt disableNotifications disabled onCredit autoCollect sendInvoices'.split(
    ' ',
  );
  const no = Object.fromEntries(flags.map((name) => [name, false]));
  await createAt(url, 'customer', { name: 'Ana', firstName: 'Ana', language: text, ...no });
  const sent: string[] = [];
  const wrap = before(({ body = '' }) => void sent.push(body));
  await check(url, { models: ['customer'], rules: ['create'], wrap });
  expect(sent.some((body) => body.includes('"language":'))).toBe(true);
  expect(sent.filter((body) => body.includes(text))).toEqual([]);
});

test('two concurrent runs on models without strings fail no cases, and leave no records', async () => {
  const { live, url } = await start({}, 'sort=field');
  const models = ['accessControlLog', 'consumerHomeItem', 'multipackResourceType'];
  const before = live();
  const runs = await Promise.all(
    ['a1b2', 'c3d4'].map((tag) => check(url, { models, tag, tagIsUnique: true, looks: [0, 300] })),
  );
  expect(runs.flatMap(complaints)).toEqual([]);
  expect(live()).toEqual(before);
});

test.each([0, 1])(
  "another client's records that appear with every second list are not deleted, and fail nothing (%i)",
  async (turn) => {
    const { live, url } = await start();
    const models = ['accessControlLog'];
    const theirs: string[] = [];
    let lists = 0;
    const wrap = before(async ({ method, path }) => {
      if (method !== 'GET' || !path.endsWith('/accessControlLog') || lists++ % 2 !== turn) return;
      const { id } = await createAt(url, 'accessControlLog', {});
      theirs.push(`accessControlLog/${id}`);
    });
    const rules = ['create.distinct', 'update.keeps-other-records'];
    const { cases } = await check(url, { models, rules, tag: 'k4w9', tagIsUnique: true, wrap });
    expect(theirs.filter((one) => !live().includes(one))).toEqual([]);
    expect(cases.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
  },
);

test("the suite does not delete the lines of another client's record that reuses a deleted ID", async () => {
  const model = catalogue.models.get('stockOrder');
  if (!model) throw new Error('no model');
  const theirs = { id: 7, created: '2024-05-05T05:05:05+00:00', lines: [{ id: 99 }] };
  const ours = { id: 7, created: '2020-01-01T00:00:00+00:00' };
  const answers = [
    // The run creates and deletes a record; then another client creates one, just before the second delete.
    { status: 201, body: ours },
    // A response without the sent values proves the ID only if a retrieve shows them.
    { status: 200, body: ours },
    { status: 200, body: {} },
    { status: 404, body: {} },
    { status: 409, body: { error: 'has lines' } },
    { status: 200, body: theirs },
  ];
  const sent: string[] = [];
  const target: Target = {
    url: 'http://127.0.0.1',
    requests: () => sent.length,
    async send({ method, path }: TargetRequest, record) {
      record({ request: {}, response: { headers: {} } } as Exchange);
      const isList = method === 'GET' && !/\d$/.test(path);
      if (!isList) sent.push(`${method} ${path.slice(BASE.length + 1)}`);
      const { body, status } = (isList ? undefined : answers.shift()) ?? { status: 200, body: [] };
      return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    },
    close: async () => {},
  };
  const wireCheck = createWireCheck(contract);
  const plan = { plan: () => contract, target, check: () => wireCheck, seed: 1 };
  const { records } = createRecords(plan).open(model, 'test', {});
  await records.create({});
  await records.delete(7);
  await expect(records.delete(7)).rejects.toThrow(
    `after its delete, stockOrder/7 might be another client's record, so the run sends no write to it`,
  );
  expect(sent).toEqual([
    'POST stockOrder',
    'GET stockOrder/7',
    'DELETE stockOrder/7',
    'GET stockOrder/7',
    'DELETE stockOrder/7',
    'GET stockOrder/7',
  ]);
});

test.each([
  ['check', 'create.answers-another-record:brand', check],
  ['check', 'create.answers-unknown-id:brand', check],
  ['check', 'fields.wrong-type:brand.id', check],
  ['learn', 'create.answers-another-record:brand', learn],
] as const)('%s deletes and updates no existing record on a service with %s', async (_, defect, write) => {
  const { url } = closing(await startMockService({ defect, fixtures: demo }));
  const records = async () => (await (await fetch(`${url}/api/model/brand?limit=500`)).json()) as object[];
  const before = await records();
  const { leftovers } = await write(url, { models: ['brand'] });
  const after = await records();
  // The shown IDs can be wrong, but lists are in the order of creation.
  expect(after.slice(0, before.length)).toEqual(before);
  expect(leftovers.some((name) => name.startsWith('brand/'))).toBe(after.length > before.length);
});

test.each([[[]], ['null']])(
  'if a list of %j hides records, the suite sends no DELETE to the list',
  async (body) => {
    const service = await start({}, ...BARE);
    insert(service, 'brand', { name: 'old' });
    const isList = (method: string, path: string) => method === 'GET' && /brand([?]|$)/.test(path);
    const proxy = await startRecordingProxy(service.url, ({ method, path }) =>
      isList(method, path) ? { body } : undefined,
    );
    const { cases } = await check(closing(proxy).url, { models: ['brand'], rules: ['absent.delete-all'] });
    expect(cases.map(({ outcome }) => outcome)).toEqual(['skip']);
    expect(proxy.asked.filter(({ method, path }) => method === 'DELETE' && path.endsWith('brand'))).toEqual(
      [],
    );
  },
);
