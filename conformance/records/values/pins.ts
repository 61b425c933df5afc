import { isDeepStrictEqual } from 'node:util';
import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { type MappingKey, type Place, placeOf } from '../../../spec/files/place.ts';
import { checkShape } from '../../../spec/files/shape.ts';
import { orList, readAll, UsageError, unexpected } from '../../../spec/files/usage-error.ts';
import { readYaml, readYamlFile } from '../../../spec/files/yaml-file.ts';
import { DEFAULT_PROFILE } from '../../../spec/profile/profile.ts';
import { canonicalDatetime, choicesOf, isText, WIRE_TYPES } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { agrees, createWireCheck } from '../../assert/agreement.ts';

/** A rule of the service for the values of one field. Values are canonical. */
export type Pin = {
  /** The number of allowed values; infinite if the pin names no set of values. */
  readonly size: number;
  /** Returns the allowed value for a number; neighboring numbers give different values. Undefined if there is no set. */
  at(number: number): Value | undefined;
  /** Whether a pin allows a value, as far as it doesn't depend on another field or record. */
  allows(value: Value): boolean;
  /** The allowed values in messages. */
  readonly words: string;
  /** Each record has another value. */
  readonly unique?: boolean;
  /** Another field of the model, which has the same or an earlier value. */
  readonly tie?: PinTie;
};

export type PinTie = { readonly kind: 'sameAs' | 'after'; readonly other: Field };

/** By `model.field`. */
export type Pins = ReadonlyMap<string, Pin>;

/** Whether a pin allows only some values. One that only requires different values doesn't. */
export function isLimiting(pin: Pin | undefined): pin is Pin {
  return pin !== undefined && !(pin.unique && pin.size === Number.POSITIVE_INFINITY);
}

/** The values of a type as numbers, so that a range has steps and one value can follow another. */
type Scale = {
  toNumber(value: Value): number;
  toValue(number: number): Value;
  /** The distance of neighboring values in a range of this length. */
  step(length: number): number;
  /** The unit by which one value follows another. */
  readonly unit: number;
};

const DAY = 86_400_000;
const MINUTE = 60_000;
const DECIMALS: Scale = {
  toNumber: Number,
  // Sums of fractions have more digits than their parts.
  toValue: (number) => Number(number.toFixed(6)),
  step: (length) => (length >= 1 ? 0.25 : 0.01),
  unit: 1,
};

/** By the type of the field. The values of other types have no order and no steps. */
export const SCALES: Readonly<Partial<Record<Field['type'], Scale>>> = {
  int: { ...DECIMALS, step: () => 1 },
  float: DECIMALS,
  currency: DECIMALS,
  percent: DECIMALS,
  date: {
    toNumber: (value) => Date.parse(`${value}T00:00:00Z`),
    toValue: (number) => new Date(number).toISOString().slice(0, 10),
    step: () => DAY,
    unit: DAY,
  },
  datetime: {
    toNumber: (value) => Date.parse(String(value)),
    toValue: (number) => canonicalDatetime(new Date(number)),
    step: () => MINUTE,
    unit: DAY,
  },
  time: {
    toNumber: (value) => Date.parse(`1970-01-01T${value}Z`),
    toValue: (number) => new Date(number).toISOString().slice(11, 19),
    step: () => MINUTE,
    unit: MINUTE,
  },
};

/** Returns the pin for some values. */
export function listPin(field: Field, values: readonly Value[]): Pin {
  return {
    size: values.length,
    at: (number) => values[number % values.length],
    allows: (value) => values.some((one) => agrees(field, one, value)),
    words: values.map((value) => JSON.stringify(value)).join(', '),
  };
}

export function rangePin(
  { step: stepOf, toNumber, toValue }: Scale,
  from: Value,
  to: Value,
  unique: boolean,
): Pin {
  const [first, last] = [toNumber(from), toNumber(to)];
  const step = stepOf(last - first);
  const size = Math.floor((last - first) / step) + 1;
  return {
    size,
    at: (number) => toValue(first + (number % size) * step),
    allows: (value) => toNumber(value) >= first && toNumber(value) <= last,
    words: `${JSON.stringify(from)} to ${JSON.stringify(to)}`,
    unique,
  };
}

