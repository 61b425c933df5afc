import type { Row } from '../records/tables.ts';

/** Another form of the values of one field: how they are shown, and how they are read. */
type Form = { show(value: never): unknown; take(wire: never): unknown };

/** By the setting and option of a profile. The usual form of the service is the default one. */
const ODD_FORMS = {
  'types.currency string': {
    show: (sum: number) => sum.toFixed(2),
    take: (wire: string) => (typeof wire === 'string' ? Number(wire) : 'no'),
  },
  'types.select string': {
    show: String,
    take: (wire: string) => (typeof wire === 'string' ? Number(wire) : 'no'),
  },
  'types.datetime local': {
    show: (point: string) => point.slice(0, 19),
    take: (wire: string) => `${String(wire).slice(0, 19)}Z`,
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
