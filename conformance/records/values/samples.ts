import { withArticle } from '../../../spec/article.ts';
import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field, TypeName } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { movesOf, profileAt, whyFormless, whyUnmakeable } from '../../../spec/profile/profile.ts';
import { linkedModel, parentLink, type References } from '../../../spec/references.ts';
import { isText } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { isId } from '../../api/answer.ts';
import { agrees, UNREAD } from '../../assert/agreement.ts';
import { blocked, Ended } from '../../assert/ending.ts';
import type { Links } from '../links.ts';
import { isLimiting } from './pins.ts';
import { asKept, type FieldPolicy, hashOf, outsideTarget, thingOf, writableFields } from './values.ts';

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

type ValueSource = { readonly links: Links; readonly plan: () => Contract; readonly policy: FieldPolicy };

/** Valid canonical values for records of one model. */
export type Samples = ReturnType<typeof createSamples>;

/** `number` returns a number that no other case of the run gets, so that its samples differ from all others. */
export function createSamples(model: Model, source: ValueSource, number: () => number) {
  const { plan, policy } = source;
  const { instead, pinOf } = policy;
  const { validValue, valuesOf } = createValues(source);
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
    whyExcluded,
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
    return valuesOf(model, extent, number(), leaveOut);
  }

  /** Returns values of all writable fields for an update. A status changes unless the profile allows no change. */
  function valuesAfter(current: RecordValues): Record<string, Value> {
    const { profile } = plan();
    const after = values('all');
    for (const field of model.fields) {
      const now = current[field.name];
      if (now === undefined || now === UNREAD) continue;
      if (movesOf(field, profile)) after[field.name] = otherValue(field, now) ?? now;
      // Without a new number, because the numbers of two updates select different booleans.
      else if (after[field.name] === now)
        after[field.name] =
          nextOf(
            field,
            field.choices?.map((choice) => choice.value),
            now,
          ) ?? now;
    }
    return policy.tie(model, after);
  }

  /** Returns why a field can't change independently: its pin has one value, or gives it the value of another field. */
  function whyPinned(field: Field): string | undefined {
    const pin = pinOf(field);
    const isFixed = pin?.size === 1 || pin?.tie?.kind === 'sameAs';
    return isFixed ? `a pin fixes ${field.key} to ${pin.words}` : undefined;
  }

  /** Returns why a write can't have the value in a field; undefined if the pin allows it. */
  function whyExcluded(field: Field, value: Value): string | undefined {
    const pin = pinOf(field);
    return !pin || pin.allows(value) ? undefined : `a pin allows only ${pin.words} in ${field.key}`;
  }

  /** Returns the first of some values that a record can change to; undefined if there is none. */
  function nextOf(field: Field, values: readonly Value[] = [], current: Value): Value | undefined {
    if (whyPinned(field) !== undefined || instead(field)) return undefined;
    return values.find((one) => one !== current && whyExcluded(field, one) === undefined);
  }

  /** Returns the values, with new ones for fields that a service might want to be unique. */
  function fresh(values: RecordValues): Record<string, Value> {
    const isOwn = (field: Field) =>
      Object.hasOwn(values, field.name) &&
      (isText(field) || OWN.includes(field.type) || isUnique(field)) &&
      !plan().references.has(field.key);
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
    const { profile } = plan();
    const others = texts.map((field) => {
      const last = /\d+$/.exec(String(values[field.name]))?.[0] ?? number();
      return [field.name, policy.sample(field, Number(last), profile)];
    });
    return { ...values, ...Object.fromEntries(others) };
  }

  /** Returns another valid value that the record can change to; undefined if there is none. */
  function otherValue(field: Field, current: Value | undefined): Value | undefined {
    const { profile, references } = plan();
    if (whyFormless(field, { profile }) !== undefined || whyPinned(field) !== undefined || instead(field))
      return undefined;
    const moves = current === undefined || current === null ? undefined : movesOf(field, profile);
    const states = moves?.[String(current)];
    if (states) return nextOf(field, states, current ?? null);
    for (let tries = 0; tries < 3; tries++) {
      const other = value(field);
      if (other !== undefined && !agrees(field, other, current)) return other;
    }
    // Not every service looks up the ID of a thing outside the catalogue.
    if (field.type === 'int' && outsideTarget(field, references)) return Number(current) + 1;
    return field.type === 'manyToMany' && !agrees(field, [], current) ? [] : undefined;
  }
}