/** A `#` of a pattern is a digit, and a `?` is a capital letter. */
const WILDCARDS: Readonly<Record<string, string>> = { '#': '0123456789', '?': 'ABCDEFGHIJKLMNOPQRSTUVWXYZ' };

export function patternPin(pattern: string, unique: boolean): Pin {
  const wanted = [...pattern].map((letter) => WILDCARDS[letter] ?? letter);
  return {
    size: wanted.reduce((size, { length }) => size * length, 1),
    at(number) {
      // Counts in the wildcards, the last one first.
      let rest = number;
      return wanted.reduceRight((text, choices) => {
        const chosen = choices.charAt(rest % choices.length);
        rest = Math.floor(rest / choices.length);
        return chosen + text;
      }, '');
    },
    allows: (value) =>
      typeof value === 'string' &&
      [...value].length === wanted.length &&
      [...value].every((letter, at) => wanted[at]?.includes(letter)),
    words: `the pattern ${JSON.stringify(pattern)}`,
    unique,
  };
}

const ANY = { size: Number.POSITIVE_INFINITY, at: () => undefined, allows: () => true };
export const UNIQUE_PIN: Pin = { ...ANY, words: 'different values', unique: true };

export function tiePin(tie: PinTie): Pin {
  const isAfter = tie.kind === 'after';
  const words = isAfter ? `values after ${tie.other.name}` : `the value of ${tie.other.name}`;
  return { ...ANY, allows: () => isAfter, words, tie };
}

/** A field whose value depends on another field of the same model. */
type TiedField = PinTie & { readonly field: Field };

/** Returns the tied fields of a model. Each comes after the field that it depends on. */
export function tiesOf(model: Model, pins: Pins): TiedField[] {
  const tieOf = (field: Field) => pins.get(field.key)?.tie;
  const depthOf = (field: Field): number => {
    const tie = tieOf(field);
    return tie ? 1 + depthOf(tie.other) : 0;
  };
  return model.fields
    .flatMap((field) => ({ field, ...tieOf(field) }))
    .filter((one): one is TiedField => one.kind !== undefined)
    .toSorted((one, next) => depthOf(one.field) - depthOf(next.field));
}

/** Adds to a change each field that depends on one of its values. Values that agree with the ties stay. */
export function tieValues(
  ties: readonly TiedField[],
  change: RecordValues,
  base: RecordValues = {},
): RecordValues {
  const tied: Record<string, Value> = { ...change };
  for (const { field, kind, other } of ties) {
    const { [field.name]: own, [other.name]: first } = { ...base, ...tied };
    const isChanged = [field, other].some(({ name }) => Object.hasOwn(tied, name));
    if (!isChanged || own === undefined || first === undefined) continue;
    tied[field.name] = kind === 'sameAs' ? first : following(field, own, first, base[field.name]);
  }
  return tied;
}

/** Different values follow by different steps, up to this number. */
const MOST_STEPS = 30;

/** Returns a value above the first one: the own value if it already is, or one of them is unset. */
function following(field: Field, own: Value, first: Value, current: Value | undefined): Value {
  const scale = SCALES[field.type];
  if (!scale || own === null || first === null) return own;
  const [from, to] = [scale.toNumber(first), scale.toNumber(own)];
  if (!(to <= from)) return own;
  const steps = 1 + (Math.abs(Math.round(to / scale.unit)) % MOST_STEPS);
  const after = (count: number) => scale.toValue(from + count * scale.unit);
  // An update changes the value.
  return current !== undefined && agrees(field, after(steps), current) ? after(steps + 1) : after(steps);
}

/** The key and the place of each pin, as `model.field` or `*.field`. */
export type PinEntry = readonly [key: MappingKey, written: Place];

