import { isObject, NUMBERS, TEXTS } from '../../records/forms.ts';
import type { Row, Tables } from '../../records/tables.ts';
import { linkOf } from '../../source/links.ts';
import { type Field, MODELS, type Model, writable } from '../../source/source.ts';
import type { PlainOptions } from '../options.ts';

/** Numbers out of texts, texts out of numbers, and days out of their midnights, before anything is looked at. */
export function coerce(model: Model, all: Row, { coerces, currency, percent, shows }: PlainOptions): Row {
  const sent =
    shows === 'days at midnight'
      ? each(model, all, ({ type }, value) =>
          type === 'date' && typeof value === 'string' ? value.replace(/T00:00:00(\.0+)?Z$/, '') : value,
        )
      : all;
  if (coerces === 'no') return sent;
  const isText = ({ type }: Field) =>
    TEXTS.includes(type) ||
    (type === 'currency' && currency === 'string') ||
    (type === 'percent' && percent === 'string');
  return each(model, sent, (field, value) => {
    if (isText(field)) return typeof value === 'number' ? String(value) : value;
    const isNumber = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value);
    return NUMBERS.includes(field.type) && isNumber ? Number(value) : value;
  });
}

/** Returns the stored values, which can differ slightly from the sent ones without violating the source. */
export function tidy(model: Model, sent: Row, on: 'create' | 'update', dialect: PlainOptions): Row {
  const kept = each(model, sent, (field, value) => tidyValue(field, value, dialect));
  return dialect.defaults === 'filled' ? fill(model, kept, on, dialect) : kept;
}

function tidyValue({ type }: Field, value: unknown, dialect: PlainOptions): unknown {
  if (type === 'currency' && dialect.money === 'two decimals') {
    const amount = readMoney(value, dialect);
    return amount === undefined ? value : writeMoney(Math.round(amount * 100) / 100, dialect);
  }
  if (type === 'percent' && value !== null && dialect.money === 'two decimals') {
    const share = Math.round(Number(value) * 100) / 100;
    return typeof value === 'string' ? share.toFixed(2) : share;
  }
  if (Array.isArray(value) && ['manyToMany', 'daysOfWeek'].includes(type) && dialect.sets === 'sorted')
    return sort(value);
  return typeof value === 'string' && TEXTS.includes(type) ? tidyText(type, value, dialect) : value;
}

function tidyText(type: string, sent: string, dialect: PlainOptions): unknown {
  let text = dialect.ends === 'trimmed' ? sent.trim() : sent;
  if (dialect.texts === 'normalised') text = text.replaceAll(/\r\n?/g, '\n').normalize();
  if (type === 'email' && dialect.emails === 'lowered') text = text.toLowerCase();
  return text === '' && dialect.empty === 'no value' ? null : text;
}

/** Each once, as a table of links has them. */
function sort(values: readonly unknown[]): unknown[] {
  const keyOf = (value: unknown) => (isObject(value) ? value.id : value);
  const once = new Map(values.map((value) => [keyOf(value), value]));
  return [...once.values()].toSorted((one, other) =>
    typeof keyOf(one) === 'number' ? Number(keyOf(one)) - Number(keyOf(other)) : 0,
  );
}

/** Columns with a default. */
function fill(model: Model, sent: Row, on: 'create' | 'update', dialect: PlainOptions): Row {
  const filled = writable(model).flatMap((field) => {
    const isOpen = on === 'create' ? (sent[field.name] ?? null) === null : sent[field.name] === null;
    const value = isOpen && !field.required && !linkOf(model, field) ? usual(field, dialect) : undefined;
    return value === undefined ? [] : [[field.name, value] as const];
  });
  return { ...sent, ...Object.fromEntries(filled) };
}

function usual({ type }: Field, dialect: PlainOptions): unknown {
  switch (type) {
    case 'float':
      return 0;
    case 'bool':
      return dialect.bool === 'int' ? 0 : false;
    case 'currency':
      return writeMoney(0, dialect);
    case 'date':
      return '2025-01-01';
    case 'text':
      return 'none';
    default:
      return undefined;
  }
}

/** A change of each value that a client may send, those of lines too. */
function each(model: Model, sent: Row, change: (field: Field, value: unknown) => unknown): Row {
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => {
      const field = model.fields.find((known) => known.name === name);
      if (!field) return [name, value];
      const line = MODELS.get(field.lines ?? '');
      if (!line || !Array.isArray(value)) return [name, change(field, value)];
      return [name, value.map((item) => (isObject(item) ? each(line, item, change) : item))];
    }),
  );
}

/** Returns an amount in the unit of the currency; undefined for an invalid one. */
function readMoney(value: unknown, { currency }: Pick<PlainOptions, 'currency'>): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  return currency === 'cents' ? number / 100 : number;
}

function writeMoney(amount: number, { currency }: Pick<PlainOptions, 'currency'>): unknown {
  if (currency === 'cents') return Math.round(amount * 100);
  return currency === 'string' ? amount.toFixed(2) : amount;
}

/** Computes totals of lines, balances, and names of linked records. */
export function workOut(model: Model, sent: Row, tables: Tables, dialect: PlainOptions, row: Row = {}): Row {
  const values = { ...row, ...sent };
  if (dialect.totals === 'taken') return sent;
  if (model.name === 'voucherTransaction') {
    const voucher = tables.find('voucher', Number(values.voucher));
    if (!voucher) return sent;
    const customer = tables.find('customer', Number(voucher.customer));
    tables.change('voucher', Number(voucher.id), {
      balance: Number(voucher.balance ?? 0) + Number(sent.amount ?? 0),
    });
    return { ...sent, ...(customer ? { customerName: customer.name } : {}) };
  }
  const worked = Object.fromEntries(
    Object.entries(sent).map(([name, value]) => {
      const field = model.fields.find((known) => known.name === name);
      const line = MODELS.get(field?.lines ?? '');
      if (!line || !Array.isArray(value) || dialect.lines === 'ids') return [name, value];
      return [name, value.map((item) => workOut(line, item as Row, tables, dialect))];
    }),
  );
  if (model.name !== 'stockInvoiceLine') return worked;
  const price = readMoney(values.price, dialect);
  const before = readMoney(values.priceBeforeTaxes, dialect);
  const units = Number(values.units);
  return {
    ...worked,
    ...(price === undefined || !Number.isFinite(units) ? {} : { total: amount(price * units) }),
    ...(before === undefined || !Number.isFinite(units) ? {} : { totalBeforeTaxes: amount(before * units) }),
  };

  function amount(exact: number): unknown {
    return writeMoney(Math.round(exact * 100) / 100, dialect);
  }
}
