import { describe, expect, test } from 'vitest';
import { startMock } from '../../testing/mocks/mocks.ts';

describe('the totals of an invoice', () => {
  const invoiceLine = { description: 'a', price: 12.1, priceBeforeTaxes: 10, units: 3, taxRate: 21 };
  const invoice = { discountTotal: 0, currency: 'EUR', taxTotal: 0 };

  test('add up its lines, and never overwrite what is sent', async () => {
    const { create } = await startMock();
    const lines = [
      { ...invoiceLine, discountRate: 10 },
      { ...invoiceLine, totalBeforeTaxes: 5, total: 1 },
    ];
    expect(await create('stockInvoice', { ...invoice, taxTotal: 99, lines })).toMatchObject({
      number: 'F-000001',
      totalBeforeTaxes: 32,
      total: 38.72,
      pending: 38.72,
      taxTotal: 99,
      lines: [
        { stockInvoice: 1, taxAmount: 5.67, totalBeforeTaxes: null },
        { taxAmount: 1.05, totalBeforeTaxes: 5, total: 1 },
      ],
    });
  });

  test('keep what is paid when they change', async () => {
    const paid = { ...invoice, id: 1, number: 'A-1', totalBeforeTaxes: 30, total: 36.3, pending: 0 };
    const fixtures = new Map([
      ['stockInvoice', [paid]],
      ['stockInvoiceLine', [{ ...invoiceLine, id: 1, stockInvoice: 1 }]],
    ]);
    const { ask } = await startMock({}, { fixtures });
    const { body } = await ask('POST', '/stockInvoice/1', { lines: [{ ...invoiceLine, units: 4 }] });
    expect(body).toMatchObject({ number: 'A-1', total: 48.4, pending: 12.1 });
  });
});

describe('the quantities of an order', () => {
  const line = { product: 1, grossUnitCost: 1, amount: 0.125, discount: 0 };
  const order = { globalDiscount: 0, status: 0 };

  test('are no money, and keep their decimals', async () => {
    const { create } = await startMock();
    expect(await create('stockOrder', { ...order, lines: [line] })).toMatchObject({
      amount: 0.125,
      total: 0.13,
      lines: [{ pending: 0.125, difference: -0.125, total: 0.13 }],
    });
    const amounts = [0.1, 0.2, 1e-7].map((amount) => ({ ...line, amount }));
    expect(await create('stockOrder', { ...order, lines: amounts })).toMatchObject({
      amount: 0.3000001,
      lines: [{ pending: 0.1 }, { pending: 0.2 }, { pending: 1e-7 }],
    });
  });
});

test('money is rounded half up, and below zero the same way', async () => {
  const { create } = await startMock();
  const totals: unknown[] = [];
  for (const amount of [0.125, 1.005, 0.124, 0])
    for (const sign of [1, -1]) {
      const line = { product: 1, stockOrder: 9, grossUnitCost: 1, amount: sign * amount, discount: 0 };
      totals.push((await create('stockOrderLine', line)).total);
    }
  expect(totals).toEqual([0.13, -0.13, 1.01, -1.01, 0.12, -0.12, 0, 0]);
});

test('totals of absurd amounts stay numbers', async () => {
  const { create } = await startMock();
  const huge = { product: 1, amount: 1e308, grossUnitCost: 1e308, discount: -1e308 };
  const made = await create('stockOrder', {
    globalDiscount: 10,
    status: 0,
    lines: [huge, { ...huge, amount: -1e308 }],
  });
  for (const name of ['amount', 'total', 'received', 'globalDiscountAmount'])
    expect(made[name]).toEqual(expect.any(Number));
});
