import { describe, expect, test } from 'vitest';
import {
  AREA,
  COMMON,
  type CatalogueFiles as Files,
  useCatalogueFiles,
} from '../../testing/input-files/catalogue-files.ts';
import { loadCatalogue } from './catalogue.ts';

const { complaint, path } = useCatalogueFiles();

const KINDS = 'values: { thing.kind: { 1: Uno } }\n';

const field = (notation: string): Files => ({
  'things.yaml': `area: Things\nmodels:\n  thing:\n    name: ${notation}\n`,
});
const valuesOf = (type: string, list: string): Files => ({
  'things.yaml': `area: Things\nmodels:\n  thing:\n    kind: ${type}\nvalues:\n${list}\n`,
});
const common = (text: string): Files => ({ 'common.yaml': text });

describe('a directory is refused, with file and line,', () => {
  test.each<[Files, string]>([
    [
      { 'zoo.yaml': 'area: Zoo\nmodels:\n  thing: common fields only\n' },
      'zoo.yaml:3: The model thing is defined twice. Remove one of them.',
    ],
    [
      { 'zoo.yaml': 'area: Things\nmodels:\n  ape: common fields only\n' },
      'zoo.yaml:1: The area Things is in another file too. Use one file per area.',
    ],
    [{ 'things.yaml': `${AREA}valeus: {}\n` }, 'things.yaml:5: Unknown key "valeus". Did you mean "values"?'],
    [{ 'things.yaml': `${AREA}operations:\n  thing: [lst]\n` }, 'Unknown name "lst". Did you mean "list"?'],
    [
      { 'things.yaml': `${AREA}descriptions:\n  thong: A thing.\n` },
      'Unknown model "thong". Did you mean "thing"?',
    ],
    [
      {
        'things.yaml': `area: A\nmodels: { thing: { kind: select } }\n${KINDS}english: { thing.kind: { 2: Two } }\n`,
      },
      'things.yaml:4: Unknown value 2 for thing.kind. Use 1.',
    ],
    [
      {
        'things.yaml': `area: A\nmodels: { thing: { kind: select } }\n${KINDS}english: { thing.kind: { 1: 15 days } }\n`,
      },
      'things.yaml:4: The English name "15 days" is invalid. Use letters and digits, starting with a capital letter, and each name once.',
    ],
    [
      {
        'things.yaml': `area: A\nmodels: { thing: { kind: select } }\n${KINDS}english: { thing.sort: { 1: One } }\n`,
      },
      'things.yaml:4: Unknown value list "thing.sort". Use "thing.kind".',
    ],
    [common(`${COMMON}areas: [Thinks]\n`), 'Unknown area "Thinks". Did you mean "Things"?'],
    [{ 'things.yaml': `${AREA}without:\n  thing: [id]\n` }, 'Unknown name "id". Use "deleted".'],
    [{ 'common.yaml': undefined }, 'has no common.yaml. Add one with title, version, base, and common.'],
    [
      common(COMMON.replace('id: int ro', 'key: int ro')),
      'common.yaml:1: common has no `id: int ro`. Add it, because requests address records by id.',
    ],
    [common(COMMON.replace('title: T\n', '')), 'title is missing. Add a string.'],
    [common(COMMON.replace('"1"', '1')), 'common.yaml:2: Expected a string, but found 1.'],
    [{ 'things.yaml': undefined }, 'has no models. Add a YAML file for each area.'],
    [{ 'things.yaml': 'models: {}\n' }, 'area is missing. Add the name of the area.'],
    [{ 'things.yaml': 'area: A\nmodels: {\n' }, 'things.yaml:'],
    [{ 'things.yaml': '- area\n' }, 'things.yaml:1: Expected a mapping, but found a list.'],
    [
      { 'things.yaml': 'area: A\nmodels: { __proto__: { a: int } }\n' },
      'The model name "__proto__" is invalid. Use letters and digits, starting with a lowercase letter.',
    ],
    [
      { 'things.yaml': 'area: A\nmodels: { thing: { __proto__: int } }\n' },
      'The field name "__proto__" is invalid. Use letters and digits, starting with a lowercase letter.',
    ],
    [
      { 'things.yaml': `${AREA}__proto__: {}\n` },
      'Unknown key "__proto__". Use one of 12 names, such as "operations", "area", "about", "section", or "without".',
    ],
    [
      { 'things.yaml': 'area: A\nmodels: { "a/b": { a: int } }\n' },
      'The model name "a/b" is invalid. Use letters and digits, starting with a lowercase letter.',
    ],
    [field('strng req'), 'things.yaml:4: Unknown type "strng". Did you mean "string"?'],
    [field('string rq'), 'things.yaml:4: Unknown flag "rq". Did you mean "req"?'],
    [field('string req req'), 'The flag "req" is given twice. Remove one of them.'],
    [field('string (a (b)'), 'Expected a type and flags, such as "string req", but found "string (a (b)".'],
    [
      { 'things.yaml': `${AREA}    name: text\n` },
      'things.yaml:5: The YAML is malformed: Map keys must be unique.',
    ],
    [
      { 'things.yaml': `${AREA}    deleted: bool\n` },
      'things.yaml:5: The field deleted is a common field already. Remove it here.',
    ],
    [
      valuesOf('string', '  thing.kind:\n    0: A'),
      'things.yaml:7: thing.kind has a value list, so its type must be select, but is string.',
    ],
    [
      valuesOf('select', '  thing.kind:\n    0: A\n    b: B'),
      'The value list of thing.kind mixes numbers and strings. Use only one of them.',
    ],
    [
      valuesOf('select', '  thing.kind: {}'),
      'The value list of thing.kind is empty. Add at least one value.',
    ],
    [
      valuesOf('select', '  thing.kind:\n    true: A'),
      'A value must be a number or a string, but is the boolean true. Put it in quotes.',
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

  test('when it does not exist', () => {
    expect(() => loadCatalogue(path('nowhere'))).toThrow(
      /nowhere can't be read because there is no such file or directory\. Name a directory with common\.yaml and one file per area\./,
    );
  });
});
