import { NO_SCALAR, type WireType } from '../wire-type.ts';

/** `url` and `image` (the address an image is found at, `types.image`). */
export const url: WireType = {
  schema: () => ({ type: 'string', format: 'uri' }),
  encode: (value) => value,
  decode: (wire) => wire,
  sample: (number, { field }) => `https://example.test/${field.name}/${number}`,
  edges: () => ['https://example.test/a?b=c&d=%20#e'],
  counterSamples: () => ['no address', ...NO_SCALAR],
};
