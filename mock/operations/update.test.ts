import { describe, expect, test } from 'vitest';
import type { Field } from '../../spec/catalogue/field.ts';
import { catalogue, few, startMock, violationsOf } from '../../testing/mocks/mocks.ts';

describe('an update', () => {
  test('changes what is sent, keeps the rest and says when', async () => {
    const { ask, create, wait } = await startMock();
    const made = await create('warehouse', { name: 'a', comments: 'b' });
    wait(60);
    const answer = await ask('POST', '/warehouse/1', { comments: 'c' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...made, comments: 'c', updated: '2025-10-22T09:31:00Z' });
    expect((await ask('GET', '/warehouse/1')).body).toEqual(answer.body);
  });

  test('unsets an optional field with null and refuses it for a required one', async () => {
    const { ask, create } = await startMock();
    await create('warehouse', { name: 'a', comments: 'b' });
    expect((await ask('POST', '/warehouse/1', { comments: null })).body).toMatchObject({ comments: null });
    expect(violationsOf(await ask('POST', '/warehouse/1', { name: null }))).toHaveLength(1);
    expect((await ask('GET', '/warehouse/1')).body).toMatchObject({ name: 'a' });
  });

  test('says that a record is unknown before it says what else is wrong', async () => {
    const { ask } = await startMock();
    expect((await ask('POST', '/warehouse/7', { nam: 1 })).status).toBe(404);
  });

  test('can not change what is readonly', async () => {
    const { ask, create } = await startMock();
    await create('warehouse', { name: 'a' });
    const sent = { id: 9, created: '2020-01-01T00:00:00Z', createUser: 7, deleted: true };
    expect((await ask('POST', '/warehouse/1', sent)).body).toMatchObject({
      id: 1,
      createUser: 1,
      deleted: false,
    });
    expect((await ask('GET', '/warehouse/9')).status).toBe(404);
  });
});

test('null in an update keeps the value of an optional field, if the profile ignores null', async () => {
  const { ask, create } = await startMock({ 'request.null': 'ignore' });
  await create('warehouse', { name: 'a', comments: 'b' });
  expect((await ask('POST', '/warehouse/1', { comments: null })).body).toMatchObject({ comments: 'b' });
  expect((await ask('POST', '/warehouse/1', { comments: 'c' })).body).toMatchObject({ comments: 'c' });
});

test('a full update asks for the required fields and unsets the others', async () => {
  const { ask, create } = await startMock({ 'request.update': 'full' });
  await create('warehouse', { name: 'a', comments: 'b' });
  expect(violationsOf(await ask('POST', '/warehouse/1', { comments: 'c' }))).toEqual(['/name is required']);
  expect((await ask('POST', '/warehouse/1', { name: 'd' })).body).toMatchObject({
    name: 'd',
    comments: null,
  });
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

test('a status of a line with listed transitions moves only along them when it is changed with its parent', async () => {
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

test('a status with listed transitions moves as listed, stays as it is, and goes nowhere else', async () => {
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

test('a status with listed transitions begins in a state that is listed for new records', async () => {
  const { ask, create } = await startMock({ transitions: { 'relationship.status': { new: [1], 1: [2] } } });
  expect(violationsOf(await ask('POST', '/relationship', { ...sent, status: 2 }))).toEqual([
    "/status can't be 2 in a new record. Allowed values: 1",
  ]);
  expect(await create('relationship', { ...sent, status: 1 })).toMatchObject({ status: 1 });
  expect((await ask('POST', '/relationship/1', { status: 2 })).status).toBe(200);
});

test('a status with listed transitions begins in any state, and moves anywhere where no moves are listed', async () => {
  const { create } = await startMock(settings);
  expect(await create('relationship', { ...sent, status: 4 })).toMatchObject({ status: 4 });
  const free = await startMock();
  await free.create('relationship', { ...sent, status: 4 });
  expect((await free.ask('POST', '/relationship/1', { status: 1 })).status).toBe(200);
});

test('a delete that marks answers the record as it was left, which can be read and is in no list', async () => {
  const { ask, create, wait } = await startMock();
  const made = await create('warehouse', { name: 'a' });
  wait(1);
  const answer = await ask('DELETE', '/warehouse/1');
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ ...made, deleted: true, updated: '2025-10-22T09:30:01Z' });
  expect((await ask('GET', '/warehouse/1')).body).toEqual(answer.body);
  const list = await ask('GET', '/warehouse');
  expect([list.body, list.headers['x-total-count']]).toEqual([[], '0']);
});

test('a delete that marks can be hidden from reading and shown in lists', async () => {
  const { ask, create } = await startMock({ 'delete.effect': 'mark-only-listed' });
  await create('warehouse', { name: 'a' });
  await ask('DELETE', '/warehouse/1');
  expect((await ask('GET', '/warehouse/1')).status).toBe(404);
  expect((await ask('GET', '/warehouse')).body).toMatchObject([{ id: 1, deleted: true }]);
  expect((await ask('GET', '/warehouse?deleted=false')).body).toEqual([]);
});

test('a delete that marks leaves a record that can be neither changed nor deleted again', async () => {
  const { ask, create } = await startMock({ 'status.unknownRecord': 410 });
  await create('warehouse', { name: 'a' });
  await ask('DELETE', '/warehouse/1');
  expect((await ask('DELETE', '/warehouse/1')).status).toBe(410);
  expect((await ask('POST', '/warehouse/1', { name: 'b' })).status).toBe(410);
  expect((await ask('GET', '/warehouse/1')).body).toMatchObject({ name: 'a' });
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

test('a delete that removes is all there is for a model without the field deleted', async () => {
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

test.each([
  [{ 'delete.answer': 'none' }, 200, undefined],
  [{ 'delete.answer': 'flag' }, 200, { deleted: true }],
  [{ 'delete.answer': 'flag', 'types.bool': 'int', 'response.record': '/data' }, 200, { deleted: 1 }],
  [{ 'delete.answer': 'flag', 'status.deleted': 204 }, 204, undefined],
  [{ 'status.deleted': 202, 'response.record': '/data' }, 202, { data: expect.objectContaining({ id: 1 }) }],
])('the answer to a delete is as %j says', async (settings, status, body) => {
  const { ask } = await startMock(settings, { fixtures: { warehouse: [{ id: 1, name: 'a' }] } });
  expect(await ask('DELETE', '/warehouse/1')).toMatchObject({ status, body });
});
