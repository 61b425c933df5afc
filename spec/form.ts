import { parse, stringify } from 'qs';
import type { Value } from './types/wire-type.ts';

/**
 * The body of `request.encoding: form`: brackets for what is nested (`lines[0][units]=2`), `tags[]` for an
 * empty list, an empty text for a field without a value. Every scalar is text; the reader's schema says more.
 */
export function stringifyForm(values: { readonly [field: string]: Value }): string {
  return stringify(values, { allowEmptyArrays: true, encodeValuesOnly: true });
}

/** The other way round, within bounds on depth, number and list length; throws RangeError outside them. */
export function parseForm(text: string): Record<string, unknown> {
  return parse(text, {
    allowEmptyArrays: true,
    allowPrototypes: false,
    arrayLimit: 1000,
    depth: 6,
    parameterLimit: 20_000,
    plainObjects: true,
    strictDepth: true,
    throwOnLimitExceeded: true,
  });
}
