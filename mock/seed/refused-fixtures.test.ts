import { describe, expect, test } from 'vitest';
import { loadFixtures } from '../../fixtures/fixtures.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { catalogue, startMock } from '../../testing/mocks/mocks.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';

const directory = useDirectory();

describe('fixtures', () => {
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
  ])('with a mistake in %s are refused', async (model, records, message) => {
    const started = startMock({}, { fixtures: new Map([[model, records]]) });
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
  ])('with a mistake in %s name it, and its line in YAML: %j', async (name, text, message) => {
    const path = directory.write(name, text);
    const started = startMock({}, { fixtures: loadFixtures(path) });
    await expect(started).rejects.toThrow(UsageError);
    await expect(started).rejects.toThrow(path + message);
  });

  test('have all their mistakes told at once, of all files', async () => {
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
});

describe('fixtures', () => {
  test('with links that lead nowhere are warned of, or refused', async () => {
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
});

type Records = Record<string, unknown>[];
