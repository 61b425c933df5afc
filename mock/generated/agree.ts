import { isOfKit } from '../../spec/catalogue/catalogue.ts';
import { drawText, nameOf, SPANISH } from './people.ts';
import { DAY, dayOf, type GeneratedDraft, timeOf } from './values.ts';

/** The fields of which the first is not after the second. Without the first one, the second is unset. */
const PAIRS = ['start end', 'startDate endDate', 'startTime endTime', 'minAge maxAge'].map((pair) =>
  pair.split(' '),
);

/** Makes the values of a record of the kit agree with each other, and with those of the records that it links to. */
export function agree(draft: GeneratedDraft): void {
  const { model, record } = draft;
  if (!isOfKit(model)) return;
  if ('fkId' in record) record.fkId = undefined;
  AGREEMENTS[model.name]?.(draft);
  for (const [first = '', second = ''] of PAIRS)
    if (first in record && record[first] === undefined && second in record) record[second] = undefined;
}

/** Sets a field to another customer than a given one, if there are enough. */
function setApart({ draw, record }: GeneratedDraft, name: string, other: unknown): void {
  for (let tries = 0; tries < 8 && record[name] === other; tries++) record[name] = draw('customer') ?? other;
}

/** Returns the number of uses of a type of vouchers; undefined for a purse. */
function usesOf({ kind, name }: Readonly<Record<string, unknown>>): number | undefined {
  return kind === 1 ? undefined : Number(/\d+/.exec(String(name))?.[0] ?? 10);
}

function unitPriceFor({ kind, product }: Readonly<Record<string, unknown>>): number {
  return kind === 1 ? 1 : at(SPANISH.unitPrices, Number(product ?? 0));
}

/** Returns the days of a duration such as P90D. */
function daysIn(duration: unknown): number {
  const [, number = '0', unit] = /^P(\d+)([DY])$/.exec(String(duration)) ?? [];
  return Number(number) * (unit === 'Y' ? 365 : 1);
}

/** Returns the name of a supplier, also of one without a record. */
function supplierName({ find }: GeneratedDraft, supplier: number): string {
  return String(find('supplier', supplier).name ?? nameOf('supplier', supplier));
}

/** Draws a product of a supplier: by default, of an earlier one. */
function drawProduct({ draw, random }: GeneratedDraft, supplier = draw('supplier') ?? random.int(1, 12)) {
  return goods(FIRST_GOODS + supplier * GOODS_PER_SUPPLIER + random.int(0, GOODS_PER_SUPPLIER - 1));
}

