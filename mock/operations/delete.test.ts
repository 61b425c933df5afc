import { describe, expect, test } from 'vitest';
import { catalogue, few, startMock } from '../../testing/mocks/mocks.ts';

describe('a delete that marks', () => {
  test('answers the record as it was left, which can be read and is in no list', async () => {
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

  test('can be hidden from reading and shown in lists', async () => {
    const { ask, create } = await startMock({ 'delete.effect': 'mark-only-listed' });
    await create('warehouse', { name: 'a' });
    await ask('DELETE', '/warehouse/1');
    expect((await ask('GET', '/warehouse/1')).status).toBe(404);
    expect((await ask('GET', '/warehouse')).body).toMatchObject([{ id: 1, deleted: true }]);
    expect((await ask('GET', '/warehouse?deleted=false')).body).toEqual([]);
  });

  test('leaves a record that can be neither changed nor deleted again', async () => {
    const { ask, create } = await startMock({ 'status.unknownRecord': 410 });
    await create('warehouse', { name: 'a' });
    await ask('DELETE', '/warehouse/1');
    expect((await ask('DELETE', '/warehouse/1')).status).toBe(410);
    expect((await ask('POST', '/warehouse/1', { name: 'b' })).status).toBe(410);
    expect((await ask('GET', '/warehouse/1')).body).toMatchObject({ name: 'a' });
  });
});

describe('a delete that removes', () => {
  test('answers the record as it was, and leaves nothing to read', async () => {
    const { ask, create, wait } = await startMock({ 'delete.effect': 'remove' });
    await create('warehouse', { name: 'a' });
    const before = (await ask('GET', '/warehouse/1')).body;
    wait(5);
    expect((await ask('DELETE', '/warehouse/1')).body).toEqual(before);
    expect(before).toMatchObject({ name: 'a', deleted: false });
    expect((await ask('GET', '/warehouse/1')).status).toBe(404);
    expect((await ask('GET', '/warehouse')).body).toEqual([]);
  });

  test('is all there is for a model without the field deleted', async () => {
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
});

describe('the answer to a delete', () => {
  test.each([
    [{ 'delete.answer': 'none' }, 200, undefined],
    [{ 'delete.answer': 'flag' }, 200, { deleted: true }],
    [{ 'delete.answer': 'flag', 'types.bool': 'int', 'response.record': '/data' }, 200, { deleted: 1 }],
    [{ 'delete.answer': 'flag', 'status.deleted': 204 }, 204, undefined],
    [
      { 'status.deleted': 202, 'response.record': '/data' },
      202,
      { data: expect.objectContaining({ id: 1 }) },
    ],
  ])('is as %j says', async (settings, status, body) => {
    const { ask } = await startMock(settings, { fixtures: new Map([['warehouse', [{ id: 1, name: 'a' }]]]) });
    expect(await ask('DELETE', '/warehouse/1')).toMatchObject({ status, body });
  });
});
