import { describe, expect, test } from 'vitest';
import { loadFixtures } from '../../fixtures/fixtures.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { startMock } from '../../testing/mocks/mocks.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';

type Records = Record<string, unknown>[];

const directory = useDirectory();

describe('fixtures', () => {
  test.each<[string, Records, string]>([
    ['warehous', [], 'fixtures: the model is "warehous"; expected one of'],
    ['warehouse', [{ id: 3, nam: 'a' }], 'fixtures: warehouse 3: the field is "nam"; expected'],
    ['warehouse', [{ id: 3 }], 'fixtures: warehouse 3: name is required; expected a string'],
    ['warehouse', [{ id: 3, name: null }], 'fixtures: warehouse 3: name is required'],
    ['warehouse', [{ id: 3, name: 5 }], 'fixtures: warehouse 3: name must be a string, but is 5'],
    [
      'warehouse',
      [{ id: 0, name: 'a' }],
      'fixtures: a warehouse has the id 0; expected a whole number from 1',
    ],
    ['warehouse', [{ id: '1', name: 'a' }], 'fixtures: a warehouse has the id "1"; expected a whole number'],
    [
      'warehouse',
      [
        { id: 1, name: 'a' },
        { id: 1, name: 'b' },
      ],
      'fixtures: warehouse 1 stands twice',
    ],
    ['relationship', [{ id: 1, status: 9 }], 'fixtures: relationship 1: customer is required'],
    [
      'stockOrder',
      [{ id: 1, globalDiscount: 0, status: 0, lines: [] }],
      'lines is given; expected records of stockOrderLine',
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
      ':5: warehouse 2: the field is "nmae"; expected',
    ],
    ['club.yaml', 'warehouse:\n- id: 1\n  name: 5\n', ':3: warehouse 1: name must be a string, but is 5'],
    [
      'club.yaml',
      'warehouse:\n- name: a\n  id: 0\n',
      ':3: a warehouse has the id 0; expected a whole number',
    ],
    [
      'club.yaml',
      'warehouse: [{ id: 2, name: b },\n  { id: 1, name: a },\n  { id: 2, name: c }]\n',
      ':3: warehouse 2 stands twice',
    ],
    ['club.yaml', 'supplier: []\nwarehous:\n- { id: 1 }\n', ':2: the model is "warehous"; expected'],
    [
      'club.yaml',
      'warehouse: []\nsupplier: &all\n- { id: 1 }\ncustomer: *all\n',
      ':3: supplier 1: name is required',
    ],
    ['club.json', '{\n"warehouse":\n[{"id":1}]}', ':3: warehouse 1: name is required; expected a string'],
    ['club.json', '{"warehous":[]}', ':1: the model is "warehous"; expected'],
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
      'a.yaml:3: supplier: found 1; expected a list of records',
      expect.stringMatching(/^c\.yaml:\d: found malformed YAML/),
      expect.stringMatching(/^none-there\.yaml: can't be read \(ENOENT\)/),
      expect.stringMatching(/^a\.yaml:2: warehouse 1: the field is "comment"; .* Did you mean comments\?$/),
      expect.stringMatching(/^a\.yaml:2: warehouse 1: name is required/),
      expect.stringMatching(/^b\.json:2: warehouse 2: name must be a string, but is 5/),
    ]);
  });
});
