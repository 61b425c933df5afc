import { NO_SCALAR, type WireType } from '../wire-type.ts';

// In cents, as many digits as the text form has: amounts are held in units, and beyond this some come back changed.
const MOST = 99_999_999_999_999;

/** `currency`: a number, a text with two decimals, or a whole number of cents (`types.currency`). */
export const currency: WireType = {
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
