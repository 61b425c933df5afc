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
  ['nested without end', `{"name":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'application/json'],
  ['nested without end and cut off', '['.repeat(500_000), 'application/json'],
])('a body that can not be read is refused when it is %s', async (_what, sent, type) => {
  const { ask } = await startMock({ 'status.unparsable': 415 }, { fixtures });
  for (const path of ['/warehouse', '/warehouse/1'])
    expect((await ask('POST', path, sent, { 'content-type': type })).status).toBe(415);
  expect((await ask('GET', '/warehouse')).body).toMatchObject([{ id: 1, name: 'a' }]);
});

test('a body that can not be read is refused when it is no UTF-8 or has no type', async () => {
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

test('a hostile body with a list that is too long to compare is refused', async () => {
  const { ask } = await startMock({ 'types.manyToMany': 'objects' });
  const tags = Array.from({ length: 60_000 }, (_, id) => ({ id }));
  const answer = await ask('POST', '/customer', { tags });
  expect(violationsOf(answer)).toContain('/tags must have at most 2000 items, but has 60000');
});

test('a hostile body with long texts is checked in no time', async () => {
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
  ])('%s have at most 100 violations', async (_, method, path, sent) => {
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

test('fields that are ignored are noted up to 100, and the others do not change the record', async () => {
  const { ask, create, mock } = await startMock({ 'request.unknownFields': 'ignore' });
  const made = await create('warehouse', { ...many(200), name: 'a' });
  expect((await ask('GET', `/warehouse/${made.id}`)).body).toMatchObject({ name: 'a' });
  expect((await mock.requests())[0]?.ignored).toHaveLength(100);
  await mock.close();
});

test('a value that is an object needs its members', async () => {
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

  test('unsets with an empty text all but texts, and can hold an empty list, and nothing at all', async () => {
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

  test('is refused where its texts are not of the type', async () => {
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
  ])('that is no UTF-8 or beyond all bounds can not be read: %.20s', async (text) => {
    const { ask } = await startMock(settings);
    expect((await ask('POST', '/customer', text)).status).toBe(400);
    expect((await ask('GET', '/customer')).body).toEqual([]);
  });

  test.each(['__proto__[x]=1&name=a', '__proto__=1&name=a'])('has an unknown field in %s', async (body) => {
    const answer = await (await startMock(settings)).ask('POST', '/warehouse', body);
    expect(answer.status).toBe(422);
    expect(violationsOf(answer).join()).toContain('/__proto__ is not a known writable field');
    const ignoring = await startMock({ ...settings, 'request.unknownFields': 'ignore' });
    expect((await ignoring.ask('POST', '/warehouse', body)).body).toMatchObject({ id: 1, name: 'a' });
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  test('has one in a line too', async () => {
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
])('the id %s in a path is decoded: %i', async (segment, status) => {
  const { ask, create } = await startMock();
  await create('warehouse', { name: 'a' });
  expect((await ask('GET', `/warehouse/${segment}`)).status).toBe(status);
  expect((await ask('GET', `/ware%68ouse/${segment}`)).status).toBe(status);
});
