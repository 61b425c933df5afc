import { describe, expect, test } from 'vitest';
import {
  AREA,
  COMMON,
  type CatalogueFiles as Files,
  useCatalogueFiles,
} from '../../testing/input-files/catalogue-files.ts';
import { readYaml } from '../files/yaml-file.ts';
import { loadCatalogue } from './catalogue.ts';
import { parseField } from './field.ts';

const { load, complaint } = useCatalogueFiles();

const catalogue = loadCatalogue();
const models = [...catalogue.models.values()];
const fields = models.flatMap((model) => model.fields);

test('the included catalogue describes each model, and names each listed value in English', () => {
  const undescribed = models.filter(({ about }) => about === undefined).map(({ name }) => name);
  expect(undescribed, 'models without a line in `descriptions` of their area').toEqual([]);
  const unnamed = fields.filter(({ choices = [] }) => choices.some(({ english }) => !english));
  expect(
    unnamed.map(({ key }) => key),
    'value lists without names in `english`',
  ).toEqual([]);
  expect(catalogue.areas.flatMap((area) => area.models).sort()).toEqual([...catalogue.models.keys()].sort());
});

test('the models of which the source states all fields are closed', () => {
  const closed = models.filter((model) => model.closed).map(({ name }) => name);
  expect(closed.sort()).toEqual(['customerFile', 'shareFile', 'stockDelivery', 'subscriptionTask']);
});

describe('a custom catalogue', () => {
  test('lists the common fields of a model first', () => {
    const { models, areas } = load({});
    const keys = models.get('thing')?.fields.map((field) => field.key);
    expect(keys).toEqual(['thing.id', 'thing.deleted', 'thing.name']);
    expect(areas).toEqual([{ name: 'Things', about: 'Things', models: ['thing'] }]);
  });

  test('can have models and fields with names of object members, such as toString', () => {
    const { models } = load({
      'things.yaml': 'area: A\nmodels:\n  constructor:\n    toString: string req\n    hasOwnProperty: int\n',
    });
    const names = models.get('constructor')?.fields.map((field) => field.name);
    expect(names).toEqual(['id', 'deleted', 'toString', 'hasOwnProperty']);
    expect(load({}).models.has('toString')).toBe(false);
  });

  test('sorts operations in the order of section 4', () => {
    const { models } = load({ 'things.yaml': `${AREA}operations:\n  thing: [list, retrieve]\n` });
    expect(models.get('thing')?.operations).toEqual(['retrieve', 'list']);
  });
});

const field = (notation: string): Files => ({
  'things.yaml': `area: Things\nmodels:\n  thing:\n    name: ${notation}\n`,
});
const valuesOf = (type: string, list: string): Files => ({
  'things.yaml': `area: Things\nmodels:\n  thing:\n    kind: ${type}\nvalues:\n  thing.kind: ${list}\n`,
});
const english = (names: string): Files => ({
  'things.yaml': `area: A\nmodels: { thing: { kind: select } }\nvalues: { thing.kind: { 1: Uno } }\nenglish: { ${names} }\n`,
});
const common = (text: string): Files => ({ 'common.yaml': text });

