import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import { movesOf, whyFormless } from '../../../spec/profile/profile.ts';
import { isText } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { agrees, UNREAD } from '../../assert/agreement.ts';
import { isLimiting, whyExcluded, whyFixed } from './pins.ts';
import { createValues, hashOf, outsideTarget, type ValueSource } from './values.ts';

/** A multiple of all cycle lengths: a number plus this selects the same booleans, members of lists, and percentages. */
const STEP = 16 * 9 * 25 * 7;

/** Far from the numbers of this run and of the one before it, with the same selections. */
const FAR = 15_485 * STEP;

/** Number of possible starts of a run. No number exceeds a signed 32-bit column. */
const PLACES = 30_000;

const FIRST = 1000;

/** Maximum length of a short text. */
const SHORT = 12;

/** Types, in addition to texts, whose values a service might want to be unique. */
const OWN = ['email', 'url', 'int'];

/** Valid canonical values for records of one model. */
export type Samples = ReturnType<typeof createSamples>;

/** `number` returns a number that no other case of the run gets, so that its samples differ from all others. */
export function createSamples(model: Model, source: ValueSource, number: () => number) {
  const { policy } = source;
  const { instead, pinOf } = policy;
  const { validValue, validValues } = createValues(source);
  const whyPinned = (field: Field) => whyFixed(pinOf(field), field);
  const isUnique = (field: Field) => pinOf(field)?.unique === true;
  return {
    number,
    values,
    value,
    valuesAfter,
    fresh,
    neutral,
    shorter,
    otherValue,
    /** The known rules for values of single fields. */
    policy,
    whyPinned,
    whyExcluded: (field: Field, value: Value) => whyExcluded(pinOf(field), field, value),
    /** Whether the user gave a rule for the values of a field, other than that they differ. */
    isPinned: (field: Field) => isLimiting(pinOf(field)),
    isTied: (field: Field) => policy.isTied(model, field),
    tie: (change: RecordValues, base?: RecordValues) => policy.tie(model, change, base),
    isUnique,
    /** Returns why a field is omitted: the service refuses it. */
    whyRefused: (field: Field) => instead(field)?.why,
  };

  /** Returns a value for one field; undefined for an optional field without a possible value. */
  function value(field: Field): Value | undefined {
    return validValue(model, field, number());
  }

  /** Returns values for the required, or for all writable fields. Throws `blocked` for a required link without a record. */
  function values(
    extent: 'required' | 'all',
    leaveOut?: readonly (Field | undefined)[],
  ): Record<string, Value> {
    return validValues(model, extent, number(), leaveOut);
  }

  /** Returns values of all writable fields for an update. A status changes unless the profile allows no change. */
  function valuesAfter(current: RecordValues): Record<string, Value> {
    const { profile } = source.plan();
    const after = values('all');
    for (const field of model.fields) {
      const now = current[field.name];
      if (now === undefined || now === UNREAD) continue;
      if (movesOf(field, profile)) after[field.name] = otherValue(field, now) ?? now;
      // Without a new number, because the numbers of two updates select different booleans.
      else if (after[field.name] === now) after[field.name] = nextChoice(field, now) ?? now;
    }
    return policy.tie(model, after);
  }

  function nextChoice(field: Field, now: Value): Value | undefined {
    if (whyPinned(field) !== undefined || instead(field) !== undefined) return undefined;
    const isOther = (value: Value) => value !== now && !whyExcluded(pinOf(field), field, value);
    return field.choices?.map(({ value }) => value).find(isOther);
  }

  /** Returns the values, with new ones for fields that a service might want to be unique. */
  function fresh(values: RecordValues): Record<string, Value> {
    const isOwn = (field: Field) =>
      Object.hasOwn(values, field.name) &&
      (isText(field) || OWN.includes(field.type) || isUnique(field)) &&
      !source.plan().references.has(field.key);
    const others = model.fields.filter(isOwn).map((field) => {
      const value = validValue(model, field, number() + FAR) ?? null;
      return [field.name, isText(field) && !pinOf(field) ? ofLength(value, values[field.name]) : value];
    });
    return { ...values, ...Object.fromEntries(others) };
  }

  /** Returns the values with false and the first members of lists, because a disabled record can refuse links. */
  function neutral(values: RecordValues): Record<string, Value> {
    const changed = model.fields.flatMap((field) => {
      if (!Object.hasOwn(values, field.name) || policy.pinned(field)) return [];
      const value = field.type === 'bool' ? false : field.choices?.[0]?.value;
      return value === undefined ? [] : [[field.name, value]];
    });
    return { ...values, ...Object.fromEntries(changed) };
  }

  /** Returns the values with short texts of the same numbers; undefined if that was tried, or no text is longer. */
  function shorter(values: RecordValues): Record<string, Value> | undefined {
    const isLong = (value: Value | undefined) => typeof value === 'string' && value.length > SHORT;
    const texts = model.fields.filter(
      (field) => isText(field) && isLong(values[field.name]) && !isLimiting(pinOf(field)),
    );
    if (texts.length === 0 || !policy.shorten(model.name)) return undefined;
    const { profile } = source.plan();
    const others = texts.map((field) => {
      const last = /\d+$/.exec(String(values[field.name]))?.[0] ?? number();
      return [field.name, policy.sample(field, Number(last), profile)];
    });
    return { ...values, ...Object.fromEntries(others) };
  }

  /** Returns another valid value that the record can change to; undefined if there is none. */
  function otherValue(field: Field, current: Value | undefined): Value | undefined {
    const plan = source.plan();
    if ((whyFormless(field, plan) ?? whyPinned(field) ?? instead(field)?.why) !== undefined) return undefined;
    const moves =
      current === undefined || current === null ? undefined : movesOf(field, plan.profile)?.[String(current)];
    if (moves) return moves.find((state) => state !== current && !whyExcluded(pinOf(field), field, state));
    for (let tries = 0; tries < 3; tries++) {
      const other = value(field);
      if (other !== undefined && !agrees(field, other, current)) return other;
    }
    // Not every service looks up the ID of a thing outside the catalogue.
    if (field.type === 'int' && outsideTarget(field, plan.references)) return Number(current) + 1;
    return field.type === 'manyToMany' && !agrees(field, [], current) ? [] : undefined;
  }
}

