/**
 * The goods of the shop: name, family, subfamily and its name, cost before taxes, price, and tax in percent. Products are
 * outside the catalogue, so a product is its ID: all else follows from the number, so that all records about it agree.
 */
const GOODS = `Pala de pádel|Material deportivo|11|Palas|48|89.9|21
Raqueta de tenis|Material deportivo|13|Raquetas|62|119|21
Bote de tres pelotas|Material deportivo|12|Pelotas|3.2|5.95|21
Gafas de natación|Material deportivo|15|Natación|7.8|15.9|21
Esterilla de yoga|Material deportivo|16|Gimnasio|11.5|24.9|21
Toalla de algodón|Textil|21|Toallas|6.75|12.5|21
Camiseta técnica|Textil|22|Camisetas|8.4|18|21
Calcetines|Textil|24|Calcetines|2.4|5.5|21
Sudadera del club|Textil|25|Sudaderas|17.2|36|21
Agua mineral de 50 cl|Bebidas|31|Agua|0.28|1.2|10
Zumo de naranja de 33 cl|Bebidas|33|Zumos|0.62|1.8|10
Barrita de cereales|Alimentación|41|Barritas|0.55|1.5|10
Champú de 250 ml|Higiene|51|Aseo|1.35|3.2|21`
  .split('\n')
  .map((row) => row.split('|'));

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

export function goods(id: number) {
  const at = Math.abs(id - FIRST_GOODS);
  const [name = '', family = '', subfamily = '', subfamilyName = '', ...numbers] =
    GOODS[at % GOODS.length] ?? [];
  const [cost = 0, price = 0, tax = 0] = numbers.map(Number);
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

/** Additions to subscriptions, by product. */
export const ADDONS: readonly (readonly [product: number, name: string, price: number])[] = [
  [2101, 'Seguro de accidentes', 12],
  [2102, 'Servicio de toalla', 6.5],
  [2103, 'Plaza de aparcamiento', 18],
  [2104, 'Guardería', 25],
  [2105, 'Uso del balneario', 15],
  [2106, 'Clase particular al mes', 30],
];

/** The payments with a purse, and their prices. */
export const PURCHASES: readonly (readonly [name: string, price: number])[] = [
  ['Alquiler de pista de pádel', 12],
  ['Entrada de piscina', 6.5],
  ['Café con leche', 1.4],
  ['Menú del día', 11.5],
  ['Clase particular de tenis', 30],
];

const FEES = [19, 24, 29.5, 34, 38, 45, 52, 60];
const UNIT_PRICES = [3, 4.5, 5, 6.5, 8, 9.6, 12];

/** Returns the fee of a subscription, by its product. */
export const feeOf = (product: number): number => FEES[product % FEES.length] ?? 0;

/** Returns the price of one use of a voucher, by the product of its type. */
export const unitPriceOf = (product: number): number => UNIT_PRICES[product % UNIT_PRICES.length] ?? 0;
