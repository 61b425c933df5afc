import { isObject } from '../records/forms.ts';
import type { Row } from '../records/tables.ts';

/** Another form of the values of one field: how they are shown, and how they are read. */
type Form = { show(value: never): unknown; take(wire: never): unknown };

const DAY = 86_400_000;
const number = (wire: unknown) => (typeof wire === 'number' ? wire : Number.NaN);

/** By the setting and option of a profile. The usual form of the service is the default one. */
export const ODD_FORMS = {
  'types.bool int': {
    show: Number,
    take: (wire: unknown) => (wire === 0 || wire === 1 ? wire === 1 : wire === null ? null : 'no'),
  },
  'types.currency string': {
    show: (sum: number) => sum.toFixed(2),
    take: (wire: string) => (typeof wire === 'string' ? Number(wire) : 'no'),
  },
  'types.percent string': {
    show: String,
    take: (wire: string) => (typeof wire === 'string' ? Number(wire) : 'no'),
  },
  'types.select string': {
    show: String,
    take: (wire: string) => (typeof wire === 'string' ? Number(wire) : 'no'),
  },
  'types.date midnight': {
    show: (day: string) => `${day}T00:00:00Z`,
    take: (wire: string) => String(wire).slice(0, 10),
  },
  'types.datetime local': {
    show: (point: string) => point.slice(0, 19),
    take: (wire: string) => `${String(wire).slice(0, 19)}Z`,
  },
  'types.time minutes': { show: (time: string) => time.slice(0, 5), take: (wire: string) => String(wire) },
  'types.duration seconds': {
    show: (text: string) => (Number(/\d+/.exec(text)?.[0]) * DAY) / 1000,
    take: (wire: unknown) => `P${Math.round((number(wire) * 1000) / DAY)}D`,
  },
  'types.daysOfWeek mask': {
    show: (days: readonly number[]) => days.reduce((sum, day) => sum + 2 ** (day - 1), 0),
    take: (wire: unknown) => [1, 2, 3, 4, 5, 6, 7].filter((day) => number(wire) & (2 ** (day - 1))),
  },
  'types.manyToMany objects': {
    show: (ids: readonly number[]) => ids.map((id) => ({ id })),
    take: (wire: unknown) =>
      Array.isArray(wire) ? wire.map((item) => (isObject(item) ? item.id : 'no')) : wire,
  },
  'response.unset absent': { show: (value: unknown) => value, take: (wire: unknown) => wire },
} as const satisfies Readonly<Record<string, Form>>;

/** One field, as `customer.disabled`, whose values have another form. */
export type OddField = {
  readonly at: string;
  readonly form: keyof typeof ODD_FORMS;
  /** Requests have the usual form. */
  readonly isOnlyShown?: boolean;
};

export function showOdd(model: string, row: Row, odd: OddField | undefined): Row {
  const [owner, name = ''] = odd?.at.split('.') ?? [];
  if (!odd || owner !== model || !(name in row)) return row;
  const { [name]: value, ...others } = row;
  if (value === null) return odd.form === 'response.unset absent' ? others : row;
  return { ...row, [name]: (ODD_FORMS[odd.form] as { show(value: unknown): unknown }).show(value) };
}

export function takeOdd(model: string, sent: Row, odd: OddField | undefined): Row {
  const [owner, name = ''] = odd?.at.split('.') ?? [];
  const value = sent[name];
  if (!odd || odd.isOnlyShown || owner !== model || value === undefined || value === null) return sent;
  return { ...sent, [name]: (ODD_FORMS[odd.form] as { take(wire: unknown): unknown }).take(value) };
}
