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

describe('a full update', () => {
  const settings = { 'request.update': 'full' };

  test('asks for the required fields and unsets the others', async () => {
    const { ask, create } = await startMock(settings);
    await create('warehouse', { name: 'a', comments: 'b' });
    expect(violationsOf(await ask('POST', '/warehouse/1', { comments: 'c' }))).toEqual(['/name is required']);
    expect((await ask('POST', '/warehouse/1', { name: 'd' })).body).toMatchObject({
      name: 'd',
      comments: null,
    });
  });
});

describe('a status of a line with listed transitions', () => {
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

  test('moves only along them when it is changed with its parent', async () => {
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
});

describe('a status with listed transitions', () => {
  const settings = { transitions: { 'relationship.status': { 1: [2, 3], 2: [4] } } };
  const sent = { customer: 1, customer2: 2, allowLogin: true, allowPayVoucher: false };

  test('moves as listed, stays as it is, and goes nowhere else', async () => {
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

  test('begins in a state that is listed for new records', async () => {
    const { ask, create } = await startMock({ transitions: { 'relationship.status': { new: [1], 1: [2] } } });
    expect(violationsOf(await ask('POST', '/relationship', { ...sent, status: 2 }))).toEqual([
      "/status can't be 2 in a new record. Allowed values: 1",
    ]);
    expect(await create('relationship', { ...sent, status: 1 })).toMatchObject({ status: 1 });
    expect((await ask('POST', '/relationship/1', { status: 2 })).status).toBe(200);
  });

  test('begins in any state, and moves anywhere where no moves are listed', async () => {
    const { create } = await startMock(settings);
    expect(await create('relationship', { ...sent, status: 4 })).toMatchObject({ status: 4 });
    const free = await startMock();
    await free.create('relationship', { ...sent, status: 4 });
    expect((await free.ask('POST', '/relationship/1', { status: 1 })).status).toBe(200);
  });
});
