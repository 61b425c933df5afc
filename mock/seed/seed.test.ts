import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { loadFixtures } from '../../fixtures/fixtures.ts';
import { schemaName } from '../../spec/binding.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { demo } from '../../testing/demo.ts';
import { catalogue, few, startMock } from '../../testing/mocks/mocks.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import type { Mock } from '../mock.ts';

const directory = useDirectory();
/** A line as it is sent. */
const line = { product: 1, grossUnitCost: 10, amount: 3, discount: 50 };

test('fixtures keep their values, and the mock adds missing values that the service writes', async () => {
  const created = '2024-01-01T00:00:00Z';
  const fixtures = {
    stockOrder: [{ id: 1, globalDiscount: 10, status: 2, created, createUser: 5, amount: 99 }],
    stockOrderLine: [{ ...line, discount: 0, stockOrder: 1, id: 1, received: 1 }],
  };
  const { ask } = await startMock({}, { fixtures });
  expect((await ask('GET', '/stockOrder/1')).body).toMatchObject({
    created,
    createUser: 5,
    updated: created,
    updateUser: 1,
    deleted: false,
    amount: 99,
    received: 1,
    total: 27,
    globalDiscountAmount: 3,
    lines: [{ received: 1, pending: 2, difference: -2, total: 30, created: '2025-10-22T09:30:00Z' }],
  });
});

test.each([
  ['mark', 200],
  ['remove', 404],
])(
  'deleted fixtures have the state that a delete would leave, if deletes %s records',
  async (effect, status) => {
    const fixtures = { warehouse: [{ id: 1, name: 'a', deleted: true }] };
    const { ask, create, mock } = await startMock({ 'delete.effect': effect }, { fixtures });
    expect((await ask('GET', '/warehouse/1')).status).toBe(status);
    expect((await ask('GET', '/warehouse')).body).toEqual([]);
    expect(mock.counts.records).toBe(effect === 'mark' ? 1 : 0);
    expect(await create('warehouse', { name: 'b' })).toMatchObject({ id: 2 });
    const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"c"}' };
    const request = new Request(`http://mock.invalid${catalogue.base}/warehouse`, sent);
    expect(await (await (await mock.fork()).fetch(request)).json()).toMatchObject({ id: 2 });
  },
);

test('fixtures of later sources take the place of earlier ones, and ids may be left out', async () => {
  const first = directory.write(
    'a.yaml',
    'warehouse: [{ id: 1, name: a }, { id: 5, name: b }, { name: c }]\n',
  );
  const second = directory.write('b.json', '{"warehouse":[{"id":5,"name":"B"},{"name":"d"}]}');
  const { ask, create } = await startMock({}, { fixtures: [first, second] });
  expect((await ask('GET', '/warehouse')).body).toMatchObject([
    { id: 1, name: 'a' },
    { id: 5, name: 'B' },
    { id: 6, name: 'c' },
    { id: 7, name: 'd' },
  ]);
  expect(await create('warehouse', { name: 'e' })).toMatchObject({ id: 8 });
});

test('incomplete fixtures are completed with links to existing records if the option lenient is set', async () => {
  const fixtures = { customer: [{ id: 9 }], relationship: [{ status: 1 }], stockOrder: [{}] };
  const { ask, mock } = await startMock({}, { fixtures, lenient: true });
  const session = mock.session('one');
  await session.setState(fixtures);
  for (const headers of [{ 'x-mock-session': 'one' }, {}] as Record<string, string>[]) {
    const { body } = await ask('GET', '/relationship/1', undefined, headers);
    expect(body).toMatchObject({ customer: 9, customer2: 9, status: 1 });
    for (const path of ['/customer/9', '/stockOrder/1'])
      expect((await ask('GET', path, undefined, headers)).status).toBe(200);
  }
  await expect(startMock({}, { fixtures })).rejects.toThrow('is required');
});

/** Files with one mistake, and the message after the name of the file. */
const MISTAKES: Readonly<Record<string, string>> = {
  '# mine\nwarehouse:\n  - { id: 1, name: a }\n  - id: 2\n    nmae: b\n':
    ':5: warehouse 2: Unknown field "nmae". Use one of 8 names, such as "name",',
  'warehouse:\n- name: a\n  id: 0\n': ':3: The id of a warehouse must be a whole number',
  'supplier: []\nwarehous:\n- { id: 1 }\n': ':2: Unknown model "warehous". Did you mean "warehouse"?',
  'warehouse: []\nsupplier: &all\n- { id: 1 }\ncustomer: *all\n': ':3: supplier 1: name is required',
  'warehouse: [{ id: "1", name: a }]\n': ':1: The id of a warehouse must be a whole number',
  'warehouse:\n- { id: 1, name: a }\n- { id: 1, name: b }\n': ':3: warehouse 1 is defined twice. Remove one',
  'stockOrder: [{ id: 1, globalDiscount: 0, status: 0, lines: [] }]\n':
    ":1: stockOrder 1: lines can't be set here. Add stockOrderLine records that link to this record.",
  '{\n"warehouse":\n[{"id":1}]}':
    ':3: warehouse 1: name is required. Add a value of type string, or pass --lenient.',
};

test.each(Object.entries(MISTAKES))(
  'a fixture error is reported with file and line: %j',
  async (text, message) => {
    const path = directory.write('club.yaml', text);
    const started = startMock({}, { fixtures: loadFixtures(path) });
    await expect(started).rejects.toThrow(UsageError);
    await expect(started).rejects.toThrow(path + message);
  },
);