/** Returns the entries of a file such as `share.number: "####"`, or of an object with the same. */
export function pinsIn(given: string | object): readonly PinEntry[] {
  return (typeof given === 'string' ? readYamlFile(given) : placeOf(given, 'pins')).entries();
}

/** Returns the entries of flags such as `share.number=####`. Throws UsageError for a flag without a value. */
export function pinsInFlags(texts: readonly string[]): readonly PinEntry[] {
  return readAll(texts, (text): PinEntry => {
    const [key = '', ...rest] = text.split('=');
    if (rest.length === 0) throw new UsageError(`--pin ${text} has no value. Use ${key}=VALUE.`);
    const value = rest.join('=');
    return [key, flagPlace(key, value)];
  });
}

/**
 * Reads pins. Of two entries for one field, the later one counts, but `model.field` always wins over `*.field`. Throws
 * UsageError that lists all mistakes: a name that no model has, and a value that the field or the profile doesn't allow.
 */
export function readPins(entries: readonly PinEntry[], contract: Contract): Pins {
  const models = [...contract.catalogue.models.values()];
  const fields = models.flatMap((model) => model.fields.map((field) => ({ model, field })));
  const read = createReader(contract);
  const found = readAll(entries, ([key, place]) => {
    const isForAll = String(key).startsWith('*.');
    const nameOf = (field: Field) => (isForAll ? `*.${field.name}` : field.key);
    const named = fields.filter(({ field }) => nameOf(field) === String(key));
    const wanted = named.filter(({ field }) => !field.readonly);
    if (named.length === 0) {
      const writable = fields.filter(({ field }) => !field.readonly).map(({ field }) => nameOf(field));
      place.fail(unexpected('field', key, writable));
    }
    if (wanted.length === 0) place.fail(`${key} is readonly, so no client can send it. Remove the pin.`);
    checkShape(place, 'pins#/$defs/pin');
    // A model without the other field has no such rule.
    const { after, sameAs = after } = expand(place.value as Value);
    const tied = wanted.filter(({ model }) => model.fields.some(({ name }) => name === sameAs));
    const pinned = isForAll && tied.length > 0 ? tied : wanted;
    return readAll(pinned, ({ field, model }) => {
      return { field, isForAll, place, pin: read(field, model.fields, place) };
    });
  }).flat();
  const ordered = found.toSorted((one, next) => Number(next.isForAll) - Number(one.isForAll));
  const pins = new Map(ordered.map(({ field, pin }) => [field.key, pin]));
  readAll(found, ({ field, place }) => {
    let at = pins.get(field.key)?.tie?.other;
    for (let steps = 0; at && at !== field && steps < pins.size; steps++) at = pins.get(at.key)?.tie?.other;
    if (at === field) place.fail(`${field.key} depends on itself. Remove one of the pins.`);
  });
  return pins;
}

/** The keys that a pin can have together, in alphabetical order. */
const FORMS: readonly string[] = [
  'value',
  'oneOf',
  'from with to',
  'from with to with unique',
  'pattern',
  'pattern with unique',
  'unique',
  'sameAs',
  'after',
];

/** A pin as a mapping. */
type Written = {
  readonly value?: Value;
  readonly oneOf?: readonly Value[];
  readonly from?: Value;
  readonly to?: Value;
  readonly pattern?: string;
  readonly unique?: true;
  readonly sameAs?: string;
  readonly after?: string;
};

