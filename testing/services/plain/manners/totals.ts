import type { Row, Tables } from '../../records/tables.ts';
import { MODELS, type Model } from '../../source/source.ts';
import type { PlainOptions } from '../options.ts';
import { readMoney, writeMoney } from './money.ts';

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
