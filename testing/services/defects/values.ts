import type { Row } from '../records/tables.ts';
import { type At, type Defect, no, SENT } from './defect.ts';

/** The service stores another value of one field than was sent; `where` is `brand.name`. */
function stores(
  name: string,
  where: string,
  other: (value: unknown, at: At) => unknown,
  more: readonly string[] = [],
): Defect {
  const [model = '', field = ''] = where.split('.');
  return {
    name,
    rules: [...SENT, ...more],
    models: [model],
    values: (values, at) =>
      at.model.name === model && values[field] !== undefined && values[field] !== null
        ? { ...values, [field]: other(values[field], at) }
        : values,
  };
}

const text = (change: (value: string) => string) => (value: unknown) =>
  typeof value === 'string' ? change(value) : value;
/** Money may be a text. */
const number = (change: (value: number) => number) => (value: unknown) => {
  if (typeof value === 'number') return change(value);
  return typeof value === 'string' && value !== '' && Number.isFinite(Number(value))
    ? String(change(Number(value)))
    : value;
};
/** As a column of `real` keeps it, and shows it in as few digits as tell it. */
function inSinglePrecision(value: number): number {
  const digits = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((most) => Number(value.toPrecision(most)));
  return digits.find((short) => Math.fround(short) === Math.fround(value)) ?? value;
}

const days = (count: number) =>
  text((value) => {
    const at = Date.parse(`${value.slice(0, 10)}T00:00:00Z`);
    return Number.isNaN(at)
      ? value
      : new Date(at + count * 86_400_000).toISOString().slice(0, 10) + value.slice(10);
  });
const list = (change: (items: unknown[]) => unknown[]) => (value: unknown) =>
  Array.isArray(value) ? change(value) : value;
const not = (value: unknown) => (typeof value === 'number' ? 1 - value : !value);

export const VALUES: readonly Defect[] = [
  stores(
    'text-cut-at-50',
    'brand.name',
    text((value) => value.slice(0, 50)),
  ),
  stores(
    'text-cut-at-100',
    'warehouse.comments',
    text((value) => value.slice(0, 100)),
  ),
  stores(
    'accents-stripped',
    'crmContact.city',
    text((value) => value.normalize('NFD').replace(/\p{M}/gu, '')),
  ),
  stores(
    'emoji-lost',
    'taskComment.body',
    text((value) => value.replace(/\p{Extended_Pictographic}/gu, '?')),
  ),
  stores(
    'capitals-lowered',
    'share.title',
    text((value) => value.toLowerCase()),
  ),
  stores(
    'letters-raised',
    'metricData.tenant',
    text((value) => value.toUpperCase()),
  ),
  stores(
    'leading-zeros-lost',
    'share.number',
    text((value) => value.replace(/^0+(?=\d)/, '')),
  ),
  stores(
    'html-escaped',
    'warehouse.comments',
    text((value) => value.replace(/&/g, '&amp;').replace(/</g, '&lt;')),
  ),
  stores(
    'quotes-lost',
    'warehouse.comments',
    text((value) => value.replace(/["']/g, '')),
  ),
  stores(
    'latin1-only',
    'crmContact.street',
    text((value) => [...value].map((sign) => (sign > '\u00ff' ? '?' : sign)).join('')),
  ),
  stores('money-rounded-to-whole', 'deposit.balance', number(Math.round)),
  stores(
    'float-rounded-to-two',
    'productSplit.value',
    number((value) => Math.round(value * 100) / 100),
  ),
  stores(
    'float-rounded-to-three',
    'bookingDrawItem.rejectionsAverage',
    number((value) => Math.round(value * 1000) / 1000),
  ),
  stores('float-made-whole', 'voucherProduct.ratio', number(Math.trunc)),
  stores('float-in-single-precision', 'subscriptionAddon.percentage', number(inSinglePrecision)),
  stores('float-made-positive', 'productSplit.amount', number(Math.abs)),
  stores('int-made-positive', 'voucherCategory.priority', number(Math.abs)),
  stores(
    'int-cut-at-16-bits',
    'voucherCategory.priority',
    number((value) => (value << 16) >> 16),
  ),
  stores(
    'zero-taken-for-nothing',
    'voucherPrice.minAge',
    number((value) => value || 18),
  ),
  stores(
    'percent-as-fraction',
    'stockInvoiceLine.taxRate',
    number((value) => value / 100),
  ),
  stores('date-a-day-early', 'lockerCustomer.start', days(-1)),
  stores('datetime-a-day-late', 'customerToTag.start', days(1)),
  stores(
    'time-zone-dropped',
    'voucherTransaction.useDate',
    text((value) => value.replace(/[+-]\d\d:\d\d$/, 'Z')),
  ),
  stores('update-loses-sign', 'subscriptionAddon.percentage', (value, { on }) =>
    on === 'update' ? number(Math.abs)(value) : value,
  ),
  stores('update-rounds', 'bookingDrawItem.rejectionsAverage', (value, { on }) =>
    on === 'update' ? number((exact) => Math.round(exact * 100) / 100)(value) : value,
  ),
  stores(
    'time-an-hour-off',
    'voucher.startTime',
    text((value) => `${String((Number(value.slice(0, 2)) + 1) % 24).padStart(2, '0')}${value.slice(2)}`),
  ),
  stores(
    'days-first-only',
    'voucher.daysOfWeek',
    list((items) => items.slice(0, 1)),
  ),
  stores(
    'links-first-only',
    'consumerHomeItem.tags',
    list((items) => items.slice(0, 1)),
  ),
  stores(
    'links-twice',
    'consumerHomeItem.tags',
    list((items) => [...items, ...items]),
  ),
  stores(
    'lines-last-lost',
    'stockOrder.lines',
    list((items) => items.slice(0, -1)),
  ),
  stores(
    'lines-reversed',
    'stockOrder.lines',
    list((items) => items.toReversed()),
  ),
  stores(
    'line-text-lost',
    'stockInvoice.lines',
    list((items) => items.map((item) => ({ ...(item as Row), description: '-' }))),
  ),
  stores('status-always-first', 'locker.status', () => 0),
  stores('bool-stored-as-false', 'customerTag.public', no),
  stores('bool-turned-round', 'multipack.online', not),
  stores('bool-always-true', 'subscriptionCustomer.active', (value) =>
    typeof value === 'number' ? 1 : true,
  ),
  stores('optional-text-lost', 'lockerType.subscription', () => null),
];