function createReader(contract: Contract) {
  const { profile } = contract;
  const canonical = createWireCheck({ ...contract, profile: DEFAULT_PROFILE, references: new Map() });
  const spoken = createWireCheck(contract);
  return read;

  function read(field: Field, fields: readonly Field[], place: Place): Pin {
    const written = expand(place.value as Value, field);
    const { after, from, oneOf, pattern, sameAs, to = null, unique = false, value = null } = written;
    const { key, type } = field;
    const keys = Object.keys(written);
    const scale = SCALES[type];
    const isOrdered = from !== undefined || after !== undefined;
    if (!FORMS.includes(keys.toSorted().join(' with ')))
      place.fail(`${key} has the keys ${keys.join(', ')}. Use ${orList(FORMS)}.`);
    if (isOrdered && !scale) place.fail(`${key} takes ${type} values, which have no order. List the values.`);
    if (unique && !scale && !isText(field) && type !== 'email' && type !== 'url')
      place.fail(`${key} can't be unique. Only strings, numbers, dates, and times can.`);
    if (pattern !== undefined && typeof WIRE_TYPES[type].sample(0, { field, ...contract }) !== 'string')
      place.fail(`${key} takes ${type} values, so it can't have a pattern. Use from and to.`);
    const [kind, tied] = after === undefined ? (['sameAs', sameAs] as const) : (['after', after] as const);
    if (tied !== undefined) return tiePin({ kind, other: otherField(field, tied, fields, place) });
    if (pattern !== undefined) {
      const pin = patternPin(pattern, unique);
      needValid([pin.at(0) ?? null], field, place);
      return pin;
    }
    if (scale && from !== undefined) {
      needValid([from, to], field, place);
      const pin = rangePin(scale, from, to, unique);
      if (!(pin.size >= 1))
        place.fail(`${key} has a range whose start is above its end. Exchange from and to.`);
      return pin;
    }
    if (unique) return UNIQUE_PIN;
    const values = oneOf ?? [value];
    if (values.length === 0)
      place.fail(`${key} has an empty list. List the values that the service accepts.`);
    needValid(values, field, place);
    return listPin(field, values);
  }

  /** Checks canonical values by their type, their value list, and the limits of the profile. */
  function needValid(values: readonly Value[], field: Field, place: Place): void {
    const choices = field.lines === undefined ? choicesOf({ field, profile }) : undefined;
    const complaintOf = (value: Value): string | undefined => {
      const wrong = canonical.complaint(field, value);
      if (wrong !== undefined || field.lines !== undefined) return wrong;
      return choices && !choices.some((choice) => choice.value === value)
        ? `${JSON.stringify(value)} is not in its value list`
        : spoken.complaint(field, WIRE_TYPES[field.type].encode(value, { field, profile }));
    };
    readAll(values, (value) => {
      const wrong = complaintOf(value);
      if (wrong !== undefined) place.fail(`${field.key} has an invalid value: ${wrong}.`);
    });
  }
}

/** Returns a pin as a mapping. A string with `#` is a pattern, and a list has the allowed values. */
function expand(written: Value, { lines, type }: Partial<Field> = {}): Written {
  const isList = lines !== undefined || type === 'manyToMany' || type === 'daysOfWeek';
  if (Array.isArray(written) && !isList) return { oneOf: written };
  if (typeof written === 'string' && written.includes('#')) return { pattern: written };
  if (written === null || typeof written !== 'object' || Array.isArray(written)) return { value: written };
  return written as Written;
}

/** Returns the field with the name. Fails unless another field of the same type can depend on it. */
function otherField(field: Field, name: string, fields: readonly Field[], place: Place): Field {
  const alike = fields.filter(
    (one) =>
      one !== field &&
      one.type === field.type &&
      !one.readonly &&
      isDeepStrictEqual(one.choices, field.choices),
  );
  const other = alike.find((one) => one.name === name);
  const names = alike.map((one) => one.name);
  return other ?? place.fail(unexpected('field', name, names, `in the pin of ${field.key}`));
}

function flagPlace(key: string, text: string): Place {
  const isNested = /^[[{]/.test(text);
  return {
    ...placeOf(isNested ? readYaml(text, `--pin ${key}`).value : readScalar(text), '--pin'),
    fail: (message) => {
      throw new UsageError(`--pin: ${message}`);
    },
  };
}

function readScalar(text: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return text;
  }
}

/** Returns the flag that fixes the value, quoted for a shell. */
export function pinFlag({ key }: Field, value: Value): string {
  const isBare = typeof value === 'string' && readScalar(value) === value;
  const pin = `${key}=${isBare ? value : JSON.stringify(value)}`;
  return `--pin ${/^[\w.=-]+$/.test(pin) ? pin : `'${pin}'`}`;
}
