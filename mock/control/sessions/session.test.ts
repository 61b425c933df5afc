import { describe, expect, test } from 'vitest';
import { createProfile } from '../../../spec/profile/profile.ts';
import { serveMock } from '../../../testing/mocks/control.ts';
import { catalogue, FEW_MODELS } from '../../../testing/mocks/mocks.ts';
import { usedHeap } from '../../../testing/used-heap.ts';
import { connectMock } from '../../adapters/remote.ts';
import { createMock } from '../../mock.ts';

test('the clock stops at the maximum datetime', async () => {
  await using mock = await createMock();
  await mock.clock.advance(Number.MAX_SAFE_INTEGER);
  expect((await mock.records('brand').create()).created).toMatch(/^9999-12-31T/);
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
const WAREHOUSES = '/api/model/warehouse';
const of = (session: string) => ({ 'x-mock-session': session });
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
  const { paths } = (await served.ask('GET', '/openapi.json', undefined, of('a'))).body;
  expect(Object.keys(paths?.[WAREHOUSES]?.post?.responses ?? {})).toContain('200');
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
