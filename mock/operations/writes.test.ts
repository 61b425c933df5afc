import { expect, test } from 'vitest';
import type { Field } from '../../spec/catalogue/field.ts';
import { catalogue, few, startMock, violationsOf } from '../../testing/mocks/mocks.ts';
import { WAREHOUSE_1 } from '../../testing/mocks/use-forwarding.ts';

const LINE = { product: 1, grossUnitCost: 10, amount: 3, discount: 0 };

test('a create responds with 201, the complete record, and its location', async () => {
  const { ask } = await startMock();
  const answer = await ask('POST', '/warehouse', { name: 'Tienda' });
  expect(answer).toMatchObject({
    status: 201,
    headers: { 'content-type': 'application/json', location: '/api/model/warehouse/1' },
    body: { ...WAREHOUSE_1, name: 'Tienda' },
  });
  expect((await ask('GET', '/warehouse/1')).body).toEqual(answer.body);
});

test('a create reports all violations in one response, and stores nothing', async () => {
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

test("a create rejects numbers that JSON can't represent exactly", async () => {
  const { ask } = await startMock();
  const answer = await ask('POST', '/relationship', '{"customer":9007199254740993,"customer2":1e999}');
  expect(violationsOf(answer)).toContain(
    '/customer must be an integer of at most 9007199254740991, but is 9007199254740992',
  );
  expect(violationsOf(answer)).toContain('/customer2 must be an integer, but is Infinity');
});

const ORDER = { globalDiscount: 0, status: 0, lines: [LINE] };

test.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])(
  'an unknown field named %s is rejected or ignored, without side effects',
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

test('a readonly field that is sent is refused where the profile says so, each with its pointer', async () => {
  const { ask } = await startMock({ 'request.readonlyFields': 'reject' });
  const sent = { ...ORDER, id: 99, total: 5, lines: [{ ...LINE, total: -1 }] };
  expect(violationsOf(await ask('POST', '/stockOrder', sent))).toEqual([
    '/id is readonly and must not be sent',
    '/total is readonly and must not be sent',
    '/lines/0/total is readonly and must not be sent',
  ]);
});

test('a required readonly field gets a value of its type', async () => {
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

test('an update says that a record is unknown before it says what else is wrong', async () => {
  const { ask } = await startMock();
  expect((await ask('POST', '/warehouse/7', { nam: 1 })).status).toBe(404);
});

test('null in an update keeps the value of an optional field, if the profile ignores null', async () => {
  const { ask, create } = await startMock({ 'request.null': 'ignore' });
  await create('warehouse', { name: 'a', comments: 'b' });
  expect((await ask('POST', '/warehouse/1', { comments: null })).body).toMatchObject({ comments: 'b' });
  expect((await ask('POST', '/warehouse/1', { comments: 'c' })).body).toMatchObject({ comments: 'c' });
});

const model = catalogue.models.get('stockOrderLine');
const choices = [1, 2, 3].map((value) => ({ value, name: `state ${value}` }));
const status: Field = {
  name: 'status',
  key: 'stockOrderLine.status',
  type: 'select',
  choices,
  required: true,
  readonly: false,
  common: false,
};

test('the status of a line changes only along its transitions when its parent is updated', async () => {
  if (!model) throw new Error('no such model');
  const models = new Map(few.models).set(model.name, { ...model, fields: [...model.fields, status] });
  const { ask, create } = await startMock(
    { transitions: { 'stockOrderLine.status': { 1: [2], 2: [3] } } },
    { catalogue: { ...few, models } },
  );
  const line = { product: 1, grossUnitCost: 1, amount: 1, discount: 0, status: 1 };
  await create('stockOrder', { globalDiscount: 0, status: 0, lines: [line, line] });
  const lines = [
    { ...line, id: 2, status: 3 },
    { ...line, status: 3 },
    { ...line, id: 1, status: 2 },
  ];
  const answer = await ask('POST', '/stockOrder/1', { lines });
  expect([answer.status, violationsOf(answer)]).toEqual([
    422,
    ["/lines/0/status can't change from 1 to 3. Allowed values: 1, 2"],
  ]);
  expect((await ask('POST', '/stockOrder/1', { lines: lines.slice(1) })).status).toBe(200);
});

const settings = { transitions: { 'relationship.status': { 1: [2, 3], 2: [4] } } };
const sent = { customer: 1, customer2: 2, allowLogin: true, allowPayVoucher: false };

test('a status can change along its transitions or stay the same, and other changes are rejected', async () => {
  const { ask, create } = await startMock(settings);
  await create('relationship', { ...sent, status: 1 });
  expect((await ask('POST', '/relationship/1', { status: 1 })).status).toBe(200);
  const refused = await ask('POST', '/relationship/1', { status: 4, customer: 'x' });
  expect(violationsOf(refused)).toEqual([
    '/customer must be an integer, but is "x"',
    "/status can't change from 1 to 4. Allowed values: 1, 2, 3",
  ]);
  expect((await ask('POST', '/relationship/1', { status: 2 })).status).toBe(200);
  expect((await ask('POST', '/relationship/1', { status: 4 })).status).toBe(200);
  // No move from 4 is listed.
  expect(violationsOf(await ask('POST', '/relationship/1', { status: 1 }))).toHaveLength(1);
});

test('a new record can have each status, unless the profile lists the initial ones', async () => {
  const { ask, create } = await startMock({ transitions: { 'relationship.status': { new: [1], 1: [2] } } });
  expect(violationsOf(await ask('POST', '/relationship', { ...sent, status: 2 }))).toEqual([
    "/status can't be 2 in a new record. Allowed values: 1",
  ]);
  expect(await create('relationship', { ...sent, status: 1 })).toMatchObject({ status: 1 });
  expect((await ask('POST', '/relationship/1', { status: 2 })).status).toBe(200);
  const free = await startMock(settings);
  expect(await free.create('relationship', { ...sent, status: 4 })).toMatchObject({ status: 4 });
});

test('a delete that marks can be hidden from reading and shown in lists', async () => {
  const { ask, create } = await startMock({ 'delete.effect': 'mark-only-listed' });
  await create('warehouse', { name: 'a' });
  await ask('DELETE', '/warehouse/1');
  expect((await ask('GET', '/warehouse/1')).status).toBe(404);
  expect((await ask('GET', '/warehouse')).body).toMatchObject([{ id: 1, deleted: true }]);
  expect((await ask('GET', '/warehouse?deleted=false')).body).toEqual([]);
});

test('a delete that removes answers the record as it was, and leaves nothing to read', async () => {
  const { ask, create, wait } = await startMock({ 'delete.effect': 'remove' });
  await create('warehouse', { name: 'a' });
  const before = (await ask('GET', '/warehouse/1')).body;
  wait(5);
  expect((await ask('DELETE', '/warehouse/1')).body).toEqual(before);
  expect(before).toMatchObject({ name: 'a', deleted: false });
  expect((await ask('GET', '/warehouse/1')).status).toBe(404);
  expect((await ask('GET', '/warehouse')).body).toEqual([]);
});

test('a model without the field deleted removes records', async () => {
  const task = catalogue.models.get('subscriptionTask');
  if (!task) throw new Error('no such model');
  const writable = new Map(few.models).set('subscriptionTask', {
    ...task,
    operations: ['retrieve', 'list', 'create', 'update', 'delete'],
  });
  const { ask, create } = await startMock({}, { catalogue: { ...few, models: writable } });
  await create('subscriptionTask', { type: 1 });
  expect((await ask('DELETE', '/subscriptionTask/1')).body).not.toHaveProperty('deleted');
  expect((await ask('GET', '/subscriptionTask/1')).status).toBe(404);
});
