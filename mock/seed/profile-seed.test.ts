import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { schemaName } from '../../spec/binding.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { demo } from '../../testing/demo.ts';
import { catalogue, few, startMock } from '../../testing/mocks/mocks.ts';
import type { Mock } from '../mock.ts';

type Shown = Record<string, unknown> & { id: number };

/** Returns the errors of a shown record under the document of its mock. */
function checkRecords({ document }: Mock): (model: string, record: unknown) => string[] {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  formats.default(ajv);
  ajv.addSchema({ components: document.components }, 'contract', false, false);
  return (model, record) => {
    const validate = ajv.getSchema(`contract#/components/schemas/${schemaName(model)}`);
    if (!validate) return [`${model} has no schema`];
    if (validate(record)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${model}${instancePath} ${message}`);
  };
}

const others = {
  'types.currency': 'string',
  'types.percent': 'string',
  'types.duration': 'seconds',
  'types.time': 'minutes',
  'types.datetime': 'space',
  'types.daysOfWeek': 'mask',
};

test.each([
  // The values of the demo are not checked again at start where they keep their form.
  {},
  { values: { 'customer.language': ['xx'] }, 'types.select': 'object' },
  { values: { fkModel: ['brand'] } },
  { 'limits.text': 1, 'types.lines': 'ids' },
  { ...others, 'types.currency': 'minor' },
])('the demo data has only what the document of %j allows', async (settings) => {
  const { ask, mock } = await startMock(
    { 'list.paging': { style: 'offset', max: 1000 }, ...settings },
    { catalogue, fixtures: demo },
  );
  const wrong = checkRecords(mock);
  const found: string[] = [];
  for (const [model, records] of demo) {
    const { body } = await ask('GET', `/${model}?limit=1000`);
    for (const shown of body as Shown[]) found.push(...wrong(model, shown));
    expect((body as Shown[]).length).toBe(records.filter(({ deleted }) => deleted !== true).length);
  }
  expect(found).toEqual([]);
});

test('the demo data names no model without an id, and no id without its model', async () => {
  const { ask } = await startMock({ values: { fkModel: ['brand'] } }, { catalogue, fixtures: demo });
  const tags = (await ask('GET', '/customerToTag')).body as Shown[];
  expect(tags.filter(({ fkModel, fkId }) => fkModel !== null || fkId !== null)).toEqual([]);
});

describe('fixtures under a profile', () => {
  const customerToTag = { id: 1, customer: 1, tag: 1 };
  const voucherType = { id: 1, name: 'a', kind: 1, product: 1 };

  test.each<[string, string, Record<string, unknown>, string, string]>([
    ['types.time', 'minutes', { ...voucherType, startTime: '09:30:15' }, 'startTime', '09:30'],
    [
      'types.datetime',
      'space',
      { ...customerToTag, start: '2025-10-22T09:30:00.5Z' },
      'start',
      '2025-10-22 09:30:00',
    ],
    ['types.duration', 'seconds', { ...voucherType, expiration: 'P180D' }, 'expiration', '15552000'],
  ])('of %s %s are found by what they show', async (setting, option, record, field, shown) => {
    const model = 'tag' in record ? 'customerToTag' : 'voucherType';
    const { ask } = await startMock({ [setting]: option }, { fixtures: { [model]: [record] } });
    expect(String(((await ask('GET', `/${model}/1`)).body as Shown)[field])).toBe(shown);
    expect((await ask('GET', `/${model}?${new URLSearchParams({ [field]: shown })}`)).body).toMatchObject([
      { id: 1 },
    ]);
  });

  test.each<[Record<string, unknown>, string, Record<string, unknown>, string]>([
    [
      { 'limits.text': 3 },
      'warehouse',
      { id: 3, name: 'long' },
      'fixtures: warehouse 3: Under this profile, name must have at most 3 characters, but has 4',
    ],
    [
      { values: { fkModel: ['warehouse'] } },
      'customerToTag',
      { ...customerToTag, fkModel: 'brand', fkId: 1 },
      'fixtures: customerToTag 1: Under this profile, fkModel must be one of warehouse, but is "brand"',
    ],
    [
      { 'types.currency': 'string' },
      'stockTransaction',
      {
        id: 1,
        product: 1,
        warehouse: 1,
        amount: 1,
        grossUnitCost: 1e21,
        grossUnitPrice: 1,
        sku: 'a',
        supplierName: 'a',
      },
      'fixtures: stockTransaction 1: Under this profile, grossUnitCost must match the pattern ^-?([0-9]{1,11}(\\.[0-9]{1,4})?|[0-9]{12}(\\.[0-9]{1,2})?)$, but is "1e+21"',
    ],
    [
      {},
      'customerToTag',
      { ...customerToTag, start: '2025-10-22T09:30:00+01' },
      'fixtures: customerToTag 1: start is not a valid datetime: 2025-10-22T09:30:00+01 is not a valid date and time.',
    ],
    [
      {},
      'warehouse',
      { id: Number.MAX_SAFE_INTEGER, name: 'a' },
      'fixtures: The id of a warehouse must be a whole number from 1 to 9007199254740990, but is 9007199254740991.',
    ],
  ])('that %j has no place for are refused', async (settings, model, record, message) => {
    const started = startMock(settings, { fixtures: { [model]: [record] } });
    await expect(started).rejects.toThrow(UsageError);
    await expect(started).rejects.toThrow(message);
  });

  test('may have a leap second', async () => {
    const record = { ...customerToTag, start: '2016-12-31T23:59:60Z' };
    const { ask } = await startMock({}, { fixtures: { customerToTag: [record] } });
    const { body } = await ask('GET', '/customerToTag/1');
    expect(body).toMatchObject({ start: '2017-01-01T00:00:00Z' });
    expect((await ask('POST', '/customerToTag', { ...customerToTag, ...record, id: 2 })).status).toBe(201);
    const outside = { ...record, start: '9999-12-31T23:59:59-01:00' };
    expect((await ask('POST', '/customerToTag', outside)).status).toBe(422);
  });

  test.each(['mark', 'remove'])(
    'that are deleted are as a delete that would %s leaves them',
    async (effect) => {
      const settings = { 'delete.effect': effect };
      const order = { id: 1, globalDiscount: 10, status: 0 };
      const lines = [4, 5].map((id) => ({
        id,
        product: 1,
        grossUnitCost: 10,
        amount: id,
        discount: 0,
        stockOrder: 1,
      }));
      const fixturesOf = (deleted: boolean) =>
        new Map<string, Record<string, unknown>[]>([
          ['stockOrder', [{ ...order, ...(deleted ? { deleted } : {}) }]],
          ['stockOrderLine', lines],
        ]);
      const begun = await startMock(settings, { fixtures: fixturesOf(true), catalogue: few });
      const reached = await startMock(settings, { fixtures: fixturesOf(false), catalogue: few });
      await reached.ask('DELETE', '/stockOrder/1');
      const paths = ['/stockOrder/1', '/stockOrderLine/4', '/stockOrderLine/5', '/stockOrderLine'];
      for (const path of paths) expect(await begun.ask('GET', path)).toEqual(await reached.ask('GET', path));
    },
  );
});

test('what the service fills in keeps to the length of texts', async () => {
  const { create } = await startMock({ 'limits.text': 3 });
  const invoice = { discountTotal: 0, currency: 'EUR', taxTotal: 0, lines: [] };
  expect(await create('stockInvoice', invoice)).toMatchObject({ number: '001' });
});
