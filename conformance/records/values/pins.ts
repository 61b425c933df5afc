import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import { canonicalDatetime } from '../../../spec/types/datetime.ts';
import { isText } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { agrees } from '../../assert/agreement.ts';

/** A rule of the service for the values of one field, as the user gave it. Values are canonical. */
export type Pin =
  | { readonly kind: 'oneOf'; readonly values: readonly Value[] }
  | {
      readonly kind: 'range';
      readonly from: Value;
      readonly to: Value;
      readonly unique: boolean;
    }
  | { readonly kind: 'pattern'; readonly pattern: string; readonly unique: boolean }
  | { readonly kind: 'unique' }
  /** The name of another field of the model, which has the same or an earlier value. */
  | { readonly kind: 'sameAs' | 'after'; readonly other: string };

/** By `model.field`. */
export type Pins = ReadonlyMap<string, Pin>;

/** Returns the pin for one value. */
export function constantPin(value: Value): Pin {
  return { kind: 'oneOf', values: [value] };
}

const DAY = 86_400_000;
const MINUTE = 60_000;

/** The values of a type as numbers, so that a range has steps and one value can follow another. */
type Scale = {
  toNumber(value: Value): number;
  toValue(number: number): Value;
  /** The distance of neighboring values in a range of this length. */
  step(length: number): number;
  /** The unit by which one value follows another. */
  readonly unit: number;
};

const DECIMALS: Scale = {
  toNumber: Number,
  // Sums of fractions have more digits than their parts.
  toValue: (number) => Number(number.toFixed(6)),
  step: (length) => (length >= 1 ? 0.25 : 0.01),
  unit: 1,
};

