import type { Catalogue, Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import { whyFormless } from '../../../spec/profile/profile.ts';
import type { References } from '../../../spec/references.ts';
import { isText } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { agrees, UNREAD } from '../../assert/agreement.ts';
import { type FieldPolicy, movesOf, type ValueSource, validValue, validValues } from './values.ts';

/** Leaves what is chosen by turns as it is: truth values, members of lists, percentages. */
const STEP = 16 * 9 * 25 * 7;

/** Away from the numbers of this run and of the one before it, and as far on as a choice by turns allows. */
const FAR = 15_485 * STEP;

/** Steps that a run may lie apart from another one: no number gets beyond a signed 32-bit column. */
const PLACES = 30_000;

const FIRST = 1000;

/** An id that hardly any record has, and that fits into 32 bits. */
export const NOWHERE = 1_987_654_321;

/** Valid canonical values to make records of one model from. */
export type Samples = Pick<
  FieldPolicy,
  'maySearch' | 'noteRefused' | 'noteSearched' | 'refused' | 'replace'
> & {
  /** A number no other case of the run gets: samples made from it are told apart. */
  number(): number;
  /** The required fields, or all writable ones. Throws Blocked for a required link without a record to point to. */
  values(extent: 'required' | 'all', leaveOut?: readonly (Field | undefined)[]): Record<string, Value>;
  /** A value for one field; undefined for an optional one that there is none for. */
  value(field: Field): Value | undefined;
  /** All writable fields anew, for an update: a status stays where the profile lets it move nowhere else. */
  valuesAfter(current: RecordValues): Record<string, Value>;
  /** Why a field has one value only: the user pins it. */
  whyPinned(field: Field): string | undefined;
  /** Why a field is not sent, or has one value only: the user pins it, or creates are refused for it. */
  whyUnsent(field: Field): string | undefined;
  /** The same values, with new ones where a service may want each record to have its own. */
  fresh(values: RecordValues): Record<string, Value>;
  /**
   * The same values with each boolean false and each member of a list the first, for a record that others link to: a
   * service may refuse links to a record that is disabled or closed.
   */
  neutral(values: RecordValues): Record<string, Value>;
  /** The same values with short texts; undefined where that was tried, or they have none that are longer. */
  shorter(values: RecordValues): Record<string, Value> | undefined;
  /** Short texts did not help. */
  lengthen(): void;
  /** A valid value that differs from the given one and that a record with it may move to; undefined if there is none. */
  otherValue(field: Field, current: Value | undefined): Value | undefined;
};

/** No short text is longer. */
const SHORT = 12;

/** Types beside texts whose values a service may want to be unique. */
const OWN = ['email', 'url', 'int'];

export function createSamples(model: Model, source: ValueSource, number: () => number): Samples {
  const value = (field: Field) => validValue(model, field, number(), source);
  const { instead, isPinned, maySearch, noteRefused, noteSearched, refused, replace } = source.policy;
  const whyPinned = (field: Field) => (isPinned(field) ? `--pin fixes ${field.key} to one value` : undefined);
  const whyUnsent = (field: Field) => whyPinned(field) ?? instead(field)?.why;
  return {
    number,
    values,
    value,
    valuesAfter,
    fresh,
    neutral,
    shorter,
    lengthen,
    otherValue,
    maySearch,
    noteRefused,
    noteSearched,
    refused,
    replace,
    whyPinned,
    whyUnsent,
  };

  function values(
    extent: 'required' | 'all',
    leaveOut?: readonly (Field | undefined)[],
  ): Record<string, Value> {
    return validValues(model, extent, number(), source, leaveOut);
  }

  function valuesAfter(current: RecordValues): Record<string, Value> {
    const { profile } = source.plan();
    const after = values('all');
    for (const field of model.fields) {
      const now = current[field.name];
      if (now !== undefined && now !== UNREAD && movesOf(field, profile))
        after[field.name] = otherValue(field, now) ?? now;
    }
    return after;
  }

  function fresh(values: RecordValues): Record<string, Value> {
    const isOwn = (field: Field) =>
      Object.hasOwn(values, field.name) &&
      (isText(field) || OWN.includes(field.type)) &&
      !source.plan().references.has(field.key);
    const others = model.fields.filter(isOwn).map((field) => {
      const value = validValue(model, field, number() + FAR, source) ?? null;
      return [field.name, isText(field) ? ofLength(value, values[field.name]) : value];
    });
    return { ...values, ...Object.fromEntries(others) };
  }

  function neutral(values: RecordValues): Record<string, Value> {
    const ofField = (field: Field): Value | undefined => {
      if (source.policy.pinned(field) !== undefined) return undefined;
      return field.type === 'bool' ? false : field.choices?.[0]?.value;
    };
    const changed = model.fields.flatMap((field) => {
      const value = Object.hasOwn(values, field.name) ? ofField(field) : undefined;
      return value === undefined ? [] : [[field.name, value]];
    });
    return { ...values, ...Object.fromEntries(changed) };
  }

  function shorter(values: RecordValues): Record<string, Value> | undefined {
    const texts = model.fields.filter((field) => isText(field) && isLong(values[field.name]));
    if (texts.length === 0 || !source.policy.shorten(model.name)) return undefined;
    const others = texts.map((field) => [field.name, alike(field, values[field.name])]);
    return { ...values, ...Object.fromEntries(others) };
  }

  /** Digits for digits: what is accepted then was refused for its length, and not for what it is made of. */
  function alike(field: Field, text: Value | undefined): Value {
    let other: Value | undefined;
    for (let tries = 0; tries < 3; tries++) {
      other = validValue(model, field, number(), source);
      if (isDigits(other) === isDigits(text)) break;
    }
    return other ?? null;
  }

  function lengthen(): void {
    source.policy.lengthen(model.name);
  }

  function otherValue(field: Field, current: Value | undefined): Value | undefined {
    const plan = source.plan();
    if (whyFormless(field, plan) !== undefined || whyUnsent(field) !== undefined) return undefined;
    const moves =
      current === undefined || current === null ? undefined : movesOf(field, plan.profile)?.[String(current)];
    if (moves) return moves.find((state) => state !== current);
    for (let tries = 0; tries < 3; tries++) {
      const other = value(field);
      if (other !== undefined && !agrees(field, other, current)) return other;
    }
    return field.type === 'manyToMany' && !agrees(field, [], current) ? [] : undefined;
  }
}

/** Whether a text holds nothing but digits. */
export function isDigits(value: Value | undefined): boolean {
  return typeof value === 'string' && /^\d+$/.test(value);
}

function isLong(value: Value | undefined): boolean {
  return typeof value === 'string' && value.length > SHORT;
}

/** A long text stays as long: whether it is taken may be what is asked. */
function ofLength(text: Value, former: Value | undefined): Value {
  return typeof text === 'string' && typeof former === 'string' ? text.padEnd(former.length, 'x') : text;
}

/** The numbers that samples are made from; what is asked for under one key comes again with the same choices. */
type SampleNumbers = {
  /** The numbers of one case or question of a model, one after the other. */
  of(model: Model, key: unknown): () => number;
  /** From now on each key of the model gets its first numbers again, moved on so that no text comes twice. */
  repeat(model: Model): void;
};

/**
 * Numbers of its own for each model: what is sent does not depend on what runs beside it. Another seed or tag moves
 * all of them by whole steps, so that they choose the same truth values and members of lists.
 */
export function createSampleNumbers(seed: number, tag = ''): SampleNumbers {
  const first = FIRST + (placeOf(seed, tag) % PLACES) * STEP;
  const last = new Map<string, number>();
  const rounds = new Map<string, number>();
  const drawn = new Map<string, Map<unknown, readonly number[]>>();
  return {
    of({ name }, key) {
      const ofModel = drawn.get(name) ?? new Map<unknown, readonly number[]>();
      drawn.set(name, ofModel);
      const first = ofModel.get(key);
      const round = rounds.get(name) ?? 0;
      if (round > 0 && first) {
        const again = first.values();
        return () => {
          const { value } = again.next();
          return value === undefined ? next(name) : value + round * STEP;
        };
      }
      const numbers: number[] = [];
      ofModel.set(key, numbers);
      return () => {
        const number = next(name);
        numbers.push(number);
        return number;
      };
    },
    repeat: ({ name }) => void rounds.set(name, (rounds.get(name) ?? 0) + 1),
  };

  function next(name: string): number {
    const number = (last.get(name) ?? first) + 1;
    last.set(name, number);
    return number;
  }
}

/** FNV-1a (RFC draft-eastlake-fnv) of the tag, beside the seed. */
function placeOf(seed: number, tag: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(tag)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return tag === '' ? seed : seed + hash;
}

/** The fields of a model that hold the id of one other record, and may be written. */
export function linkFields(model: Model, references: References): Field[] {
  return model.fields.filter((field) => {
    const reference = references.get(field.key);
    return reference !== undefined && 'to' in reference && field.type === 'int' && !field.readonly;
  });
}

/**
 * The model whose first link shows whether any has to lead to a record, which is made most easily: what links to what
 * is inferred, and a service may look up one id and not another.
 */
export function telltaleOfLinks(catalogue: Catalogue, references: References): Model | undefined {
  const free = [...catalogue.models.values()].filter((model) => {
    const links = linkFields(model, references);
    return links.length > 0 && !links.some(({ required }) => required) && model.fields.some(isText);
  });
  return free.sort((one, other) => one.fields.length - other.fields.length)[0];
}
