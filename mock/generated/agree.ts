import { isOfKit } from '../../spec/catalogue/catalogue.ts';
import { count, DAY, type Draft, dayOf, MOST_DRAWS, touch } from './draft.ts';
import { ADDONS, cents, feeOf, PURCHASES, unitPriceOf } from './products.ts';
import { drawText, METRICS, TENANTS } from './texts.ts';
import { TRADE } from './trade.ts';

/**
 * Links whose targets are changed by what links to them: they lead to records that were made here, and to no others.
 */
export const OWN_TARGETS: readonly string[] = [
  'voucherTransaction.voucher',
  'shareTransfer.share',
  'stockInvoiceLine.stockInvoice',
  'stockDeliveryLine.orderLine',
];

/** Links whose targets have a state that later records rely on. Records of two rounds must not share a target. */
export const STATEFUL_TARGETS: readonly string[] = [
  'lockerCustomer.locker',
  'stock.warehouse',
  'stockTransaction.warehouse',
  'stockDeliveryLine.delivery',
];

/** Links that are set when a later record is made. */
export const SET_LATER: readonly string[] = ['stockDeliveryLine.stockInvoice'];

/** Models that a model needs besides its links: it has their names, or changes their records. */
export const NEEDS: Readonly<Record<string, readonly string[]>> = {
  stock: ['supplier', 'brand'],
  stockOrder: ['supplier'],
  stockTransaction: ['stock', 'supplier'],
  stockInvoice: ['stockDeliveryLine', 'supplier'],
  subscriptionCustomer: ['shareTransfer'],
};

/** Models whose records look at earlier records of the same model. */
export const LOOKS_BACK: readonly string[] = ['lockerCustomer', 'productSplit'];

/** Fields where the first is not after the second. Without the first, the second says nothing. */
const PAIRS = [
  ['start', 'end'],
  ['startDate', 'endDate'],
  ['startTime', 'endTime'],
  ['minAge', 'maxAge'],
] as const;

/** Makes the values of a record of the kit agree with each other, and with those of the records that it links to. */
export function agree(draft: Draft): void {
  const { model, record } = draft;
  if (!isOfKit(model)) return;
  if (record.fkId !== undefined) record.fkId = undefined;
  AGREEMENTS[model.name]?.(draft);
  for (const [first, second] of PAIRS)
    if (
      record[second] !== undefined &&
      record[first] === undefined &&
      model.fields.some(({ name }) => name === first)
    )
      record[second] = undefined;
}

/** Chooses different customers for two fields of a record, if there are enough. */
function apart({ neighbor, record }: Draft, one: string, other: string): void {
  if (record[one] === record[other])
    record[other] = neighbor('customer', Number(record[other])) ?? record[other];
}

/** The number of uses that a type of vouchers has; undefined for a purse. */
function usesOf({ kind, name }: Readonly<Record<string, unknown>>): number | undefined {
  return kind === 1 ? undefined : Number(/\d+/.exec(String(name))?.[0] ?? 10);
}

/** The price of one use of a voucher: an existing price, or the price of the product. */
function unitPrice({ find, first }: Draft, type: unknown): number {
  const { kind, product } = find('voucherType', type);
  const priced = first('voucherPrice', 'type', type);
  if (kind === 1) return 1;
  return priced ? cents(Number(priced.price) / Number(priced.amount)) : unitPriceOf(Number(product));
}

/** The days of a duration, such as P90D. */
function daysIn(duration: unknown): number {
  const [, number = '0', unit = 'D'] = /^P(\d+)([DY])$/.exec(String(duration)) ?? [];
  return Number(number) * (unit === 'Y' ? 365 : 1);
}

/** The service that a voucher pays for, in the words of its type. */
function useOf(type: string): string {
  const found = [
    [/pistas de tenis/, 'Reserva de pista de tenis'],
    [/partidos|p[áa]del/, 'Reserva de pista de pádel'],
    [/piscina/, 'Entrada de piscina'],
    [/yoga/, 'Clase de yoga'],
    [/natación/, 'Clase de natación'],
    [/pilates/, 'Clase de pilates'],
    [/gimnasio/, 'Sesión de gimnasio'],
    [/fisio/, 'Sesión de fisioterapia'],
  ] as const;
  return found.find(([words]) => words.test(type))?.[1] ?? 'Uso del bono';
}

