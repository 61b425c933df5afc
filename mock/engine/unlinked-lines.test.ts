import { describe, expect, test } from 'vitest';
import { few, references, startMock } from '../../testing/mocks/mocks.ts';
import { idsIn, line, order, read } from '../../testing/mocks/stock-orders.ts';

describe('lines without a link to their parent', () => {
  const unlinked = new Map([...references].filter(([key]) => key !== 'stockOrderLine.stockOrder'));
  const sent = {
    ...order,
    lines: [
      { ...line, stockOrder: 5 },
      { ...line, stockOrder: 6 },
    ],
  };

  test('are held by the parent, and keep what was sent', async () => {
    const asked = await startMock({}, { references: unlinked });
    const made = await asked.create('stockOrder', sent);
    expect(made).toMatchObject({
      lines: [
        { id: 1, stockOrder: 5 },
        { id: 2, stockOrder: 6 },
      ],
      amount: 6,
    });
    await asked.ask('DELETE', '/stockOrderLine/1');
    expect(await idsIn(asked, '/stockOrder/1')).toEqual([2]);
    await asked.ask('POST', '/stockOrder/1', { lines: [{ ...line, id: 2, stockOrder: 8 }] });
    expect(await read(asked, '/stockOrder/1')).toMatchObject({ lines: [{ id: 2, stockOrder: 8 }] });
    await asked.ask('POST', '/stockOrder/1', { lines: [{ ...line, stockOrder: 7 }] });
    expect(await idsIn(asked, '/stockOrder/1')).toEqual([3]);
    expect(await idsIn(asked, '/stockOrderLine')).toEqual([3]);
  });

  test('can be fixtures, as ids in the parent', async () => {
    const fixtures = new Map<string, Record<string, unknown>[]>([
      ['stockOrder', [{ id: 1, globalDiscount: 0, status: 0, lines: [4] }]],
      ['stockOrderLine', [{ ...line, id: 4, stockOrder: 9 }]],
    ]);
    const asked = await startMock({}, { references: unlinked, fixtures, catalogue: few });
    expect(await read(asked, '/stockOrder/1')).toMatchObject({ lines: [{ id: 4 }], amount: 3 });
  });
});