describe('a catalogue is rejected, with file and line,', () => {
  test.each<[Files, string]>([
    [{ 'zoo.yaml': 'area: Zoo\nmodels:\n  thing: common fields only\n' }, 'zoo.yaml:3: The model thing is'],
    [{ 'zoo.yaml': 'area: Things\nmodels:\n  ape: common fields only\n' }, 'zoo.yaml:1: The area Things is'],
    [{ 'things.yaml': `${AREA}valeus: {}\n` }, 'things.yaml:5: Unknown key "valeus". Did you mean "values"?'],
    [
      { 'things.yaml': `${AREA}operations:\n  thing: [lst]\n` },
      'Unknown value "lst" for thing. Did you mean "list"?',
    ],
    [{ 'things.yaml': `${AREA}descriptions:\n  thong: A thing.\n` }, 'Unknown model "thong". Did you mean'],
    [english('thing.kind: { 2: Two }'), 'things.yaml:4: Unknown value 2 for thing.kind. Use 1.'],
    [
      english('thing.kind: { 1: 15 days }'),
      'things.yaml:4: thing.kind must be a name of letters and digits, starting with a capital letter, but is "15 days".',
    ],
    [english('thing.sort: { 1: One }'), 'things.yaml:4: Unknown value list "thing.sort". Use "thing.kind".'],
    [common(`${COMMON}areas: [Thinks]\n`), 'Unknown area "Thinks". Did you mean "Things"?'],
    [{ 'things.yaml': `${AREA}without:\n  thing: [id]\n` }, 'Unknown common field "id". Use "deleted".'],
    [{ 'common.yaml': undefined }, 'has no common.yaml. Add one with title, version, base, and common.'],
    [common(COMMON.replace('id: int ro', 'key: int ro')), 'common.yaml:1: common has no `id: int ro`. Add'],
    [common(COMMON.replace('title: T\n', '')), 'title is missing. Expected the keys title,'],
    [common(COMMON.replace('"1"', '1')), 'common.yaml:2: Expected a string for version, but found 1.'],
    [{ 'things.yaml': undefined }, 'has no models. Add a YAML file for each area.'],
    [{ 'things.yaml': 'models: {}\n' }, 'area is missing. Expected the keys area,'],
    [
      { 'things.yaml': 'area: A\nmodels: { __proto__: { a: int } }\n' },
      'The name "__proto__" is invalid. Use letters and digits, starting with a lowercase letter.',
    ],
    [{ 'things.yaml': 'area: A\nmodels: { "a/b": { a: int } }\n' }, 'The name "a/b" is invalid. Use'],
    [field('strng req'), 'things.yaml:4: Unknown type "strng". Did you mean "string"?'],
    [field('string rq'), 'things.yaml:4: Unknown flag "rq". Did you mean "req"?'],
    [field('string req req'), 'The flag "req" is given twice. Remove one of them.'],
    [field('string (a (b)'), 'Expected a type and flags, such as "string req", but found "string (a (b)".'],
    [{ 'things.yaml': `${AREA}    deleted: bool\n` }, 'things.yaml:5: The field deleted is a common field'],
    [valuesOf('string', '{ 0: A }'), 'things.yaml:6: thing.kind has a value list, so its type must be'],
    [valuesOf('select', '{ 0: A, b: B }'), 'The value list of thing.kind mixes numbers and strings. Use'],
    [valuesOf('select', '{}'), 'thing.kind must be a mapping of at least one value to its name'],
    [
      valuesOf('select', '{ true: A }'),
      'A value must be a number or a string, but is true. Put it in quotes.',
    ],
    [field('Thong[] req'), 'things.yaml:4: Unknown model "thong" in the type of name. Did you mean "thing"?'],
  ])('for %j', (files, expected) => {
    expect(complaint(files)).toContain(expected);
  });

  test.each(['api', '/api/', '/api model', '/api/../etc', '/a?b'])('for the base path %s', (base) => {
    expect(complaint(common(COMMON.replace('/api/model', `"${base}"`)))).toContain(
      `common.yaml:3: base must be a path such as /api/model, but is "${base}".`,
    );
  });
});

const parse = (notation: string) => parseField(readYaml(JSON.stringify(notation), 'f'));

describe('the notation of a field', () => {
  test.each([
    ['string req', { type: 'string', required: true, readonly: false }],
    ['int ro req', { type: 'int', required: true, readonly: true }],
    ['string req (the id)', { type: 'string', required: true, readonly: false, about: 'the id' }],
    ['StockInvoiceLine[] req', { type: 'lines', lines: 'stockInvoiceLine', required: true, readonly: false }],
  ])('%s is parsed to its type and flags', (notation, expected) => {
    expect(parse(notation)).toEqual(expected);
  });

  test.each(['stockInvoiceLine[]', 'Line[][]', 'string[]', 'constructor', '__proto__'])(
    '%s is not a type',
    (notation) => {
      expect(() => parse(notation)).toThrow(/^f:1: Unknown (type|flag) "/);
    },
  );
});
