import { describe, expect, test } from 'vitest';
import { catalogue, JSON_TYPE, speak } from './speak.ts';

describe('plain', () => {
  const ask = speak('plain', { 'Api-Version': catalogue.version });
  const create = (model: string, values: object) => ask('POST', model, JSON.stringify(values), JSON_TYPE);

  test('values have their other forms', async () => {
    const sent = { name: 'x', kind: { value: 3 }, product: 1, expiration: 60, daysOfWeek: 65 };
    const { status, body } = await create('voucherType', sent);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...sent, kind: { value: 3, name: 'Unidades' } });
    const tag = (await create('customerTag', { name: 't', isDefault: false, public: false })).body.id;
    expect((await create('consumerHomeItem', { tags: [{ id: tag }] })).body.tags).toEqual([{ id: tag }]);
    const price = { type: body.id, amount: 1, price: '9.50', online: true, priority: 1 };
    expect((await create('voucherPrice', price)).body.price).toBe('9.50');
    expect((await create('voucherPrice', { ...price, price: 9.5 })).status).toBe(422);
  });

  test('an error has no body, and PUT is answered with 501', async () => {
    expect(await create('brand', {})).toMatchObject({ status: 422, body: undefined });
    expect(await ask('PUT', 'brand/1', '{}', JSON_TYPE)).toMatchObject({ status: 501, body: undefined });
    expect((await ask('GET', 'brand/1')).status).toBe(410);
  });

  test('a delete answers 204 and removes the record', async () => {
    const { body } = await create('brand', { name: 'x' });
    expect(await ask('DELETE', `brand/${body.id}`)).toMatchObject({ status: 204, body: undefined });
    expect((await ask('GET', `brand/${body.id}`)).status).toBe(410);
  });

  test('a list shows everything, whatever the query says', async () => {
    for (const name of ['b', 'a']) await create('lockerType', { name });
    const { headers, body } = await ask('GET', 'lockerType?limit=1&sort=name&name=a');
    expect(body).toMatchObject([{ name: 'b' }, { name: 'a' }]);
    expect(headers.has('x-total-count')).toBe(false);
  });

  test('key and version are asked for', async () => {
    expect((await ask('GET', 'brand', undefined, { 'x-api-key': 'guess' })).status).toBe(401);
    expect((await ask('GET', 'brand', undefined, { 'Api-Version': '1999-01-01' })).status).toBe(422);
  });
});
