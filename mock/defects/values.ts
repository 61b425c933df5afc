import { isDeepStrictEqual } from 'node:util';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field, TypeName } from '../../spec/catalogue/field.ts';
import { choicesOf, WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type At, writableOf } from './defect.ts';

type InContract = Pick<At, 'field' | 'profile' | 'references'>;
type Typed = Pick<At, 'field' | 'profile'>;

/** For each type, a form that is invalid under every profile. */
const WRONG_FORMS: Readonly<Record<TypeName, unknown>> = {
  int: '7',
  float: '7.5',
  currency: true,
  percent: true,
  string: 7,
  text: 7,
  markdown: 7,
  bool: 'yes',
  date: 20251022,
  time: 930,
  datetime: '22/10/2025 09:30',
  email: 'nobody',
  url: 'no address',
  image: 7,
  duration: true,
  daysOfWeek: 'monday',
  select: ['no-member'],
  manyToMany: '1,2',
  fkModel: 7,
  lines: 'no-list',
};

/** How services change strings when they store them. */
export const MANGLERS: Readonly<Record<string, (text: string) => string>> = {
  decomposed: (text) => text.normalize('NFD'),
  composed: (text) => text.normalize('NFC'),
  trimmed: (text) => text.trim(),
  'ascii-lowered': (text) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()),
  'all-but-ascii-lowered': (text) => text.replaceAll(/[^\0-\x7f]/g, (letter) => letter.toLowerCase()),
  'emoji-lost': (text) => text.replaceAll(/\p{Extended_Pictographic}/gu, ''),
  'latin-only': (text) => text.replaceAll(/[^\0-\xff]/g, '?'),
  'accents-lost': (text) => text.normalize('NFD').replaceAll(/\p{Mn}/gu, ''),
  'html-escaped': (text) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  'html-decoded': (text) => text.replaceAll('&amp;', '&'),
  'tags-lost': (text) => text.replaceAll(/<\/?\w+>/g, ''),
  'quotes-doubled': (text) => text.replaceAll("'", "''"),
  'quotes-escaped': (text) => text.replaceAll('"', '\\"'),
  'backslashes-lost': (text) => text.replaceAll('\\', ''),
  'percent-decoded': (text) => text.replaceAll('%20', ' '),
  'plus-lost': (text) => text.replaceAll('+', ' '),
  'one-line': (text) => text.replaceAll(/\s*\n\s*/g, ' '),
  'carriage-returns': (text) => text.replaceAll('\n', '\r\n'),
  'tabs-lost': (text) => text.replaceAll('\t', ' '),
  'leading-zeros-lost': (text) => (/^0\d+$/.test(text) ? String(Number(text)) : text),
};

export function wrongForm({ type }: Field): unknown {
  return WRONG_FORMS[type];
}

/** Returns a valid canonical value that is not the given one; the same one only if a type has no other. */
export function otherValue(typed: Typed, value: Value | undefined): Value {
  for (let number = 1; number < 9; number++) {
    const kept = asKept(typed, WIRE_TYPES[typed.field.type].sample(number, typed));
    if (!isDeepStrictEqual(kept, value)) return kept;
  }
  return value ?? null;
}

/** Returns another member of the value list of a field; the same one only if there is no other. */
export function otherMember(typed: Typed, value: Value): Value {
  return (choicesOf(typed) ?? []).find((choice) => choice.value !== value)?.value ?? value;
}

/** Returns a canonical value as it comes back from its form on the wire. */
export function asKept(typed: Typed, value: Value): Value {
  const { decode, encode } = WIRE_TYPES[typed.field.type];
  return decode(encode(value, typed), typed);
}

/** Returns the name of a value in the detail of a place. */
export function nameOf(value: Value): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Whether a value is the one with that name; in a form, the numbers of an object are strings. */
export function isNamed(value: Value, name: string): boolean {
  return nameOf(value).replaceAll('"', '') === name.replaceAll('"', '');
}

/** Returns another value of a common field: a number, a boolean, or a time. */
export function shifted(value: Value | undefined): Value {
  if (typeof value === 'boolean') return !value;
  return typeof value === 'number' ? value + 1 : '2001-01-01T00:00:00Z';
}

/**
 * Whether responses show a stored value of another type. Some wire forms show it as unset, or as zero. If links must
 * lead to a record, the mock rejects a link that is not an ID.
 */
export function isShownAsStored({ field, profile, references }: InContract): boolean {
  const reference = references.get(field.key);
  if (reference && 'to' in reference && profile['request.references'] === 'reject') return false;
  const { counterSamples, encode } = WIRE_TYPES[field.type];
  return counterSamples({ field, profile }).every((value) => {
    try {
      return isDeepStrictEqual(encode(value, { field, profile }), value);
    } catch {
      return false;
    }
  });
}

/** The fields that a client can write, without value lists and lines. */
export function plainFields(model: Model): Field[] {
  return writableOf(model).filter(({ lines, type }) => type !== 'select' && lines === undefined);
}

/** Returns the lines in a field. */
export function linesIn(values: RecordValues, { name }: Field): readonly RecordValues[] {
  const lines = values[name];
  const isLine = (line: Value): line is RecordValues =>
    line !== null && typeof line === 'object' && !Array.isArray(line);
  return Array.isArray(lines) ? lines.filter(isLine) : [];
}
