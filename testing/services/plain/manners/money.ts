import type { PlainOptions } from '../options.ts';

/** Returns an amount in the unit of the currency; undefined for an invalid one. */
export function readMoney(value: unknown, { currency }: Pick<PlainOptions, 'currency'>): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  return currency === 'cents' ? number / 100 : number;
}

export function writeMoney(amount: number, { currency }: Pick<PlainOptions, 'currency'>): unknown {
  if (currency === 'cents') return Math.round(amount * 100);
  return currency === 'string' ? amount.toFixed(2) : amount;
}
