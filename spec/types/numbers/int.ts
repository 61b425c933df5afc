import { NO_SCALAR, type WireType } from '../wire-type.ts';

/** `int`: ids, counts and ages. */
export const int: WireType = {
  schema: () => ({ type: 'integer', format: 'int64' }),
  encode: (value) => value,
  decode: (wire) => wire,
  sample: (number) => 1 + (number % 1_000_000_000),
  edges: () => [0],
  counterSamples: () => ['no-number', 1.5, ...NO_SCALAR],
};
