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
    [
      'for an unknown type',
      field('strng req'),
      'things.yaml:4: Unknown type "strng". Did you mean "string"?',
    ],
    [
      'for an unknown type, with the likely one',
      field('strng req'),
      'Unknown type "strng". Did you mean "string"?',
    ],
    ['for an unknown flag', field('string rq'), 'things.yaml:4: Unknown flag "rq". Did you mean "req"?'],
    [
      'for a flag that stands twice',
      field('string req req'),
      'The flag "req" is given twice. Remove one of them.',
    ],
    [
      'for an empty notation',
      field('""'),
      'things.yaml:4: Unknown type "". Use one of 20 names, such as "int", "url", "text", "bool", or "date".',
    ],
    ['for a field without a type', field(''), 'things.yaml:4: Expected a string, but found nothing.'],
    [
      'for brackets that do not match',
      field('string (a (b)'),
      'Expected a type and flags, such as "string req", but found "string (a (b)".',
    ],
    [
      'for a field that stands twice',
      { 'things.yaml': `${AREA}    name: text\n` },
      'things.yaml:5: The YAML is malformed: Map keys must be unique.',
    ],
    [
      'for a field named like a common one',
      { 'things.yaml': `${AREA}    deleted: bool\n` },
      'things.yaml:5: The field deleted is a common field already. Remove it here.',
    ],
    [
      'for a value list on a field that is no select',
      valuesOf('string', '  thing.kind:\n    0: A'),
      'things.yaml:7: thing.kind has a value list, so its type must be select, but is string.',
    ],
    [
      'for a value list of an unknown field',
      valuesOf('select', '  thing.knd:\n    0: A'),
      'The value list is for thing.knd, but this area has no such field. Use model.field.',
    ],
    [
      'for mixed kinds of values',
      valuesOf('select', '  thing.kind:\n    0: A\n    b: B'),
      'The value list of thing.kind mixes numbers and strings. Use only one of them.',
    ],
    [
      'for an empty list',
      valuesOf('select', '  thing.kind: {}'),
      'The value list of thing.kind is empty. Add at least one value.',
    ],
    [
      'for truth values',
      valuesOf('select', '  thing.kind:\n    true: A'),
      'A value must be a number or a string, but is the boolean true. Put it in quotes.',
    ],
    [
      'for no numbers',
      valuesOf('select', '  thing.kind:\n    .nan: A'),
      `A value must be a number or a string, but is NaN, which JSON can't represent.`,
    ],
    [
      'for values without a name',
      valuesOf('select', '  thing.kind: [0, 1]'),
      'Expected a mapping, but found a list.',
    ],
    [
      'for lines of an unknown model',
      field('Thong[] req'),
      'things.yaml:4: Unknown model "thong" in the type of name. Did you mean "thing"?',
    ],
    [
      'for lines of an unknown model among the common fields',
      common(`${COMMON}  parts: Part[] ro\n`),
      'common.yaml:7: Unknown model "part" in the type of parts. Use "thing".',
    ],
  ])('%s', (_name, files, expected) => {
    expect(complaint(files)).toContain(expected);
  });
});
