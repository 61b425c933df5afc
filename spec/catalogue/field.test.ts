import { describe, expect, test } from 'vitest';
import { readYaml } from '../files/yaml-file.ts';
import { parseField, TYPE_NAMES } from './field.ts';

const parse = (notation: string) => parseField(readYaml(JSON.stringify(notation), 'f'));

describe('the notation of a field', () => {
  test.each(TYPE_NAMES.filter((name) => name !== 'lines'))('takes the type %s', (type) => {
    expect(parse(type)).toEqual({ type, required: false, readonly: false });
  });

  test.each([
    ['string req', { type: 'string', required: true, readonly: false }],
    ['int ro req', { type: 'int', required: true, readonly: true }],
    [
      'manyToMany (customer tags)',
      { type: 'manyToMany', required: false, readonly: false, about: 'customer tags' },
    ],
    ['string req (the id)', { type: 'string', required: true, readonly: false, about: 'the id' }],
    ['StockInvoiceLine[] req', { type: 'lines', lines: 'stockInvoiceLine', required: true, readonly: false }],
  ])('%s says what it says', (notation, expected) => {
    expect(parse(notation)).toEqual(expected);
  });

  test.each(['stockInvoiceLine[]', 'Line[][]', 'string[]', 'constructor', '__proto__'])(
    '%s is no type',
    (notation) => {
      expect(() => parse(notation)).toThrow(/^f:1: Unknown (type|flag) "/);
    },
  );
});
