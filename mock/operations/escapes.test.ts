import { describe, expect, test } from 'vitest';
import { startMock, violationsOf } from '../../testing/mocks/mocks.ts';

describe('a form', () => {
  const settings = { 'request.encoding': 'form' };

  test('whose escapes are no UTF-8 is unparsable, as JSON is', async () => {
    const { ask } = await startMock(settings);
    expect((await ask('POST', '/warehouse', 'name=%ff')).status).toBe(400);
    expect((await ask('GET', '/warehouse')).body).toEqual([]);
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
  ['%ff', 404],
  ['1%2F2', 404],
  ['%20', 404],
])('the id %s in a path is decoded: %i', async (segment, status) => {
  const { ask, create } = await startMock();
  await create('warehouse', { name: 'a' });
  expect((await ask('GET', `/warehouse/${segment}`)).status).toBe(status);
  expect((await ask('GET', `/ware%68ouse/${segment}`)).status).toBe(status);
});
