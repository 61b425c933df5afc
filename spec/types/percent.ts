import { NO_SCALAR, type WireType } from './wire-type.ts';

/** `percent`: 21 is 21 %, as a number or as a text (`types.percent`). */
export const percent: WireType = {
  schema: ({ profile }) =>
    profile['types.percent'] === 'number'
      ? { type: 'number' }
      : { type: 'string', pattern: '^-?[0-9]{1,12}(\\.[0-9]{1,12})?$' },
  encode: (value, { profile }) => (profile['types.percent'] === 'number' ? value : toText(Number(value))),
  decode: (wire) => Number(wire),
  sample: (number) => (number % 400) * 0.25,
  edges: () => [0, 100],
  counterSamples: () => ['no-number', ...NO_SCALAR],
};

/** Without an exponent, which the text form does not have. */
function toText(percent: number): string {
  const text = String(percent);
  return text.includes('e') ? percent.toFixed(12).replace(/\.?0+$/, '') : text;
}
