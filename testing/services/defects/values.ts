import type { Row } from '../records/tables.ts';
import { type At, type Defect, no, SENT } from './defect.ts';

/** The service stores another value of one field, such as `brand.name`, than was sent. */
type Stored = readonly [name: string, where: string, other: (value: unknown, at: At) => unknown];

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

const STORED: readonly Stored[] = [
  ['text-cut-at-50', 'brand.name', text((value) => value.slice(0, 50))],
  ['text-cut-at-100', 'warehouse.comments', text((value) => value.slice(0, 100))],
  ['accents-stripped', 'crmContact.city', text((value) => value.normalize('NFD').replace(/\p{M}/gu, ''))],
  ['emoji-lost', 'taskComment.body', text((value) => value.replace(/\p{Extended_Pictographic}/gu, '?'))],
  ['capitals-lowered', 'share.title', text((value) => value.toLowerCase())],
  ['letters-raised', 'metricData.tenant', text((value) => value.toUpperCase())],
  ['leading-zeros-lost', 'share.number', text((value) => value.replace(/^0+(?=\d)/, ''))],
  ['html-escaped', 'warehouse.comments', text((value) => value.replace(/&/g, '&amp;').replace(/</g, '&lt;'))],
  ['quotes-lost', 'warehouse.comments', text((value) => value.replace(/["']/g, ''))],
  [
    'latin1-only',
    'crmContact.street',
    text((value) => [...value].map((sign) => (sign > '\u00ff' ? '?' : sign)).join('')),
  ],
  ['money-rounded-to-whole', 'deposit.balance', number(Math.round)],
  ['float-rounded-to-two', 'productSplit.value', number((value) => Math.round(value * 100) / 100)],
  [
    'float-rounded-to-three',
    'bookingDrawItem.rejectionsAverage',
    number((value) => Math.round(value * 1000) / 1000),
  ],
  ['float-made-whole', 'voucherProduct.ratio', number(Math.trunc)],
  ['float-in-single-precision', 'subscriptionAddon.percentage', number(inSinglePrecision)],
  ['float-made-positive', 'productSplit.amount', number(Math.abs)],
  ['int-made-positive', 'voucherCategory.priority', number(Math.abs)],
  ['int-cut-at-16-bits', 'voucherCategory.priority', number((value) => (value << 16) >> 16)],
  ['zero-taken-for-nothing', 'voucherPrice.minAge', number((value) => value || 18)],
  ['percent-as-fraction', 'stockInvoiceLine.taxRate', number((value) => value / 100)],
  ['date-a-day-early', 'lockerCustomer.start', days(-1)],
  ['datetime-a-day-late', 'customerToTag.start', days(1)],
  ['time-zone-dropped', 'voucherTransaction.useDate', text((value) => value.replace(/[+-]\d\d:\d\d$/, 'Z'))],
  [
    'update-loses-sign',
    'subscriptionAddon.percentage',
    (value, { on }) => (on === 'update' ? number(Math.abs)(value) : value),
  ],
  [
    'update-rounds',
    'bookingDrawItem.rejectionsAverage',
    (value, { on }) => (on === 'update' ? number((exact) => Math.round(exact * 100) / 100)(value) : value),
  ],
  [
    'time-an-hour-off',
    'voucher.startTime',
    text((value) => `${String((Number(value.slice(0, 2)) + 1) % 24).padStart(2, '0')}${value.slice(2)}`),
  ],
  ['days-first-only', 'voucher.daysOfWeek', list((items) => items.slice(0, 1))],
  ['links-first-only', 'consumerHomeItem.tags', list((items) => items.slice(0, 1))],
  ['links-twice', 'consumerHomeItem.tags', list((items) => [...items, ...items])],
  ['lines-last-lost', 'stockOrder.lines', list((items) => items.slice(0, -1))],
  ['lines-reversed', 'stockOrder.lines', list((items) => items.toReversed())],
  [
    'line-text-lost',
    'stockInvoice.lines',
    list((items) => items.map((item) => ({ ...(item as Row), description: '-' }))),
  ],
  ['status-always-first', 'locker.status', () => 0],
  ['bool-stored-as-false', 'customerTag.public', no],
  ['bool-turned-round', 'multipack.online', not],
  ['bool-always-true', 'subscriptionCustomer.active', (value) => (typeof value === 'number' ? 1 : true)],
  ['optional-text-lost', 'lockerType.subscription', () => null],
];

export const VALUES = STORED.map(([name, where, other]): Defect => {
  const [model = '', field = ''] = where.split('.');
  const isSent = (value: unknown) => value !== undefined && value !== null;
  return {
    name,
    rules: SENT,
    models: [model],
    values: (values, at) =>
      at.model.name === model && isSent(values[field])
        ? { ...values, [field]: other(values[field], at) }
        : values,
  };
});
