import { describe, expect, test } from 'vitest';
import { startMock, violationsOf } from '../../testing/mocks/mocks.ts';

const fixtures = { warehouse: [{ id: 1, name: 'a' }] };

const many = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`name${index}`, value]));
const lines = Array.from({ length: 200 }, () => ({ units: 'many', unknown: 1 }));
const query = Array.from({ length: 300 }, (_, index) => `name${index}=1`).join('&');

test.each([
  ['malformed', '{"name":', 'application/json'],
  ['empty', '', 'application/json'],
  ['a list', '[]', 'application/json'],
  ['of another media type', '{"name":"a"}', 'text/plain'],
  ['a form', 'name=a', 'application/x-www-form-urlencoded'],
  ['with excessive nesting', `{"name":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'application/json'],
  ['with excessive nesting and no end', '['.repeat(500_000), 'application/json'],
])('an unreadable body is rejected if it is %s', async (_what, sent, type) => {
  const { ask } = await startMock({ 'status.unparsable': 415 }, { fixtures });
  for (const path of ['/warehouse', '/warehouse/1'])
    expect((await ask('POST', path, sent, { 'content-type': type })).status).toBe(415);
  expect((await ask('GET', '/warehouse')).body).toMatchObject([{ id: 1, name: 'a' }]);
});

test('an unreadable body is rejected if it is not UTF-8 or has no media type', async () => {
  const { mock } = await startMock();
  const target = '/api/model/warehouse';
  const body = Buffer.from('{"name":"\xff"}', 'latin1');
  const json = { 'content-type': 'application/json; charset=utf-8' };
  expect((await mock.answer({ method: 'POST', target, headers: json, body })).status).toBe(400);
  expect((await mock.answer({ method: 'POST', target, headers: {}, body: Buffer.from('{}') })).status).toBe(
    400,
  );
  expect((await mock.answer({ method: 'POST', target, headers: json })).status).toBe(400);
});

test('a body with a list that is too long to compare is rejected', async () => {
  const { ask } = await startMock({ 'types.manyToMany': 'objects' });
  const tags = Array.from({ length: 60_000 }, (_, id) => ({ id }));
  const answer = await ask('POST', '/customer', { tags });
  expect(violationsOf(answer)).toContain('/tags must have at most 2000 items, but has 60000');
});

test('a body with long strings is checked quickly', async () => {
  const { ask } = await startMock();
  const long = 'a'.repeat(900_000);
  for (const sent of [
    { email: `a@${long}` },
    { web: `https://${long}` },
    { email: `${long}@` },
    { name: long },
  ])
    expect((await ask('POST', '/supplier', sent)).status).toBe(422);
}, 5000);

describe.each<Record<string, unknown>>([{}, { 'request.references': 'reject' }])('under %j', (settings) => {
  test.each([
    ['unknown fields', 'POST', '/warehouse', many(90_000)],
    ['unknown parameters', 'GET', `/warehouse?${query}`, undefined],
    ['lines', 'POST', '/stockOrder', { lines }],
    ['unknown parameters and fields', 'POST', `/warehouse?${query}`, many(300)],
  ])('the response to %s has at most 100 violations', async (_, method, path, sent) => {
    const fixtures = { warehouse: [{ id: 1, name: 'Central' }] };
    const { ask, mock } = await startMock(settings, { bodyLimit: 4_000_000, fixtures });
    const answer = await ask(method, path, sent);
    expect(answer.status).toBe(422);
    expect(violationsOf(answer).length).toBeLessThanOrEqual(100);
    const [seen] = await mock.requests();
    expect(seen?.violations?.length).toBeLessThanOrEqual(100);
    await mock.close();
  });
});

test('at most 100 ignored fields are logged, and none of them changes the record', async () => {
  const { ask, create, mock } = await startMock({ 'request.unknownFields': 'ignore' });
  const made = await create('warehouse', { ...many(200), name: 'a' });
  expect((await ask('GET', `/warehouse/${made.id}`)).body).toMatchObject({ name: 'a' });
  expect((await mock.requests())[0]?.ignored).toHaveLength(100);
  await mock.close();
});