/** Creates valid canonical values. Equal numbers give equal values. */
function createValues({ links, plan, policy }: ValueSource) {
  return { validValue, valuesOf };

  /**
   * Returns values for the required or for all writable fields of a model. Fields of one kind get different values in
   * ascending order, because two of them can be the ends of a range. Throws `blocked` if a required link has no record.
   */
  function valuesOf(
    model: Model,
    extent: 'required' | 'all',
    number: number,
    leaveOut: readonly (Field | undefined)[] = [],
  ): Record<string, Value> {
    const values: Record<string, Value> = {};
    for (const field of writableFields(model)) {
      const isPinned = policy.pinned(field) !== undefined || policy.isTied(model, field);
      if (leaveOut.includes(field) || (policy.instead(field) && !isPinned)) continue;
      if (extent === 'required' && !field.required && !isPinned) continue;
      const value = validValue(model, field, number, extent);
      if (value !== undefined) values[field.name] = value;
    }
    return policy.tie(model, values);
  }

  /** Returns a value; undefined for an optional link without a record, and for an optional value of an unknown form. */
  function validValue(
    model: Model,
    field: Field,
    number: number,
    extent: 'required' | 'all' = 'all',
  ): Value | undefined {
    const { profile, references } = plan();
    const pin = policy.pinned(field);
    const pinned = pin && policy.pinnedValue(pin, field, number, profile);
    if (pinned !== undefined) return pinned;
    if (whyFormless(field, { profile }) !== undefined && !field.required) return undefined;
    const unmakeable = whyUnmakeable(field, { profile });
    if (unmakeable !== undefined)
      throw blocked(`${field.key} needs ${withArticle(field.type)}: ${unmakeable}`);
    const alike = countAlike(model, field, references);
    const own = number + alike;
    const target = thingOf(field, references);
    // The service accepted these values in its own records.
    const shown = links.shownOf(field);
    if (target !== undefined) {
      const ids = shown.filter(isId);
      const idAt = (at: number) => (ids.length > 0 ? ids[at % ids.length] : links.idOf(target, at));
      const id = idAt(own);
      // A list of links has different IDs in ascending order.
      const both = [...new Set([id, idAt(own + 1)])].filter((one) => one !== undefined);
      if (id !== undefined)
        return field.type === 'manyToMany' ? both.toSorted((a, b) => Number(a) - Number(b)) : id;
      const isLink = linkedModel(references, field) !== undefined;
      if (isLink && field.required) {
        const why = links.whyNone(target);
        const message = `${field.key} needs a ${target} record: ${why.message}. Pass IDs with --bindings`;
        throw new Ended({ ...why, message });
      }
      // The suite tries any ID of a thing outside the catalogue, because not every service looks it up.
      if (isLink) return field.type === 'manyToMany' ? [] : undefined;
    }
    if (field.lines !== undefined) return validLines(model, field, extent, number);
    const moves = movesOf(field, profile);
    // A service may refuse all updates of a record in a last state.
    const lasting = (field.choices ?? []).filter(({ value: state }) => moves?.[state]?.length !== 0);
    const first = moves?.new ?? (moves ? lasting.map(({ value: state }) => state) : []);
    if (first.length > 0) return first[own % first.length];
    if (shown.length > 0) return shown[own % shown.length];
    const least = number % (isFactor(field, model) ? FACTORS : Number.POSITIVE_INFINITY);
    return asKept(field, policy.sample(field, least + alike, profile), profile);
  }

  function validLines(
    parent: Model,
    { key, lines = '' }: Field,
    extent: 'required' | 'all',
    number: number,
  ): Value {
    const { catalogue, profile, references } = plan();
    const model = catalogue.models.get(lines);
    // Lines that are sent as IDs must exist before their parent, which many of them require. Only an empty list is
    // possible.
    if (!model || profileAt(profile, key)['types.lines'] === 'ids') return [];
    const isUnmakeable = (part: Field) => whyUnmakeable(part, { profile }) !== undefined;
    if (writableFields(model).some((part) => part.required && isUnmakeable(part))) return [];
    // Two lines show a service that keeps only the first. Alternating ascending and descending lines show one that sorts.
    const both = number % 2 === 0 ? [number, number + 1] : [number + 1, number];
    return (extent === 'all' ? both : [number]).map((own) =>
      valuesOf(model, extent, own, [parentLink(model, parent, references)]),
    );
  }
}

/** A service can limit totals, which are products of amounts and prices. A prime, so that other tags start elsewhere. */
const FACTORS = 3989;

function isFactor({ type }: Field, { fields }: Model): boolean {
  const isIn = (one: TypeName) => fields.some((field) => field.type === one);
  return (type === 'float' || type === 'currency') && isIn('float') && isIn('currency');
}

/** Counts the writable fields of the same kind before a field. */
function countAlike(model: Model, field: Field, references: References): number {
  const kindOf = (candidate: Field) => thingOf(candidate, references) ?? candidate.type;
  const kind = kindOf(field);
  const before = model.fields.slice(0, model.fields.indexOf(field));
  return before.filter((other) => !other.readonly && kindOf(other) === kind).length;
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
