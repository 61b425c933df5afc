import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { loadReferences } from '../../spec/references.ts';
import { TINY_DIALECTS } from './dialects.ts';
import { type ReferenceService, startReferenceService } from './reference-service.ts';

const catalogue = loadCatalogue();

const references = loadReferences(catalogue);

const JSON_TYPE = { 'content-type': 'application/json' };

const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

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

describe('legacy', () => {
  const ask = speak('legacy');
  const VOUCHER_TYPE = 'name=Ten&kind=3&product=1&startTime=09%3A30&daysOfWeek[0]=1&daysOfWeek[1]=7';

  test('a create takes a form, answers 200 and wraps the record; unset fields are absent', async () => {
    const { status, body } = await ask('POST', 'voucherType', VOUCHER_TYPE, FORM_TYPE);
    expect(status).toBe(200);
    const wanted = { name: 'Ten', kind: '3', product: 1, startTime: '09:30', daysOfWeek: [1, 7], deleted: 0 };
    expect(body.result.record).toMatchObject(wanted);
    expect(body.result.record).not.toHaveProperty('endTime');
    expect(body.result.record.created).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  });

  test('a link has to lead somewhere', async () => {
    expect((await ask('POST', 'deposit', 'customer=999&balance=1', FORM_TYPE)).status).toBe(400);
  });

  test('an update unsets what is not sent and asks for what is required', async () => {
    const { body } = await ask('POST', 'warehouse', 'name=North&comments=cold', FORM_TYPE);
    const path = `warehouse/${body.result.record.id}`;
    expect((await ask('POST', path, 'comments=warm', FORM_TYPE)).status).toBe(400);
    expect((await ask('POST', path, 'name=South', FORM_TYPE)).body.result.record).not.toHaveProperty(
      'comments',
    );
  });

  test('lines come in brackets, amounts in cents, and an empty list is a list', async () => {
    const line =
      'lines[0][description]=ball&lines[0][price]=250&lines[0][priceBeforeTaxes]=200&lines[0][units]=1.5';
    const rest = 'discountTotal=0&currency=EUR&taxTotal=0';
    const { body } = await ask('POST', 'stockInvoice', `${line}&${rest}`, FORM_TYPE);
    expect(body.result.record.lines).toMatchObject([{ price: 250, units: 1.5 }]);
    const emptied = await ask('POST', `stockInvoice/${body.result.record.id}`, `lines[]&${rest}`, FORM_TYPE);
    expect(emptied.body.result.record.lines).toEqual([]);
    expect((await ask('GET', 'stockInvoiceLine')).body.meta.total).toBe(0);
  });

  test('a readonly field is refused, an unknown one ignored, and a fault says so in a word', async () => {
    const refused = await ask('POST', 'brand', 'name=x&createUser=5', FORM_TYPE);
    expect(refused).toMatchObject({ status: 400, body: { error: 'createUser is readonly' } });
    expect((await ask('POST', 'brand', 'name=x&notAField=5', FORM_TYPE)).status).toBe(200);
    expect((await ask('POST', 'brand', '{"name":"x"}', JSON_TYPE)).status).toBe(415);
    expect((await ask('GET', 'brandd')).status).toBe(400);
  });

  test('a delete removes the record and answers with a flag', async () => {
    const { body } = await ask('POST', 'customerGroup', 'name=x', FORM_TYPE);
    const path = `customerGroup/${body.result.record.id}`;
    expect(await ask('DELETE', path)).toMatchObject({ status: 200, body: { deleted: 1 } });
    expect((await ask('GET', path)).status).toBe(404);
  });

  test('a list has pages', async () => {
    for (const name of ['one', 'two', 'three']) await ask('POST', 'lockerType', `name=${name}`, FORM_TYPE);
    const { body } = await ask('GET', 'lockerType?p=2&perPage=2');
    expect(body).toMatchObject({ result: { records: [{ name: 'three' }] }, meta: { total: 3 } });
  });

  test('a request without the token is answered with 401', async () => {
    expect((await ask('GET', 'brand', undefined, { authorization: 'Bearer guess' })).status).toBe(401);
  });
});

/** Asks a service of a dialect for the status and body of an answer; the body as JSON where it has one. */
function speak(dialect: keyof typeof TINY_DIALECTS, extra: Record<string, string> = {}) {
  let service: ReferenceService;
  beforeAll(async () => {
    service = await startReferenceService({ catalogue, references, settings: TINY_DIALECTS[dialect] });
  });
  afterAll(() => service.close());
  return async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${service.url}/api/model/${path}`, {
      method,
      headers: { ...service.credentials, ...extra, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
}
