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
      'zoo.yaml:3: model thing stands twice; expected each model once',
    ],
    [
      'for an area in two files',
      { 'zoo.yaml': 'area: Things\nmodels:\n  ape: common fields only\n' },
      'zoo.yaml:1: area Things stands in another file too',
    ],
    [
      'for an unknown key',
      { 'things.yaml': `${AREA}valeus: {}\n` },
      'things.yaml:5: the key is "valeus"; expected area, about, operations, without, closed, models, values, descriptions, nouns or english. Did you mean values?',
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
    expect(() => loadCatalogue(path('nowhere'))).toThrow(
      /nowhere can't be read \(ENOENT\); expected a directory with common.yaml and a file an area/,
    );
  });

  test('when it is a file', () => {
    write('file', '');
    expect(() => loadCatalogue(path('file'))).toThrow(/can't be read \(ENOTDIR\)/);
  });
});
