import type { TypeName } from '../catalogue/field.ts';
import { toSeconds } from './times.ts';
import type { Value } from './wire-type.ts';

/**
 * The place of a value in the order of its type. Keys of strings have the same order by UTF-16 code unit as by code
 * point, so `<` in JavaScript, SQLite's BINARY, and PostgreSQL's collation "C" agree.
 */
export type SortKey = string | number | null;

/** Separates the folded string from the string itself. Escaped strings do not contain it. */
const SEPARATOR = '\u0001';

/** Strings that need no escapes, and that have no accents. */
const PLAIN = /^[ -~\t\n\r]*$/;

/**
 * Returns the key of a canonical value, null if it is unset. Numbers, booleans, dates, and times are their own keys. A
 * string is sorted without case and accents first, and then as it is, so that equal strings have equal keys, and others
 * do not.
 */
export function sortKey(type: TypeName, value: Value): SortKey {
  if (value === null || typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string') return escapeText(JSON.stringify(value));
  switch (type) {
    case 'date':
    case 'time':
      return escapeText(value);
    case 'datetime':
      // Without the Z, a whole second is before its fractions.
      return escapeText(value.endsWith('Z') ? value.slice(0, -1) : value);
    case 'duration':
      return toSeconds(value);
    default:
      if (PLAIN.test(value)) return value.toLowerCase() + SEPARATOR + value;
      return foldText(value) + SEPARATOR + escapeText(value);
  }
}

/** Returns the keys of the items of a list. */
export function itemKeys(type: TypeName, list: Value): readonly SortKey[] {
  return Array.isArray(list) ? (list as readonly Value[]).map((item) => sortKey(type, item)) : [];
}

/**
 * Returns a string without case and accents, escaped. A string contains a part if its folded string contains the folded
 * part.
 */
export function foldText(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  const letters = text.normalize('NFD').replace(/\p{Mn}/gu, '');
  // Upper case first, because only that is the same for ß and SS. The sigma at the end of a word is another letter.
  return escapeText(letters.toUpperCase().toLowerCase().replaceAll('ς', 'σ'));
}

/** Returns the folded string in the key of a string. */
export function foldedIn(key: string): string {
  const end = key.indexOf(SEPARATOR);
  return end < 0 ? key : key.slice(0, end);
}

/** Compares two keys. Numbers are before strings, and unset values are last. */
export function compareKeys(one: SortKey, other: SortKey): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? 1 : -1;
  if (typeof one !== typeof other) return typeof one === 'number' ? -1 : 1;
  return one < other ? -1 : 1;
}

/**
 * Replaces the characters that databases can't store, and those with a meaning in keys: control characters by U+0002
 * and a letter, the last of the first 65,536 code points and lone surrogates by U+FFFE and their code. Characters beyond
 * those get U+FFFF in front, because their UTF-16 code units are lower than others.
 */
function escapeText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(/[\p{Cc}\p{Cs}\ufffe\uffff\u{10000}-\u{10ffff}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code > 0xffff) return `\uffff${character}`;
    if (code > 0x9f) return `\ufffe${code.toString(16)}`;
    return code < 3 ? `\u0002${'abc'[code]}` : character;
  });
}
