import { describe, expect, test } from 'vitest';
import { createProfile } from '../../../spec/profile/profile.ts';
import { serveMock } from '../../../testing/mocks/control.ts';
import { catalogue } from '../../../testing/mocks/mocks.ts';
import { usedHeap } from '../../../testing/used-heap.ts';
import { createMock } from '../../mock.ts';

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
  ])('can be put back as it was read, under %o', async (settings) => {
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

  test('is replaced whole, or by model, and the totals of the others follow', async () => {
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

  test('is sent in parts, whatever its size', async () => {
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

  test('is refused with every mistake, and then nothing has changed', async () => {
    await using served = await serveMock();
    const before = (await served.ask('GET', '/__mock/state')).body;
    const wrong = {
      brand: [
        { id: 1, nam: 'x' },
        { id: 'y', name: 'a' },
      ],
      warehous: [],
      warehouse: [{ id: 1, name: 5 }],
    };
    for (const method of ['PUT', 'PATCH']) {
      const refused = await served.ask(method, '/__mock/state', wrong);
      expect(refused.status).toBe(422);
      expect(refused.headers['content-type']).toBe('application/problem+json');
      expect(refused.body.mistakes).toEqual([
        expect.stringContaining('brand 1: Unknown field "nam"'),
        expect.stringContaining('brand 1: name is required'),
        expect.stringContaining(
          'The id of a brand must be a whole number from 1 to 9007199254740990, but is "y".',
        ),
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

test('a state is read in parts by bytes, so that many slow readers of long records use little memory', async () => {
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
