import { isDeepStrictEqual } from 'node:util';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field, TypeName } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { compileWireSchema, type Obeys } from '../../spec/json-schema.ts';
import { onceFor } from '../../spec/once-for.ts';
import {
  type Profile,
  profileAt,
  typeOptions,
  typeSetting,
  under,
  whyFormless,
} from '../../spec/profile/profile.ts';
import { redactValue } from '../../spec/redaction.ts';
import { sortKey } from '../../spec/types/sort-key.ts';
import { isText, WIRE_TYPES } from '../../spec/types/types.ts';
import type { Context, Value, WireType } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
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
export function isUnset({ choices, required, type }: Field, wire: unknown): boolean {
  const isEmptyNone = !required && choices === undefined && NEVER_EMPTY.has(type);
  return wire === undefined || wire === null || (wire === '' && isEmptyNone);
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
export function contains(found: Value, sent: Value): boolean {
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

  /** Returns how a shown value differs; undefined if they agree. Lines are an array (section 2), so their order counts. */
  function compare(field: Field, expected: Value, shown: Value | undefined): Alteration | undefined {
    const line = field.lines === undefined ? undefined : catalogue.models.get(field.lines);
    if (line && Array.isArray(expected) && Array.isArray(shown)) {
      if (expected.length !== shown.length) return OTHER;
      const wrong = expected.map((one, index) => compareLine(line, one, shown[index] ?? null));
      const first = wrong.find((alteration) => alteration !== undefined);
      const isShown = (one: Value) => shown.some((other) => compareLine(line, one, other) === undefined);
      return first && expected.every(isShown) ? { ...OTHER, name: 'the lines in another order' } : first;
    }
    if (agrees(field, expected, shown)) return undefined;
    return alterationOf(field, expected, shown ?? null);
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

type Part = Context & { readonly isFormless: boolean; readonly type: WireType; readonly obeys: Obeys };

/** Judges values on the wire, and reads them as far as they can be read. */
export type WireCheck = ReturnType<typeof createWireCheck>;

export function createWireCheck(plan: Contract) {
  const { catalogue, profile } = plan;
  // A run checks hundreds of thousands of values, so the parts of a field are made once.
  const partOf = onceFor((field: Field): Part => {
    const isFormless = whyFormless(field, plan) !== undefined;
    return { field, profile, type: WIRE_TYPES[field.type], isFormless, obeys: obeysUnder(field, profile) };
  });
  const partsIn = onceFor((model: Model) => model.fields.map(partOf));
  /** Answers are read by the case that asked and by the expected state. */
  const canonical = new WeakMap<RecordValues, { readonly model: Model; readonly record: RecordValues }>();
  const readValue = (field: Field, wire: Value) => readPart(partOf(field), wire);
  return { complaint, otherOption, read, readValue };

  /** Returns the error in a value; undefined if the value has the form of its type, or the form is unknown. */
  function complaint(field: Field, wire: unknown, spoken: Profile = profile): string | undefined {
    const { isFormless, obeys } = partOf(field);
    if (isFormless) return undefined;
    const valid = spoken === profile ? obeys : obeysUnder(field, spoken);
    if (!valid(wire)) return `${show(wire)} is not a valid ${field.type} (${schemaText(field, spoken)})`;
    if (field.lines === undefined || profileAt(spoken, field.key)['types.lines'] === 'ids') return undefined;
    for (const [part, value] of partsOf(field.lines, wire as RecordValues[])) {
      const wrong = complaint(part, value, spoken);
      if (wrong !== undefined) return `in a line, ${part.name}: ${wrong}`;
    }
    return undefined;
  }

  function* partsOf(lines: string, items: readonly RecordValues[]): Generator<[Field, Value]> {
    for (const item of items)
      for (const part of catalogue.models.get(lines)?.fields ?? []) {
        const value = item[part.name];
        if (value !== undefined && !isUnset(part, value)) yield [part, value];
      }
  }

  /** The option of the type's setting under which the value would be right, if there is one. */
  function otherOption(field: Field, wire: unknown): string | undefined {
    const other = formsOf(field, profile).find(
      ({ isOwn, spoken }) => !isOwn && complaint(field, wire, spoken) === undefined,
    );
    return other?.option ?? (field.lines === undefined ? undefined : otherOptionInLines(field.lines, wire));
  }

  /** The first one of those under which each part of a line would be right. */
  function otherOptionInLines(lines: string, wire: unknown): string | undefined {
    if (!Array.isArray(wire) || !wire.every((item) => typeof item === 'object' && item !== null))
      return undefined;
    const wrong = [...partsOf(lines, wire)].filter(([part, value]) => complaint(part, value) !== undefined);
    const options = wrong.map(([part, value]) => otherOption(part, value));
    return options.includes(undefined) ? undefined : options[0];
  }

  /** Returns canonical values. A value of another form stays as it is, so that it agrees with nothing. */
  function read(model: Model, wire: RecordValues): RecordValues {
    const known = canonical.get(wire);
    if (known?.model === model) return known.record;
    const record: Record<string, Value> = {};
    for (const part of partsIn(model)) {
      const { name } = part.field;
      const value = Object.hasOwn(wire, name) ? wire[name] : undefined;
      if (value !== undefined) record[name] = readPart(part, value);
    }
    canonical.set(wire, { model, record });
    return record;
  }

  function readPart(part: Part, wire: Value): Value {
    const { field, isFormless, obeys, type } = part;
    if (isUnset(field, wire)) return null;
    if (isFormless) return UNREAD;
    if (field.lines === undefined) return obeys(wire) ? type.decode(wire, part) : wire;
    const line =
      profileAt(profile, field.key)['types.lines'] === 'ids' ? undefined : catalogue.models.get(field.lines);
    // Of a line too, one part without its form is no reason not to read the others.
    if (line && Array.isArray(wire) && wire.every(isObject)) return wire.map((item) => read(line, item));
    return complaint(field, wire) === undefined ? type.decode(wire, part) : wire;
  }
}

/** The options of the setting of a field's type, each with the profile that has it. */
function formsOf(field: Field, profile: Profile) {
  const setting = typeSetting(field);
  if (setting === undefined) return [];
  return typeOptions(setting).map((option) => ({
    option,
    isOwn: option === profileAt(profile, field.key)[setting],
    spoken: under(profile, { [setting]: option }),
  }));
}

export function optionsOf(field: Field, wire: unknown, profile: Profile): string[] {
  return formsOf(field, profile).flatMap(({ option, spoken }) =>
    obeysUnder(field, spoken)(wire) ? [option] : [],
  );
}

function schemaText(field: Field, spoken: Profile): string {
  return JSON.stringify(WIRE_TYPES[field.type].schema({ field, profile: spoken }));
}

function obeysUnder(field: Field, spoken: Profile): Obeys {
  return compileWireSchema(schemaText(field, spoken));
}

/** A value as messages show it: JSON, cut where it is long. */
export function show(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(redactValue(value));
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

/**
 * Whether a value may be one of the field in some form: the source does not show the form of its type, and an option
 * has values of this JSON kind. An address that is none is still a text.
 */
export function mayHaveForm(field: Field, value: unknown, profile: Profile): boolean {
  if (ADDRESSES.includes(field.type)) return typeof value === 'string';
  if (!FORM_NOT_SHOWN.includes(field.type)) return false;
  const kind = Array.isArray(value) ? 'array' : typeof value;
  return formsOf(field, profile).some(({ spoken }) => {
    const { type } = WIRE_TYPES[field.type].schema({ field, profile: spoken });
    return kind === (type === 'integer' ? 'number' : String(type));
  });
}
