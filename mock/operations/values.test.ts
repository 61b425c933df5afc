import { describe, expect, test } from 'vitest';
import type { Field } from '../../spec/catalogue/field.ts';
import { createProfile, type Profile } from '../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { createRecordCodec } from '../../spec/wire/record-codec.ts';
import { catalogue, few, startMock, violationsOf } from '../../testing/mocks/mocks.ts';

const everything = {
  name: 'a',
  kind: 3,
  product: 7,
  startTime: '09:30:00',
  endTime: '21:00:00',
  daysOfWeek: [1, 7],
  expiration: 'P30D',
  shortDescription: '',
};

describe('values on the wire', () => {
  test.each<[Record<string, unknown>, string, Record<string, unknown>, Record<string, unknown>]>([
    [{ 'types.select': 'string' }, 'voucherType', { kind: '3' }, { kind: 3 }],
    [{ 'types.select': 'object' }, 'voucherType', { kind: { value: 3, name: 'Unidades' } }, { kind: 3 }],
    [{ 'types.time': 'minutes' }, 'voucherType', { startTime: '09:30' }, { startTime: '09:30:00' }],
    [{ 'types.duration': 'seconds' }, 'voucherType', { expiration: 86_400 }, { expiration: 'P1D' }],
    [{ 'types.daysOfWeek': 'mask' }, 'voucherType', { daysOfWeek: 65 }, { daysOfWeek: [1, 7] }],
    [{ 'types.bool': 'int' }, 'supplier', { main: 1 }, { main: true }],
    [{ 'types.currency': 'string' }, 'customer', { pending: '10.50' }, { pending: 10.5 }],
    [{ 'types.currency': 'minor' }, 'customer', { pending: 1050 }, { pending: 10.5 }],
    [{ 'types.percent': 'string' }, 'stockInvoiceLine', { taxRate: '21' }, { taxRate: 21 }],
    [{ 'types.manyToMany': 'objects' }, 'customer', { tags: [{ id: 1 }, { id: 2 }] }, { tags: [1, 2] }],
    [
      { 'types.datetime': 'space' },
      'customerToTag',
      { start: '2025-10-22 09:30:00' },
      { start: '2025-10-22T09:30:00Z' },
    ],
    [{ values: { 'customer.language': ['es', 'ca'] } }, 'customer', { language: 'ca' }, { language: 'ca' }],
  ])('are those of %j, in what is sent and in what is answered', async (settings, model, wire, canonical) => {
    const base = minimal(model, settings);
    const { ask, create } = await startMock(settings);
    expect(await create(model, { ...base, ...wire })).toMatchObject(wire);
    // The same record, seeded in its canonical form, looks the same.
    const seeded = await startMock(settings, {
      fixtures: { [model]: [{ ...minimal(model, {}), ...canonical, id: 4 }] },
    });
    expect((await seeded.ask('GET', `/${model}/4`)).body).toMatchObject(
      model === 'voucherType' && 'expiration' in wire ? { expiration: 86_400 } : wire,
    );
    const foreign = await ask('POST', `/${model}`, {
      ...base,
      ...Object.fromEntries(Object.keys(wire).map((name) => [name, { a: 'b' }])),
    });
    expect(foreign.status).toBe(422);
  });

  test('that are unset are null, or absent where the profile says so', async () => {
    expect(await (await startMock()).create('warehouse', { name: 'a' })).toHaveProperty('comments', null);
    const { create } = await startMock({ 'response.unset': 'absent' });
    expect(await create('warehouse', { name: 'a' })).not.toHaveProperty('comments');
  });

  test('outside a list that the profile gives are refused', async () => {
    const { ask } = await startMock({ values: { 'customer.language': ['es', 'ca'] } });
    const answer = await ask('POST', '/customer', { language: 'fr' });
    expect(violationsOf(answer)).toContain('/language must be one of es, ca, but is "fr"');
  });
});

describe('a form', () => {
  const settings = { 'request.encoding': 'form' };

  test('holds numbers, truth values, lists and lines as text', async () => {
    const { create } = await startMock(settings);
    expect(await create('voucherType', everything)).toMatchObject(everything);
    expect(
      await create('stockOrder', {
        globalDiscount: 0,
        status: 1,
        lines: [{ product: 1, grossUnitCost: 2.5, amount: 2, discount: 0 }],
      }),
    ).toMatchObject({ status: 1, total: 5, lines: [{ product: 1, grossUnitCost: 2.5 }] });
    expect(await create('supplier', { name: 'a', main: false })).toMatchObject({ main: false });
  });

  test('unsets with an empty text all but texts', async () => {
    const { ask, create } = await startMock(settings);
    await create('voucherType', everything);
    const { body } = await ask(
      'POST',
      '/voucherType/1',
      'expiration=&startTime=&customerTag=&shortDescription=',
    );
    expect(body).toMatchObject({
      expiration: null,
      startTime: null,
      customerTag: null,
      shortDescription: '',
    });
    expect(violationsOf(await ask('POST', '/voucherType/1', 'product=&kind='))).toHaveLength(2);
  });

  test('can hold an empty list, and nothing at all', async () => {
    const { ask, create } = await startMock(settings);
    await create('voucherType', everything);
    expect((await ask('POST', '/voucherType/1', 'daysOfWeek[]=')).body).toMatchObject({ daysOfWeek: [] });
    expect((await ask('POST', '/stockDelivery', '')).status).toBe(201);
  });

  test('is refused where its texts are not of the type', async () => {
    const { ask } = await startMock(settings);
    const answer = await ask(
      'POST',
      '/relationship',
      'customer=x&customer2=1&customer2=2&status=1.0&allowLogin=yes&allowPayVoucher=1',
    );
    expect(violationsOf(answer)).toEqual([
      '/customer must be an integer, but is "x"',
      '/customer2 must be an integer, but is [1,2]',
      '/allowLogin must be true or false, but is "yes"',
      '/allowPayVoucher must be true or false, but is "1"',
    ]);
  });

  test.each([`${'a[b]'.repeat(20)}=1`, Array.from({ length: 3000 }, (_, i) => `tags[]=${i}`).join('&')])(
    'that is beyond all bounds can not be read: %.20s',
    async (text) => {
      const { ask } = await startMock(settings);
      expect((await ask('POST', '/customer', text)).status).toBe(400);
    },
  );
});

function sampleRecord(fields: readonly Field[], number: number, profile: Profile): Record<string, Value> {
  const writable = fields.filter((field) => !field.readonly);
  return Object.fromEntries(
    writable.map((field, index) => [
      field.name,
      WIRE_TYPES[field.type].sample(number + index, { field, profile }),
    ]),
  );
}

/** The required fields of a model as sent under some settings. */
function minimal(model: string, settings: Record<string, unknown>): Record<string, Value> {
  const profile = createProfile(settings, catalogue);
  const fields = few.models.get(model)?.fields.filter((field) => field.required) ?? [];
  return createRecordCodec(few, profile).encodeNamed(model, sampleRecord(fields, 1, profile));
}
