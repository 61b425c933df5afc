import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';

/** A record, and the records that its readonly values are computed from. */
export type Surroundings = {
  readonly record: RecordValues;
  /** The record before a change; absent when it is new. */
  readonly before?: RecordValues | undefined;
  /** The record that holds this one as a line. */
  readonly parent?: RecordValues | undefined;
  readonly lines?: readonly RecordValues[] | undefined;
};

export type Formula = (surroundings: Surroundings) => Value;

// The amounts that every form of a currency can show (types.currency).
const MOST = 999_999_999_999.99;

/**
 * INFERRED: how readonly values follow from others, by `model.field`. The source names the fields and shows no
 * formula; these are what the names plainly mean. In order: a formula sees the results of those above it. One for
 * a field that a catalogue does not have is not used.
 */
export const FORMULAS: Readonly<Record<string, Formula>> = {
  'stockOrderLine.total': ({ record }) =>
    cents(of(record, 'amount') * of(record, 'grossUnitCost') * (1 - of(record, 'discount') / 100)),
  'stockOrderLine.pending': ({ record }) => add([of(record, 'amount'), -of(record, 'received')]),
  'stockOrderLine.difference': ({ record }) => add([of(record, 'received'), -of(record, 'amount')]),
  'stockOrderLine.globalDiscount': ({ parent }) => of(parent, 'globalDiscount'),
  'stockOrderLine.globalDiscountAmount': ({ record }) =>
    cents((of(record, 'total') * of(record, 'globalDiscount')) / 100),

  'stockOrder.amount': ({ lines = [] }) => add(lines.map((line) => of(line, 'amount'))),
  'stockOrder.received': ({ lines = [] }) => add(lines.map((line) => of(line, 'received'))),
  'stockOrder.globalDiscountAmount': ({ lines }) => sum(lines, 'globalDiscountAmount'),
  'stockOrder.total': ({ record, lines }) => cents(sum(lines, 'total') - of(record, 'globalDiscountAmount')),

  'stockInvoiceLine.taxAmount': ({ record }) => cents((baseOf(record) * of(record, 'taxRate')) / 100),

  'stockInvoice.number': ({ record }) => record.number ?? `F-${String(record.id).padStart(6, '0')}`,
  'stockInvoice.totalBeforeTaxes': ({ lines = [] }) => total(lines.map(baseOf)),
  'stockInvoice.total': ({ lines = [] }) => total(lines.map((line) => baseOf(line) + of(line, 'taxAmount'))),
  // A change of the total does not change the paid amount.
  'stockInvoice.pending': ({ record, before }) =>
    cents(of(record, 'total') - (isSet(before, 'pending') ? of(before, 'total') - of(before, 'pending') : 0)),
};

/** Returns the price of an invoice line before taxes: the given one, or that of its units, price, and discount. */
function baseOf(line: RecordValues): number {
  if (isSet(line, 'totalBeforeTaxes')) return of(line, 'totalBeforeTaxes');
  return cents(of(line, 'units') * of(line, 'priceBeforeTaxes') * (1 - of(line, 'discountRate') / 100));
}

function isSet(record: RecordValues | undefined, field: string): boolean {
  return record?.[field] !== undefined && record[field] !== null;
}

/** The number in a field; 0 where it has none. */
function of(record: RecordValues | undefined, field: string): number {
  const value = record?.[field];
  return typeof value === 'number' ? value : 0;
}

function sum(lines: readonly RecordValues[] = [], field: string): number {
  return total(lines.map((line) => of(line, field)));
}

function total(numbers: readonly number[]): number {
  return cents(numbers.reduce((result, number) => result + number, 0));
}

/** Adds quantities. Rounds to the decimals that they have, because binary sums have more. */
function add(numbers: readonly number[]): number {
  const sum = numbers.reduce((result, number) => result + number, 0);
  const bounded = Math.min(Math.max(sum, -Number.MAX_VALUE), Number.MAX_VALUE);
  const decimals = numbers.reduce((most, number) => Math.max(most, decimalsOf(number)), 0);
  // No text has more decimals. Such small numbers are exact enough.
  return decimals > 100 ? bounded : Number(bounded.toFixed(decimals)) || 0;
}

function decimalsOf(number: number): number {
  const [digits = '', exponent = '0'] = String(number).split('e');
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent));
}

/** Rounded to two decimals, half away from zero; the detour over 15 digits makes 1.005 a half and not a little less. */
function cents(number: number): number {
  const size = Math.min(Number.isNaN(number) ? 0 : Math.abs(number), MOST);
  return (Math.sign(number) * Math.round(Number((size * 100).toPrecision(15)))) / 100 || 0;
}
