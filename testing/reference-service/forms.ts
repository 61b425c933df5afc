import type { Field, TypeName } from '../../spec/catalogue/field.ts';
import { completeList, type Profile } from '../../spec/profile/profile.ts';

/** Returns the stored form of a sent value; undefined if it does not have the type. */
type Take = (sent: unknown, field: Field) => unknown;

/** The values of a service that keeps them just as it shows them. */
export type Forms = {
  /** null is a field that is unset, undefined a value of another type. */
  take: Take;
  /** Returns the value of a field that only the service writes. */
  dull(field: Field): unknown;
  readonly yes: unknown;
  /** Whether any text is a value of the field. */
  isFree(field: Field): boolean;
};

const TEXTS: readonly TypeName[] = ['string', 'text', 'markdown'];
const NUMBER = /^-?\d+(\.\d+)?$/;

const like =
  (form: RegExp): Take =>
  (sent) =>
    typeof sent === 'string' && form.test(sent) ? sent : undefined;
const moment =
  (form: RegExp): Take =>
  (sent, field) =>
    Number.isNaN(Date.parse(String(sent))) ? undefined : like(form)(sent, field);
/** Date takes the thirtieth of February for a day of March. */
const day: Take = (sent, field) => {
  const at = Date.parse(String(sent));
  const isDay = !Number.isNaN(at) && new Date(at).toISOString().startsWith(String(sent));
  return isDay ? like(/^\d{4}-\d\d-\d\d$/)(sent, field) : undefined;
};
const midnight: Take = (sent, field) => {
  const [, text] = /^(.{10})T00:00:00Z$/.exec(String(sent)) ?? [];
  return text !== undefined && day(text, field) !== undefined ? sent : undefined;
};
const whole =
  (least = -Infinity, most = Infinity): Take =>
  (sent) =>
    Number.isInteger(sent) && Number(sent) >= least && Number(sent) <= most ? sent : undefined;
const listOf =
  (take: Take): Take =>
  (sent, field) => {
    const items = Array.isArray(sent) ? sent.map((item) => take(item, field)) : [undefined];
    return items.includes(undefined) ? undefined : items;
  };
const decimal: Take = (sent) => (typeof sent === 'number' ? sent : undefined);
const truth: Take = (sent) => (typeof sent === 'boolean' ? sent : undefined);
const address: Take = (sent) =>
  URL.canParse(String(sent)) && !String(sent).includes(' ') ? sent : undefined;
const link: Take = (sent, field) =>
  isObject(sent) && whole(1)(sent.id, field) ? { id: sent.id } : undefined;
const object: Take = (sent) => (isObject(sent) ? sent : undefined);

