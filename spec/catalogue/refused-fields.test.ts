import { describe, expect, test } from 'vitest';
import {
  AREA,
  COMMON,
  type CatalogueFiles as Files,
  useCatalogueFiles,
} from '../../testing/input-files/catalogue-files.ts';

const { complaint } = useCatalogueFiles();

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
  ])('%s', (_name, files, expected) => {
    expect(complaint(files)).toContain(expected);
  });
});
