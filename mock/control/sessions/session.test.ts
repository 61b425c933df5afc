import { afterAll, describe, expect, test } from 'vitest';
import { createProfile } from '../../../spec/profile/profile.ts';
import { serveMock } from '../../../testing/mocks/control.ts';
import { catalogue, FEW_MODELS } from '../../../testing/mocks/mocks.ts';
import { usedHeap } from '../../../testing/used-heap.ts';
import { connectMock } from '../../adapters/remote.ts';
import { createMock } from '../../mock.ts';

let system = Date.UTC(2025, 9, 22, 9, 30);
const started = await serveMock({
  ...FEW_MODELS,
  clock: () => new Date(system),
  now: new Date('2030-01-01T00:00:00Z'),
});
afterAll(() => started.mock.close());

const clock = async (method = 'GET', path = '', sent?: unknown) =>
  (await started.ask(method, `/__mock/clock${path}`, sent)).body;
const createdNow = async () =>
  (await started.ask('POST', '/api/model/warehouse', { name: 'a' })).body.created;

test('the clock of a session starts at the given time, runs, stops, and can be advanced', async () => {
  expect(await clock()).toEqual({ now: '2030-01-01T00:00:00.000Z', frozen: false });
  system += 5000;
  expect(await createdNow()).toBe('2030-01-01T00:00:05Z');
  expect(await clock('PUT', '', { frozen: true })).toMatchObject({ frozen: true });
  system += 5000;
  expect(await createdNow()).toBe('2030-01-01T00:00:05Z');
  expect(await clock('POST', '/advance', { ms: 60_000 })).toMatchObject({ now: '2030-01-01T00:01:05.000Z' });
  expect(await clock('PUT', '', { now: '2026-02-03T04:05:06Z', frozen: false })).toEqual({
    now: '2026-02-03T04:05:06.000Z',
    frozen: false,
  });
  system += 1000;
  expect(await createdNow()).toBe('2026-02-03T04:05:07Z');
  await started.mock.session('other').clock.advance(1000);
  expect(await createdNow()).toBe('2026-02-03T04:05:07Z');
  await started.mock.reset();
  expect(await createdNow()).toBe('2030-01-01T00:00:00Z');
});

test.each([
  ['PUT', '', {}],
  ['PUT', '', { now: 'tomorrow' }],
  ['PUT', '', { frozen: 'yes' }],
  ['POST', '/advance', { ms: -1 }],
  ['POST', '/advance', {}],
])('%s /__mock/clock%s with %j is rejected, and the time stays the same', async (method, path, sent) => {
  const before = await clock();
  expect(await clock(method, path, sent)).toMatchObject({ status: 422, detail: expect.any(String) });
  expect(await clock()).toEqual(before);
});

test('the clock stops at the maximum datetime', async () => {
  await started.mock.clock.advance(Number.MAX_SAFE_INTEGER);
  expect(await createdNow()).toMatch(/^9999-12-31T/);
  await started.mock.reset();
});

const base = {
  ...FEW_MODELS,
  fixtures: {
    warehouse: [
      { id: 1, name: 'Norte' },
      { id: 2, name: 'Sur' },
    ],
  },
};
const PROFILE = '/__mock/profile';
const WAREHOUSES = '/api/model/warehouse';
const of = (session: string) => ({ 'x-mock-session': session });
const CHANGES = {
  'status.created': 200,
  'status.invalid': 400,
  'list.paging': { style: 'offset', default: 1, max: 2 },
  'delete.effect': 'remove',
  'request.unknownFields': 'ignore',
  'limits.text': 5,
};

test('a session can change its settings while the mock runs, and a reset restores them', async () => {
  await using served = await serveMock(base);
  const { ask } = served;
  const changed = await ask('PUT', PROFILE, CHANGES, of('a'));
  expect([changed.status, changed.body]).toEqual([200, expect.objectContaining({ 'status.created': 200 })]);
  expect((await ask('GET', PROFILE, undefined, of('a'))).body).toEqual(changed.body);

  expect((await ask('POST', WAREHOUSES, { name: 'Este', color: 'red' }, of('a'))).status).toBe(200);
  expect((await ask('POST', WAREHOUSES, { name: 'Noreste' }, of('a'))).status).toBe(400);
  const list = await ask('GET', WAREHOUSES, undefined, of('a'));
  expect([list.body, list.headers['x-total-count']]).toEqual([[expect.objectContaining({ id: 1 })], '3']);
  expect((await ask('DELETE', `${WAREHOUSES}/1`, undefined, of('a'))).status).toBe(200);
  expect((await ask('GET', `${WAREHOUSES}/1`, undefined, of('a'))).status).toBe(404);
  const { paths } = (await ask('GET', '/openapi.json', undefined, of('a'))).body;
  expect(Object.keys(paths?.[WAREHOUSES]?.post?.responses ?? {})).toContain('200');

  const shared = await ask('POST', WAREHOUSES, { name: 'Noreste', color: 'red' });
  expect([shared.status, shared.body.violations]).toEqual([
    422,
    [expect.objectContaining({ pointer: '/color' })],
  ]);
  expect((await ask('POST', WAREHOUSES, { name: 'Noreste' }, of('b'))).status).toBe(201);

  await ask('POST', '/__mock/reset', undefined, of('a'));
  expect((await ask('POST', WAREHOUSES, { name: 'Noreste' }, of('a'))).status).toBe(201);
  expect((await ask('GET', WAREHOUSES, undefined, of('a'))).body).toHaveLength(3);
});

