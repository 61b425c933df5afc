import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { loadFixtures } from '../../fixtures/fixtures.ts';
import { schemaName } from '../../spec/binding.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { demo } from '../../testing/demo.ts';
import { catalogue, few, startMock } from '../../testing/mocks/mocks.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { expectTranscript } from '../../testing/transcripts/transcripts.ts';
import type { Mock } from '../mock.ts';

expectTranscript(import.meta.dirname, 'fixtures');

const directory = useDirectory();
/** A line as it is sent. */
const line = { product: 1, grossUnitCost: 10, amount: 3, discount: 50 };

test.each([
  ['mark', 1],
  ['remove', 0],
])('a fork continues after the IDs of deleted fixtures, if deletes %s records', async (effect, count) => {
  const fixtures = { warehouse: [{ id: 1, name: 'a', deleted: true }] };
  const { mock } = await startMock({ 'delete.effect': effect }, { fixtures });
  expect(mock.counts.records).toBe(count);
  expect(await (await mock.fork()).records('warehouse').create({ name: 'c' })).toMatchObject({ id: 2 });
});

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
