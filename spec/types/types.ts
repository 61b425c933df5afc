import type { Choice, Field, TypeName } from '../catalogue/field.ts';
import { isObject } from '../files/check-options.ts';
import { completeList, type Profile, profileAt, workingValues } from '../profile/profile.ts';
import { TIME_TYPES } from './times.ts';
import { type Context, NO_SCALAR, type TypeSchema, type Value, type WireType } from './wire-type.ts';

/** The values look the same on the wire. */
const AS_IS: Pick<WireType, 'encode' | 'decode'> = { encode: (value) => value, decode: (wire) => wire };

/** `int`: ids, counts and ages. */
const int: WireType = {
  schema: () => ({ type: 'integer', format: 'int64' }),
  ...AS_IS,
  sample: (number) => 1 + (number % 1_000_000_000),
  edges: () => [0],
  counterSamples: () => ['no-number', 1.5, ...NO_SCALAR],
};

/** `float`: amounts, ratios, totals that are no `currency`. */
const float: WireType = {
  schema: () => ({ type: 'number', format: 'double' }),
  ...AS_IS,
  // Quarters have an exact binary form, so that a difference is never a matter of rounding.
  sample: (number) => 1 + (number % 1_000_000) * 0.25,
  edges: () => [0, 0.1],
  counterSamples: () => ['no-number', ...NO_SCALAR],
};

// The largest amount of the text form, in cents. Amounts are kept in units, and larger ones lose digits.
const MOST = 99_999_999_999_999;

const MINOR: TypeSchema = { type: 'integer', format: 'int64', description: 'A whole number of cents.' };

/** `currency`: a number, a text with two to four decimals, or a whole number of cents (`types.currency`). */
const currency: WireType = {
  schema: ({ profile }) => {
    switch (profile['types.currency']) {
      case 'number':
        // Without a format code generators take a float, which holds six digits; a double holds all cents up to MOST.
        return { type: 'number', format: 'double' };
      case 'string':
        // Fifteen digits at most: of more, some come back changed, since money is held as a number.
        return { type: 'string', pattern: '^-?([0-9]{1,11}(\\.[0-9]{1,4})?|[0-9]{12}(\\.[0-9]{1,2})?)$' };
      case 'minor':
        return { ...MINOR, minimum: -MOST, maximum: MOST };
    }
  },
  encode: (value, { profile }) => {
    const form = profile['types.currency'];
    if (form === 'number') return value;
    return form === 'string' ? moneyText(Number(value)) : Math.round(Number(value) * 100);
  },
  decode: (wire, { profile }) => (profile['types.currency'] === 'minor' ? Number(wire) / 100 : Number(wire)),
  // Never whole, so that units differ from cents.
  sample: (number) => 1.25 + (number % 1_000_000) * 0.5,
  edges: () => [0, 0.01],
  counterSamples: () => ['no-amount', ...NO_SCALAR],
};

/** Two decimals, or four where the value has more. */
function moneyText(value: number): string {
  return value.toFixed(Math.abs(value) < 1e11 ? 4 : 2).replace(/(\.\d\d)00$/, '$1');
}

/** `percent`: 21 is 21 %, as a number or as a text (`types.percent`). */
const percent: WireType = {
  // A text has fifteen digits at most: of more, some come back changed, since a percentage is held as a number.
  schema: ({ profile }) =>
    profile['types.percent'] === 'number'
      ? { type: 'number', format: 'double' }
      : { type: 'string', pattern: '^-?([0-9]{1,3}(\\.[0-9]{1,12})?|[0-9]{4,12}(\\.[0-9]{1,3})?)$' },
  encode: (value, { profile }) => (profile['types.percent'] === 'number' ? value : toText(Number(value))),
  decode: (wire) => Number(wire),
  sample: (number) => (number % 400) * 0.25,
  edges: () => [0, 100],
  counterSamples: () => ['no-number', ...NO_SCALAR],
};

/** `string`, `text` and `markdown`: the source sets no bound; the profile's `limits.text` does. */
const text: WireType = {
  schema: ({ profile }) => {
    const longest = profile['limits.text'];
    return { type: 'string', ...(longest === 'none' ? {} : { maxLength: longest }) };
  },
  ...AS_IS,
  sample: (number, { field, profile }) => {
    const longest = profile['limits.text'];
    const full = `${field.name} ${number}`;
    // Without a space in front, which a service may cut off.
    return longest === 'none' ? full : full.slice(-longest).trimStart();
  },
  edges: ({ profile }) => ['0012'.slice(0, profile['limits.text'] === 'none' ? 4 : profile['limits.text'])],
  counterSamples: () => NO_SCALAR,
};