test('all errors of all fixture files are reported together', async () => {
  const sources = [
    directory.write('a.yaml', 'warehouse:\n- { id: 1, comment: a }\nsupplier: 1\n'),
    directory.write('b.json', '{"warehouse":\n [{"id":2,"name":5}]}'),
    directory.write('c.yaml', 'warehouse: [\n'),
    directory.path('none-there.yaml'),
  ];
  const message = await startMock({}, { fixtures: sources }).then(
    () => '',
    (error: Error) => error.message,
  );
  expect(message.split('\n').map((line) => line.slice(directory.path().length + 1))).toEqual([
    'a.yaml:3: Expected a list of records for supplier, but found 1.',
    expect.stringMatching(/^c\.yaml:\d: The YAML is malformed: /),
    expect.stringMatching(/^none-there\.yaml can't be read because there is no such file or directory\./),
    expect.stringMatching(/^a\.yaml:2: warehouse 1: Unknown field "comment"\. Did you mean "comments"\?$/),
    expect.stringMatching(/^a\.yaml:2: warehouse 1: name is required/),
    expect.stringMatching(/^b\.json:2: warehouse 2: name must be a string, but is 5/),
  ]);
});

test('fixtures with links to missing records lead to warnings, or are rejected', async () => {
  const path = directory.write(
    'a.yaml',
    'customer: [{ id: 1, deleted: true }]\nrelationship:\n- { id: 1, customer: 1,\n    customer2: 99, status: 1 }\n',
  );
  const dangling = [
    `${path}:3: relationship 1: customer must be the ID of a customer record, but there is no customer 1.`,
    `${path}:4: relationship 1: customer2 must be the ID of a customer record, but there is no customer 99.`,
  ];
  const fixtures = [path];
  const { mock } = await startMock({}, { fixtures, lenient: true });
  expect(mock.warnings).toEqual(dangling);
  await expect(startMock({}, { fixtures, lenient: true, checkLinks: true })).rejects.toThrow(
    dangling.join('\n'),
  );
  const demo = await startMock({}, { catalogue, fixtures: 'demo', checkLinks: true });
  expect(demo.mock.warnings).toEqual([]);
});

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
])('the demo records match the document under %j', async (settings) => {
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

test('demo records have both fkModel and fkId, or neither', async () => {
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
  ])('with %s %s can be found by the values they show', async (setting, option, record, field, shown) => {
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
      'Under this profile, name must have at most 3 characters, but has 4',
    ],
    [
      { values: { fkModel: ['warehouse'] } },
      'customerToTag',
      { ...customerToTag, id: 3, fkModel: 'brand', fkId: 1 },
      'Under this profile, fkModel must be one of warehouse, but is "brand"',
    ],
    [
      { 'types.currency': 'string' },
      'stockTransaction',
      { id: 3, grossUnitCost: 1e21 },
      'Under this profile, grossUnitCost must match the pattern ^-?([0-9]{1,11}(\\.[0-9]{1,4})?|[0-9]{12}(\\.[0-9]{1,2})?)$, but is "1e+21"',
    ],
    [
      {},
      'customerToTag',
      { ...customerToTag, id: 3, start: '2025-10-22T09:30:00+01' },
      'start is not a valid datetime: 2025-10-22T09:30:00+01 is not a valid date and time.',
    ],
    [
      {},
      'warehouse',
      { id: Number.MAX_SAFE_INTEGER, name: 'a' },
      'The id of a warehouse must be a whole number from 1 to 9007199254740990, but is 9007199254740991.',
    ],
  ])("that don't fit %j are rejected", async (settings, model, record, why) => {
    const started = startMock(settings, { fixtures: { [model]: [record] }, lenient: true });
    await expect(started).rejects.toThrow(UsageError);
    await expect(started).rejects.toThrow(why);
  });

  test('can contain a leap second', async () => {
    const record = { ...customerToTag, start: '2016-12-31T23:59:60Z' };
    const { ask } = await startMock({}, { fixtures: { customerToTag: [record] } });
    const { body } = await ask('GET', '/customerToTag/1');
    expect(body).toMatchObject({ start: '2017-01-01T00:00:00Z' });
    expect((await ask('POST', '/customerToTag', { ...customerToTag, ...record, id: 2 })).status).toBe(201);
    const outside = { ...record, start: '9999-12-31T23:59:59-01:00' };
    expect((await ask('POST', '/customerToTag', outside)).status).toBe(422);
  });

  test.each(['mark', 'remove'])(
    'that are deleted have the state that a delete would leave, if deletes %s records',
    async (effect) => {
      const settings = { 'delete.effect': effect };
      const lines = [4, 5].map((id) => ({ ...line, id, stockOrder: 1 }));
      const fixturesOf = (deleted: boolean) => ({
        stockOrder: [{ id: 1, globalDiscount: 10, status: 0, ...(deleted && { deleted }) }],
        stockOrderLine: lines,
      });
      const begun = await startMock(settings, { fixtures: fixturesOf(true), catalogue: few });
      const reached = await startMock(settings, { fixtures: fixturesOf(false), catalogue: few });
      await reached.ask('DELETE', '/stockOrder/1');
      const paths = ['/stockOrder/1', '/stockOrderLine/4', '/stockOrderLine/5', '/stockOrderLine'];
      for (const path of paths) expect(await begun.ask('GET', path)).toEqual(await reached.ask('GET', path));
    },
  );
});

test('values that the service writes respect the maximum length', async () => {
  const { create } = await startMock({ 'limits.text': 3 });
  const invoice = { discountTotal: 0, currency: 'EUR', taxTotal: 0, lines: [] };
  expect(await create('stockInvoice', invoice)).toMatchObject({ number: '001' });
});
