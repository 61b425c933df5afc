import { expect, test } from 'vitest';
import { loadFixtures } from '../../fixtures/fixtures.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { demo } from '../../testing/demo.ts';
import { catalogue, startMock } from '../../testing/mocks/mocks.ts';
import { SOURCE } from '../../testing/source-facts.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';

type Records = Record<string, unknown>[];

const directory = useDirectory();

test('fixtures keep their ids, which new records come after', async () => {
  const fixtures = {
    warehouse: [
      { id: 40, name: 'b' },
      { id: 7, name: 'a' },
    ],
  };
  const { ask, create } = await startMock({}, { fixtures });
  expect((await ask('GET', '/warehouse')).body).toMatchObject([{ id: 7, name: 'a' }, { id: 40 }]);
  expect(await create('warehouse', { name: 'c' })).toMatchObject({ id: 41 });
});

test('fixtures get what the service fills in where it is missing, and keep what is given', async () => {
  const line = { product: 1, grossUnitCost: 10, amount: 3, discount: 0, stockOrder: 1 };
  const fixtures = {
    stockOrder: [
      {
        id: 1,
        globalDiscount: 10,
        status: 2,
        created: '2024-01-01T00:00:00Z',
        createUser: 5,
        amount: 99,
      },
    ],
    stockOrderLine: [{ ...line, id: 1, received: 1 }],
  };
  const { ask } = await startMock({}, { fixtures });
  expect((await ask('GET', '/stockOrder/1')).body).toMatchObject({
    created: '2024-01-01T00:00:00Z',
    createUser: 5,
    updated: '2024-01-01T00:00:00Z',
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
])('fixtures that are deleted are so when a delete would %s', async (effect, status) => {
  const fixtures = { warehouse: [{ id: 1, name: 'a', deleted: true }] };
  const { ask, create, mock } = await startMock({ 'delete.effect': effect }, { fixtures });
  expect((await ask('GET', '/warehouse/1')).status).toBe(status);
  expect((await ask('GET', '/warehouse')).body).toEqual([]);
  expect(mock.counts.records).toBe(effect === 'mark' ? 1 : 0);
  expect(await create('warehouse', { name: 'b' })).toMatchObject({ id: 2 });
  const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"c"}' };
  const request = new Request(`http://mock.invalid${catalogue.base}/warehouse`, sent);
  expect(await (await (await mock.fork()).fetch(request)).json()).toMatchObject({ id: 2 });
});

test('fixtures of the demo are served whole, and models without any are empty', async () => {
  const { ask, mock } = await startMock(
    { 'list.paging': { style: 'offset', max: 1000 } },
    { catalogue, fixtures: demo },
  );
  expect(mock.counts).toMatchObject({ models: SOURCE.totals.models, operations: SOURCE.totals.operations });
  expect(mock.counts.records).toBe([...demo.values()].flat().length);
  for (const [model, records] of demo)
    for (const record of records)
      expect((await ask('GET', `/${model}/${record.id}`)).body).toMatchObject(record);
  const empty = await startMock();
  expect((await empty.ask('GET', '/supplier')).body).toEqual([]);
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

test('fixtures that lack what is required are filled where that is wanted, with links that lead somewhere', async () => {
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

test.each<[string, Records, string]>([
  ['warehous', [], 'fixtures: Unknown model "warehous". Did you mean "warehouse"?'],
  [
    'warehouse',
    [{ id: 3, nam: 'a' }],
    `fixtures: warehouse 3: Unknown field "nam". Did you mean "name"?
fixtures: warehouse 3: name is required. Add a value of type string, or pass --lenient.`,
  ],
  ['warehouse', [{ id: 3, name: 5 }], 'fixtures: warehouse 3: name must be a string, but is 5'],
  [
    'warehouse',
    [{ id: '1', name: 'a' }],
    'fixtures: The id of a warehouse must be a whole number from 1 to 9007199254740990, but is "1".',
  ],
  [
    'warehouse',
    [
      { id: 1, name: 'a' },
      { id: 1, name: 'b' },
    ],
    'fixtures: warehouse 1 is defined twice. Remove one of them.',
  ],
  [
    'stockOrder',
    [{ id: 1, globalDiscount: 0, status: 0, lines: [] }],
    `fixtures: stockOrder 1: lines can't be set here. Add stockOrderLine records that link to this record.`,
  ],
])('fixtures with a mistake in %s are refused', async (model, records, message) => {
  const started = startMock({}, { fixtures: { [model]: records } });
  await expect(started).rejects.toThrow(UsageError);
  await expect(started).rejects.toThrow(message);
});

test.each<[string, string, string]>([
  [
    'club.yaml',
    '# mine\nwarehouse:\n  - { id: 1, name: a }\n  - id: 2\n    nmae: b\n',
    ':5: warehouse 2: Unknown field "nmae". Use one of 8 names, such as "name",',
  ],
  ['club.yaml', 'warehouse:\n- name: a\n  id: 0\n', ':3: The id of a warehouse must be a whole number'],
  [
    'club.yaml',
    'supplier: []\nwarehous:\n- { id: 1 }\n',
    ':2: Unknown model "warehous". Did you mean "warehouse"?',
  ],
  [
    'club.yaml',
    'warehouse: []\nsupplier: &all\n- { id: 1 }\ncustomer: *all\n',
    ':3: supplier 1: name is required',
  ],
  [
    'club.json',
    '{\n"warehouse":\n[{"id":1}]}',
    ':3: warehouse 1: name is required. Add a value of type string, or pass --lenient.',
  ],
])('fixtures with a mistake in %s name it, and its line in YAML: %j', async (name, text, message) => {
  const path = directory.write(name, text);
  const started = startMock({}, { fixtures: loadFixtures(path) });
  await expect(started).rejects.toThrow(UsageError);
  await expect(started).rejects.toThrow(path + message);
});

test('fixtures have all their mistakes told at once, of all files', async () => {
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

test('fixtures with links that lead nowhere are warned of, or refused', async () => {
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
