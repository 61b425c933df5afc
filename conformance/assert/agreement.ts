import { isDeepStrictEqual } from 'node:util';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field, TypeName } from '../../spec/catalogue/field.ts';
import { onceFor } from '../../spec/once-for.ts';
import { sortKey } from '../../spec/types/sort-key.ts';
import { isText } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { isObject } from '../api/answer.ts';

const copiesIn = onceFor((catalogue: Catalogue) => {
  const models = [...catalogue.models.values()];
  return new Set(models.flatMap((model) => model.fields.filter((field) => mayCopy(field, model, catalogue))));
});

/** Addresses, and types that may be texts, since the source does not show their form (2.12): no value is empty. */
const NEVER_EMPTY: ReadonlySet<string> = new Set([
  'email',
  'url',
  'image',
  'duration',
  'select',
  'fkModel',
  'currency',
  'percent',
]);

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

/** Whether a value that was found means what was sent, as far as it can be read. Lines have no order. */
export function agrees(field: Field, sent: Value, found: Value | undefined): boolean {
  if (found === undefined) return sent === null;
  if (field.type === 'duration') return sortKey('duration', sent) === sortKey('duration', found);
  if (field.lines === undefined || !Array.isArray(sent) || !Array.isArray(found)) return isSame(sent, found);
  return haveSameLines(sent, found);
}

/** Whether each line that was sent has its own match. A line can have fields that were not sent, such as its ID. */
function haveSameLines(sent: readonly Value[], found: readonly Value[]): boolean {
  const left = [...found];
  return (
    sent.length === found.length &&
    sent.every((line) => {
      const index = left.findIndex((candidate) => isLine(line, candidate));
      return index >= 0 && left.splice(index, 1).length === 1;
    })
  );
}

/** Whether what is found is surely the value: of a form that is not known nothing is sure. */
export function surelyShows(field: Field, value: Value, found: Value | undefined): boolean {
  return found !== UNREAD && value !== UNREAD && agrees(field, value, found);
}

/** Whether what is found is a value that a client sent. A service with form bodies can keep the text of it. */
export function repeats(field: Field, sent: Value, found: Value | undefined): boolean {
  return agrees(field, sent, found) || (typeof found === 'string' && found === String(sent));
}

function isLine(sent: Value, found: Value): boolean {
  if (sent === null || typeof sent !== 'object') return isSame(sent, found);
  return Object.entries(sent).every(([name, value]) => {
    const shown = (found as RecordValues | null)?.[name] ?? null;
    // Lines can have lines in turn.
    return areLines(value) && Array.isArray(shown) ? haveSameLines(value, shown) : isSame(value, shown);
  });
}

/** Whether a value is a list of records, and not of IDs or numbers. */
function areLines(value: Value): value is Value[] {
  return Array.isArray(value) && value.some((one) => one !== null && typeof one === 'object');
}

function isSame(sent: Value, found: Value): boolean {
  return Object.is(sent, found) || found === UNREAD || sent === UNREAD || isDeepStrictEqual(sent, found);
}

/** Whether a number is another one with fewer decimals, or differs by a hundredth at most. */
function isRounded(sent: number, shown: number): boolean {
  if (Math.abs(sent - shown) < 0.0101) return true;
  return [0, 1, 2, 3, 4].some((decimals) => {
    const scaled = sent * 10 ** decimals;
    const near = shown * 10 ** decimals;
    return Math.abs(scaled - near) < 1 && Math.abs(near - Math.round(near)) < 1e-6;
  });
}

/** Whether two times are the same but for a fraction of a second. */
export function isRounder(one: Value | undefined, other: Value | undefined): boolean {
  return Math.abs(momentOf(one) - momentOf(other)) < 1000;
}

/** Whether they are where one of them shows no fraction, or but for what databases round a millisecond to. */
export function isStored(one: Value | undefined, other: Value | undefined): boolean {
  const isWhole = [one, other].some((time) => momentOf(time) % 1000 === 0);
  return Math.abs(momentOf(one) - momentOf(other)) < (isWhole ? 1000 : COARSEST_TICK);
}

