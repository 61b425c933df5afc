import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import { whyFormless } from '../../../spec/profile/profile.ts';
import { isText } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { agrees, UNREAD } from '../../assert/agreement.ts';
import type { FieldPolicy } from './field-policy.ts';
import { FAR } from './sample-numbers.ts';
import { movesOf, type ValueSource, validValue, validValues } from './values.ts';

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