test('changes of settings accumulate, and null restores a setting', async () => {
  await using served = await serveMock({ ...base, profile: { 'status.updated': 202 } });
  const statuses = async () => {
    const { body } = await served.ask<Record<string, unknown>>('GET', PROFILE);
    return [body['status.created'], body['status.updated'], body['status.deleted']];
  };
  await served.ask('PUT', PROFILE, { 'status.created': 200 });
  expect(await statuses()).toEqual([200, 202, 200]);
  await served.ask('PUT', PROFILE, { 'status.deleted': 204 });
  expect(await statuses()).toEqual([200, 202, 204]);
  await served.ask('PUT', PROFILE, { 'status.created': null });
  expect(await statuses()).toEqual([201, 202, 204]);
  expect((await served.ask('PUT', PROFILE, { 'status.create': null })).status).toBe(422);
});

test.each<[settings: object, detail: string]>([
  [
    { 'types.bool': 'int' },
    "types.bool can't change while the mock runs, because clients rely on the document of its start. Restart the mock with --profile FILE, or create another one.",
  ],
  [{ auth: 'bearer' }, "auth can't change while the mock runs"],
  [{ 'list.paging': 'none' }, 'Only default and max of list.paging can change while the mock runs'],
  [{ 'status.create': 200 }, 'Unknown setting "status.create". Did you mean "status.created"?'],
  [{ except: { brand: { 'status.created': 200 } } }, 'Unknown setting "except".'],
  [JSON.parse('{ "__proto__": { "x": 1 } }'), 'Unknown setting "__proto__".'],
])('the change %j is rejected as a whole', async (settings, detail) => {
  await using served = await serveMock(base);
  await served.ask('PUT', PROFILE, { 'status.created': 202 });
  const refused = await served.ask('PUT', PROFILE, { 'status.deleted': 204, ...settings });
  expect([refused.status, refused.body.detail]).toEqual([422, expect.stringContaining(detail)]);
  expect((await served.ask('GET', PROFILE)).body).toMatchObject({
    'status.created': 202,
    'status.deleted': 200,
  });
});

test('local and remote sessions change settings, and the contract names those that can change', async () => {
  await using served = await serveMock(base);
  await served.mock.session('a').setProfile({ 'status.created': 200 });
  await connectMock(served.url).session('b').setProfile({ 'status.created': 202 });
  const created = async (session: string) =>
    (await served.ask('POST', WAREHOUSES, { name: 'Este' }, of(session))).status;
  expect([await created('a'), await created('b'), await created('c')]).toEqual([200, 202, 201]);
  const { profile } = await served.mock.session('a').contract();
  const facts = new Map(profile.map((one) => [one.setting, one]));
  expect(facts.get('status.created')).toMatchObject({ value: 200, live: 'all' });
  expect(facts.get('list.paging')).toMatchObject({ live: 'sizes' });
  expect(facts.get('types.bool')).not.toHaveProperty('live');
  await expect(served.mock.session('a').setProfile({ auth: 'bearer' })).rejects.toThrow("auth can't change");
  expect(served.mock.profile['status.created']).toBe(201);
});

test('each of many sessions keeps its own profile', async () => {
  await using served = await serveMock(base);
  const sessions = Array.from({ length: 12 }, (_, index) => `s${index}`);
  const sizes = async () =>
    Promise.all(
      sessions.map(async (name) => (await served.ask('GET', WAREHOUSES, undefined, of(name))).body.length),
    );
  for (const [index, name] of sessions.entries())
    await served.mock.session(name).setProfile({
      'limits.text': 100 + index,
      'list.paging': { style: 'offset', default: 1 + (index % 2) },
    });
  const wanted = sessions.map((_, index) => 1 + (index % 2));
  expect(await sizes()).toEqual(wanted);
  expect(await sizes()).toEqual(wanted);
});

