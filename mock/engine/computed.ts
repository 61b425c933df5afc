import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field, Role, TypeName } from '../../spec/catalogue/field.ts';
import { fieldOf, isIdField } from '../../spec/catalogue/roles.ts';
import { onceFor } from '../../spec/once-for.ts';
import { type Profile, profileAt } from '../../spec/profile/profile.ts';
import { canonicalDatetime, WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';

/** A record, and the records that its readonly values are computed from. */
type Surroundings = {
  readonly record: RecordValues;
  /** The record before a change; absent when it is new. */
  readonly before?: RecordValues | undefined;
  /** The record that holds this one as a line. */
  readonly parent?: RecordValues | undefined;
  readonly lines?: readonly RecordValues[] | undefined;
};

type Formula = (surroundings: Surroundings) => Value;

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

/** The user of a change by an unknown user, because the interface has no users (section 5). */
export const NOBODY = 1;

/** The time of a change, as a canonical datetime, and its user. */
export type ChangeStamp = { readonly now: string; readonly user: number };

/** Returns the functions that fill in the fields of the service. */
export function createComputedFields(profile: Profile) {
  const formulas = onceFor((model: Model) =>
    Object.entries(FORMULAS).flatMap(([key, formula]) => {
      // Only for readonly fields. In another catalogue, the field can be writable.
      const field = model.fields.find((candidate) => candidate.key === key && candidate.readonly);
      return field ? [[field.name, formula] as const] : [];
    }),
  );
  const blankOf = onceFor(({ fields }: Model) => Object.fromEntries(fields.map(({ name }) => [name, null])));
  const initials = onceFor(({ fields }: Model) =>
    fields.map((field) => [field.name, initialOf(field, profile)] as const),
  );
  return {
    /** Returns a whole record from some values: with common fields, defaults of required readonly fields, and null. */
    complete: (model: Model, id: number, values: RecordValues, change: ChangeStamp): RecordValues => {
      // V8 is several times slower with objects that get many fields one by one.
      const record: Record<string, Value> = { ...blankOf(model) };
      for (const [name, initial] of initials(model)) {
        const given = Object.hasOwn(values, name) ? values[name] : undefined;
        record[name] = given ?? initial?.(change, id) ?? null;
      }
      return record;
    },
    /** Returns the record with the time and user of a change. */
    touch: (model: Model, record: RecordValues, { now, user }: ChangeStamp): RecordValues => {
      const changed: Record<string, Value> = { ...record };
      const [updated, by] = [fieldOf(model, 'updated'), fieldOf(model, 'updatedBy')];
      if (updated) changed[updated.name] = now;
      if (by) changed[by.name] = user;
      return changed;
    },
    /** Returns the record with the values that follow from others; the same object if none differs. */
    compute: (model: Model, surroundings: Surroundings): RecordValues => {
      let { record } = surroundings;
      for (const [field, formula] of formulas(model)) {
        const found = formula({ ...surroundings, record });
        const { 'limits.text': longest } = profileAt(profile, `${model.name}.${field}`);
        // Generated texts differ at their ends.
        const value = typeof found === 'string' && longest !== 'none' ? found.slice(-longest) : found;
        if (value !== record[field]) record = { ...record, [field]: value };
      }
      return record;
    },
  };
}

/** Returns the function that fills in a field of a new record; undefined for a field that stays unset. */
function initialOf(field: Field, profile: Profile): ((change: ChangeStamp, id: number) => Value) | undefined {
  if (isIdField(field)) return (_, id) => id;
  if (field.role) return COMMON[field.role];
  if (!field.required || !field.readonly) return undefined;
  if (field.type === 'datetime') return ({ now }) => now;
  if (field.type === 'date') return ({ now }) => now.slice(0, 10);
  // The first choice of a select; addresses have no empty value.
  const value = DEFAULTS[field.type] ?? WIRE_TYPES[field.type].sample(0, { field, profile });
  return () => value;
}

let lastSecond = { second: Number.NaN, text: '' };

/** Returns a time in whole seconds, because not every form of a datetime shows parts of one (types.datetime). */
export function secondOf(time: Date): string {
  const second = Math.floor(time.getTime() / 1000);
  if (second !== lastSecond.second) lastSecond = { second, text: canonicalDatetime(new Date(second * 1000)) };
  return lastSecond.text;
}

/** Section 2.0. */
const COMMON: Readonly<Record<Role, (change: ChangeStamp) => Value>> = {
  created: ({ now }) => now,
  createdBy: ({ user }) => user,
  updated: ({ now }) => now,
  updatedBy: ({ user }) => user,
  deleted: () => false,
};

/** INFERRED: the value of a required readonly field that no formula fills in. */
const DEFAULTS: Readonly<Partial<Record<TypeName, Value>>> = {
  int: 0,
  float: 0,
  currency: 0,
  percent: 0,
  string: '',
  text: '',
  markdown: '',
  bool: false,
  time: '00:00:00',
  duration: 'PT0S',
  daysOfWeek: [],
  manyToMany: [],
  lines: [],
};
