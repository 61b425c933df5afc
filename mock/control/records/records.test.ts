import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProfile } from '../../../spec/profile/profile.ts';
import { type StartedMock, serveMock } from '../../../testing/mocks/control.ts';
import { catalogue } from '../../../testing/mocks/mocks.ts';
import { expectTranscript } from '../../../testing/transcripts/transcripts.ts';
import { connectMock } from '../../adapters/remote.ts';
import { createMock } from '../../mock.ts';
import type { SessionApi } from '../sessions/session-api.ts';

expectTranscript(import.meta.dirname, 'records');

const brands = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: index + 1, name: `brand ${(index * 7) % count}` }));

/** A session in the process, and one of the same name that is remote. */
async function both(started: StartedMock, name: string): Promise<readonly SessionApi[]> {
  return [started.mock.session(name), connectMock(started.url).session(name)];
}

describe.each<Record<string, unknown>>([
  {},
  {
    'types.datetime': 'space',
    'types.bool': 'int',
    'types.lines': 'ids',
    'types.select': 'object',
    'request.encoding': 'form',
    'request.update': 'full',
    'response.record': '/data',
    'response.unset': 'absent',
    'delete.effect': 'remove',
    'list.paging': 'none',
  },
])('the records of a session, under %j', (settings) => {
  let started: StartedMock;
  beforeAll(async () => {
    started = await serveMock({ profile: createProfile(settings, catalogue) });
  });
  afterAll(() => started[Symbol.asyncDispose]());

  test('have the same form in the process, remotely, and over HTTP', async () => {
    const { ask } = started;
    for (const session of await both(started, 'forms')) {
      await session.reset();
      const path = '/__mock/sessions/forms/__mock/records/customer';
      const created = await session
        .records('customer')
        .create({ ...(await session.sample('customer')).values, name: 'Ana', birthdate: '1990-01-31' });
      expect(created).toMatchObject({ name: 'Ana', birthdate: '1990-01-31', deleted: false });
      expect((await ask('GET', `${path}/${created.id}`)).body).toEqual(created);
      expect(await session.records('customer').get(created.id)).toEqual(created);
      const changed = await session.records('customer').update(created.id, { alias: 'A' });
      expect(changed).toMatchObject({ name: 'Ana', alias: 'A', birthdate: '1990-01-31' });
      const filters = [{ field: 'name', operator: 'equal', value: 'Ana' }] as const;
      expect((await session.records('customer').list({ filters })).records).toEqual([changed]);
      await session.records('customer').delete(created.id);
      expect((await session.records('customer').list({ filters })).records).toEqual([]);
      const isMarked = settings['delete.effect'] !== 'remove';
      const left = (await session.records('customer').list({ filters, deleted: true })).records;
      expect(left).toMatchObject(isMarked ? [{ id: created.id, deleted: true }] : []);
      expect(await session.records('customer').get(created.id)).toEqual(left[0]);
      await expect(session.records('customer').update(created.id, { alias: 'B' })).rejects.toThrow(
        `There is no customer with the ID ${created.id}`,
      );
      await expect(session.records('customer').delete(999_999)).rejects.toThrow('There is no customer');
    }
  });

  test('can be created without values, in each model, with and without other records', async () => {
    for (const [index, session] of (await both(started, 'filled')).entries()) {
      if (index === 0) await session.setState({});
      else await session.reset();
      for (const { fields, name } of catalogue.models.values()) {
        const made = await session.records(name).create();
        for (const { lines, name: field, readonly, required } of fields)
          if (required && !readonly && lines === undefined)
            expect([name, field, made[field]]).not.toContain(undefined);
      }
    }
  });

  test('are created with given values and links, and with generated values for other fields', async () => {
    for (const session of await both(started, 'linked')) {
      await session.setState({});
      const ana = await session.records('customer').create({ name: 'Ana', firstName: 'Ana' });
      expect(ana).toMatchObject({ id: 1, name: 'Ana', firstName: 'Ana' });
      const vouchers = await session.records('voucher').createMany(3, { customer: ana });
      expect(vouchers.map(({ customer }) => customer)).toEqual([1, 1, 1]);
      expect((await session.records('voucher').list({ limit: 2 })).total).toBe(3);
      const bea = await session.records('customer').create({ name: 'Bea' });
      const [first] = vouchers;
      const moved = await session.records('voucher').update(Number(first?.id), { customer: bea });
      expect(moved.customer).toBe(bea.id);
      await expect(session.records('customer').create({ name: 'Cai' }, { fill: false })).rejects.toThrow(
        'is required',
      );
      await expect(session.records('customer').create({ nam: 'Cai' })).rejects.toThrow(/"?nam"?/);
    }
  });

  test('can be updated together with their lines', async () => {
    for (const session of await both(started, 'lines')) {
      await session.reset();
      const orders = session.records('stockOrder');
      const lines = [
        { product: 1, amount: 2, grossUnitCost: 10, discount: 0 },
        { product: 2, amount: 1, grossUnitCost: 5, discount: 0 },
      ];
      const sample = (await session.sample('stockOrder')).values;
      const order = await orders.create({ ...sample, globalDiscount: 0, lines: lines });
      expect(order.total).toBe(25);
      const filters = [{ field: 'stockOrder', operator: 'equal', value: order.id }] as const;
      const own = (await session.records('stockOrderLine').list({ filters })).records;
      expect(own).toMatchObject(lines);
      const changed = await orders.update(order.id, { lines: [{ id: own[0]?.id, amount: 3 }] });
      expect(changed.total).toBe(30);
      const links = [{ model: 'stockOrderLine', field: 'stockOrder', count: 1 }];
      expect(await orders.links(order.id)).toEqual(links);
      await expect(orders.update(order.id, { lines: [{ amount: 'x' }] })).rejects.toThrow(
        /\/lines\/0\/product is required.*\/lines\/0\/amount must be/,
      );
      await orders.delete(order.id);
      const gone = await orders.list({ filters: [{ field: 'id', operator: 'equal', value: order.id }] });
      expect(gone).toEqual({ records: [], total: 0 });
    }
  });

  test('can be generated, and link to existing records', async () => {
    for (const session of await both(started, 'generated')) {
      await session.reset();
      const before = await session.countRecords();
      const ids = await session.generate('voucher', 30);
      expect(new Set(ids).size).toBe(30);
      expect(await session.countRecords()).toEqual({ ...before, voucher: (before.voucher ?? 0) + 30 });
      const made = (await session.records('voucher').list()).records.filter(({ id }) => ids.includes(id));
      expect(made).toHaveLength(30);
      for (const { customer } of made)
        expect(await session.records('customer').get(Number(customer))).toMatchObject({ deleted: false });
      const [next] = await session.generate('voucher', 1, { seed: 1 });
      expect(next).toBe(Math.max(...ids) + 1);
      // Lines come with their order, and the totals of others follow.
      const [order = 0] = await session.generate('stockOrder', 1);
      const total = (await session.records('stockOrder').get(order))?.total;
      expect(total).toBeGreaterThan(0);
      const links = await session.records('stockOrder').links(order);
      expect(links).toMatchObject([{ model: 'stockOrderLine', field: 'stockOrder' }]);
      await expect(session.generate('brnd', 1)).rejects.toThrow('Did you mean "brand"?');
      await expect(session.generate('voucher', 1001)).rejects.toThrow('1000');
    }
  });

  test('can be created from samples', async () => {
    const session = started.mock.session('samples');
    for (const name of catalogue.models.keys()) {
      const { values } = await session.sample(name);
      const created = session.records(name).create(values, { fill: false });
      expect(await created).toMatchObject({ id: expect.any(Number) });
    }
  });
});