/** Whether a value is shown to the minute, and was sent with seconds. */
export function isToTheMinute({ type }: Pick<Field, 'type'>, sent: Value, shown: Value | undefined): boolean {
  if (type !== 'time' && type !== 'datetime') return false;
  const [from, to] = [sent, shown].map((value) => momentOf(type === 'time' ? `1970-01-01T${value}Z` : value));
  return (
    from !== undefined && to !== undefined && from !== to && to % 60_000 === 0 && Math.abs(from - to) < 60_000
  );
}

/** Milliseconds; a `datetime` of SQL Server has three of them in a hundredth of a second. */
const COARSEST_TICK = 4;

function momentOf(value: Value | undefined): number {
  return Date.parse(String(value));
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

/** The values without the copies in their lines. */
export function withoutCopiesInLines(model: Model, values: RecordValues, catalogue: Catalogue): RecordValues {
  const lines = model.fields.filter(
    (field) => field.lines !== undefined && Object.hasOwn(values, field.name),
  );
  const stripped = lines.map(({ lines: name = '', name: field }) => {
    const line = catalogue.models.get(name);
    const value = values[field];
    if (!line || !Array.isArray(value)) return [field, value] as const;
    return [
      field,
      value.map((item) => (isObject(item) ? withoutCopies(line, item, catalogue) : item)),
    ] as const;
  });
  return { ...values, ...Object.fromEntries(stripped) } as RecordValues;
}

/** The values without copies, those of lines included. */
export function withoutCopies(model: Model, values: RecordValues, catalogue: Catalogue): RecordValues {
  const copies = new Set(model.fields.filter((field) => isCopy(field, catalogue)).map(({ name }) => name));
  const kept = Object.entries(values).filter(([name]) => !copies.has(name));
  return withoutCopiesInLines(model, Object.fromEntries(kept), catalogue);
}

const LINES_LOST: Alteration = { name: 'other lines', level: 'stated' };

const ORDER: Alteration = { name: 'the order of lines changed', level: 'stated' };

/** How a value was changed between write and read, and whether that breaks the contract. */
export type Alteration = {
  readonly name: string;
  /** Seconds are `open` until a response shows some: without any, times have another format (section 2.12). */
  readonly level: 'stated' | 'advice' | 'open';
};

/** Whether this is what became of a value. */
type Explains = (sent: Value, shown: Value, type: TypeName) => boolean;

type Row = readonly [
  name: string,
  level: Alteration['level'],
  types: readonly TypeName[],
  explains: Explains,
];

export const LISTS: readonly TypeName[] = ['manyToMany', 'daysOfWeek', 'lines'];
const TEXTS: readonly TypeName[] = ['string', 'text', 'markdown', 'email', 'url', 'image'];
const ADDRESSES: readonly TypeName[] = ['url', 'image'];
const NUMBERS: readonly TypeName[] = ['int', 'float', 'currency', 'percent'];

/**
 * Type × alteration, the first row that explains a difference. What an operation returns is the record (section 4), so
 * that a value which is changed is a breach; what many a service does with good reason, and keeps the meaning, is
 * advice. A value that is refused is no alteration: it belongs to the limits.
 */
const ALTERATIONS: readonly Row[] = [
  ['spaces at the ends removed', 'advice', TEXTS, texts((text) => text.trim())],
  ['line ends changed', 'advice', TEXTS, texts((text) => text.replaceAll(/\r\n?/g, '\n'))],
  ['Unicode form changed', 'advice', TEXTS, texts((text) => text.normalize())],
  [
    'spaces, line ends, or Unicode form changed',
    'advice',
    TEXTS,
    texts((text) => text.replaceAll(/\r\n?/g, '\n').normalize().trim()),
  ],
  [
    'an empty string became null',
    'advice',
    TEXTS,
    (sent, shown) => typeof sent === 'string' && sent.trim() === '' && shown === null,
  ],
  ['an empty list became null', 'advice', LISTS, (sent, shown) => isNone(sent) && isNone(shown)],
  ['format of an email address changed', 'advice', ['email'], texts((text) => text.trim().toLowerCase())],
  ['format of a URL changed', 'advice', ADDRESSES, texts(formOfUrl)],
  // How money and percentages are written is not shown (section 2.12): a scale, as DECIMAL(5,2) has one, belongs to
  // it.
  // Of a float nothing is left open.
  [
    'number cut to 2, 3, or 4 decimals',
    'advice',
    ['currency', 'percent'],
    numbers((sent, shown) =>
      [2, 3, 4].some(
        (scale) =>
          !hasDecimals(sent, scale) && hasDecimals(shown, scale) && Math.abs(sent - shown) < 10 ** -scale,
      ),
    ),
  ],
  [
    'fraction of a second lost',
    'advice',
    ['datetime'],
    pair(
      (sent, shown) =>
        Date.parse(shown) % 1000 === 0 && Math.abs(Date.parse(sent) - Date.parse(shown)) < 1000,
    ),
  ],
  ['seconds lost', 'open', ['time', 'datetime'], (sent, shown, type) => isToTheMinute({ type }, sent, shown)],
  ['integer above 2^53 changed', 'advice', ['int'], numbers((sent) => !Number.isSafeInteger(sent))],
  [
    'integer wrapped or truncated at 32 bits',
    'stated',
    NUMBERS,
    numbers((sent, shown) => Math.abs(sent) > 2 ** 31 - 1 && Math.abs(shown) <= 2 ** 32),
  ],
  ['sign lost', 'stated', NUMBERS, numbers((sent, shown) => sent === -shown)],
  ['number rounded', 'stated', NUMBERS, numbers(isRounded)],
  [
    'leading zeros lost',
    'stated',
    TEXTS,
    (sent, shown) =>
      typeof sent === 'string' && /^0+\d/.test(sent) && sent.replace(/^0+(?=\d)/, '') === String(shown),
  ],
  [
    'string truncated',
    'stated',
    TEXTS,
    pair((sent, shown) => shown.length < sent.length && sent.startsWith(shown)),
  ],
  ['letter case changed', 'stated', TEXTS, texts((text) => text.toLowerCase())],
  ['accents lost', 'stated', TEXTS, texts(withoutAccents)],
  ['HTML escaped', 'stated', TEXTS, pair((sent, shown) => entitiesIn(shown) > entitiesIn(sent))],
  [
    'characters above U+FFFF lost',
    'stated',
    TEXTS,
    texts((text) => text.replaceAll(/[\u{10000}-\u{10ffff}]|\?|\ufffd/gu, '')),
  ],
];

/** Names the change of an accepted value. Both values are canonical, and differ. */
export function alterationOf({ type }: Field, sent: Value, shown: Value): Alteration {
  const row = ALTERATIONS.find(
    ([, , types, explains]) => types.includes(type) && explains(sent, shown, type),
  );
  return row ? { name: row[0], level: row[1] } : OTHER;
}

/** A value that does not come from the one that was sent. */
export const OTHER: Alteration = { name: 'another value', level: 'stated' };

function pair(holds: (sent: string, shown: string) => boolean): Explains {
  return (sent, shown) => typeof sent === 'string' && typeof shown === 'string' && holds(sent, shown);
}

/** Equal once both went through the same change. */
function texts(change: (text: string) => string): Explains {
  return pair((sent, shown) => change(sent) === change(shown));
}

function numbers(holds: (sent: number, shown: number) => boolean): Explains {
  return (sent, shown) => typeof sent === 'number' && typeof shown === 'number' && holds(sent, shown);
}

function hasDecimals(number: number, most: number): boolean {
  return Number(number.toFixed(most)) === number;
}

function entitiesIn(text: string): number {
  return text.match(/&(lt|gt|amp|quot|#\w+);/g)?.length ?? 0;
}

function withoutAccents(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{Mn}/gu, '');
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
    if (expected.length !== shown.length) return LINES_LOST;
    const wrong = expected.map((one, index) => compareLine(line, one, shown[index] ?? null));
    const found = wrong.find((alteration) => alteration !== undefined);
    const isElsewhere = (one: Value) => shown.some((other) => compareLine(line, one, other) === undefined);
    return found && expected.every(isElsewhere) ? ORDER : found;
  }

  function compareLine(line: Model, expected: Value, shown: Value): Alteration | undefined {
    // These lines are given by their IDs.
    if (!isObject(expected) || !isObject(shown)) return expected === shown ? undefined : LINES_LOST;
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
