import { describe, expect, test } from 'vitest';
import {
  AREA,
  COMMON,
  type CatalogueFiles as Files,
  useCatalogueFiles,
} from '../../testing/input-files/catalogue-files.ts';
import { loadCatalogue } from './catalogue.ts';

const { complaint, path, write } = useCatalogueFiles();

const KINDS = 'values: { thing.kind: { 1: Uno } }\n';

const common = (text: string): Files => ({ 'common.yaml': text });

describe('a directory is refused, with file and line,', () => {
  test.each<[string, Files, string]>([
    [
      'for a model in two files',
      { 'zoo.yaml': 'area: Zoo\nmodels:\n  thing: common fields only\n' },
      'zoo.yaml:3: The model thing is defined twice. Remove one of them.',
    ],
    [
      'for an area in two files',
      { 'zoo.yaml': 'area: Things\nmodels:\n  ape: common fields only\n' },
      'zoo.yaml:1: The area Things is in another file too. Use one file per area.',
    ],
    [
      'for an unknown key',
      { 'things.yaml': `${AREA}valeus: {}\n` },
      'things.yaml:5: Unknown key "valeus". Did you mean "values"?',
    ],
    [
      'for an operation that does not exist',
      { 'things.yaml': `${AREA}operations:\n  thing: [lst]\n` },
      'Unknown name "lst". Did you mean "list"?',
    ],
    [
      'for operations of an unknown model',
      { 'things.yaml': `${AREA}operations:\n  thong: [list]\n` },
      'Unknown model "thong". Did you mean "thing"?',
    ],
    [
      'for a description of an unknown model',
      { 'things.yaml': `${AREA}descriptions:\n  thong: A thing.\n` },
      'Unknown model "thong". Did you mean "thing"?',
    ],
    [
      'for an English name of an unknown value',
      {
        'things.yaml': `area: A\nmodels: { thing: { kind: select } }\n${KINDS}english: { thing.kind: { 2: Two } }\n`,
      },
      'things.yaml:4: Unknown value 2 for thing.kind. Use 1.',
    ],
    [
      'for an English name that is none in code',
      {
        'things.yaml': `area: A\nmodels: { thing: { kind: select } }\n${KINDS}english: { thing.kind: { 1: 15 days } }\n`,
      },
      'things.yaml:4: The English name "15 days" is invalid. Use letters and digits, starting with a capital letter, and each name once.',
    ],
    [
      'for English names of no value list',
      {
        'things.yaml': `area: A\nmodels: { thing: { kind: select } }\n${KINDS}english: { thing.sort: { 1: One } }\n`,
      },
      'things.yaml:4: Unknown value list "thing.sort". Use "thing.kind".',
    ],
    [
      'for an order of areas with an unknown one',
      common(`${COMMON}areas: [Thinks]\n`),
      'Unknown area "Thinks". Did you mean "Things"?',
    ],
    [
      'for a model without id',
      { 'things.yaml': `${AREA}without:\n  thing: [id]\n` },
      'Unknown name "id". Use "deleted".',
    ],
    [
      'without common.yaml',
      { 'common.yaml': undefined },
      'has no common.yaml. Add one with title, version, base, and common.',
    ],
    [
      'without an id',
      common(COMMON.replace('id: int ro', 'key: int ro')),
      'common.yaml:1: common has no `id: int ro`. Add it, because requests address records by id.',
    ],
    [
      'for an id that is writable',
      common(COMMON.replace('int ro', 'int')),
      'common has no `id: int ro`. Add it, because requests address records by id.',
    ],
    ['without a title', common(COMMON.replace('title: T\n', '')), 'title is missing. Add a string.'],
    [
      'for a version that is no text',
      common(COMMON.replace('"1"', '1')),
      'common.yaml:2: Expected a string, but found 1.',
    ],
    ['without models', { 'things.yaml': undefined }, 'has no models. Add a YAML file for each area.'],
    [
      'for an area without models',
      { 'things.yaml': 'area: Things\n' },
      'models is missing. Add a mapping of models to fields.',
    ],
    [
      'for an area without a name',
      { 'things.yaml': 'models: {}\n' },
      'area is missing. Add the name of the area.',
    ],
    [
      'for another word in place of fields',
      { 'things.yaml': 'area: A\nmodels: { thing: none }\n' },
      'Expected a mapping, but found "none".',
    ],
    ['for malformed YAML', { 'things.yaml': 'area: A\nmodels: {\n' }, 'things.yaml:'],
    [
      'for a file that is a list',
      { 'things.yaml': '- area\n' },
      'things.yaml:1: Expected a mapping, but found a list.',
    ],
    ['for an empty file', { 'things.yaml': '' }, 'things.yaml:1: Expected a mapping, but found nothing.'],
    [
      'for a model called __proto__',
      { 'things.yaml': 'area: A\nmodels: { __proto__: { a: int } }\n' },
      'The model name "__proto__" is invalid. Use letters and digits, starting with a lowercase letter.',
    ],
    [
      'for a field called __proto__',
      { 'things.yaml': 'area: A\nmodels: { thing: { __proto__: int } }\n' },
      'The field name "__proto__" is invalid. Use letters and digits, starting with a lowercase letter.',
    ],
    [
      'for a key called __proto__',
      { 'things.yaml': `${AREA}__proto__: {}\n` },
      'Unknown key "__proto__". Use one of 10 names, such as "operations", "area", "about", "without", or "closed".',
    ],
    [
      'for a model with a slash',
      { 'things.yaml': 'area: A\nmodels: { "a/b": { a: int } }\n' },
      'The model name "a/b" is invalid. Use letters and digits, starting with a lowercase letter.',
    ],
    [
      'for a model that is a number',
      { 'things.yaml': 'area: A\nmodels: { 7: { a: int } }\n' },
      'The model name 7 is invalid. Use letters and digits, starting with a lowercase letter.',
    ],
    [
      'for a name beyond all measure',
      { 'things.yaml': `area: A\nmodels: { ${'a'.repeat(65)}: { a: int } }\n` },
      'The model name "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" is invalid. Use letters and digits, starting with a lowercase letter.',
    ],
  ])('%s', (_name, files, expected) => {
    expect(complaint(files)).toContain(expected);
  });

  test.each(['api', '/', '/api/', '//api', '/api model', '/api/../etc', '/.', '/{base}', '/a?b'])(
    'for the base path %s',
    (base) => {
      expect(complaint(common(COMMON.replace('/api/model', `"${base}"`)))).toContain(
        `common.yaml:3: base must be a path such as /api/model, but is "${base}".`,
      );
    },
  );

  test('when it does not exist', () => {
    expect(() => loadCatalogue(path('nowhere'))).toThrow(
      /nowhere can't be read because there is no such file or directory\. Name a directory with common\.yaml and one file per area\./,
    );
  });

  test('when it is a file', () => {
    write('file', '');
    expect(() => loadCatalogue(path('file'))).toThrow(
      /file can't be read because a part of its path is not a directory\. Name a directory with common\.yaml and one file per area\./,
    );
  });
});
