import { isDeepStrictEqual } from 'node:util';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field, TypeName } from '../../spec/catalogue/field.ts';
import { onceFor } from '../../spec/once-for.ts';
import { sortKey } from '../../spec/types/sort-key.ts';
import { isText } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { isObject } from '../api/answer.ts';

const copiesIn = onceFor((catalogue: Catalogue) => {
  const models = [...catalogue.models.values()];
  return new Set(models.flatMap((model) => model.fields.filter((field) => mayCopy(field, model, catalogue))));
});

export const LISTS: readonly TypeName[] = ['manyToMany', 'daysOfWeek', 'lines'];
export const ADDRESSES: readonly TypeName[] = ['email', 'url', 'image'];
const TEXTS: readonly TypeName[] = ['string', 'text', 'markdown', ...ADDRESSES];

/** Section 2, last paragraph. */
export const FORM_NOT_SHOWN: readonly TypeName[] = [
  'fkModel',
  'manyToMany',
  'image',
  'duration',
  'daysOfWeek',
  'currency',
  'percent',
  'select',
];

/** Addresses, and types that may be texts, since the source does not show their form (2.12): no value is empty. */
const NEVER_EMPTY = new Set([...ADDRESSES, ...FORM_NOT_SHOWN].filter((type) => !LISTS.includes(type)));

/** Whether what is shown of a field is no value: nothing, or the empty text that many frameworks keep in a column. */
export function isUnset({ required, type }: Field, wire: unknown): boolean {
  return wire === undefined || wire === null || (wire === '' && !required && NEVER_EMPTY.has(type));
}