/** `email`: an address. Samples have a domain that never receives mail. Some validators reject `.test`. */
const email: WireType = {
  schema: () => ({ type: 'string', format: 'email' }),
  ...AS_IS,
  sample: (number, { field }) => `${field.name.toLowerCase()}-${number}@example.com`,
  edges: () => ['First.Last+tag@example.com'],
  counterSamples: () => ['no-address', ...NO_SCALAR],
};

/** `url` and `image` (the address an image is found at, `types.image`). */
const url: WireType = {
  schema: () => ({ type: 'string', format: 'uri' }),
  ...AS_IS,
  sample: (number, { field }) => `https://example.test/${field.name}/${number}`,
  edges: () => ['https://example.test/a?b=c&d=%20#e'],
  counterSamples: () => ['no address', ...NO_SCALAR],
};

/** `fkModel`: the name of the model that `fkId` points into; the profile may list the allowed ones (`values`). */
const fkModel: WireType = {
  schema: ({ profile }) => {
    const models = completeList(profile.values, 'fkModel');
    return models ? { type: 'string', enum: models.map(String) } : { type: 'string' };
  },
  ...AS_IS,
  sample: (number, { field, profile }) => {
    const models = workingValues(profile.values, 'fkModel');
    // Without a list, the one model that surely exists is the field's own.
    return models?.[number % models.length] ?? field.key.split('.')[0] ?? '';
  },
  edges: () => [],
  counterSamples: ({ profile }) =>
    completeList(profile.values, 'fkModel') ? ['no-model', ...NO_SCALAR] : NO_SCALAR,
};

/**
 * Array types such as `StockInvoiceLine[]`: lines in full, or the ids of line records (`types.lines`).
 * The items of the full form are records, which the record codec turns over one by one before and after.
 */
const lines: WireType = {
  schema: ({ profile }) =>
    profile['types.lines'] === 'objects'
      ? { type: 'array', items: { type: 'object' } }
      : { type: 'array', items: { type: 'integer', format: 'int64' }, uniqueItems: true },
  encode: (value, { profile }) =>
    profile['types.lines'] === 'objects' ? value : (value as Value[]).map(idIn),
  decode: (wire) => wire,
  sample: () => [],
  edges: () => [],
  counterSamples: () => ['no-list', ['no-line']],
};

/** `manyToMany`: linked records as a list of ids, or of objects with id (`types.manyToMany`). */
const manyToMany: WireType = {
  schema: ({ profile }) => {
    const id = { type: 'integer', format: 'int64' } as const;
    const object = { type: 'object', properties: { id }, required: ['id'] } as const;
    const items = profile['types.manyToMany'] === 'ids' ? id : object;
    return { type: 'array', items, uniqueItems: true };
  },
  encode: (value, { profile }) =>
    profile['types.manyToMany'] === 'ids' ? value : (value as number[]).map((id) => ({ id })),
  // Links have no order and none counts twice: sorted, two lists of the same ids are the same value.
  decode: (wire) => [...new Set((wire as Value[]).map(idIn))].toSorted((one, other) => one - other),
  sample: (number) => [1 + (number % 1_000_000), 2 + (number % 1_000_000)],
  edges: () => [[]],
  counterSamples: () => ['no-list', ['no-id'], { a: 'b' }],
};

/** Returns the ID of a record that is shown in full, or as its ID only. */
function idIn(shown: Value): number {
  return typeof shown === 'number' ? shown : (shown as { id: number }).id;
}

/** `select`: a member of a value list, as its value, as a text, or as an object (`types.select`). */
const select: WireType = {
  schema: (context) => {
    const member = memberSchema(context);
    if (context.profile['types.select'] !== 'object') return member;
    return { type: 'object', properties: { value: member, name: { type: 'string' } }, required: ['value'] };
  },
  encode: (value, context) => {
    switch (context.profile['types.select']) {
      case 'value':
        return value;
      case 'string':
        return String(value);
      case 'object': {
        const name = choicesOf(context)?.find((choice) => choice.value === value)?.name;
        return { value, ...(name === undefined ? {} : { name }) };
      }
    }
  },
  decode: (wire, context) => {
    const value = isObject(wire) ? (wire as { readonly value: Value }).value : wire;
    return choicesOf(context)?.find((choice) => String(choice.value) === String(value))?.value ?? value;
  },
  sample: (number, context) => {
    const values = membersOf(context) ?? workingValues(context.profile.values, context.field.key);
    return values?.[number % values.length] ?? `option ${number}`;
  },
  edges: (context) => membersOf(context) ?? [],
  counterSamples: (context) => {
    const choices = choicesOf(context);
    if (!choices) return NO_SCALAR;
    const outside = outsideOf(choices);
    return context.profile['types.select'] === 'object' ? outside.map((value) => ({ value })) : outside;
  },
};

