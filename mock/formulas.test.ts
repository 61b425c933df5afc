import { describe, expect, test } from 'vitest';
import { startMock } from './ask.testing.ts';

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
      ...{ number: 'F-000001', totalBeforeTaxes: 32, total: 38.72, pending: 38.72, taxTotal: 99 },
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