/** The forms of values that the settings name. */
export function createForms(said: Profile): Forms {
  const longest = said['limits.text'] === 'none' ? Infinity : said['limits.text'];
  const text: Take = (sent) => (typeof sent === 'string' && sent.length <= longest ? sent : undefined);
  const takes: Readonly<Record<TypeName, Take>> = {
    int: whole(),
    string: text,
    text,
    markdown: text,
    fkModel: text,
    float: decimal,
    bool: { bool: truth, int: whole(0, 1) }[said['types.bool']],
    date: said['types.date'] === 'midnight' ? midnight : day,
    time: like(said['types.time'] === 'minutes' ? /^[0-2]\d:[0-5]\d$/ : /^[0-2]\d:[0-5]\d:[0-5]\d$/),
    datetime: {
      iso: moment(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/),
      space: moment(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      local: moment(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/),
      milliseconds: whole(),
    }[said['types.datetime']],
    currency: { number: decimal, string: like(/^-?\d+(\.\d\d?)?$/), minor: whole() }[said['types.currency']],
    percent: said['types.percent'] === 'string' ? like(NUMBER) : decimal,
    email: like(/^[^@\s]+@[^@\s]+$/),
    url: address,
    image: address,
    duration: said['types.duration'] === 'seconds' ? whole(0) : like(/^P(\d+[YMWD])*(T(\d+[HMS])+)?$/),
    daysOfWeek: { array: listOf(whole(1, 7)), index: listOf(whole(0, 6)), mask: whole(0, 127) }[
      said['types.daysOfWeek']
    ],
    select: member,
    manyToMany: listOf(said['types.manyToMany'] === 'objects' ? link : whole(1)),
    lines: listOf(said['types.lines'] === 'ids' ? whole(1) : object),
  };
  return {
    take,
    dull,
    isFree: ({ type }) => TEXTS.includes(type),
    yes: said['types.bool'] === 'int' ? 1 : true,
  };

  function take(sent: unknown, field: Field): unknown {
    const form = said['request.encoding'] === 'form';
    if (sent === null || (form && sent === '' && !TEXTS.includes(field.type))) return null;
    return takes[field.type](sent, field) ?? (form ? takes[field.type](typed(sent), field) : undefined);
  }

  function member(sent: unknown, field: Field): unknown {
    const list =
      field.choices ?? completeList(said.values, field.key)?.map((value) => ({ value, name: `${value}` }));
    const form = said['types.select'];
    if (form === 'object' && !isObject(sent)) return undefined;
    const asked = form === 'object' && isObject(sent) ? sent.value : sent;
    const found = list?.find(({ value }) => (form === 'string' ? String(value) : value) === asked);
    if ((list && !found) || (!list && typeof asked !== 'string')) return undefined;
    return form === 'object' ? { value: asked, ...(found ? { name: found.name } : {}) } : asked;
  }

  function dull({ type, choices }: Field): unknown {
    const first = choices?.[0];
    if (first)
      return { value: first.value, string: String(first.value), object: first }[said['types.select']];
    const now = new Date().toISOString();
    const values: Partial<Record<TypeName, unknown>> = {
      int: 0,
      float: 0,
      string: '',
      bool: said['types.bool'] === 'int' ? 0 : false,
      currency: said['types.currency'] === 'string' ? '0.00' : 0,
      datetime: {
        iso: now,
        space: `${now.slice(0, 10)} ${now.slice(11, 19)}`,
        local: now.slice(0, 23),
        milliseconds: Date.parse(now),
      }[said['types.datetime']],
    };
    return values[type] ?? null;
  }
}

/** The body of a form: `lines[0][units]=2`, and `tags[]` for an empty list. */
export function readBrackets(body: string): unknown {
  const root: Record<string, unknown> = Object.create(null);
  for (const [key, value] of new URLSearchParams(body)) {
    const names = key.replaceAll(']', '').split('[');
    const last = key.endsWith('[]') ? names.splice(-2)[0] : names.pop();
    let place = root;
    for (const name of names) {
      place[name] ??= Object.create(null);
      place = place[name] as Record<string, unknown>;
    }
    place[last ?? ''] = key.endsWith('[]') ? Object.create(null) : value;
  }
  return withLists(root, true);
}

/** Objects whose names are all numbers are lists. */
function withLists(value: unknown, root = false): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, item]) => [name, withLists(item)] as const);
  const isList = !root && entries.every(([name]) => /^\d+$/.test(name));
  return isList ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

/** Converts the strings of a form to values of other types. */
function typed(sent: unknown): unknown {
  if (Array.isArray(sent)) return sent.map(typed);
  if (isObject(sent))
    return Object.fromEntries(Object.entries(sent).map(([name, item]) => [name, typed(item)]));
  return NUMBER.test(String(sent)) ? Number(sent) : ({ true: true, false: false }[String(sent)] ?? sent);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a body with a value at a JSON pointer in addition to its members. At "", the value is the body. */
export function putAt(pointer: string, value: unknown, body: unknown = {}): unknown {
  const [name, ...rest] = pointer.split('/').slice(1);
  if (name === undefined) return value;
  const members = isObject(body) ? body : {};
  const below = rest.length > 0 ? putAt(`/${rest.join('/')}`, value, members[name]) : value;
  return Object.assign(body as object, { [name]: below });
}
