import type { Catalogue, Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import { UsageError, unexpected } from '../../../spec/files/usage-error.ts';
import { DEFAULT_PROFILE, type Profile } from '../../../spec/profile/profile.ts';
import { isText, WIRE_TYPES } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { isObject } from '../../api/places.ts';
import { UNREAD } from '../../assert/agreement.ts';
import { createWireCheck } from '../../assert/wire-check.ts';

/** What the user and the target's own refusals say of the values of single fields, for the whole run. */
export type FieldPolicy = {
  /** The one value that everything that is made has: the user's, or else one that is sent in place of a refused one. */
  pinned(field: Field): Value | undefined;
  /** Whether the user gave that value. */
  isPinned(field: Field): boolean;
  /** Returns the replacement for the valid values of a field; undefined if the run sends the valid values. */
  instead(field: Field): Instead | undefined;
  /** From now on this is sent. */
  replace(field: Field, instead: Instead): void;
  /** The value of a field that was refused first; undefined where all were accepted. */
  refused(field: Field): RefusedValue | undefined;
  /** Takes note of it. */
  noteRefused(field: Field, refused: RefusedValue): void;
  /** Returns the search's finding about refused creates of a model; empty if the run has not searched. */
  searched(model: string): string;
  /** Takes note of it. */
  noteSearched(model: string, found: string): void;
  /** Counts a request that is to find a refused field; false where the run has sent its share of them. */
  maySearch(): boolean;
  /** From now on the texts of a model are short; false where that was tried before. */
  shorten(model: string): boolean;
  /** Short texts are not taken either: from now on they are as long as they were. */
  lengthen(model: string): void;
  /**
   * A valid value; equal numbers give equal values. Addresses hold the tag of the run. So do texts, but for every third
   * one, which is all digits, and for those that are short; these tell the run by their number.
   */
  sample(field: Field, number: number, profile: Profile): Value;
  /** Whether the value of a field (`model.field`) is one that tells this run from other clients; no pinned one is. */
  isOwn(key: string, value: Value): boolean;
  /** Whether a record that shows values is told by one of them from those of other clients; both are canonical. */
  identifies(model: Model, values: RecordValues, found: RecordValues): boolean;
};

/** The replacement for a refused value. */
export type Instead = {
  readonly why: string;
  /** A value that was accepted; undefined where the field is left out. */
  readonly value?: Value | undefined;
};

/** A value that was refused although the source allows it, with the way out. */
export type RefusedValue = { readonly value: Value; readonly remedy: string };

/** Requests of one run that find refused fields. */
const MOST_SEARCHES = 600;

export type PolicyOptions = {
  /** By `model.field`; canonical. */
  readonly pins?: ReadonlyMap<string, Value> | undefined;
  /** Tells the values of this run from those of all others. */
  readonly tag?: string | undefined;
  /** Texts of plain letters alone: what is asked is not whether they are kept. */
  readonly plain?: boolean | undefined;
};

/** Types whose samples are as good as unique; of dates, shares and members of lists there are only a few. */
const TELLING: ReadonlySet<string> = new Set(['email', 'url', 'image', 'int', 'float', 'currency']);
const SHORTEST_TELLING = 6;
const LEAST_TELLING = 1000;

export function createFieldPolicy({ pins, plain = false, tag = '' }: PolicyOptions = {}): FieldPolicy {
  const replaced = new Map<string, Instead>();
  const refused = new Map<string, RefusedValue>();
  const searched = new Map<string, string>();
  let searches = 0;
  const short = new Map<string, boolean>();
  /** The telling samples that were given out, by `model.field`. */
  const given = new Map<string, Set<Value>>();
  return {
    pinned: ({ key }) => pins?.get(key) ?? replaced.get(key)?.value,
    isPinned: ({ key }) => pins?.has(key) ?? false,
    instead: ({ key }) => replaced.get(key),
    replace: ({ key }, instead) => void replaced.set(key, instead),
    refused: ({ key }) => refused.get(key),
    noteRefused: ({ key }, found) => void refused.set(key, refused.get(key) ?? found),
    searched: (model) => searched.get(model) ?? '',
    noteSearched: (model, found) => void searched.set(model, found),
    maySearch: () => ++searches <= MOST_SEARCHES,
    shorten(model) {
      if (short.has(model)) return false;
      short.set(model, true);
      return true;
    },
    lengthen: (model) => void short.set(model, false),
    sample(field, number, profile) {
      const value = sampleOf(field, number, profile);
      if (!isText(field) && !TELLING.has(field.type)) return value;
      const others = given.get(field.key) ?? new Set();
      given.set(field.key, others.add(value));
      return value;
    },
    isOwn,
    identifies: (model, values, found) =>
      model.fields.some(({ key, lines, name }) => {
        const value = Object.hasOwn(values, name) ? values[name] : undefined;
        if (value === undefined || found[name] === UNREAD || pins?.has(key)) return false;
        if (lines === undefined || !Array.isArray(value)) return isOwn(key, value);
        const parts = value.filter(isObject).flatMap((line) => Object.entries(line));
        return parts.some(([part, own]) => isOwn(`${lines}.${part}`, own as Value));
      }),
  };

  function isOwn(key: string, value: Value): boolean {
    const own = pins?.has(key) ? undefined : given.get(key);
    if (!own) return false;
    if (typeof value === 'number') return Math.abs(value) > LEAST_TELLING && own.has(value);
    if (typeof value !== 'string' || value.length < SHORTEST_TELLING) return false;
    return own.has(value) || (tag !== '' && value.includes(tag));
  }

  function sampleOf(field: Field, number: number, profile: Profile): Value {
    if (isText(field)) return textOf(field, number, profile);
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
    const text = turns[number % turns.length] ?? unique;
    // Without a space in front, which a service may cut off.
    return longest === 'none' ? text : text.slice(-longest).trimStart();
  }
}

/**
 * Values that are wanted in all that is made, from texts such as `customer.disableNotifications=true`; by
 * `model.field`. Throws UsageError for a field that no client may send, and for a value that is none of its type.
 */
export function readPins(texts: readonly string[], catalogue: Catalogue): ReadonlyMap<string, Value> {
  const fields = [...catalogue.models.values()].flatMap((model) => model.fields);
  const writable = new Map(fields.filter((field) => !field.readonly).map((field) => [field.key, field]));
  const check = createWireCheck({ catalogue, profile: DEFAULT_PROFILE, references: new Map() });
  return new Map(
    texts.map((text) => {
      const [key = '', ...rest] = text.split('=');
      const field = writable.get(key);
      if (!field) throw new UsageError(unexpected('field', key, [...writable.keys()], 'in --pin'));
      if (rest.length === 0) throw new UsageError(`--pin ${text} has no value. Use ${key}=VALUE.`);
      const written = rest.join('=');
      const value = readValue(written);
      const wrong = check.complaint(field, value);
      if (wrong === undefined) return [key, value];
      const isString = check.complaint(field, written) === undefined;
      const quoted = isString ? ` To send a string, quote it: --pin '${key}=${JSON.stringify(written)}'` : '';
      throw new UsageError(`--pin ${key} has an invalid value: ${wrong}.${quoted}`);
    }),
  );
}

/** The flag that sends the value, as it is typed in a shell. */
export function pinFlag({ key }: Field, value: Value): string {
  const isBare = typeof value === 'string' && readValue(value) === value;
  const pin = `${key}=${isBare ? value : JSON.stringify(value)}`;
  return `--pin ${/^[\w.=-]+$/.test(pin) ? pin : `'${pin}'`}`;
}

function readValue(text: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return text;
  }
}
