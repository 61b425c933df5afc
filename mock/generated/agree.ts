import { isOfKit } from '../../spec/catalogue/catalogue.ts';
import type { Draft } from './values.ts';

/**
 * Links whose targets are changed by what links to them: they lead to records that were made here, and to no others.
 */
export const OWN_TARGETS: readonly string[] = [
  'voucherTransaction.voucher',
  'shareTransfer.share',
  'stockInvoiceLine.stockInvoice',
];

/** Makes the values of a record of the kit agree with each other, and with those of the records that it links to. */
export function agree(draft: Draft): void {
  const { model, record } = draft;
  if (!isOfKit(model)) return;
  if (record.fkId !== undefined) delete record.fkId;
  AGREEMENTS[model.name]?.(draft);
}

const cents = (amount: number) => Math.round(amount * 100) / 100;
const plain = (text: string) =>
  text
    .normalize('NFD')
    .replaceAll(/[^A-Za-z ]/g, '')
    .trim()
    .toLowerCase()
    .replaceAll(/ +/g, '.');

/** A person: the name in parts, the address and the picture are those of one. */
function person({ faker, model, record }: Draft): void {
  const sex = faker.helpers.arrayElement(['female', 'male'] as const);
  const [first, last] = [faker.person.firstName(sex), faker.person.lastName()];
  record.name = `${first} ${last}`;
  if (model.fields.some(({ name }) => name === 'firstName'))
    Object.assign(record, { firstName: first, lastName: last });
  if (record.gender !== undefined) record.gender = sex === 'male' ? 0 : 1;
  if (record.alias !== undefined) record.alias = first;
  if (record.email !== undefined) record.email = `${plain(record.name as string)}.${record.id}@example.test`;
  if (record.onlineName !== undefined) record.onlineName = `${plain(record.name as string)}.${record.id}`;
}

/** Chooses different customers for two fields of a record, if there are enough. */
function apart({ neighbor, record }: Draft, one: string, other: string): void {
  if (record[one] === record[other])
    record[other] = neighbor('customer', Number(record[other])) ?? record[other];
}

const AGREEMENTS: Readonly<Record<string, (draft: Draft) => void>> = {
  customer: (draft) => {
    person(draft);
    const { faker, record } = draft;
    record.isCompany = faker.number.float() < 0.05;
    if (record.isCompany !== true) delete record.businessName;
    delete record.pending;
  },
  crmContact: person,
  relationship: (draft) => apart(draft, 'customer', 'customer2'),
  voucherBeneficiary: (draft) => apart(draft, 'customer', 'beneficiary'),
  relationshipGroup: ({ record }) => {
    for (const name of ['customer1', 'customer2', 'customer3'])
      if (record[name] === record.customer) delete record[name];
  },
  voucher: ({ faker, isMade, record }) => {
    // Its transactions add up to it, where there are any.
    record.balance = isMade('voucherTransaction') ? 0 : faker.helpers.arrayElement([10, 20, 50]);
    for (const name of ['startTime', 'endTime', 'daysOfWeek', 'endDate']) delete record[name];
  },
  voucherTransaction: ({ faker, find, record }) => {
    const voucher = find('voucher', record.voucher);
    const before = Number(voucher.balance);
    const isPurchase = before < 1;
    const amount = isPurchase ? faker.helpers.arrayElement([10, 20, 50]) : -1;
    const balanceAfter = cents(before + amount);
    voucher.balance = balanceAfter;
    Object.assign(record, {
      amount,
      balanceAfter,
      type: isPurchase ? 1 : 2,
      description: isPurchase ? `Compra de ${amount} usos` : 'Uso en pista',
      unitPrice: voucher.unitPrice,
      useDate: record.created,
      refunded: false,
      voucherType: find('voucherType', voucher.type).name,
      customerName: find('customer', voucher.customer).name,
    });
    delete record.beneficiary;
  },
  shareTransfer: (draft) => {
    const { find, record } = draft;
    const share = find('share', record.share);
    record.seller = share.customer;
    apart(draft, 'seller', 'buyer');
    share.customer = record.buyer;
  },
  lockerCustomer: ({ once, record }) => {
    // A locker has one customer at a time.
    record.active = once(`locker ${record.locker}`);
    if (record.active === true) delete record.end;
    else record.end = record.start;
  },
  stock: ({ record }) => {
    // Each product stands once in a warehouse.
    record.product = 1000 + Number(record.id);
  },
  subscriptionAddon: ({ find, record }) => {
    const { customer } = find('subscriptionCustomer', record.subscriptionCustomer);
    record.customer = find('customer', customer).name;
  },
  subscriptionCustomer: ({ record }) => {
    record.active = record.end === undefined;
  },
  stockOrderLine: ({ find, record }) => {
    const { status } = find('stockOrder', record.stockOrder);
    const amount = Number(record.amount);
    record.received = status === 3 ? amount : status === 2 ? Math.floor(amount / 2) : 0;
    record.discount = Number(record.discount) % 20;
  },
  stockOrder: ({ record }) => {
    record.globalDiscount = Number(record.globalDiscount) % 20;
    if (record.status !== 3) delete record.deliveryDate;
  },
  stockDeliveryLine: ({ find, record }) => {
    const ordered = find('stockOrderLine', record.orderLine);
    record.product = ordered.product;
    record.orderNumber = `2025-${String(ordered.stockOrder).padStart(5, '0')}`;
    record.pending = 0;
  },
  stockInvoice: ({ record }) => {
    Object.assign(record, { discountTotal: 0, taxTotal: 0 });
  },
  stockInvoiceLine: ({ find, record }) => {
    const [units, net] = [Number(record.units), Number(record.priceBeforeTaxes)];
    const totalBeforeTaxes = cents(units * net);
    const total = cents(totalBeforeTaxes * 1.21);
    Object.assign(record, {
      discountRate: 0,
      taxRate: 21,
      price: cents(net * 1.21),
      totalBeforeTaxes,
      total,
    });
    const invoice = find('stockInvoice', record.stockInvoice);
    invoice.taxTotal = cents(Number(invoice.taxTotal) + total - totalBeforeTaxes);
  },
};
