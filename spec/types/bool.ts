import { NO_SCALAR, type WireType } from './wire-type.ts';

/** `bool`: true and false, or 1 and 0 (`types.bool`). */
export const bool: WireType = {
  schema: ({ profile }) =>
    profile['types.bool'] === 'bool'
      ? { type: 'boolean' }
      : { type: 'integer', format: 'int32', enum: [0, 1] },
  encode: (value, { profile }) => (profile['types.bool'] === 'bool' ? value : Number(value)),
  decode: (wire) => Boolean(wire),
  sample: (number) => number % 2 === 0,
  edges: () => [true, false],
  counterSamples: () => ['perhaps', 7, ...NO_SCALAR],
};
