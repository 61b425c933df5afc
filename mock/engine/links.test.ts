import { describe, expect, test } from 'vitest';
import { few, references, startMock, violationsOf } from '../../testing/mocks/mocks.ts';
import { idsIn, line, order, read } from '../../testing/mocks/stock-orders.ts';

const fixtures = new Map([
  ['customer', [{ id: 1 }, { id: 2, deleted: true }]],
  ['stockDelivery', [{ id: 4 }]],
]);
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
