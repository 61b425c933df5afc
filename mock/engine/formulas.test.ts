import { describe, expect, test } from 'vitest';
import { few, references, startMock, violationsOf } from '../../testing/mocks/mocks.ts';
import { idsIn, line, order, read } from '../../testing/mocks/stock-orders.ts';

const invoiceLine = { description: 'a', price: 12.1, priceBeforeTaxes: 10, units: 3, taxRate: 21 };
const invoice = { discountTotal: 0, currency: 'EUR', taxTotal: 0 };

test('the totals of an invoice add up its lines, and never overwrite what is sent', async () => {
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

test('the totals of an invoice keep what is paid when they change', async () => {
  const paid = { ...invoice, id: 1, number: 'A-1', totalBeforeTaxes: 30, total: 36.3, pending: 0 };
  const fixtures = { stockInvoice: [paid], stockInvoiceLine: [{ ...invoiceLine, id: 1, stockInvoice: 1 }] };
  const { ask } = await startMock({}, { fixtures });
  const { body } = await ask('POST', '/stockInvoice/1', { lines: [{ ...invoiceLine, units: 4 }] });
  expect(body).toMatchObject({ number: 'A-1', total: 48.4, pending: 12.1 });
});

test('the quantities of an order are no money, and keep their decimals', async () => {
  const { create } = await startMock();
  const line = { product: 1, grossUnitCost: 1, amount: 0.125, discount: 0 };
  const order = { globalDiscount: 0, status: 0 };
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

const fixtures = { customer: [{ id: 1 }, { id: 2, deleted: true }], stockDelivery: [{ id: 4 }] };
const deposit = { customer2: 1, allowLogin: true, allowPayVoucher: false, status: 1 };

describe.each<Record<string, unknown>>([{}, { 'types.lines': 'ids', 'request.encoding': 'form' }])(
  'under %j',
  (settings) => {
    test('a link has to lead somewhere where the profile says so', async () => {
      const { ask, create, profile } = await startMock(
        { 'request.references': 'reject', ...settings },
        { fixtures, lenient: true },
      );
      for (const customer of [2, 99]) {
        const refused = await ask('POST', '/relationship', { ...deposit, customer });
        expect(refused.status).toBe(profile['status.invalid']);
        expect(violationsOf(refused)).toEqual([
          `/customer must be the ID of an existing customer record, but is ${customer}`,
        ]);
      }
      const { id } = await create('relationship', { ...deposit, customer: 1 });
      expect((await ask('POST', `/relationship/${id}`, { ...deposit, customer: 99 })).status).toBe(
        profile['status.invalid'],
      );
      expect((await ask('GET', `/relationship/${id}`)).body).toMatchObject({ customer: 1 });
    });

    test('and may lead nowhere where it does not', async () => {
      const { create } = await startMock(settings, { fixtures, lenient: true });
      expect(await create('relationship', { ...deposit, customer: 99 })).toMatchObject({ customer: 99 });
    });
  },
);

test('links of lines and of lists of links are looked at too', async () => {
  const { ask, create } = await startMock({ 'request.references': 'reject' }, { fixtures, lenient: true });
  const line = { description: 'a', price: 1, priceBeforeTaxes: 1, units: 1 };
  const invoice = {
    lines: [line, { ...line, deliveryLine: 9 }],
    discountTotal: 0,
    currency: 'EUR',
    taxTotal: 0,
  };
  expect(violationsOf(await ask('POST', '/stockInvoice', invoice))).toEqual([
    '/lines/1/deliveryLine must be the ID of an existing stockDeliveryLine record, but is 9',
  ]);
  expect(await create('stockInvoice', { ...invoice, lines: [line] })).toMatchObject({ id: 1 });
});

const unlinked = new Map([...references].filter(([key]) => key !== 'stockOrderLine.stockOrder'));
const sent = {
  ...order,
  lines: [
    { ...line, stockOrder: 5 },
    { ...line, stockOrder: 6 },
  ],
};

test('lines without a link to their parent are held by the parent, and keep what was sent', async () => {
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

test('lines without a link to their parent can be fixtures, as ids in the parent', async () => {
  const fixtures = {
    stockOrder: [{ id: 1, globalDiscount: 0, status: 0, lines: [4] }],
    stockOrderLine: [{ ...line, id: 4, stockOrder: 9 }],
  };
  const asked = await startMock({}, { references: unlinked, fixtures, catalogue: few });
  expect(await read(asked, '/stockOrder/1')).toMatchObject({ lines: [{ id: 4 }], amount: 3 });
});
