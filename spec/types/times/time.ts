import { NO_SCALAR, type WireType } from '../wire-type.ts';

/** `time`: a time of day, as 09:30:00 or as 09:30 (`types.time`). */
export const time: WireType = {
  schema: ({ profile }) => ({
    type: 'string',
    pattern: `^([01][0-9]|2[0-3]):[0-5][0-9]${profile['types.time'] === 'seconds' ? ':[0-5][0-9]' : ''}$`,
  }),
  encode: (value, { profile }) => (profile['types.time'] === 'seconds' ? value : String(value).slice(0, 5)),
  decode: (wire) => (String(wire).length === 5 ? `${wire}:00` : wire),
  sample: (number) => {
    const minute = number % 1440;
    return `${two(Math.floor(minute / 60))}:${two(minute % 60)}:00`;
  },
  edges: () => ['00:00:00', '23:59:59'],
  counterSamples: () => ['no-time', '25:61:00', ...NO_SCALAR],
};

function two(number: number): string {
  return String(number).padStart(2, '0');
}
