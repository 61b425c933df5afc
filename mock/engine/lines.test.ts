import { describe, expect, test } from 'vitest';
import { demo } from '../../testing/demo.ts';
import { catalogue, startMock, violationsOf } from '../../testing/mocks/mocks.ts';
import { idsIn, line, order, read } from '../../testing/mocks/stock-orders.ts';

test('lines given with their parent become records that carry its id, and are shown in it in full', async () => {
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

test('lines given with their parent stay where an update does not name them, and are deleted with their parent, which still shows them', async () => {
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

test('a line of its own stands in its parent, whose totals follow', async () => {
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

test('a line of its own takes its part of the totals along to another parent', async () => {
  const asked = await startMock();
  await asked.create('stockOrder', order);
  await asked.create('stockOrder', { ...order, lines: [], globalDiscount: 0 });
  await asked.ask('POST', '/stockOrderLine/1', { stockOrder: 2 });
  expect(await read(asked, '/stockOrder/1')).toMatchObject({ amount: 2, lines: [{ id: 2 }] });
  expect(await read(asked, '/stockOrder/2')).toMatchObject({ amount: 3, total: 15, lines: [{ id: 1 }] });
});

test('a line of its own that names a parent too early is not taken over by it', async () => {
  const asked = await startMock();
  await asked.create('stockOrderLine', { ...line, stockOrder: 1 });
  expect(await asked.create('stockOrder', { ...order, lines: [] })).toMatchObject({
    id: 2,
    lines: [],
    total: 0,
  });
});

describe('lines sent back with their ids', () => {
  test('are the same lines, and keep what only the service writes', async () => {
    const { ask, wait } = await startMock({}, { catalogue, fixtures: demo });
    wait(60);
    for (const model of ['stockOrder', 'stockInvoice']) {
      const list = (await ask('GET', `/${model}?deleted=false`)).body as Record<string, unknown>[];
      expect(list.length).toBeGreaterThan(2);
      for (const record of list) {
        const { status, body } = await ask('POST', `/${model}/${record.id}`, record);
        expect([status, untouched(body)]).toEqual([200, untouched(record)]);
        expect(untouched((await ask('GET', `/${model}/${record.id}`)).body)).toEqual(untouched(record));
      }
    }
  });

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

  test('are new ones from the second with an id on, in a new record, and where they are deleted', async () => {
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
  ])('lose what is not sent only where an update is in %s', async (update, product) => {
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
  ])('are refused in %s under an id %j, as by the document', async (encoding, id, found) => {
    const asked = await startMock({ 'request.encoding': encoding });
    await asked.create('stockOrder', order);
    const answer = await asked.ask('POST', '/stockOrder/1', { lines: [{ ...line, id }] });
    expect(answer.status).toBe(422);
    expect(violationsOf(answer)).toEqual([expect.stringContaining(`/lines/0/id ${found}`)]);
    expect(await idsIn(asked, '/stockOrder/1')).toEqual([1, 2]);
  });
});

/** A record without what every update changes. */
function untouched(record: unknown): unknown {
  const { updated: _, updateUser: __, lines, ...rest } = record as Record<string, unknown>;
  return Array.isArray(lines) ? { ...rest, lines: lines.map(untouched) } : rest;
}

const settings = { 'types.lines': 'ids' };
const bare = { globalDiscount: 0, status: 0, lines: [] as number[] };

test('lines shown as ids are given as ids of records, which come to carry the id of the parent', async () => {
  const asked = await startMock(settings);
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

test('lines shown as ids are refused where there is no such record', async () => {
  const asked = await startMock(settings);
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
