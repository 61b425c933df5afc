import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import { canonicalDatetime } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { agrees } from '../../assert/agreement.ts';

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

/**
 * Returns the values that a write changes, with each field that depends on one of them. `base` has the other values of the
 * record. Values that agree with the ties stay.
 */
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

/** Returns why a write can't have the value in a field; undefined if the pin allows it. */
export function whyExcluded(pin: Pin | undefined, field: Field, value: Value): string | undefined {
  if (!pin || pin.allows(value)) return undefined;
  return `a pin allows only ${pin.words} in ${field.key}`;
}

/** Returns why a field can't change independently: its pin has one value, or gives it the value of another field. */
export function whyFixed(pin: Pin | undefined, field: Field): string | undefined {
  const isFixed = pin?.size === 1 || pin?.tie?.kind === 'sameAs';
  return isFixed ? `a pin fixes ${field.key} to ${pin.words}` : undefined;
}