const SCALES: Readonly<Partial<Record<Field['type'], Scale>>> = {
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

/** Returns the scale of a field whose values have an order and steps; undefined for other types. */
export function scaleOf({ type }: Field): Scale | undefined {
  return SCALES[type];
}

/** Whether records can need different values of a field: it is a string, a number, or a date. */
export function canBeUnique(field: Field): boolean {
  return isText(field) || scaleOf(field) !== undefined || field.type === 'email' || field.type === 'url';
}

/** A `#` of a pattern is a digit, and a `?` is a capital letter. */
const WILDCARDS: Readonly<Record<string, string>> = { '#': '0123456789', '?': 'ABCDEFGHIJKLMNOPQRSTUVWXYZ' };

/** Returns how many values a pin allows; infinity if it names no set of values. */
export function sizeOf(pin: Pin, field: Field): number {
  if (pin.kind === 'oneOf') return pin.values.length;
  if (pin.kind === 'pattern')
    return [...pin.pattern].reduce((size, letter) => size * (WILDCARDS[letter]?.length ?? 1), 1);
  if (pin.kind !== 'range') return Number.POSITIVE_INFINITY;
  const { length, step } = lengthOf(pin, field);
  return Math.floor(length / step) + 1;
}

/** Returns the allowed value for a number; neighboring numbers give different values. Undefined if any value is allowed. */
export function valueFor(pin: Pin, field: Field, number: number): Value | undefined {
  if (pin.kind === 'oneOf') return pin.values[number % pin.values.length];
  if (pin.kind === 'pattern') return fillPattern(pin.pattern, number);
  const scale = scaleOf(field);
  if (pin.kind !== 'range' || !scale) return undefined;
  const place = number % sizeOf(pin, field);
  return scale.toValue(scale.toNumber(pin.from) + place * lengthOf(pin, field).step);
}

/** Whether a pin allows a value, as far as it doesn't depend on another field or record. */
export function allows(pin: Pin, field: Field, value: Value): boolean {
  if (pin.kind === 'oneOf') return pin.values.some((one) => agrees(field, one, value));
  if (pin.kind === 'pattern') return typeof value === 'string' && fits(pin.pattern, value);
  const scale = scaleOf(field);
  if (pin.kind !== 'range' || !scale) return pin.kind !== 'sameAs';
  const number = scale.toNumber(value);
  return number >= scale.toNumber(pin.from) && number <= scale.toNumber(pin.to);
}

function lengthOf({ from, to }: { readonly from: Value; readonly to: Value }, field: Field) {
  const scale = scaleOf(field) ?? DECIMALS;
  const length = scale.toNumber(to) - scale.toNumber(from);
  return { length, step: scale.step(length) };
}

/** Counts in the wildcards of a pattern, the last one first. */
function fillPattern(pattern: string, number: number): string {
  let rest = number;
  const letters = [...pattern].reverse().map((letter) => {
    const choices = WILDCARDS[letter];
    if (!choices) return letter;
    const chosen = choices[rest % choices.length] ?? letter;
    rest = Math.floor(rest / choices.length);
    return chosen;
  });
  return letters.reverse().join('');
}

function fits(pattern: string, text: string): boolean {
  const [letters, wanted] = [[...text], [...pattern]];
  return (
    letters.length === wanted.length &&
    wanted.every((letter, at) => WILDCARDS[letter]?.includes(letters[at] ?? '') ?? letter === letters[at])
  );
}

/** A field whose value depends on another field of the same model. */
type Tie = { readonly field: Field; readonly other: Field; readonly kind: 'sameAs' | 'after' };

/** Returns the ties of a model, so that the tie of a field comes after that of the field that it depends on. */
export function tiesOf(model: Model, pins: Pins): Tie[] {
  const ties = model.fields.flatMap((field): Tie[] => {
    const pin = pins.get(field.key);
    if (pin?.kind !== 'sameAs' && pin?.kind !== 'after') return [];
    const other = model.fields.find(({ name }) => name === pin.other);
    return other ? [{ field, other, kind: pin.kind }] : [];
  });
  /** Returns the number of fields that the field depends on; more than there are ties in a circle. */
  const depthOf = (field: Field, depth = 0): number => {
    const tie = ties.find((one) => one.field === field);
    return tie && depth <= ties.length ? depthOf(tie.other, depth + 1) : depth;
  };
  return ties.toSorted((one, next) => depthOf(one.field) - depthOf(next.field));
}

/**
 * Returns the values that a write changes, with each field that depends on one of them. `base` has the other values of the
 * record. Values that agree with the ties stay.
 */
export function tieValues(ties: readonly Tie[], change: RecordValues, base: RecordValues = {}): RecordValues {
  if (ties.length === 0) return change;
  const tied: Record<string, Value> = { ...change };
  for (const { field, kind, other } of ties) {
    if (!Object.hasOwn(tied, field.name) && !Object.hasOwn(tied, other.name)) continue;
    const [own, first] = [field, other].map(({ name }) => ({ ...base, ...tied })[name]);
    if (own === undefined || first === undefined) continue;
    const next = kind === 'sameAs' ? first : following(field, own, first, base[field.name]);
    if (next !== undefined) tied[field.name] = next;
  }
  return tied;
}

/** Different values follow by different steps, up to this number. */
const MOST_STEPS = 30;

/** Returns a value above the first one; undefined if its own already is, or one of them is unset. */
function following(field: Field, own: Value, first: Value, current: Value | undefined): Value | undefined {
  const scale = scaleOf(field);
  if (!scale || own === null || first === null) return undefined;
  const [from, to] = [scale.toNumber(first), scale.toNumber(own)];
  if (!(to <= from)) return undefined;
  const steps = 1 + (Math.abs(Math.round(to / scale.unit)) % MOST_STEPS);
  const [next, another] = [steps, steps + 1].map((count) => scale.toValue(from + count * scale.unit));
  return next !== undefined && current !== undefined && agrees(field, next, current) ? another : next;
}

/** Returns why a write can't have the value in a field; undefined if the pin allows it. */
export function whyExcluded(pin: Pin | undefined, field: Field, value: Value): string | undefined {
  if (!pin || allows(pin, field, value)) return undefined;
  return `a pin allows only ${describePin(pin)} in ${field.key}`;
}

/** Returns why a field can't change independently: its pin has one value, or ties it to another field. */
export function whyFixed(pin: Pin | undefined, field: Field): string | undefined {
  if (!pin) return undefined;
  if (pin.kind === 'sameAs')
    return `a pin keeps ${field.key} the same as ${pin.other}, so both change together`;
  return sizeOf(pin, field) === 1 ? `a pin fixes ${field.key} to one value` : undefined;
}

function describePin(pin: Pin): string {
  switch (pin.kind) {
    case 'oneOf':
      return pin.values.map((value) => JSON.stringify(value)).join(', ');
    case 'range':
      return `${JSON.stringify(pin.from)} to ${JSON.stringify(pin.to)}`;
    case 'pattern':
      return `the pattern ${JSON.stringify(pin.pattern)}`;
    case 'sameAs':
      return `the value of ${pin.other}`;
    case 'after':
      return `values after ${pin.other}`;
    case 'unique':
      return 'different values';
  }
}
