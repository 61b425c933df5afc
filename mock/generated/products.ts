import { SPANISH } from './spanish.ts';

const GOODS_PER_SUPPLIER = 6;
const FIRST_GOODS = 100_000;

export const cents = (amount: number): number => Math.round(amount * 100 + 1e-6) / 100;

/** Returns one of the products of a supplier. */
export function productOf(supplier: number, place: number) {
  return goods(FIRST_GOODS + supplier * GOODS_PER_SUPPLIER + (place % GOODS_PER_SUPPLIER));
}

export function supplierOf(product: number): number {
  return Math.floor(Math.abs(product - FIRST_GOODS) / GOODS_PER_SUPPLIER);
}

/**
 * Returns a product. Products are outside the catalogue, so a product is its ID: all else follows from the number, so
 * that all records about it agree.
 */
export function goods(id: number) {
  const at = Math.abs(id - FIRST_GOODS);
  const [name, family, subfamily, subfamilyName, cost, price, tax] = SPANISH.goods[
    at % SPANISH.goods.length
  ] as (typeof SPANISH.goods)[number];
  // The same article costs another supplier a little less or more.
  const factor = 0.9 + (supplierOf(id) % 11) / 50;
  const letters = subfamilyName.normalize('NFD').replaceAll(/[^A-Za-z]/g, '');
  return {
    ...{ id, name, family, subfamily, subfamilyName, tax },
    sku: `${letters.slice(0, 3).toUpperCase()}-${String(at).padStart(5, '0')}`,
    cost: cents(cost * factor),
    price: cents(price * factor),
  };
}

const FEES = [19, 24, 29.5, 34, 38, 45, 52, 60];
const UNIT_PRICES = [3, 4.5, 5, 6.5, 8, 9.6, 12];

/** Returns the fee of a subscription, by its product. */
export const feeOf = (product: number): number => FEES[product % FEES.length] ?? 0;

/** Returns the price of one use of a voucher, by the product of its type. */
export const unitPriceOf = (product: number): number => UNIT_PRICES[product % UNIT_PRICES.length] ?? 0;
