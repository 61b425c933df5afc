import { describe, expect, test } from 'vitest';
import { FORM_TYPE, JSON_TYPE, speak } from './speak.ts';

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