/** Pads a text to the former length, because a case can ask whether this length is accepted. */
function ofLength(text: Value, former: Value | undefined): Value {
  return typeof text === 'string' && typeof former === 'string' ? text.padEnd(former.length, 'x') : text;
}

/**
 * Counts separately for each model, so that requests don't depend on parallel cases. Another seed or tag adds a multiple
 * of STEP, which keeps the selected booleans and members of lists.
 */
export function createSampleNumbers(seed: number, tag = '') {
  const place = tag === '' ? seed : seed + hashOf(tag);
  const first = FIRST + (place % PLACES) * STEP;
  const last = new Map<string, number>();
  const rounds = new Map<string, number>();
  /** The numbers of each key, by `model key`. */
  const drawn = new Map<string, number[]>();
  return {
    /** Returns the numbers of one case or question of a model in order. After a repeat, they select the same values. */
    of({ name }: Model, key: string): () => number {
      const round = rounds.get(name) ?? 0;
      const numbers = (round > 0 && drawn.get(`${name} ${key}`)) || [];
      drawn.set(`${name} ${key}`, numbers);
      let at = 0;
      return () => {
        if (at === numbers.length) numbers.push(next(name));
        return (numbers[at++] ?? 0) + round * STEP;
      };
    },
    /** Restarts the numbers of each key of the model, with an offset so that no text repeats. */
    repeat: ({ name }: Model) => void rounds.set(name, (rounds.get(name) ?? 0) + 1),
  };

  function next(name: string): number {
    const number = (last.get(name) ?? first) + 1;
    last.set(name, number);
    return number;
  }
}