/** `bool`: true and false, or 1 and 0 (`types.bool`). */
const bool: WireType = {
  schema: ({ profile }) =>
    profile['types.bool'] === 'bool'
      ? { type: 'boolean' }
      : { type: 'integer', format: 'int32', enum: [0, 1] },
  encode: (value, { profile }) => (profile['types.bool'] === 'bool' ? value : Number(value)),
  decode: (wire) => Boolean(wire),
  sample: (number) => number % 2 === 0,
  edges: () => [true, false],
  counterSamples: () => ['perhaps', 7, ...NO_SCALAR],
};

type Form = Profile['types.datetime'];

const minutesAfter = (sign: string) => `[0-9]{4}-[01][0-9]-[0-3][0-9]${sign}[0-2][0-9]:[0-5][0-9]`;
const SECONDS = ':[0-5][0-9]([.][0-9]{1,9})?';
const SCHEMAS: Readonly<Record<Form, TypeSchema>> = {
  iso: { type: 'string', format: 'date-time' },
  space: { type: 'string', pattern: `^${minutesAfter(' ')}${SECONDS}$`, description: 'UTC.' },
  local: { type: 'string', pattern: `^${minutesAfter('T')}(${SECONDS})?$` },
  // Smaller numbers, before 1973, are seconds, and greater ones, after 5138, milliseconds. Java adds a fraction to seconds.
  seconds: { type: 'number', minimum: 0, maximum: 99_999_999_999 },
  milliseconds: { type: 'integer', format: 'int64', minimum: 100_000_000_000, maximum: 253_402_300_799_999 },
};

/**
 * `datetime`: a point in time, as 2025-10-22T09:30:00Z, as 2025-10-22 09:30:00 in UTC, without a zone, which counts as
 * UTC then (Java omits seconds of zero), or as seconds or milliseconds since 1970 (`types.datetime`).
 */
const datetime: WireType = {
  schema: ({ profile }) => SCHEMAS[profile['types.datetime']],
  encode: (value, { profile }) => write(String(value), profile['types.datetime']),
  // One canonical form, so that 09:00Z and 11:00+02:00 are the same value: a service may show either.
  decode: (wire, { profile }) => {
    const form = profile['types.datetime'];
    const point = readAs(String(wire), form);
    // Near both ends an offset leads out of the years that the text form has (RFC 3339, section 1).
    const year = point.getUTCFullYear();
    if (!(year >= 0 && year <= 9999)) throw new TypeError(`${wire} is not a valid date and time`);
    // The patterns let 30 February pass, which Date moves into March.
    const isText = form === 'space' || form === 'local';
    if (isText && !String(write(point.toISOString(), form)).startsWith(String(wire).slice(0, 19)))
      throw new TypeError(`${wire} is not a valid date and time`);
    return canonicalDatetime(point);
  },
  sample: (number) => canonicalDatetime(new Date(Date.UTC(2025, 0, 1) + (number % 1_000_000) * 60_000)),
  edges: () => ['2024-02-29T23:59:59Z', '2060-07-01T12:00:00Z', '2025-03-30T02:30:00Z'], // Spain skips this hour.
  counterSamples: () => ['no-datetime', ...NO_SCALAR],
};

function write(iso: string, form: Form): Value {
  switch (form) {
    case 'iso':
      return iso;
    case 'space':
      return iso.slice(0, 19).replace('T', ' ');
    case 'local':
      return iso.slice(0, -1);
    case 'seconds':
      return Math.floor(Date.parse(iso) / 1000);
    case 'milliseconds':
      return Date.parse(iso);
  }
}

function readAs(wire: string, form: Form): Date {
  if (form.endsWith('seconds')) return new Date(Number(wire) * (form === 'seconds' ? 1000 : 1));
  return form === 'iso' ? readPoint(wire) : new Date(`${wire.replace(' ', 'T')}Z`);
}

