import { expect, test } from 'vitest';
import { startMock, violationsOf } from '../../testing/mocks/mocks.ts';

const LINE = { product: 1, grossUnitCost: 10, amount: 3, discount: 0 };

test('a create answers 201 with the whole record and where it is', async () => {
  const { ask } = await startMock();
  const answer = await ask('POST', '/warehouse', { name: 'Tienda' });
  expect(answer).toMatchObject({
    status: 201,
    headers: { 'content-type': 'application/json', location: '/api/model/warehouse/1' },
    body: {
      id: 1,
      created: '2025-10-22T09:30:00Z',
      createUser: 1,
      updated: '2025-10-22T09:30:00Z',
      updateUser: 1,
      deleted: false,
      name: 'Tienda',
      comments: null,
    },
  });
  expect((await ask('GET', '/warehouse/1')).body).toEqual(answer.body);
});

test('a create names all that is wrong in one answer and stores nothing', async () => {
  const { ask } = await startMock();
  const answer = await ask('POST', '/stockOrder', {
    globalDiscount: 'ten',
    status: 9,
    dat: '2025-10-22',
    deliveryDate: '2025-13-40',
    lines: [LINE, { ...LINE, amount: '3', product: 1.5 }, {}],
  });
  expect(answer.status).toBe(422);
  expect(answer.headers['content-type']).toBe('application/problem+json');
  expect(answer.body).toMatchObject({ type: 'about:blank', title: 'Unprocessable Content', status: 422 });
  expect(violationsOf(answer).sort()).toEqual([
    '/dat is not a known writable field. Did you mean date?',
    '/deliveryDate must be a date such as 2025-10-22, but is "2025-13-40"',
    '/globalDiscount must be a number, but is "ten"',
    '/lines/1/amount must be a number, but is "3"',
    '/lines/1/product must be an integer, but is 1.5',
    '/lines/2/amount is required',
    '/lines/2/discount is required',
    '/lines/2/grossUnitCost is required',
    '/lines/2/product is required',
    '/status must be one of 0, 1, 2, 3, but is 9',
  ]);
  expect((await ask('GET', '/stockOrder')).body).toEqual([]);
  expect((await ask('GET', '/stockOrderLine')).body).toEqual([]);
});

test('a create refuses numbers that JSON can not hold exactly', async () => {
  const { ask } = await startMock();
  const answer = await ask('POST', '/relationship', '{"customer":9007199254740993,"customer2":1e999}');
  expect(violationsOf(answer)).toContain(
    '/customer must be an integer of at most 9007199254740991, but is 9007199254740992',
  );
  expect(violationsOf(answer)).toContain('/customer2 must be an integer, but is Infinity');
});

const ORDER = { globalDiscount: 0, status: 0, lines: [LINE] };

test('a field the model does not have is left out where the profile ignores it', async () => {
  const { ask } = await startMock({ 'request.unknownFields': 'ignore' });
  const { status, body } = await ask('POST', '/warehouse?what=1', { name: 'a', color: 'red' });
  expect(status).toBe(201);
  expect(body).not.toHaveProperty('color');
});

test.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])(
  'a field the model does not have is harmless when it is called %s',
  async (name) => {
    const strict = await startMock();
    const refused = await strict.ask('POST', '/warehouse', `{"name":"a","${name}":{"polluted":true}}`);
    expect(violationsOf(refused)).toEqual([
      expect.stringMatching(new RegExp(`^/${name} is not a known writable field`)),
    ]);
    const lenient = await startMock({ 'request.unknownFields': 'ignore' });
    const made = await lenient.ask('POST', '/warehouse', `{"name":"a","id":7,"${name}":{"polluted":true}}`);
    expect(made.status).toBe(201);
    expect(Object.keys(made.body as object)).not.toContain(name);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  },
);

test('an empty string in a required field is refused in a create and an update', async () => {
  const { ask, create } = await startMock();
  const blank = ['/name is required, but is empty'];
  expect(violationsOf(await ask('POST', '/warehouse', { name: '' }))).toEqual(blank);
  await create('warehouse', { name: ' ', comments: '' });
  expect(violationsOf(await ask('POST', '/warehouse/1', { name: '' }))).toEqual(blank);
  expect((await ask('GET', '/warehouse/1')).body).toMatchObject({ name: ' ', comments: '' });
});

test('an empty string in a required field is stored where the profile accepts it', async () => {
  const { ask, create } = await startMock({ 'request.blankStrings': 'accept' });
  expect(await create('warehouse', { name: '' })).toMatchObject({ name: '' });
  expect((await ask('POST', '/warehouse/1', { name: '' })).status).toBe(200);
});

test('a readonly field that is sent is never stored and no mistake by default', async () => {
  const { create } = await startMock();
  const made = await create('stockOrder', {
    ...ORDER,
    id: 99,
    deleted: true,
    created: 'whenever',
    total: 1_000_000,
    lines: [{ ...LINE, total: -1, id: 5 }],
  });
  expect(made).toMatchObject({ id: 1, deleted: false, total: 30, created: '2025-10-22T09:30:00Z' });
  expect(made.lines).toMatchObject([{ id: 1, total: 30 }]);
});

test('a readonly field that is sent is refused where the profile says so, each with its pointer', async () => {
  const { ask } = await startMock({ 'request.readonlyFields': 'reject' });
  const sent = { ...ORDER, id: 99, total: 5, lines: [{ ...LINE, total: -1 }] };
  expect(violationsOf(await ask('POST', '/stockOrder', sent))).toEqual([
    '/id is readonly and must not be sent',
    '/total is readonly and must not be sent',
    '/lines/0/total is readonly and must not be sent',
  ]);
});

test('a required readonly field has a value of its type', async () => {
  const { create } = await startMock();
  const made = await create('stockTransaction', {
    product: 1,
    warehouse: 1,
    amount: 1,
    grossUnitCost: 1,
    grossUnitPrice: 1,
    sku: 'a',
    supplierName: 'b',
  });
  expect(made).toMatchObject({ stock: 0, averageUnitCost: 0, type: 0, fkModel: null, fkId: null });
});