describe('the state of a session', () => {
  test.each([
    {},
    {
      'types.datetime': 'space',
      'types.bool': 'int',
      'types.lines': 'ids',
      'response.unset': 'absent',
      'delete.effect': 'remove',
    },
  ])('can be restored as it was read, under %o', async (settings) => {
    await using served = await serveMock({ profile: createProfile(settings, catalogue) });
    const { ask } = served;
    const before = (await ask('GET', '/__mock/state')).body;
    expect(Object.keys(before).length).toBeGreaterThan(40);
    const answers = async () => {
      const paths = [...catalogue.models.keys()].map((name) => `/api/model/${name}`);
      return Promise.all(paths.map(async (path) => (await ask('GET', path)).body));
    };
    const shown = await answers();
    expect((await ask('PUT', '/__mock/state', {})).status).toBe(204);
    expect((await ask('GET', '/__mock/state')).body).toEqual({});
    expect((await ask('PUT', '/__mock/state', before)).status).toBe(204);
    expect((await ask('GET', '/__mock/state')).body).toEqual(before);
    expect(await answers()).toEqual(shown);
  });

  test('is replaced completely or by model, and totals of other records follow', async () => {
    await using mock = await createMock({ now: new Date('2025-10-22T09:30:00Z') });
    const line = { id: 1, stockOrder: 1, product: 1, amount: 2, grossUnitCost: 10, discount: 0 };
    await mock.setState({
      stockOrder: [{ id: 1, globalDiscount: 0, status: 0 }],
      stockOrderLine: [line],
      brand: [{ id: 5, name: 'a' }],
    });
    expect(await mock.records('stockOrder').get(1)).toMatchObject({ total: 20 });
    await mock.patchState({ stockOrderLine: [{ ...line, amount: 3 }] });
    expect(await mock.records('stockOrder').get(1)).toMatchObject({ total: 30 });
    expect(await mock.state(['brand'])).toMatchObject({ brand: [{ id: 5, name: 'a' }] });
    expect(await mock.records('brand').create({ name: 'b' })).toMatchObject({ id: 6 });
  });

  test('is sent as a stream, whatever its size', async () => {
    await using served = await serveMock();
    const brands = Array.from({ length: 2500 }, (_, index) => ({ id: index + 1, name: `brand ${index}` }));
    await served.ask('PUT', '/__mock/state', { brand: brands, warehouse: [{ id: 1, name: 'a' }] });
    const url = `${served.url}/__mock/state`;
    const response = await fetch(`${url}?models=warehouse,supplier,brand`);
    expect(response.headers.get('content-length')).toBeNull();
    const text = await response.text();
    const state = JSON.parse(text);
    expect(text).toBe(JSON.stringify(state));
    expect(Object.keys(state)).toEqual(['warehouse', 'supplier', 'brand']);
    expect(state.supplier).toEqual([]);
    expect(state.brand).toMatchObject(brands);
    expect(await (await fetch(url, { method: 'HEAD' })).text()).toBe('');
    const stopped = await fetch(url);
    await stopped.body?.cancel();
    expect((await served.ask('GET', '/__mock/state?models=warehouse')).body).toMatchObject({
      warehouse: [{ id: 1, name: 'a' }],
    });
  });

  test('is rejected with all errors, and nothing changes', async () => {
    await using served = await serveMock();
    const before = (await served.ask('GET', '/__mock/state')).body;
    const wrong = { warehous: [], warehouse: [{ id: 1, name: 5 }] };
    for (const method of ['PUT', 'PATCH']) {
      const refused = await served.ask(method, '/__mock/state', wrong);
      expect(refused).toMatchObject({ status: 422, headers: { 'content-type': 'application/problem+json' } });
      expect(refused.body.mistakes).toEqual([
        expect.stringContaining('Unknown model "warehous"'),
        'fixtures: warehouse 1: name must be a string, but is 5',
      ]);
    }
    for (const body of ['{', '[]', '{"brand":{}}', '{"__proto__":[{"id":1}]}', ''])
      expect((await served.ask('PUT', '/__mock/state', body)).status).toBeGreaterThanOrEqual(400);
    expect((await served.ask('GET', '/__mock/state')).body).toEqual(before);
    expect((await served.ask('GET', '/__mock/state?models=brnd')).body.detail).toMatch(
      /Unknown model "brnd"\. Did you mean "brand"\?/,
    );
  });
});

test('many slow readers of a state with long records use little memory', async () => {
  await using mock = await createMock();
  const warehouse = Array.from({ length: 30 }, (_, index) => ({
    id: index + 1,
    name: 'a',
    comments: Buffer.alloc(900_000, 'x').toString(),
  }));
  await mock.setState({ warehouse });
  const before = usedHeap();
  const readers = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const { body } = await mock.fetch(new Request('http://localhost/__mock/state'));
      const reader = body?.getReader();
      await reader?.read();
      return reader;
    }),
  );
  expect((usedHeap() - before) / 2 ** 20).toBeLessThan(30);
  for (const reader of readers) await reader?.cancel();
});
