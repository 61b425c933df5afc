import { NO_SCALAR, type WireType } from './wire-type.ts';

/** `int`: ids, counts and ages. */
const int: WireType = {
  schema: () => ({ type: 'integer', format: 'int64' }),
  encode: (value) => value,
  decode: (wire) => wire,
  sample: (number) => 1 + (number % 1_000_000_000),
  edges: () => [0],
  counterSamples: () => ['no-number', 1.5, ...NO_SCALAR],
};

/** `float`: amounts, ratios, totals that are no `currency`. */
const float: WireType = {
  schema: () => ({ type: 'number', format: 'double' }),
  encode: (value) => value,
  decode: (wire) => wire,
  // Quarters have an exact binary form, so that a difference is never a matter of rounding.
  sample: (number) => 1 + (number % 1_000_000) * 0.25,
  edges: () => [0, 0.1],
  counterSamples: () => ['no-number', ...NO_SCALAR],
};

// In cents, as many digits as the text form has: amounts are held in units, and beyond this some come back changed.
const MOST = 99_999_999_999_999;

/** `currency`: a number, a text with two decimals, or a whole number of cents (`types.currency`). */
const currency: WireType = {
  schema: ({ profile }) => {
    switch (profile['types.currency']) {
      case 'number':
        // Without a format code generators take a float, which holds six digits; a double holds all cents up to MOST.
        return { type: 'number', format: 'double' };
      case 'string':
        return { type: 'string', pattern: '^-?[0-9]{1,12}(\\.[0-9]{1,2})?$' };
      case 'minor':
        return {
          type: 'integer',
          format: 'int64',
          minimum: -MOST,
          maximum: MOST,
          description: 'A whole number of cents.',
        };
    }
  },
  encode: (value, { profile }) => {
    switch (profile['types.currency']) {
      case 'number':
        return value;
      case 'string':
        return Number(value).toFixed(2);
      case 'minor':
        return Math.round(Number(value) * 100);
    }
  },
  decode: (wire, { profile }) => (profile['types.currency'] === 'minor' ? Number(wire) / 100 : Number(wire)),
  // Never whole, so that units are told from cents.
  sample: (number) => 1.25 + (number % 1_000_000) * 0.5,
  edges: () => [0, 0.01],
  counterSamples: () => ['no-amount', ...NO_SCALAR],
};

/** `percent`: 21 is 21 %, as a number or as a text (`types.percent`). */
const percent: WireType = {
  // A text has fifteen digits at most: of more, some come back changed, since a percentage is held as a number.
  schema: ({ profile }) =>
    profile['types.percent'] === 'number'
      ? { type: 'number', format: 'double' }
      : { type: 'string', pattern: '^-?([0-9]{1,3}(\\.[0-9]{1,12})?|[0-9]{4,12}(\\.[0-9]{1,3})?)$' },
  encode: (value, { profile }) => (profile['types.percent'] === 'number' ? value : toText(Number(value))),
  decode: (wire) => Number(wire),
  sample: (number) => (number % 400) * 0.25,
  edges: () => [0, 100],
  counterSamples: () => ['no-number', ...NO_SCALAR],
};

/** The types whose values are numbers. */
export const NUMBER_TYPES = { int, float, currency, percent };

/** As many decimals as the text form has, and no exponent, which it does not have. */
function toText(percent: number): string {
  const text = percent.toFixed(Math.abs(percent) < 1000 ? 12 : 3);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
