import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Field } from '../../spec/catalogue/field.ts';
import { choicesName, identifiers, lineName } from './names.ts';

const status: Field = {
  name: 'type',
  key: 'voucher.type',
  type: 'select',
  required: true,
  readonly: false,
  common: false,
};

it('names a line after the model it stands in', () => {
  expect(lineName('stockOrderLine', 'stockOrder')).toBe('StockOrderLineInStockOrder');
});

it('lets a value list give way to a model of the same name', () => {
  expect(choicesName(status, new Map())).toBe('VoucherType');
  expect(choicesName(status, new Map([['voucherType', true]]))).toBe('VoucherTypeValue');
});

/** Members of a value list by their names. */
const named = (...names: string[]) => names.map((name, value) => ({ name, value }));

it('takes the English name where there is one', () => {
  expect(identifiers([{ value: 1, name: '15 días', english: 'Days15' }], 'Terms')).toEqual(['Days15']);
});

it('folds names to ASCII and keeps them apart', () => {
  expect(
    identifiers(named('15 días', 'Aceptado en otra opción', 'Español', 'español', 'ESPAÑOL'), 'Terms'),
  ).toEqual(['Terms15Dias', 'AceptadoEnOtraOpcion', 'Espanol', 'Espanol_2', 'ESPANOL']);
});

it('makes distinct identifiers of any names', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (names) => {
      const made = identifiers(named(...names), 'List');
      expect(made).toHaveLength(names.length);
      expect(new Set(made).size).toBe(names.length);
      for (const name of made) expect(name).toMatch(/^[A-Za-z][A-Za-z0-9_]*$/);
    }),
    { seed: 2, numRuns: 300 },
  );
});
