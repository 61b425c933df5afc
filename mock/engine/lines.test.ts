import { describe, expect, test } from 'vitest';
import { startMock } from '../../testing/mocks/mocks.ts';
import { idsIn, line, order, read } from '../../testing/mocks/stock-orders.ts';

describe('lines given with their parent', () => {
  test('become records that carry its id, and are shown in it in full', async () => {
    const asked = await startMock();
    const made = await asked.create('stockOrder', order);
    const lines = (await asked.ask('GET', '/stockOrderLine')).body;
    expect(made.lines).toEqual(lines);
    expect(lines).toMatchObject([
      { id: 1, stockOrder: 1, product: 1 },
      { id: 2, stockOrder: 1, product: 2 },
    ]);
    expect((await asked.ask('GET', '/stockOrder')).body).toEqual([made]);
  });

  test('stay where an update does not name them, and are deleted with their parent, which still shows them', async () => {
    const asked = await startMock();
    await asked.create('stockOrder', order);
    await asked.ask('POST', '/stockOrder/1', { comments: 'a' });
    expect(await idsIn(asked, '/stockOrderLine')).toEqual([1, 2]);
    await asked.ask('POST', '/stockOrder/1', { lines: [line, line] });
    const { body } = await asked.ask('DELETE', '/stockOrder/1');
    expect(body).toMatchObject({ deleted: true, total: 27, lines: [{ id: 3, deleted: true }, { id: 4 }] });
    expect(await read(asked, '/stockOrder/1')).toEqual({ status: 200, ...(body as object) });
    expect(await idsIn(asked, '/stockOrderLine')).toEqual([]);
  });
});

describe('a line of its own', () => {
  test('stands in its parent, whose totals follow', async () => {
    const asked = await startMock();
    await asked.create('stockOrder', { ...order, lines: [] });
    asked.wait(5);
    const made = await asked.create('stockOrderLine', { ...line, stockOrder: 1 });
    expect(made).toMatchObject({ total: 15, globalDiscount: 10, globalDiscountAmount: 1.5, pending: 3 });
    expect(await read(asked, '/stockOrder/1')).toMatchObject({
      amount: 3,
      total: 13.5,
      globalDiscountAmount: 1.5,
      updated: '2025-10-22T09:30:05Z',
      lines: [made],
    });
    await asked.ask('POST', '/stockOrderLine/1', { amount: 4 });
    expect(await read(asked, '/stockOrder/1')).toMatchObject({ amount: 4, total: 18 });
    await asked.ask('DELETE', '/stockOrderLine/1');
    expect(await read(asked, '/stockOrder/1')).toMatchObject({ amount: 0, total: 0, lines: [] });
  });

  test('takes its part of the totals along to another parent', async () => {
    const asked = await startMock();
    await asked.create('stockOrder', order);
    await asked.create('stockOrder', { ...order, lines: [], globalDiscount: 0 });
    await asked.ask('POST', '/stockOrderLine/1', { stockOrder: 2 });
    expect(await read(asked, '/stockOrder/1')).toMatchObject({ amount: 2, lines: [{ id: 2 }] });
    expect(await read(asked, '/stockOrder/2')).toMatchObject({ amount: 3, total: 15, lines: [{ id: 1 }] });
  });

  test('that names a parent too early is not taken over by it', async () => {
    const asked = await startMock();
    await asked.create('stockOrderLine', { ...line, stockOrder: 1 });
    expect(await asked.create('stockOrder', { ...order, lines: [] })).toMatchObject({
      id: 2,
      lines: [],
      total: 0,
    });
  });
});
