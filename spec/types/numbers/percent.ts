import { NO_SCALAR, type WireType } from '../wire-type.ts';

/** `percent`: 21 is 21 %, as a number or as a text (`types.percent`). */
export const percent: WireType = {
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

/** As many decimals as the text form has, and no exponent, which it does not have. */
function toText(percent: number): string {
  const text = percent.toFixed(Math.abs(percent) < 1000 ? 12 : 3);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