/** Whether a value is none: null, an empty text, or a list without members. A service can show any of these for another. */
export function isNone(value: Value | undefined): boolean {
  return (value ?? null) === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** A value in a form that the kit can't read. */
export const UNREAD: Value = Object.freeze({ form: 'unknown' });

/** Whether a value that was found means what was sent, as far as it can be read. */
export function agrees(field: Field, sent: Value, found: Value | undefined): boolean {
  if (found === undefined) return sent === null;
  if (field.type === 'duration') return sortKey('duration', sent) === sortKey('duration', found);
  return field.lines === undefined ? isSame(sent, found) : contains(found, sent);
}

/** Whether lines show each member that was sent. They can have others, such as an ID, and lines in turn. */
function contains(found: Value, sent: Value): boolean {
  if (Array.isArray(sent) && Array.isArray(found))
    return sent.length === found.length && sent.every((one, index) => contains(found[index] ?? null, one));
  if (!isObject(sent) || !isObject(found)) return isSame(sent, found);
  return Object.entries(sent).every(([name, value]) => contains(found[name] ?? null, value));
}

/** Whether what is found is surely the value: of a form that is not known nothing is sure. */
export function surelyShows(field: Field, value: Value, found: Value | undefined): boolean {
  return found !== UNREAD && value !== UNREAD && agrees(field, value, found);
}

/** Whether what is found is a value that a client sent. A service with form bodies can keep the text of it. */
export function repeats(field: Field, sent: Value, found: Value | undefined): boolean {
  return agrees(field, sent, found) || (typeof found === 'string' && found === String(sent));
}

function isSame(sent: Value, found: Value): boolean {
  return Object.is(sent, found) || found === UNREAD || sent === UNREAD || isDeepStrictEqual(sent, found);
}

/** Whether two times are less than some seconds apart. */
function isNear(one: Value | undefined, other: Value | undefined, seconds: number): boolean {
  return Math.abs(momentOf(one) - momentOf(other)) < seconds * 1000;
}

/** Whether two times are the same except for a fraction of a second. */
export function isRounder(one: Value | undefined, other: Value | undefined): boolean {
  return isNear(one, other, 1);
}

/** Whether one of two times is rounded to seconds, or to the 3 ms of a `datetime` of SQL Server. */
export function isStored(one: Value | undefined, other: Value | undefined): boolean {
  return isNear(one, other, isWhole(one, 1) || isWhole(other, 1) ? 1 : 0.004);
}

/** Whether a time is a multiple of some seconds. */
function isWhole(time: Value | undefined, seconds: number): boolean {
  return momentOf(time) % (seconds * 1000) === 0;
}

function momentOf(value: Value | undefined): number {
  const text = String(value);
  return Date.parse(/^\d\d:/.test(text) ? `1970-01-01T${text}Z` : text);
}

/** Whether a writable field may copy a value of another record, or hold a total: the service may update it. */
export function isCopy(field: Field, catalogue: Catalogue): boolean {
  return copiesIn(catalogue).has(field);
}

function mayCopy(field: Field, model: Model, { models }: Catalogue): boolean {
  const { name, readonly, type } = field;
  if (readonly || field.lines !== undefined) return false;
  if (['float', 'currency'].includes(type)) return /total|balance|pending|taxAmount/i.test(name);
  if (!isText(field)) return false;
  const [, thing = ''] = /^(.+)Name$/.exec(name) ?? [];
  return models.has(name) || models.has(thing) || model.fields.some((other) => other.name === thing);
}

/** How a value was changed between write and read, and whether that breaks the contract. */
export type Alteration = {
  readonly name: string;
  /** Seconds are `open` until a response shows some: without any, times have another format (section 2.12). */
  readonly level: 'stated' | 'advice' | 'open';
};

type Explains = (sent: Value, shown: Value) => boolean;

type Row = Alteration & { readonly types: readonly TypeName[]; readonly explains: Explains };

/**
 * Type × alteration, the first row that explains a difference. An operation returns the record (section 4), so any other
 * difference breaks the contract. These keep the meaning of a value, and many services have a reason for them.
 */
const ALTERATIONS: readonly Row[] = [
  row('advice', 'spaces, line ends, or Unicode form changed', TEXTS, texts(plainText)),
  row(
    'advice',
    'an empty string became null',
    TEXTS,
    (sent, shown) => String(sent).trim() === '' && shown === null,
  ),
  row('advice', 'an empty list became null', LISTS, (sent, shown) => isNone(sent) && isNone(shown)),
  row(
    'advice',
    'format of an email address changed',
    ['email'],
    texts((text) => text.trim().toLowerCase()),
  ),
  row('advice', 'format of a URL changed', ['url', 'image'], texts(formOfUrl)),
  // How money and percentages are written is not shown (section 2.12), so a scale, such as DECIMAL(5,2), is open.
  row('advice', 'number cut to 2, 3, or 4 decimals', ['currency', 'percent'], (sent, shown) =>
    isCutTo([2, 3, 4], sent, shown),
  ),
  row(
    'advice',
    'fraction of a second lost',
    ['datetime'],
    (sent, shown) => isWhole(shown, 1) && isNear(sent, shown, 1),
  ),
  row(
    'open',
    'seconds lost',
    ['time', 'datetime'],
    (sent, shown) => isWhole(shown, 60) && isNear(sent, shown, 60),
  ),
  row(
    'advice',
    'integer above 2^53 changed',
    ['int'],
    (sent) => Math.abs(Number(sent)) > Number.MAX_SAFE_INTEGER,
  ),
  // A total or a copy that comes from the value that was sent is stored, and not computed.
  row('stated', 'number rounded', ['float', 'currency', 'percent'], (sent, shown) =>
    isCutTo([0, 1, 2, 3, 4], sent, shown),
  ),
  row(
    'stated',
    'string truncated',
    TEXTS,
    (sent, shown) => typeof shown === 'string' && String(sent).startsWith(shown),
  ),
];

function row(level: Row['level'], name: string, types: readonly TypeName[], explains: Explains): Row {
  return { level, name, types, explains };
}

/** Names the change of an accepted value. Both values are canonical, and differ. */
export function alterationOf({ type }: Field, sent: Value, shown: Value): Alteration {
  return ALTERATIONS.find(({ types, explains }) => types.includes(type) && explains(sent, shown)) ?? OTHER;
}

/** A value that does not come from the one that was sent. */
export const OTHER: Alteration = { name: 'another value', level: 'stated' };

/** Equal once both went through the same change. */
function texts(change: (text: string) => string): Explains {
  return (sent, shown) =>
    typeof sent === 'string' && typeof shown === 'string' && change(sent) === change(shown);
}

function isCutTo(scales: readonly number[], sent: Value, shown: Value): boolean {
  if (typeof sent !== 'number' || typeof shown !== 'number') return false;
  return scales.some((scale) => {
    const fits = (number: number) => Number(number.toFixed(scale)) === number;
    return !fits(sent) && fits(shown) && Math.abs(sent - shown) < 10 ** -scale;
  });
}

function plainText(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').normalize().trim();
}

/** An address as the URL standard writes it, without the slash at its end. */
function formOfUrl(text: string): string {
  return URL.parse(text.trim())?.href.replace(/\/$/, '') ?? text;
}

export type Compare = ReturnType<typeof createComparison>;

export function createComparison(catalogue: Catalogue) {
  return compare;

  /** Returns how a shown value differs from the expected one; undefined if they agree. */
  function compare(field: Field, expected: Value, shown: Value | undefined): Alteration | undefined {
    const line = field.lines === undefined ? undefined : catalogue.models.get(field.lines);
    if (line && Array.isArray(expected) && Array.isArray(shown)) return compareLines(line, expected, shown);
    if (agrees(field, expected, shown)) return undefined;
    return alterationOf(field, expected, shown ?? null);
  }

  /** Compares the sent values of each line, in order, because lines are an array (section 2). */
  function compareLines(
    line: Model,
    expected: readonly Value[],
    shown: readonly Value[],
  ): Alteration | undefined {
    if (expected.length !== shown.length) return OTHER;
    const wrong = expected.map((one, index) => compareLine(line, one, shown[index] ?? null));
    return wrong.find((alteration) => alteration !== undefined);
  }

  function compareLine(line: Model, expected: Value, shown: Value): Alteration | undefined {
    // These lines are given by their IDs.
    if (!isObject(expected) || !isObject(shown)) return expected === shown ? undefined : OTHER;
    for (const part of line.fields) {
      const value = Object.hasOwn(expected, part.name) ? expected[part.name] : undefined;
      if (value === undefined || value === null || part.readonly) continue;
      // A copy in a line may have another value, and not none.
      if (isCopy(part, catalogue) && (shown[part.name] ?? null) !== null) continue;
      const wrong = compare(part, value, shown[part.name]);
      if (wrong) return wrong;
    }
    return undefined;
  }
}

/** The common fields that stay with a record as long as it is there. */
export function isOrigin({ role }: Field): boolean {
  return role === 'created' || role === 'createdBy';
}

/** Whether a value can't be a default of the service, as a boolean or a member of a value list may be. */
export function isTelling(value: Value): boolean {
  if (typeof value === 'number') return Math.abs(value) > 1_000_000;
  return typeof value === 'string' ? value.length > 3 : isObject(value) || Array.isArray(value);
}
