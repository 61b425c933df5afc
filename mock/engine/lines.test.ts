import { describe, expect, test } from 'vitest';
import { few, references, startMock, violationsOf } from '../../testing/mocks/mocks.ts';
import { idsIn, line, order, read } from '../../testing/mocks/stock-orders.ts';

test('lines of a record stay if an update omits them, and are deleted with their parent', async () => {
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

test('a line that is created by itself appears in its parent, and changes its totals', async () => {
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

test('a line that links to a missing record is not added to a record that is created later', async () => {
  const asked = await startMock();
  await asked.create('stockOrderLine', { ...line, stockOrder: 1 });
  expect(await asked.create('stockOrder', { ...order, lines: [] })).toMatchObject({
    id: 2,
    lines: [],
    total: 0,
  });
});

describe('lines sent back with their ids', () => {
  test.each(['json', 'form'])('are changed, the others made or deleted, in %s', async (encoding) => {
    const asked = await startMock({ 'request.encoding': encoding });
    await asked.create('stockOrder', order);
    const { body } = await asked.ask('POST', '/stockOrder/1', {
      lines: [
        { ...line, id: 2, amount: 7, received: 5 },
        { ...line, product: 8 },
      ],
    });
    expect(body).toMatchObject({
      amount: 10,
      received: 0,
      lines: [
        { id: 2, amount: 7, received: 0, pending: 7, created: '2025-10-22T09:30:00Z' },
        { id: 3, product: 8 },
      ],
    });
    expect(await read(asked, '/stockOrderLine/1')).toMatchObject({ deleted: true });
  });

  test('are new lines if an ID repeats, belongs to a new record, or was deleted', async () => {
    const asked = await startMock();
    const twice = [
      { ...line, id: 1 },
      { ...line, id: 1, product: 2 },
    ];
    expect(await asked.create('stockOrder', { ...order, lines: twice })).toMatchObject({
      lines: [{ id: 1 }, { id: 2 }],
    });
    await asked.ask('POST', '/stockOrder/1', { lines: twice });
    expect(await idsIn(asked, '/stockOrder/1')).toEqual([1, 3]);
    await asked.ask('DELETE', '/stockOrderLine/1');
    await asked.ask('POST', '/stockOrder/1', { lines: twice });
    expect(await idsIn(asked, '/stockOrder/1')).toEqual([4, 5]);
  });

  test.each([
    ['partial', 8],
    ['full', null],
  ])('lose omitted values only if updates are full, not partial: %s', async (update, product) => {
    const asked = await startMock({ 'request.update': update });
    const invoiceLine = { description: 'a', price: 1, priceBeforeTaxes: 1, units: 1 };
    const invoice = { discountTotal: 0, currency: 'EUR', taxTotal: 0 };
    await asked.create('stockInvoice', { ...invoice, lines: [{ ...invoiceLine, product: 8 }] });
    const { body } = await asked.ask('POST', '/stockInvoice/1', {
      ...invoice,
      lines: [{ ...invoiceLine, id: 1 }],
    });
    expect(body).toMatchObject({ lines: [{ id: 1, product, stockInvoice: 1 }] });
  });

  test.each([
    ['json', null, 'must have a value, but is null'],
    ['json', 'one', 'must be an integer, but is "one"'],
    ['form', 'one', 'must be an integer, but is "one"'],
  ])('are rejected in %s if the ID is %j', async (encoding, id, found) => {
    const asked = await startMock({ 'request.encoding': encoding });
    await asked.create('stockOrder', order);
    const answer = await asked.ask('POST', '/stockOrder/1', { lines: [{ ...line, id }] });
    expect(answer.status).toBe(422);
    expect(violationsOf(answer)).toEqual([expect.stringContaining(`/lines/0/id ${found}`)]);
    expect(await idsIn(asked, '/stockOrder/1')).toEqual([1, 2]);
  });
});

const AS_IDS = { 'types.lines': 'ids' };
const bare = { globalDiscount: 0, status: 0, lines: [] as number[] };

test('lines shown as IDs are sent as IDs of records, which then link to the parent', async () => {
  const asked = await startMock(AS_IDS);
  for (const product of [1, 2, 3]) await asked.create('stockOrderLine', { ...line, product, stockOrder: 0 });
  expect(await asked.create('stockOrder', { ...bare, lines: [3, 1] })).toMatchObject({
    id: 1,
    lines: [1, 3],
    total: 30,
  });
  expect(await read(asked, '/stockOrderLine/3')).toMatchObject({ stockOrder: 1 });
  expect(await asked.create('stockOrder', { ...bare, lines: [3] })).toMatchObject({ lines: [3], total: 15 });
  expect(await read(asked, '/stockOrder/1')).toMatchObject({ lines: [1], total: 15 });
});

test('lines shown as IDs are rejected if no such record exists', async () => {
  const asked = await startMock(AS_IDS);
  await asked.create('stockOrderLine', { ...line, stockOrder: 0 });
  await asked.ask('DELETE', '/stockOrderLine/1');
  const answer = await asked.ask('POST', '/stockOrder', { ...bare, lines: [1, 7], status: 8 });
  expect(violationsOf(answer).sort()).toEqual([
    '/lines/0 must be the ID of an existing stockOrderLine record, but is 1',
    '/lines/1 must be the ID of an existing stockOrderLine record, but is 7',
    '/status must be one of 0, 1, 2, 3, but is 8',
  ]);
  expect(await idsIn(asked, '/stockOrder')).toEqual([]);
});

const invoiceLine = { description: 'a', price: 12.1, priceBeforeTaxes: 10, units: 3, taxRate: 21 };
const invoice = { discountTotal: 0, currency: 'EUR', taxTotal: 0 };

test('the totals of an invoice are the sums of its lines, and do not overwrite sent values', async () => {
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

test('the totals of an invoice keep the paid amount when they change', async () => {
  const paid = { ...invoice, id: 1, number: 'A-1', totalBeforeTaxes: 30, total: 36.3, pending: 0 };
  const fixtures = { stockInvoice: [paid], stockInvoiceLine: [{ ...invoiceLine, id: 1, stockInvoice: 1 }] };
  const { ask } = await startMock({}, { fixtures });
  const { body } = await ask('POST', '/stockInvoice/1', { lines: [{ ...invoiceLine, units: 4 }] });
  expect(body).toMatchObject({ number: 'A-1', total: 48.4, pending: 12.1 });
});

test('the quantities of an order keep their decimals, unlike amounts of money', async () => {
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

test('amounts of money are rounded half away from zero', async () => {
  const { create } = await startMock();
  const totals: unknown[] = [];
  for (const amount of [0.125, 1.005, 0.124, 0])
    for (const sign of [1, -1]) {
      const line = { product: 1, stockOrder: 9, grossUnitCost: 1, amount: sign * amount, discount: 0 };
      totals.push((await create('stockOrderLine', line)).total);
    }
  expect(totals).toEqual([0.13, -0.13, 1.01, -1.01, 0.12, -0.12, 0, 0]);
});

test('totals of extreme amounts are finite numbers', async () => {
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

const PEOPLE = { customer: [{ id: 1 }, { id: 2, deleted: true }], stockDelivery: [{ id: 4 }] };
const deposit = { customer2: 1, allowLogin: true, allowPayVoucher: false, status: 1 };

test('a link of a record or a line to a missing or deleted record is rejected if the profile says so', async () => {
  const { ask, create } = await startMock(
    { 'request.references': 'reject' },
    { fixtures: PEOPLE, lenient: true },
  );
  for (const customer of [2, 99])
    expect(violationsOf(await ask('POST', '/relationship', { ...deposit, customer }))).toEqual([
      `/customer must be the ID of an existing customer record, but is ${customer}`,
    ]);
  const { id } = await create('relationship', { ...deposit, customer: 1 });
  expect((await ask('POST', `/relationship/${id}`, { customer: 99 })).status).toBe(422);
  expect((await ask('GET', `/relationship/${id}`)).body).toMatchObject({ customer: 1 });
  const lines = [invoiceLine, { ...invoiceLine, deliveryLine: 9 }];
  expect(violationsOf(await ask('POST', '/stockInvoice', { ...invoice, lines }))).toEqual([
    '/lines/1/deliveryLine must be the ID of an existing stockDeliveryLine record, but is 9',
  ]);
  expect(await create('stockInvoice', { ...invoice, lines: [invoiceLine] })).toMatchObject({ id: 1 });
});

const unlinked = new Map([...references].filter(([key]) => key !== 'stockOrderLine.stockOrder'));
const sent = {
  ...order,
  lines: [
    { ...line, stockOrder: 5 },
    { ...line, stockOrder: 6 },
  ],
};

test('lines whose link to their parent is undeclared belong to the parent, and keep the sent values', async () => {
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

test('lines whose link to their parent is undeclared can be fixtures, as IDs in the parent', async () => {
  const fixtures = {
    stockOrder: [{ id: 1, globalDiscount: 0, status: 0, lines: [4] }],
    stockOrderLine: [{ ...line, id: 4, stockOrder: 9 }],
  };
  const asked = await startMock({}, { references: unlinked, fixtures, catalogue: few });
  expect(await read(asked, '/stockOrder/1')).toMatchObject({ lines: [{ id: 4 }], amount: 3 });
});
