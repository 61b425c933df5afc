import { describe, expect, test } from 'vitest';
import { JSON_TYPE, speak } from './speak.ts';

describe('default', () => {
  const ask = speak('default');
  const create = (model: string, values: object) => ask('POST', model, JSON.stringify(values), JSON_TYPE);

  test('a create answers 201 with the record itself, unset fields as null', async () => {
    const { status, body } = await create('warehouse', { name: 'North' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'North', comments: null, deleted: false });
    expect(await ask('GET', `warehouse/${body.id}`)).toMatchObject({ status: 200, body });
  });

  test('an update keeps what is not sent', async () => {
    const { body } = await create('warehouse', { name: 'North', comments: 'cold' });
    const updated = await ask('POST', `warehouse/${body.id}`, '{"name":"South"}', JSON_TYPE);
    expect(updated).toMatchObject({ status: 200, body: { id: body.id, name: 'South', comments: 'cold' } });
  });

  test('a fault is a problem', async () => {
    const { status, headers, body } = await create('locker', { name: 'A1', type: 1, status: 7 });
    expect([status, headers.get('content-type'), body.status]).toEqual([
      422,
      'application/problem+json',
      422,
    ]);
    expect((await create('brand', {})).status).toBe(422);
    expect((await create('brand', { name: 'x', notAField: 1 })).status).toBe(422);
    expect((await ask('POST', 'brand', '{', JSON_TYPE)).status).toBe(400);
    expect((await ask('PATCH', 'brand/1', '{}', JSON_TYPE)).status).toBe(405);
    expect((await ask('GET', 'brandd')).status).toBe(404);
  });

  test('a link may lead nowhere', async () => {
    expect((await create('deposit', { customer: 999, balance: 1 })).status).toBe(201);
  });

  test('lines become records that name their parent, and go with it', async () => {
    const line = { description: 'ball', price: 2, priceBeforeTaxes: 1, units: 3 };
    const invoice = { lines: [line], discountTotal: 0, currency: 'EUR', taxTotal: 0 };
    const { body } = await create('stockInvoice', invoice);
    expect(body.lines).toMatchObject([{ ...line, stockInvoice: body.id, product: null }]);
    const path = `stockInvoiceLine/${body.lines[0].id}`;
    expect((await ask('GET', path)).body).toEqual(body.lines[0]);
    await ask('DELETE', `stockInvoice/${body.id}`);
    expect((await ask('GET', path)).body.deleted).toBe(true);
  });

  test('a delete marks the record, which stands in no list', async () => {
    const { body } = await create('customerTag', { name: 'gone', isDefault: false, public: true });
    expect(await ask('DELETE', `customerTag/${body.id}`)).toMatchObject({
      status: 200,
      body: { deleted: true },
    });
    expect((await ask('GET', `customerTag/${body.id}`)).body.deleted).toBe(true);
    expect((await ask('GET', 'customerTag')).body).toEqual([]);
  });

  test('a list is sorted, filtered and parted, and says how many records there are', async () => {
    for (const name of ['b', 'a', 'a']) await create('brand', { name });
    const { headers, body } = await ask('GET', 'brand?name=a&sort=-id&limit=1');
    expect(body).toMatchObject([{ id: 3, name: 'a' }]);
    expect(headers.get('x-total-count')).toBe('2');
    expect((await ask('GET', 'brand?notAField=1')).status).toBe(422);
  });

  test('the model without create has two records and takes no other', async () => {
    expect((await ask('GET', 'subscriptionTask')).body).toMatchObject([{ id: 1 }, { id: 2 }]);
    expect((await create('subscriptionTask', { type: 1 })).status).toBe(405);
  });
});