/** A leap second is the first moment of the next minute: Date knows none (RFC 3339, section 5.7). */
function readPoint(text: string): Date {
  const leap = /^(.{17})60(.*)$/.exec(text);
  if (!leap) return new Date(text);
  return new Date(new Date(`${leap[1]}59${leap[2]}`).getTime() + 1000);
}

/** UTC, without the fraction of a second where that is zero. */
export function canonicalDatetime(point: Date): string {
  return point.toISOString().replace('.000Z', 'Z');
}

/** Every type of section 2, under the profile of a field. */
export const TYPES: Readonly<Record<TypeName, WireType>> = {
  bool,
  select,
  ...{ int, float, currency, percent },
  ...{ string: text, text, markdown: text, email, url, image: url },
  ...TIME_TYPES,
  datetime,
  ...{ manyToMany, fkModel, lines },
};

/** Every type of section 2 with its form on the wire, which is that of the field if the profile has an exception. */
export const WIRE_TYPES = Object.fromEntries(
  Object.entries(TYPES).map(([name, type]) => [name, heedExceptions(type)]),
) as Readonly<Record<TypeName, WireType>>;

function heedExceptions(type: WireType): WireType {
  const at = (context: Context): Context => {
    const profile = profileAt(context.profile, context.field.key);
    return profile === context.profile ? context : { field: context.field, profile };
  };
  return {
    schema: (context) => type.schema(at(context)),
    encode: (value, context) => type.encode(value, at(context)),
    decode: (wire, context) => type.decode(wire, at(context)),
    sample: (number, context) => type.sample(number, at(context)),
    edges: (context) => type.edges(at(context)),
    counterSamples: (context) => type.counterSamples(at(context)),
  };
}

/** Whether the values of a field are texts as such, and not another thing that is written as a text. */
export function isText({ type }: Pick<Field, 'type'>): boolean {
  return TYPES[type] === text;
}

/** Whether a service rejects an empty string in a field (`request.blankStrings`). */
export function refusesBlank(field: Field, profile: Profile): boolean {
  if (!field.required || field.readonly || !isText(field)) return false;
  return profileAt(profile, field.key)['request.blankStrings'] === 'reject';
}

/** The value list of a select: the catalogue's, else the one the profile gives under `values`, else none. */
export function choicesOf({ field, profile }: Context): readonly Choice[] | undefined {
  return field.choices ?? asChoices(completeList(profile.values, field.key));
}

/** The complete list of the values of a field: of a select, or of the models that an fkModel can name; else none. */
export function valueListOf({ field, profile }: Context): readonly Choice[] | undefined {
  if (field.type === 'select') return choicesOf({ field, profile });
  if (field.type !== 'fkModel') return undefined;
  return asChoices(completeList(profile.values, 'fkModel'));
}

function membersOf(context: Context): (string | number)[] | undefined {
  return choicesOf(context)?.map((choice) => choice.value);
}

function asChoices(values: readonly (string | number)[] | undefined): Choice[] | undefined {
  return values?.map((value) => ({ value, name: String(value) }));
}

function memberSchema(context: Context): TypeSchema {
  const values = membersOf(context);
  const asText = context.profile['types.select'] === 'string' || typeof values?.[0] !== 'number';
  if (!values) return { type: 'string' };
  if (asText) return { type: 'string', enum: values.map(String) };
  if (!values.every(Number.isInteger)) return { type: 'number', format: 'double', enum: values };
  return { type: 'integer', format: values.every(isInt32) ? 'int32' : 'int64', enum: values };
}

function isInt32(value: string | number): boolean {
  return value === Number(value) && value === (value | 0);
}

/** Values near the list: past both ends, in its gaps, and of the wrong kind. A service may ignore the case of members. */
function outsideOf(choices: readonly Choice[]): Value[] {
  const values = choices.map((choice) => choice.value);
  const lower = values.map((value) => String(value).toLowerCase());
  if (typeof values[0] === 'string') return ['zz', 'no-member'].filter((text) => !lower.includes(text));
  const numbers = values as number[];
  const span = Array.from({ length: 20 }, (_, index) => Math.min(...numbers) - 1 + index);
  const gaps = span.filter((number) => !numbers.includes(number));
  return [...new Set([...gaps.slice(0, 3), Math.max(...numbers) + 1, 'no-member'])];
}

/** Writes all decimals that the text form keeps, without an exponent. */
function toText(percent: number): string {
  const text = percent.toFixed(Math.abs(percent) < 1000 ? 12 : 3);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
