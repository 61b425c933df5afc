import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SOURCE } from '../../testing/source-facts.ts';
import { UsageError } from '../files/usage-error.ts';
import { type Catalogue, loadCatalogue, OPERATIONS } from './catalogue.ts';

let directory = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'catalogue-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

const COMMON = 'title: T\nversion: "1"\nbase: /api/model\ncommon:\n  id: int ro\n  deleted: bool ro\n';
const AREA = 'area: Things\nmodels:\n  thing:\n    name: string req\n';
const KINDS = 'values: { thing.kind: { 1: Uno } }\n';

type Files = Readonly<Record<string, string | undefined>>;

/** Loads a directory of a good common.yaml and a good area, but for the files given; undefined leaves one out. */
function load(files: Files): Catalogue {
  for (const [name, text] of Object.entries({ 'common.yaml': COMMON, 'things.yaml': AREA, ...files }))
    if (text !== undefined) writeFileSync(join(directory, name), text);
  return loadCatalogue(directory);
}

function complaint(files: Files): string {
  try {
    load(files);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'no complaint';
}

describe('the catalogue that ships with the kit', () => {
  const catalogue = loadCatalogue();
  const models = [...catalogue.models.values()];
  const fields = models.flatMap((model) => model.fields);

  test('has the numbers of the source', () => {
    expect(models).toHaveLength(SOURCE.totals.models);
    expect(models.flatMap((model) => model.operations)).toHaveLength(SOURCE.totals.operations);
    expect(fields).toHaveLength(SOURCE.totals.fields);
    expect(fields.filter((field) => field.choices)).toHaveLength(SOURCE.totals.valueLists);
    expect(catalogue.areas).toHaveLength(SOURCE.totals.areas);
    expect(catalogue.areas.slice(0, 3).map(({ name }) => name)).toEqual([
      'Stock',
      'Vouchers',
      'Subscriptions',
    ]);
    const undescribed = models.filter(({ about }) => about === undefined).map(({ name }) => name);
    expect(undescribed, 'models without a line in `descriptions` of their area').toEqual([]);
    const unnamed = fields.filter(({ choices = [] }) => choices.some(({ english }) => !english));
    expect(
      unnamed.map(({ key }) => key),
      'value lists without names in `english`',
    ).toEqual([]);
    expect(catalogue.areas.flatMap((area) => area.models).sort()).toEqual(
      [...catalogue.models.keys()].sort(),
    );
  });

  test('has the base path and the version label of sections 4 and 9', () => {
    expect([catalogue.base, catalogue.version]).toEqual(['/api/model', '2025-10-22']);
  });

  test('spells ommitedSale as the source does', () => {
    expect(catalogue.models.has('ommitedSale')).toBe(true);
    expect(catalogue.models.has('omittedSale')).toBe(false);
  });

  test('has two operations and no deleted for subscriptionTask, and five and one for all others', () => {
    const task = catalogue.models.get('subscriptionTask');
    expect(task?.operations).toEqual(['retrieve', 'list']);
    expect(task?.fields.map((field) => field.name)).toEqual([
      'id',
      'created',
      'createUser',
      'updated',
      'updateUser',
      'type',
    ]);
    for (const model of models.filter((other) => other !== task)) {
      expect(model.operations).toEqual(OPERATIONS);
      expect(model.fields.filter((field) => field.name === 'deleted')).toHaveLength(1);
    }
  });

  test('keeps flags, remarks, lines and value lists of a field', () => {
    const field = (key: string) => fields.find((candidate) => candidate.key === key);
    expect(field('stock.subfamily')).toEqual({
      name: 'subfamily',
      key: 'stock.subfamily',
      type: 'string',
      required: true,
      readonly: false,
      common: false,
      about: 'the subfamily id',
    });
    expect(field('stockInvoice.lines')).toMatchObject({
      type: 'lines',
      lines: 'stockInvoiceLine',
      required: true,
    });
    expect(field('stockInvoiceLine.stockInvoice')).toMatchObject({ required: true, readonly: true });
    expect(field('warehouse.id')).toMatchObject({
      type: 'int',
      common: true,
      required: false,
      readonly: true,
    });
    expect(field('crmContact.language')?.choices).toEqual([
      { value: 'es', name: 'Español', english: 'Spanish' },
      { value: 'en', name: 'Inglés', english: 'English' },
    ]);
    expect(field('customer.language')?.choices).toBeUndefined();
    expect(
      field('subscription.period')
        ?.choices?.map((choice) => choice.value)
        .sort(),
    ).toEqual([0, 7, 1, 20, 30, 60, 120].sort());
  });
});

describe('a directory of one’s own', () => {
  test('gives its models with the common fields first', () => {
    const { models, areas } = load({});
    expect(models.get('thing')?.fields.map((field) => field.key)).toEqual([
      'thing.id',
      'thing.deleted',
      'thing.name',
    ]);
    expect(areas).toEqual([{ name: 'Things', about: 'Things', models: ['thing'] }]);
  });

  test('may name models and fields like members of every object', () => {
    const { models } = load({
      'things.yaml': 'area: A\nmodels:\n  constructor:\n    toString: string req\n    hasOwnProperty: int\n',
    });
    expect(models.get('constructor')?.fields.map((field) => field.name)).toEqual([
      'id',
      'deleted',
      'toString',
      'hasOwnProperty',
    ]);
    expect(load({}).models.has('toString')).toBe(false);
  });

  test('may use anchors', () => {
    const { models } = load({ 'things.yaml': 'area: A\nmodels:\n  one: &x\n    name: string\n  two: *x\n' });
    expect(models.get('two')?.fields.at(-1)).toMatchObject({ key: 'two.name', type: 'string' });
  });

  test('keeps operations in the order of section 4, whatever the order in the file', () => {
    const { models } = load({ 'things.yaml': `${AREA}operations:\n  thing: [list, retrieve]\n` });
    expect(models.get('thing')?.operations).toEqual(['retrieve', 'list']);
  });

  test('leaves other files alone', () => {
    expect(load({ 'notes.txt': 'no catalogue', 'things.json': '[]' }).models.size).toBe(1);
  });
});

const field = (notation: string): Files => ({
  'things.yaml': `area: Things\nmodels:\n  thing:\n    name: ${notation}\n`,
});
const valuesOf = (type: string, list: string): Files => ({
  'things.yaml': `area: Things\nmodels:\n  thing:\n    kind: ${type}\nvalues:\n${list}\n`,
});
const common = (text: string): Files => ({ 'common.yaml': text });

describe('a directory is refused, with file and line,', () => {
  test.each<[string, Files, string]>([
    ['for an unknown type', field('strng req'), 'things.yaml:4: the type is "strng"; expected one of'],
    ['for an unknown type, with the likely one', field('strng req'), 'Did you mean string?'],
    [
      'for an unknown flag',
      field('string rq'),
      'things.yaml:4: the flag is "rq"; expected req or ro. Did you mean',
    ],
    [
      'for a flag that stands twice',
      field('string req req'),
      'the flag "req" stands twice; expected it once',
    ],
    ['for an empty notation', field('""'), 'things.yaml:4: the type is ""'],
    ['for a field without a type', field(''), 'things.yaml:4: found nothing; expected a text'],
    ['for brackets that do not match', field('string (a (b)'), 'expected a type and flags'],
    [
      'for a field that stands twice',
      { 'things.yaml': `${AREA}    name: text\n` },
      'things.yaml:5: Map keys must be unique',
    ],
    [
      'for a field named like a common one',
      { 'things.yaml': `${AREA}    deleted: bool\n` },
      'things.yaml:5: field deleted stands twice; it is a common field',
    ],
    [
      'for a model in two files',
      { 'zoo.yaml': 'area: Zoo\nmodels:\n  thing: common fields only\n' },
      'zoo.yaml:3: model thing stands twice; expected each model once',
    ],
    [
      'for an area in two files',
      { 'zoo.yaml': 'area: Things\nmodels:\n  ape: common fields only\n' },
      'zoo.yaml:1: area Things stands in another file too',
    ],
    [
      'for a value list on a field that is no select',
      valuesOf('string', '  thing.kind:\n    0: A'),
      'things.yaml:7: thing.kind has a value list and type string; expected type select',
    ],
    [
      'for a value list of an unknown field',
      valuesOf('select', '  thing.knd:\n    0: A'),
      'values of thing.knd: no such field in this area; expected model.field',
    ],
    [
      'for mixed kinds of values',
      valuesOf('select', '  thing.kind:\n    0: A\n    b: B'),
      'values of thing.kind mix numbers and texts; expected one kind',
    ],
    ['for an empty list', valuesOf('select', '  thing.kind: {}'), 'values of thing.kind are empty'],
    ['for truth values', valuesOf('select', '  thing.kind:\n    true: A'), 'value true is a truth value'],
    ['for no numbers', valuesOf('select', '  thing.kind:\n    .nan: A'), 'value NaN has no form in JSON'],
    [
      'for values without a name',
      valuesOf('select', '  thing.kind: [0, 1]'),
      'found a list; expected a mapping',
    ],
    [
      'for lines of an unknown model',
      field('Thong[] req'),
      'things.yaml:4: name holds lines whose model is "thong"; expected thing. Did you mean thing?',
    ],
    [
      'for lines of an unknown model among the common fields',
      common(`${COMMON}  parts: Part[] ro\n`),
      'common.yaml:7: parts holds lines whose model is "part"; expected thing',
    ],
    [
      'for an unknown key',
      { 'things.yaml': `${AREA}valeus: {}\n` },
      'things.yaml:5: the key is "valeus"; expected area, about, operations, without, closed, models, values, descriptions or english. Did you mean values?',
    ],
    [
      'for an operation that does not exist',
      { 'things.yaml': `${AREA}operations:\n  thing: [lst]\n` },
      'the word is "lst"; expected retrieve, list, create, update or delete. Did you mean list?',
    ],
    [
      'for operations of an unknown model',
      { 'things.yaml': `${AREA}operations:\n  thong: [list]\n` },
      'the model is "thong"; expected thing',
    ],
    [
      'for a description of an unknown model',
      { 'things.yaml': `${AREA}descriptions:\n  thong: A thing.\n` },
      'the model is "thong"; expected thing',
    ],
    [
      'for an English name of an unknown value',
      {
        'things.yaml': `area: A\nmodels: { thing: { kind: select } }\n${KINDS}english: { thing.kind: { 2: Two } }\n`,
      },
      'things.yaml:4: the value of thing.kind is 2; expected 1',
    ],
    [
      'for an English name that is none in code',
      {
        'things.yaml': `area: A\nmodels: { thing: { kind: select } }\n${KINDS}english: { thing.kind: { 1: 15 days } }\n`,
      },
      'things.yaml:4: 15 days is no name for code; expected letters and digits',
    ],
    [
      'for English names of no value list',
      {
        'things.yaml': `area: A\nmodels: { thing: { kind: select } }\n${KINDS}english: { thing.sort: { 1: One } }\n`,
      },
      'things.yaml:4: the value list is "thing.sort"; expected thing.kind',
    ],
    [
      'for an order of areas with an unknown one',
      common(`${COMMON}areas: [Thinks]\n`),
      'the area is "Thinks"; expected Things. Did you mean Things?',
    ],
    [
      'for a model without id',
      { 'things.yaml': `${AREA}without:\n  thing: [id]\n` },
      'the word is "id"; expected deleted',
    ],
    [
      'without common.yaml',
      { 'common.yaml': undefined },
      'has no common.yaml; expected one with title, version, base',
    ],
    [
      'without an id',
      common(COMMON.replace('id: int ro', 'key: int ro')),
      'common.yaml:1: common has no id: int ro',
    ],
    ['for an id that is writable', common(COMMON.replace('int ro', 'int')), 'common has no id: int ro'],
    ['without a title', common(COMMON.replace('title: T\n', '')), 'title is missing; expected a text'],
    [
      'for a version that is no text',
      common(COMMON.replace('"1"', '1')),
      'common.yaml:2: found 1; expected a text',
    ],
    ['without models', { 'things.yaml': undefined }, 'describes no model; expected a file an area'],
    [
      'for an area without models',
      { 'things.yaml': 'area: Things\n' },
      'models is missing; expected a mapping',
    ],
    [
      'for an area without a name',
      { 'things.yaml': 'models: {}\n' },
      'area is missing; expected the name of the area',
    ],
    [
      'for another word in place of fields',
      { 'things.yaml': 'area: A\nmodels: { thing: none }\n' },
      'found "none"; expected a mapping',
    ],
    ['for malformed YAML', { 'things.yaml': 'area: A\nmodels: {\n' }, 'things.yaml:'],
    [
      'for a file that is a list',
      { 'things.yaml': '- area\n' },
      'things.yaml:1: found a list; expected a mapping',
    ],
    ['for an empty file', { 'things.yaml': '' }, 'things.yaml:1: found nothing; expected a mapping'],
    [
      'for a model called __proto__',
      { 'things.yaml': 'area: A\nmodels: { __proto__: { a: int } }\n' },
      'model "__proto__" is no name',
    ],
    [
      'for a field called __proto__',
      { 'things.yaml': 'area: A\nmodels: { thing: { __proto__: int } }\n' },
      'field "__proto__" is no name',
    ],
    ['for a key called __proto__', { 'things.yaml': `${AREA}__proto__: {}\n` }, 'the key is "__proto__"'],
    [
      'for a model with a slash',
      { 'things.yaml': 'area: A\nmodels: { "a/b": { a: int } }\n' },
      'model "a/b" is no name',
    ],
    [
      'for a model that is a number',
      { 'things.yaml': 'area: A\nmodels: { 7: { a: int } }\n' },
      'model 7 is no name',
    ],
    [
      'for a name beyond all measure',
      { 'things.yaml': `area: A\nmodels: { ${'a'.repeat(65)}: { a: int } }\n` },
      'is no name',
    ],
  ])('%s', (_name, files, expected) => {
    expect(complaint(files)).toContain(expected);
  });

  test.each(['api', '/', '/api/', '//api', '/api model', '/api/../etc', '/.', '/{base}', '/a?b'])(
    'for the base path %s',
    (base) => {
      expect(complaint(common(COMMON.replace('/api/model', `"${base}"`)))).toContain(
        `common.yaml:3: base is "${base}"; expected a path such as /api/model`,
      );
    },
  );

  test('when it does not exist', () => {
    expect(() => loadCatalogue(join(directory, 'nowhere'))).toThrow(
      /nowhere can't be read \(ENOENT\); expected a directory with common.yaml and a file an area/,
    );
  });

  test('when it is a file', () => {
    writeFileSync(join(directory, 'file'), '');
    expect(() => loadCatalogue(join(directory, 'file'))).toThrow(/can't be read \(ENOTDIR\)/);
  });
});