const AGREEMENTS: Readonly<Record<string, (draft: GeneratedDraft) => void>> = {
  customer: ({ random, record, subject }) => {
    const { isCompany, place } = subject();
    record.isCompany = isCompany;
    if (!isCompany) record.isAgency = undefined;
    record.taxDocumentType = record.taxNumber === undefined ? undefined : place.country === 1 ? 1 : 4;
    if (record.pending !== undefined) record.pending = record.onCredit === true ? random.int(4, 80) * 5 : 0;
    record.autoCollect = record.paymentMethod === 3;
    if (record.requiresInvoice !== true) record.invoiceComments = undefined;
    if (place.country !== 1) record.account = undefined;
  },
  customerTag: ({ id, record }) => {
    record.isDefault = id === 1;
  },
  relationship: (draft) => setApart(draft, 'customer2', draft.record.customer),
  voucherBeneficiary: (draft) => setApart(draft, 'beneficiary', draft.record.customer),
  relationshipGroup: (draft) => {
    for (const name of ['customer1', 'customer2', 'customer3'])
      if (draft.record[name] !== undefined) setApart(draft, name, draft.record.customer);
  },
  productSplit: ({ id, index, record }) => {
    // Two parts of the same product are 100 percent.
    const percent = index % 2 === 0 ? 60 : 40;
    Object.assign(record, { parentProduct: 5000 + id - (index % 2), percent, value: percent / 2 });
  },
  voucherType: ({ random, record }) => {
    const name = String(record.name);
    const kind = name.startsWith('Monedero') ? 1 : 3;
    Object.assign(record, { kind, startTime: undefined, endTime: undefined, daysOfWeek: undefined });
    if (/de mañana/.test(name)) Object.assign(record, { startTime: '07:00:00', endTime: '14:00:00' });
    if (/de tarde/.test(name)) Object.assign(record, { startTime: '15:00:00', endTime: '22:00:00' });
    if (/fin de semana/.test(name)) record.daysOfWeek = [6, 7];
    if (kind === 1) record.expiration = undefined;
    record.shortDescription = drawText(`voucherType.shortDescription.${kind}`, random);
  },
  voucherPrice: ({ find, random, record }) => {
    const type = find('voucherType', record.type);
    const amount = usesOf(type) ?? random.pick([20, 30, 50, 100, 200]);
    Object.assign(record, { amount, price: cents(amount * unitPriceFor(type)) });
  },
  voucher: ({ created, find, random, record }) => {
    const type = find('voucherType', record.type);
    record.unitPrice = unitPriceFor(type);
    record.balance = random.int(0, usesOf(type) ?? 60);
    record.startDate ??= dayOf(created);
    for (const name of ['startTime', 'endTime', 'daysOfWeek']) record[name] = type[name];
    record.endDate =
      type.expiration === undefined ? undefined : dayOf(created + daysIn(type.expiration) * DAY);
  },
  voucherTransaction: ({ created, find, random, record }) => {
    const { customer, type: typeId, unitPrice = 1 } = find('voucher', record.voucher);
    const type = find('voucherType', typeId);
    const uses = usesOf(type);
    const bought = uses ?? random.pick([30, 50, 100]);
    const [item, cost] = uses === undefined ? random.pick(SPANISH.purchases) : [`Uso: ${type.name}`, 1];
    const isPurchase = random.chance(0.2);
    const purchase = uses === undefined ? `Recarga de ${bought} €` : `Compra de ${bought} usos`;
    Object.assign(record, {
      ...{
        type: isPurchase ? 1 : 2,
        amount: isPurchase ? bought : -cost,
        unitPrice,
        useDate: timeOf(created),
      },
      balanceAfter: isPurchase ? bought : random.int(0, bought - 1),
      description: isPurchase ? purchase : item,
      ...{ refunded: false, ratio: isPurchase ? undefined : 1, voucherType: String(type.name) },
      customerName: String(find('customer', customer).name),
    });
    if (isPurchase || record.beneficiary === customer) record.beneficiary = undefined;
    if (!isPurchase) Object.assign(record, { sale: undefined, salePayment: undefined, payment: undefined });
  },
  share: ({ id, record }) => {
    const [title, serie] = at(SPANISH.shares, id);
    Object.assign(record, { title, serie, number: String(id).padStart(4, '0') });
  },
  shareTransfer: (draft) => {
    const { find, random, record } = draft;
    record.buyer = find('share', record.share).customer ?? record.buyer;
    setApart(draft, 'seller', record.buyer);
    record.price = 1000 + random.int(0, 20) * 50;
  },
  locker: ({ random, record }) => {
    record.status = random.chance(0.05) ? 1 : 0;
  },
  lockerCustomer: ({ choose, created, find, index, random, record, total }) => {
    // A locker has one customer at a time, because the customers of the last round have different lockers.
    record.locker = choose('locker', index) ?? record.locker;
    record.start = dayOf(created);
    const isLast = index >= total('lockerCustomer') - total('locker');
    record.active = isLast && find('locker', record.locker).status === 0 && random.chance(0.8);
    record.end = record.active ? undefined : dayOf(created + random.int(1, 10) * DAY);
  },
  subscription: ({ find, record }) => {
    const name = String(record.name);
    record.customers = /familiar/.test(name) ? 4 : /pareja/.test(name) ? 2 : /empresa/.test(name) ? 10 : 1;
    if (record.customers === 1) record.beneficiaryTag = undefined;
    if (!name.startsWith('Plan')) record.expiration = undefined;
    if (record.voucherPrice !== undefined)
      record.voucherType = find('voucherPrice', record.voucherPrice).type;
  },
  subscriptionCustomer: ({ created, find, record }) => {
    const type = find('subscription', record.type);
    record.price = at(SPANISH.fees, Number(type.product ?? 0));
    record.description = String(type.name);
    record.active = record.end === undefined || Date.parse(String(record.end)) > created + 90 * DAY;
    if (record.share !== undefined) record.customer = find('share', record.share).customer;
  },
  subscriptionAddon: ({ find, random, record }) => {
    const { customer } = find('subscriptionCustomer', record.subscriptionCustomer);
    record.customer = String(find('customer', customer).name);
    const [product, name, price] = random.pick(SPANISH.addons);
    record.product = product;
    record.comments = `${name}. ${record.comments ?? ''}`.trim();
    // An addition has its own price, or changes that of the subscription.
    if (record.price !== undefined) Object.assign(record, { price, percentage: undefined });
  },
  subscriptionBeneficiary: (draft) => {
    const { customer } = draft.find('subscriptionCustomer', draft.record.subscriptionCustomer);
    setApart(draft, 'customer', customer);
  },
  editedSale: ({ find, random, record }) => {
    const price = Number(find('subscriptionCustomer', record.subscriptionCustomer).price ?? 30);
    record.amount = cents(price * random.pick([0.5, 0.75, 0.8, 0.9, 1.1]));
  },
  metricData: ({ random, record }) => {
    const [metric, most] = random.pick(Object.entries(SPANISH.metrics));
    Object.assign(record, {
      metric,
      tenant: random.pick(SPANISH.tenants),
      result: String(random.int(1, most)),
    });
  },
  stock: (draft) => {
    const { choose, find, random, record } = draft;
    const product = drawProduct(draft);
    const { cost, family, id, price, sku, subfamily, subfamilyName } = product;
    const [amount, alert] = [random.int(0, 60), random.int(2, 8)];
    Object.assign(record, {
      ...{ product: id, amount, averageUnitCost: cost, value: cents(amount * cost), price, subfamily },
      ...{ subfamilyName, familyName: family, sku, supplierName: supplierName(draft, supplierOf(id)) },
      brandName: String(find('brand', choose('brand', id)).name ?? nameOf('brand', id % 40)),
    });
    if (record.alert !== undefined) record.alert = alert;
    if (record.desired !== undefined) record.desired = alert * random.int(3, 5);
  },
  stockTransaction: (draft) => {
    const { random, record } = draft;
    const { cost, id, price, sku } = drawProduct(draft);
    const before = random.int(0, 60);
    // Only a delivery can come to an empty place.
    const type = before < 6 ? 0 : random.pick([0, 0, 1, 2, 3, 3, 3, 4]);
    const some = random.int(1, 6);
    const amount = { 0: some * 6, 1: some > 3 ? -1 : 1, 4: -1 }[type] ?? -some;
    Object.assign(record, {
      ...{ product: id, amount, type, stock: before + amount, grossUnitCost: cost, grossUnitPrice: price },
      ...{ averageUnitCost: cost, sku, supplierName: supplierName(draft, supplierOf(id)) },
      comments: random.chance(0.6) ? drawText(`stockTransaction.comments.${type}`, random) : undefined,
    });
  },
  stockOrder: ({ record }) => {
    if (record.status !== 3) record.deliveryDate = undefined;
  },
  stockOrderLine: (draft) => {
    const { find, random, record } = draft;
    const { status, supplier } = find('stockOrder', record.stockOrder);
    const product = drawProduct(draft, Number(supplier ?? 1 + (Number(record.stockOrder) % 12)));
    const amount = random.int(1, 10) * (product.cost < 5 ? 12 : 2);
    const received = Math.floor(amount * ({ 2: 0.5, 3: 1 }[Number(status)] ?? 0));
    Object.assign(record, { product: product.id, amount, grossUnitCost: product.cost, received });
  },
  stockDeliveryLine: (draft) => {
    const { draw, find, record } = draft;
    // Only an order on its way has deliveries.
    const isOnItsWay = () => Number(find('stockOrderLine', record.orderLine).received) > 0;
    for (let tries = 0; tries < 8 && !isOnItsWay(); tries++)
      record.orderLine = draw('stockOrderLine') ?? record.orderLine;
    const line = find('stockOrderLine', record.orderLine);
    const { id, sku } = goods(Number(line.product));
    const received = Number(line.received) || Number(line.amount);
    const invoice = record.stockInvoice;
    Object.assign(record, {
      ...{ received, pending: Number(line.amount) - received, product: id, sku },
      deliveryNumber: `ALB-2025-${String(record.delivery).padStart(4, '0')}`,
      orderNumber: `PED-2025-${String(line.stockOrder).padStart(4, '0')}`,
      stockInvoiceNumber: invoice === undefined ? '' : `F-${String(invoice).padStart(6, '0')}`,
      supplierName: supplierName(draft, supplierOf(id)),
    });
  },
  stockInvoice: (draft) => {
    const { find, lines, record } = draft;
    const own = lines('stockInvoiceLine').map((id) => find('stockInvoiceLine', id));
    const { id, taxNumber } = find('supplier', own[0] ? supplierOf(Number(own[0].product)) : record.supplier);
    Object.assign(record, { supplier: id, taxNumber, discountTotal: 0 });
    record.taxTotal = cents(
      own.reduce((sum, line) => sum + Number(line.total) - Number(line.totalBeforeTaxes), 0),
    );
  },
  stockInvoiceLine: (draft) => {
    const { draw, find, id, lines, random, record } = draft;
    // The first line of an invoice is that of a delivery. The others have products of the same supplier.
    const [first = id] = lines('stockInvoiceLine');
    const deliveryLine = first === id ? draw('stockDeliveryLine') : undefined;
    const delivered = find('stockDeliveryLine', deliveryLine);
    const supplier = first === id ? undefined : supplierOf(Number(find('stockInvoiceLine', first).product));
    const product = deliveryLine ? goods(Number(delivered.product)) : drawProduct(draft, supplier);
    const { cost, id: productId, name, tax } = product;
    const units = Number(delivered.received ?? random.int(1, 12) * 2);
    const totalBeforeTaxes = cents(units * cost);
    Object.assign(record, {
      ...{ deliveryLine, orderLine: delivered.orderLine, product: productId, units, discountRate: 0 },
      description: name,
      ...{ priceBeforeTaxes: cost, price: cents(cost * (1 + tax / 100)), taxRate: tax, totalBeforeTaxes },
      total: cents(totalBeforeTaxes + cents((totalBeforeTaxes * tax) / 100)),
    });
  },
};

const GOODS_PER_SUPPLIER = 6;
const FIRST_GOODS = 100_000;

const cents = (amount: number): number => Math.round(amount * 100 + 1e-6) / 100;

function supplierOf(product: number): number {
  return Math.floor(Math.abs(product - FIRST_GOODS) / GOODS_PER_SUPPLIER);
}

/** Returns a product. Products are outside the catalogue, so all values follow from the ID. */
function goods(id: number) {
  const number = Math.abs(id - FIRST_GOODS);
  const [name, family, subfamily, subfamilyName, cost, price, tax] = at(SPANISH.goods, number);
  // The same article costs another supplier a little less or more.
  const factor = 0.9 + (supplierOf(id) % 11) / 50;
  const letters = subfamilyName.normalize('NFD').replaceAll(/[^A-Za-z]/g, '');
  return {
    ...{ id, name, family, subfamily, subfamilyName, tax },
    sku: `${letters.slice(0, 3).toUpperCase()}-${String(number).padStart(5, '0')}`,
    cost: cents(cost * factor),
    price: cents(price * factor),
  };
}

/** Returns one of several, the same for the same number. */
const at = <Item>(all: readonly Item[], number: number): Item => all[number % all.length] as Item;
