import { parse, stringify } from 'qs';
import { LONGEST_LIST, type Value } from '../types/wire-type.ts';

/**
 * Writes a body under `request.encoding: form`: brackets for nested values (`lines[0][units]=2`), `tags[]` for each item of a
 * list and for an empty one, and an empty text for a field without a value. Each scalar is text. The reader's schema has
 * its type.
 */
export function stringifyForm(values: { readonly [field: string]: Value }): string {
  const pairs = stringify(values, { allowEmptyArrays: true, encodeValuesOnly: true }).split('&');
  // Rails reads a list with numbers as a mapping. `tags[]=` could be an empty list. Brackets in values are encoded.
  const listOf = (pair: string) => /^(.*)\[\d+\]=/.exec(pair)?.[1] ?? '';
  const withEmpty = new Set(pairs.filter((pair) => pair.endsWith(']=')).map(listOf));
  const write = (pair: string) => (withEmpty.has(listOf(pair)) ? pair : pair.replace(/\[\d+\]=/, '[]='));
  return pairs.map(write).join('&');
}

// A library that reads brackets drops this name; under another it stands where it was sent, to be refused.
const HIDDEN = '\0proto';

/**
 * The other way round, within bounds on depth, number and list length; throws RangeError outside them, and for
 * escapes that are no UTF-8.
 */
export function parseForm(text: string): Record<string, unknown> {
  let hides = false;
  const parsed: Record<string, unknown> = parse(text, {
    allowEmptyArrays: true,
    allowPrototypes: false,
    arrayLimit: LONGEST_LIST,
    decoder: (part: string, _decode: unknown, _charset: string, kind: 'key' | 'value') => {
      const decoded = decode(part);
      if (kind === 'value' || !decoded.includes('__proto__')) return decoded;
      hides = true;
      return decoded.replace(/(^|\[)__proto__(?=[[\]]|$)/g, `$1${HIDDEN}`);
    },
    depth: 6,
    parameterLimit: 20_000,
    plainObjects: true,
    strictDepth: true,
    throwOnLimitExceeded: true,
  });
  return hides ? (reveal(parsed) as Record<string, unknown>) : parsed;
}

/** A percent sign that is no escape stays one (URL standard, percent-decode). */
function decode(part: string): string {
  try {
    return part.replaceAll('+', ' ').replace(/(?:%[0-9a-f]{2})+/gi, decodeURIComponent);
  } catch {
    throw new RangeError('an escape is no UTF-8; expected UTF-8');
  }
}

function reveal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reveal);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).map(
    ([name, inner]) => [name === HIDDEN ? '__proto__' : name, reveal(inner)] as const,
  );
  return Object.assign(Object.create(null), Object.fromEntries(members));
}
