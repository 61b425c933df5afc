import type { RecordValues } from '../spec/record-codec.ts';
import type { Value } from '../spec/types/wire-type.ts';

/** A record and the records beside it that its readonly values may follow from. */
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
  'stockOrderLine.pending': ({ record }) => cents(of(record, 'amount') - of(record, 'received')),
  'stockOrderLine.difference': ({ record }) => cents(of(record, 'received') - of(record, 'amount')),
  'stockOrderLine.globalDiscount': ({ parent }) => of(parent, 'globalDiscount'),
  'stockOrderLine.globalDiscountAmount': ({ record }) =>
    cents((of(record, 'total') * of(record, 'globalDiscount')) / 100),

  'stockOrder.amount': ({ lines }) => sum(lines, 'amount'),
  'stockOrder.received': ({ lines }) => sum(lines, 'received'),
  'stockOrder.globalDiscountAmount': ({ lines }) => sum(lines, 'globalDiscountAmount'),
  'stockOrder.total': ({ record, lines }) => cents(sum(lines, 'total') - of(record, 'globalDiscountAmount')),

  'stockInvoiceLine.taxAmount': ({ record }) => cents((baseOf(record) * of(record, 'taxRate')) / 100),

  'stockInvoice.number': ({ record }) => record.number ?? `F-${String(record.id).padStart(6, '0')}`,
  'stockInvoice.totalBeforeTaxes': ({ lines = [] }) => total(lines.map(baseOf)),
  'stockInvoice.total': ({ lines = [] }) => total(lines.map((line) => baseOf(line) + of(line, 'taxAmount'))),
  // What was paid stays paid when the total changes.
  'stockInvoice.pending': ({ record, before }) =>
    cents(of(record, 'total') - (isSet(before, 'pending') ? of(before, 'total') - of(before, 'pending') : 0)),
};

/** What an invoice line costs before taxes: as given, else as its units, price and discount say. */
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

/** Rounded to two decimals, half up; the detour over 15 digits makes 1.005 a half and not a little less. */
function cents(number: number): number {
  const bounded = Math.min(Math.max(Number.isNaN(number) ? 0 : number, -MOST), MOST);
  return Math.round(Number((bounded * 100).toPrecision(15))) / 100 || 0;
}
