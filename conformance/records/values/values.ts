import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { onceFor } from '../../../spec/once-for.ts';
import { type Profile, profileAt } from '../../../spec/profile/profile.ts';
import { linkedModel, type References } from '../../../spec/references.ts';
import { isText, WIRE_TYPES } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { isObject } from '../../api/answer.ts';
import { UNREAD } from '../../assert/agreement.ts';
import { blocked } from '../../assert/ending.ts';
import { isLimiting, listPin, type Pin, type Pins, tiesOf, tieValues } from './pins.ts';

/** Maximum number of requests per model that search for the reason of a refusal. */
const MOST_SEARCHES = 20;

/** Types with unique samples. Dates, percentages, and members of lists have only a few values. */
const TELLING: ReadonlySet<string> = new Set(['email', 'url', 'image', 'int', 'float', 'currency']);

const SHORTEST_TELLING = 6;

const LEAST_TELLING = 1000;

/** Maximum number of values that are tried to find an unused one. */
const MOST_UNIQUE = 100_000;

export const isWritable = ({ readonly }: Field) => !readonly;

/** Returns the fields that a client may send. */
export function writableFields(model: Model): Field[] {
  return model.fields.filter(isWritable);
}

/** Returns the fields that a refusal names, in quotes or else as words; none if it names all of four or more. */
export function namedIn(fields: readonly Field[], refusal: string): Field[] {
  const among = (before: string, after: string) =>
    fields.filter(({ name }) => new RegExp(`${before}${name}${after}`).test(refusal));
  const quoted = among(`["'/.]`, `\\\\?["']`);
  const named = quoted.length > 0 ? quoted : among('\\b', '\\b');
  return named.length === fields.length && named.length > 3 ? [] : named;
}

/** Returns the model, or the thing outside the catalogue, that a field links to. */
export function thingOf(field: Field, references: References): string | undefined {
  return linkedModel(references, field) ?? outsideTarget(field, references);
}

/** Returns the values to send in an update: the change, and those that the service needs with it (`request.update`). */
export function updateValues(
  model: Model,
  { profile }: Pick<Contract, 'profile'>,
  change: RecordValues,
  sent: RecordValues,
): RecordValues {
  const option = profileAt(profile, model.name)['request.update'];
  if (option === 'partial') return change;
  const needed = model.fields.filter(({ name, required }) => name in sent && (option === 'full' || required));
  return { ...Object.fromEntries(needed.map(({ name }) => [name, sent[name] ?? null])), ...change };
}

/** Returns the models with the names, and all that their records, or those of these, link to or hold as lines. */
export function withLinked(
  { catalogue, references }: Pick<Contract, 'catalogue' | 'references'>,
  names: ReadonlySet<string>,
  counts: (field: Field, model: Model) => boolean = () => true,
): Set<Model> {
  const found = new Set([...catalogue.models.values()].filter(({ name }) => names.has(name)));
  for (const model of found)
    for (const field of model.fields.filter((one) => counts(one, model))) {
      const linked = catalogue.models.get(field.lines ?? linkedModel(references, field) ?? '');
      if (linked) found.add(linked);
    }
  return found;
}

/** Returns the thing outside the catalogue that a field refers to, if references.yaml infers one. */
export function outsideTarget(field: Field, references: References): string | undefined {
  const reference = references.get(field.key);
  return reference && 'outside' in reference ? reference.outside : undefined;
}

/** Returns a value as the wire format keeps it: a time in minutes, a duration in seconds. */
export function asKept(field: Field, value: Value, profile: Profile): Value {
  if (value === null || field.lines !== undefined) return value;
  const { decode, encode } = WIRE_TYPES[field.type];
  return decode(encode(value, { field, profile }), { field, profile });
}

/** The replacement for a refused value. */
type Instead = {
  readonly why: string;
  /** A value that was accepted; undefined if the field is omitted. */
  readonly value: Value | undefined;
  /** The refused value if the source allows it, and the user's way out. */
  readonly refused: { readonly value: Value; readonly remedy: string } | undefined;
};

/** The restrictions of the values of single fields, from the user and from refusals of the target. */
export type FieldPolicy = ReturnType<typeof createFieldPolicy>;

