import { NO_SCALAR, type WireType } from '../wire-type.ts';

/** `float`: amounts, ratios, totals that are no `currency`. */
export const float: WireType = {
  schema: () => ({ type: 'number', format: 'double' }),
  encode: (value) => value,
  decode: (wire) => wire,
  // Quarters have an exact binary form, so that a difference is never a matter of rounding.
  sample: (number) => 1 + (number % 1_000_000) * 0.25,
  edges: () => [0, 0.1],
  counterSamples: () => ['no-number', ...NO_SCALAR],
};