const SHARE_TITLES = [
  ['Título fundador', 'A'],
  ['Título ordinario', 'B'],
  ['Título familiar', 'C'],
  ['Título de empresa', 'D'],
] as const;

const AGREEMENTS: Readonly<Record<string, (draft: Draft) => void>> = {
  ...TRADE,
  customer: ({ faker, record, subject }) => {
    const isCompany = subject().kind === 'company';
    record.isCompany = isCompany;
    if (!isCompany) record.isAgency = undefined;
    if (record.taxNumber === undefined) record.taxDocumentType = undefined;
    else record.taxDocumentType = subject().place.country === 1 ? 1 : 4;
    if (record.pending !== undefined)
      record.pending = record.onCredit === true ? faker.number.int({ min: 4, max: 80 }) * 5 : 0;
    record.autoCollect = record.paymentMethod === 3;
    if (record.requiresInvoice !== true) record.invoiceComments = undefined;
    if (subject().place.country !== 1) record.account = undefined;
  },
  customerTag: ({ record }) => {
    record.isDefault = record.id === 1;
  },
  relationship: (draft) => apart(draft, 'customer', 'customer2'),
  voucherBeneficiary: (draft) => apart(draft, 'customer', 'beneficiary'),
  relationshipGroup: (draft) => {
    const { neighbor, record } = draft;
    record.customer1 ??= neighbor('customer', Number(record.customer));
    const names = ['customer1', 'customer2', 'customer3'];
    const others = new Set<unknown>(names.map((name) => record[name]));
    others.delete(undefined);
    others.delete(record.customer);
    for (const name of names) record[name] = undefined;
    for (const [index, other] of [...others].entries()) record[`customer${index + 1}`] = other;
  },
  bookingDrawItem: ({ counters, faker, record }) => {
    // Each group has one member, so the mean of the group is the value of the member.
    const place = count(counters, 'blocking');
    const blocking = 1000 + Math.floor(place / 24);
    const choice = faker.number.int({ min: 1, max: 3 });
    if (place % 24 === 0) for (const other of [1, 2, 3]) counters.delete(`position ${other}`);
    const rejections = faker.number.int({ max: 4 });
    Object.assign(record, {
      blocking,
      option: blocking * 10 + choice,
      groupId: 1000 + count(counters, 'draw group'),
      position: count(counters, `position ${choice}`),
      rejections,
      rejectionsAverage: rejections,
      options: faker.number.int({ min: 1, max: 3 }),
    });
    if (record.status !== 1) record.resource = undefined;
    else record.resource ??= faker.number.int({ min: 1, max: 12 });
  },
  multipackItem: ({ find, record }) => {
    const { pack } = find('multipackResourceType', record.type);
    if (pack !== undefined) record.pack = pack;
  },
  productSplit: (draft) => {
    const { earlier, record } = draft;
    const parts = earlier('productSplit');
    const place = parts.count % 3;
    const price = 60;
    const first = parts.count - place;
    const own = [[100], [60, 40], [50, 30, 20]][place] ?? [];
    const id = place === 0 ? Number(record.parentProduct) : parts.at(first).parentProduct;
    const product = 4001 + ((parts.count * 3 + place) % 8);
    Object.assign(record, { parentProduct: id, product, amount: 1 + (parts.count % 2) });
    for (const [index, percent] of own.entries()) {
      const part = index === place ? record : parts.at(first + index);
      Object.assign(part, { percent, value: cents((price * percent) / 100) });
    }
  },
  voucherType: ({ faker, record }) => {
    const name = String(record.name);
    const kind = /^Monedero/.test(name) ? 1 : 3;
    record.kind = kind;
    for (const field of ['startTime', 'endTime', 'daysOfWeek']) record[field] = undefined;
    if (/de mañana/.test(name)) Object.assign(record, { startTime: '07:00:00', endTime: '14:00:00' });
    if (/de tarde/.test(name)) Object.assign(record, { startTime: '15:00:00', endTime: '22:00:00' });
    if (/fin de semana/.test(name)) record.daysOfWeek = [6, 7];
    if (kind === 1) record.expiration = undefined;
    record.shortDescription = drawText(`voucherType.shortDescription.${kind}`, faker);
  },
  voucherPrice: (draft) => {
    const { faker, find, record } = draft;
    const amount =
      usesOf(find('voucherType', record.type)) ?? faker.helpers.arrayElement([20, 30, 50, 100, 200]);
    Object.assign(record, { amount, price: cents(amount * unitPrice(draft, record.type)) });
  },
  voucher: (draft) => {
    const { created, faker, find, isMade, record } = draft;
    const type = find('voucherType', record.type);
    record.unitPrice = unitPrice(draft, record.type);
    // Its transactions add up to it, where there are any.
    const most = usesOf(type);
    record.balance = isMade('voucherTransaction') ? 0 : faker.number.int({ min: 0, max: most ?? 60 });
    record.startDate ??= dayOf(created);
    for (const name of ['startTime', 'endTime', 'daysOfWeek']) {
      record[name] = undefined;
      if (type[name] !== undefined) record[name] = type[name];
    }
    record.endDate = undefined;
    if (type.expiration !== undefined) record.endDate = dayOf(created + daysIn(type.expiration) * DAY);
  },
  voucherTransaction: (draft) => {
    const { earlier, faker, find, notes, record } = draft;
    // Half of the transactions are the first ones of the oldest voucher that has none.
    const unused = notes.get('vouchers in use') ?? 0;
    const vouchers = earlier('voucher');
    if (unused < vouchers.count && faker.number.float() < 0.5) {
      record.voucher = vouchers.at(unused).id;
      notes.set('vouchers in use', unused + 1);
    }
    const voucher = find('voucher', record.voucher);
    const type = find('voucherType', voucher.type);
    const before = Number(voucher.balance);
    const uses = usesOf(type);
    const [item, cost] =
      uses === undefined ? faker.helpers.arrayElement(PURCHASES) : [useOf(String(type.name)), 1];
    const isPurchase = before < cost;
    const topUp = uses ?? faker.helpers.arrayElement([30, 50, 100]);
    const gift = !isPurchase && faker.number.float() < 0.06;
    const amount = isPurchase ? topUp : gift ? 1 : -cost;
    const balanceAfter = cents(before + amount);
    voucher.balance = balanceAfter;
    touch(voucher, draft);
    const purchase = uses === undefined ? `Recarga de ${topUp} €` : `Compra de ${topUp} usos`;
    const present = faker.helpers.arrayElement([
      'Pista cerrada por lluvia',
      'Clase anulada por el monitor',
      'Regalo de cumpleaños',
    ]);
    Object.assign(record, {
      amount,
      balanceAfter,
      type: isPurchase ? 1 : gift ? 3 : 2,
      description: isPurchase ? purchase : gift ? present : item,
      unitPrice: voucher.unitPrice,
      useDate: record.created,
      refunded: false,
      voucherType: type.name,
      customerName: find('customer', voucher.customer).name,
    });
    if (isPurchase || record.beneficiary === voucher.customer) record.beneficiary = undefined;
    if (isPurchase) record.ratio = undefined;
    else for (const name of ['sale', 'salePayment', 'payment']) record[name] = undefined;
    if (!isPurchase) record.ratio = 1;
  },
  share: (draft) => {
    const { faker, record } = draft;
    const [title, serie] = faker.helpers.arrayElement(SHARE_TITLES);
    Object.assign(record, { title, serie, number: String(record.id).padStart(4, '0') });
  },
  shareTransfer: (draft) => {
    const { faker, find, record } = draft;
    const share = find('share', record.share);
    record.seller = share.customer;
    record.price = 1000 + faker.number.int({ max: 20 }) * 50;
    record.date = record.created === undefined ? record.date : String(record.created).slice(0, 10);
    apart(draft, 'seller', 'buyer');
    share.customer = record.buyer;
    touch(share, draft);
  },
  locker: ({ faker, record }) => {
    record.status = faker.number.float() < 0.05 ? 1 : 0;
  },
  lockerCustomer: (draft) => {
    // A locker has one customer at a time: the last one had it until the next one came.
    const { created, earlier, faker, find, notes, record } = draft;
    const before = notes.get(`locker ${record.locker}`);
    const day = dayOf(created);
    if (before !== undefined) {
      const last = earlier('lockerCustomer').at(before);
      if (last.active === true || String(last.end) > day) {
        Object.assign(last, { active: false, end: day });
        touch(last, draft);
      }
    }
    record.start = day;
    const left = created + faker.number.int({ min: 20, max: 120 }) * DAY;
    const isOver =
      left < draft.end && (find('locker', record.locker).status === 1 || faker.number.float() < 0.2);
    record.active = !isOver && !hasCustomer(draft) && find('locker', record.locker).status !== 1;
    if (record.active === true) record.end = undefined;
    else record.end = isOver ? dayOf(left) : day;
    notes.set(`locker ${record.locker}`, earlier('lockerCustomer').count);
  },
  subscription: (draft) => {
    const { find, record } = draft;
    const name = String(record.name);
    record.customers = /familiar/.test(name) ? 4 : /pareja/.test(name) ? 2 : /empresa/.test(name) ? 10 : 1;
    if (record.customers === 1) record.beneficiaryTag = undefined;
    if (!/^Plan/.test(name)) record.expiration = undefined;
    if (record.voucherPrice !== undefined)
      record.voucherType = find('voucherPrice', record.voucherPrice).type;
  },
  subscriptionCustomer: (draft) => {
    const { end, find, first, record } = draft;
    const type = find('subscription', record.type);
    record.start ??= dayOf(draft.created);
    record.price = cents(
      Number(first('subscriptionCustomer', 'type', record.type)?.price ?? feeOf(Number(type.product))),
    );
    record.description = type.name;
    record.active = record.end === undefined || String(record.end) >= dayOf(end);
    if (record.share === undefined) return;
    const owner = find('share', record.share).customer;
    if (String(find('customer', owner).created) < String(record.created) && draft.faker.number.float() < 0.3)
      record.customer = owner;
    else record.share = undefined;
  },
  subscriptionAddon: ({ find, record }) => {
    const { customer } = find('subscriptionCustomer', record.subscriptionCustomer);
    record.customer = find('customer', customer).name;
    const [, name, price] = ADDONS.find(([product]) => product === record.product) ?? [];
    record.comments = record.comments === undefined ? `${name}.` : `${name}. ${record.comments}`;
    // An addition has its own price, or changes that of the subscription.
    if (record.price !== undefined) {
      record.price = price;
      record.percentage = undefined;
    }
  },
  subscriptionBeneficiary: ({ find, model, neighbor, once, record }) => {
    const { customer } = find('subscriptionCustomer', record.subscriptionCustomer);
    // The subscription can have the next customers, too.
    const isOther = () =>
      record.customer !== customer && once(`${model.name} ${record.subscriptionCustomer} ${record.customer}`);
    if (record.customer === customer)
      for (let tries = 0; tries < MOST_DRAWS && !isOther(); tries++)
        record.customer = neighbor('customer', Number(record.customer)) ?? customer;
  },
  editedSale: ({ faker, find, record }) => {
    const price = Number(find('subscriptionCustomer', record.subscriptionCustomer).price ?? 30);
    record.amount = cents(price * faker.helpers.arrayElement([0.5, 0.75, 0.8, 0.9, 1.1]));
  },
  metricData: ({ faker, record }) => {
    const [metric, most, isMoney] = faker.helpers.arrayElement(METRICS);
    const result = faker.number.int({ min: Math.ceil(most / 10), max: isMoney ? most * 100 : most });
    Object.assign(record, {
      metric,
      tenant: faker.helpers.arrayElement(TENANTS),
      result: isMoney ? (result / 100).toFixed(2) : String(result),
    });
  },
};

/** Whether an existing record of a locker is active. */
function hasCustomer({ first, notes, record }: Draft): boolean {
  return (
    notes.get(`locker ${record.locker}`) === undefined &&
    first('lockerCustomer', 'locker', record.locker) !== undefined
  );
}