test('an object as value requires its members', async () => {
  const { ask } = await startMock({ 'types.select': 'object' });
  const refused = await ask('POST', '/voucherType', { kind: { name: 'a' } });
  expect(violationsOf(refused)).toContain('/kind/value is required');
});

const voucherType = {
  name: 'a',
  kind: 3,
  product: 7,
  startTime: '09:30:00',
  endTime: '21:00:00',
  daysOfWeek: [1, 7],
  expiration: 'P30D',
  shortDescription: '',
};

describe('a form', () => {
  const settings = { 'request.encoding': 'form' };

  test('clears fields with an empty string, except strings, and can have an empty list or no fields', async () => {
    const { ask, create } = await startMock(settings);
    await create('voucherType', voucherType);
    const sent = 'expiration=&startTime=&customerTag=&shortDescription=&daysOfWeek[]=';
    expect((await ask('POST', '/voucherType/1', sent)).body).toMatchObject({
      expiration: null,
      startTime: null,
      customerTag: null,
      shortDescription: '',
      daysOfWeek: [],
    });
    expect((await ask('POST', '/stockDelivery', '')).status).toBe(201);
    expect(violationsOf(await ask('POST', '/voucherType/1', 'product=&kind='))).toHaveLength(2);
  });

  test('is rejected if its values do not match the types', async () => {
    const { ask } = await startMock(settings);
    const answer = await ask(
      'POST',
      '/relationship',
      'customer=x&customer2=1&customer2=2&status=1.0&allowLogin=yes&allowPayVoucher=1',
    );
    expect(violationsOf(answer)).toEqual([
      '/customer must be an integer, but is "x"',
      '/customer2 must be an integer, but is [1,2]',
      '/allowLogin must be true or false, but is "yes"',
      '/allowPayVoucher must be true or false, but is "1"',
    ]);
  });

  test.each([
    'name=%ff',
    `${'a[b]'.repeat(20)}=1`,
    Array.from({ length: 3000 }, (_, i) => `tags[]=${i}`).join('&'),
  ])('that is not UTF-8 or too large is rejected: %.20s', async (text) => {
    const { ask } = await startMock(settings);
    expect((await ask('POST', '/customer', text)).status).toBe(400);
    expect((await ask('GET', '/customer')).body).toEqual([]);
  });

  test.each(['__proto__[x]=1&name=a', '__proto__=1&name=a'])(
    'is rejected for the unknown field in %s',
    async (body) => {
      const answer = await (await startMock(settings)).ask('POST', '/warehouse', body);
      expect(answer.status).toBe(422);
      expect(violationsOf(answer).join()).toContain('/__proto__ is not a known writable field');
      const ignoring = await startMock({ ...settings, 'request.unknownFields': 'ignore' });
      expect((await ignoring.ask('POST', '/warehouse', body)).body).toMatchObject({ id: 1, name: 'a' });
      expect(({} as { x?: unknown }).x).toBeUndefined();
    },
  );

  test('is rejected for an unknown field named __proto__ in a line', async () => {
    const { ask } = await startMock(settings);
    const line = 'lines[0][product]=1&lines[0][grossUnitCost]=1&lines[0][amount]=1&lines[0][discount]=0';
    const order = `globalDiscount=0&status=0&${line}`;
    expect((await ask('POST', '/stockOrder', order)).status).toBe(201);
    const answer = await ask('POST', '/stockOrder', `${order}&lines[0][__proto__][x]=1`);
    expect(violationsOf(answer).join()).toContain('/lines/0/__proto__ is not a known writable field');
  });
});

test.each([
  ['1', 200],
  ['%31', 200],
  ['%2531', 404],
  ['%', 404],
  ['%20', 404],
])('a percent-encoded ID %s in a path is decoded: %i', async (segment, status) => {
  const { ask, create } = await startMock();
  await create('warehouse', { name: 'a' });
  expect((await ask('GET', `/warehouse/${segment}`)).status).toBe(status);
  expect((await ask('GET', `/ware%68ouse/${segment}`)).status).toBe(status);
});