test('a list of records has paging and sorting, in the process and remotely', async () => {
  await using started = await serveMock({ fixtures: { brand: brands(2100) } });
  for (const session of await both(started, 'list')) {
    const all = session.records('brand');
    expect((await all.list()).records).toHaveLength(2100);
    expect((await all.list({ limit: 3, offset: 2 })).records.map(({ id }) => id)).toEqual([3, 4, 5]);
    expect((await all.list({ limit: 2, sort: '-id' })).records.map(({ id }) => id)).toEqual([2100, 2099]);
    expect((await all.list({ offset: 2098 })).records.map(({ id }) => id)).toEqual([2099, 2100]);
  }
  const { body } = await started.ask('GET', '/__mock/records/brand?sort=name,-id');
  expect([body.records?.length, body.total]).toEqual([50, 2100]);
});

test('an invalid record is rejected with at most 100 violations', async () => {
  await using started = await serveMock();
  const { ask, mock } = started;
  expect(await ask('POST', '/__mock/records/brand', '{')).toMatchObject({ status: 400 });
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`field${index}`, 1]));
  const bounded = await ask('POST', '/__mock/records/brand', many);
  expect([bounded.status, bounded.body.violations?.length]).toEqual([422, 100]);
  const far = connectMock(started.url).session('default');
  await expect(far.records('brand').create({}, { fill: false })).rejects.toThrow(
    '422: The brand is invalid: /name is required',
  );
  await expect(mock.records('brand').create({}, { fill: false })).rejects.toMatchObject({
    violations: [{ pointer: '/name', message: 'is required' }],
  });
});

test("a record that the profile can't represent is rejected", async () => {
  await using mock = await createMock({ profile: { 'limits.text': 5 } });
  await expect(mock.records('brand').create({ name: 'too long' })).rejects.toThrow(
    'does not fit the profile of the mock: it must have at most 5 characters, but has 8',
  );
  await expect(mock.records('customer').create({ birthdate: '2025-02-31' })).rejects.toThrow(
    '/birthdate must be a date such as 2025-10-22, but is "2025-02-31"',
  );
});
