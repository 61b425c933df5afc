import { NO_SCALAR, type WireType } from './wire-type.ts';

/** `percent`: 21 is 21 %, as a number or as a text (`types.percent`). */
export const percent: WireType = {
  schema: ({ profile }) =>
    profile['types.percent'] === 'number'
      ? { type: 'number' }
      : { type: 'string', pattern: '^-?[0-9]{1,12}(\\.[0-9]{1,12})?$' },
  encode: (value, { profile }) => (profile['types.percent'] === 'number' ? value : String(value)),
  decode: (wire) => Number(wire),
  sample: (number) => (number % 400) * 0.25,
  edges: () => [0, 100],
  counterSamples: () => ['no-number', ...NO_SCALAR],
};