export function createFieldPolicy({
  pins = new Map(),
  plain = false,
  tag = '',
}: {
  readonly pins?: Pins | undefined;
  /** Distinguishes the values of this run from those of other clients. */
  readonly tag?: string | undefined;
  /** Generates texts of ASCII letters only, for a run that doesn't check whether they are kept. */
  readonly plain?: boolean | undefined;
} = {}) {
  const replaced = new Map<string, Instead>();
  const searched = new Map<string, string>();
  const searches = new Map<string, number>();
  const short = new Map<string, boolean>();
  /** The samples that identify this run, by `model.field`. */
  const given = new Map<string, Set<Value>>();
  /** The values of unique fields that were chosen, by `model.field`. */
  const used = new Map<string, Set<Value>>();
  const ties = onceFor((model: Model) => tiesOf(model, pins));
  return {
    /** Returns the rule for the values of a field: the user's, or else the replacement of a refused value. */
    pinned(field: Field): Pin | undefined {
      const value = replaced.get(field.key)?.value;
      return pins.get(field.key) ?? (value === undefined ? undefined : listPin(field, [value]));
    },
    /** Returns the user's rule for the values of a field. */
    pinOf: ({ key }: Field) => pins.get(key),
    pinnedValue,
    /** Whether a pin ties the field to another one, or another one to it. */
    isTied: (model: Model, field: Field) =>
      ties(model).some((tie) => tie.field === field || tie.other === field),
    /** Returns the changed values of a record with the values that pins tie to them. `base` has its other values. */
    tie: (model: Model, change: RecordValues, base?: RecordValues) => tieValues(ties(model), change, base),
    /** Returns the replacement for the valid values of a field; undefined if the run sends the valid values. */
    instead: ({ key }: Field) => replaced.get(key),
    replace: ({ key }: Field, instead: Instead) => void replaced.set(key, instead),
    /** Returns the search's finding about refused creates of a model; empty if the run has not searched. */
    searched: (model: string) => searched.get(model) ?? '',
    noteSearched: (model: string, found: string) => void searched.set(model, found),
    /** Counts a request that searches for the reason of a refusal; false if the run has sent the model's maximum. */
    maySearch(model: string): boolean {
      const count = (searches.get(model) ?? 0) + 1;
      searches.set(model, count);
      return count <= MOST_SEARCHES;
    },
    /** Whether the model has had half of these requests. */
    hasSearchedMuch: (model: string) => (searches.get(model) ?? 0) > MOST_SEARCHES / 2,
    /** Makes all later texts of a model short; false if that was tried before. */
    shorten(model: string): boolean {
      if (short.has(model)) return false;
      short.set(model, true);
      return true;
    },
    /** Makes the texts of a model long again, because short ones are refused too. */
    lengthen: (model: string) => void short.set(model, false),
    sample,
    isOwn,
    /** Whether a value that a record shows identifies this run; both are canonical. */
    identifies: (model: Model, values: RecordValues, found: RecordValues) =>
      model.fields.some(({ key, lines, name }) => {
        const value = Object.hasOwn(values, name) ? values[name] : undefined;
        if (value === undefined || found[name] === UNREAD || isLimiting(pins.get(key))) return false;
        if (lines === undefined || !Array.isArray(value)) return isOwn(key, value);
        const parts = value.filter(isObject).flatMap((line) => Object.entries(line));
        return parts.some(([part, own]) => isOwn(`${lines}.${part}`, own as Value));
      }),
  };

  /** Returns a value that a pin allows; undefined if it doesn't limit a single value. Throws `blocked` if all are used. */
  function pinnedValue(pin: Pin, field: Field, number: number, profile: Profile): Value | undefined {
    if (!pin.unique) return pin.at(number);
    const taken = used.get(field.key) ?? new Set();
    used.set(field.key, taken);
    const most = Math.min(pin.size, MOST_UNIQUE);
    // Runs with other tags start elsewhere among a few values.
    const first = number + hashOf(tag);
    for (let tries = 0; tries < most; tries++) {
      const value = isLimiting(pin) ? pin.at(first + tries) : sample(field, number + tries, profile);
      if (value === undefined || taken.has(value)) continue;
      taken.add(value);
      return value;
    }
    throw blocked(
      `the run has used all ${taken.size} values that the pin of ${field.key} allows; allow more values, or select fewer models`,
    );
  }

  /**
   * Returns a valid value; equal numbers give equal values. Addresses contain the tag of the run. Texts contain it too,
   * except short texts and each third text, which has only digits. The number identifies those.
   */
  function sample(field: Field, number: number, profile: Profile): Value {
    const value = sampleOf(field, number, profile);
    if (!isText(field) && !TELLING.has(field.type)) return value;
    const others = given.get(field.key) ?? new Set();
    given.set(field.key, others.add(value));
    return value;
  }

  /** Whether a value of a field (`model.field`) identifies this run. A pinned value never does. */
  function isOwn(key: string, value: Value): boolean {
    const own = isLimiting(pins.get(key)) ? undefined : given.get(key);
    if (!own) return false;
    if (typeof value === 'number') return Math.abs(value) > LEAST_TELLING && own.has(value);
    if (typeof value !== 'string' || value.length < SHORTEST_TELLING) return false;
    return own.has(value) || (tag !== '' && value.includes(tag));
  }

  function sampleOf(field: Field, number: number, profile: Profile): Value {
    if (isText(field)) return textOf(field, number, profileAt(profile, field.key));
    const value = WIRE_TYPES[field.type].sample(number, { field, profile });
    if (typeof value !== 'string') return value;
    if (['time', 'datetime'].includes(field.type) && !plain)
      return value.replace(/:00(?=Z?$)/, `:${String(1 + (number % 59)).padStart(2, '0')}`);
    const own = tag === '' ? '' : `-${tag}`;
    if (field.type === 'email') return value.replace('@', `${own}@`);
    if (field.type !== 'url' && field.type !== 'image') return value;
    return plain ? `${value}${own}` : `${value}-Eclat${own}`;
  }

  /**
   * Returns one of three texts, alternating: letters outside ASCII, ASCII letters with a capital, or digits with leading
   * zeros. All have the same length, so a column accepts all of them or none.
   */
  function textOf({ key, name }: Field, number: number, { 'limits.text': longest }: Profile): string {
    const unique = tag === '' ? String(number) : `${tag}-${number}`;
    const full = `${name} Ñandú ${unique}`;
    const ofModel = key.split('.')[0] ?? '';
    const turns = short.get(ofModel)
      ? [`aÑ${number}`, `Aé${number}`, `00${number}`]
      : plain
        ? [`${name} ${unique}`]
        : [full, `${name} Eclat ${unique}`, String(number).padStart(full.length, '0')];
    // Digits don't contain the tag, so another run could send them.
    if (pins.get(key)?.unique) turns.splice(2);
    const text = turns[number % turns.length] ?? unique;
    // No space at the start, because a service might trim it.
    return longest === 'none' ? text : text.slice(-longest).trimStart();
  }
}

/** Returns the FNV-1a hash (RFC draft-eastlake-fnv) of a text. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/** Whether records of a model hold records of another as lines. */
export function holdsLines(parent: Model, line: Model): boolean {
  return parent.fields.some(({ lines }) => lines === line.name);
}
