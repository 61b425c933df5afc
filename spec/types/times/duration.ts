import { NO_SCALAR, type WireType } from '../wire-type.ts';

// By hand, since Temporal.Duration is not in every Node that is supported.
// Calendar units have no fixed length; these lengths serve where a profile wants seconds, and to sort.
const DATE = { Y: 31_536_000, M: 2_592_000, W: 604_800, D: 86_400 };
const TIME = { H: 3600, M: 60, S: 1 };
const DATE_FORM = someOf(Object.keys(DATE).map((unit) => `[0-9]{1,6}${unit}`));
const TIME_FORM = `T(?:${someOf(['[0-9]{1,6}H', '[0-9]{1,6}M', '[0-9]{1,12}S'])})`;
const FORM = `^P(?:(?:${DATE_FORM})(?:${TIME_FORM})?|${TIME_FORM})$`;

/** `duration`: P30D, or a whole number of seconds (`types.duration`). */
export const duration: WireType = {
  schema: ({ profile }) =>
    profile['types.duration'] === 'iso8601'
      ? { type: 'string', pattern: FORM }
      : { type: 'integer', format: 'int64', minimum: 0, maximum: 999_999_999_999, description: 'Seconds.' },
  encode: (value, { profile }) =>
    profile['types.duration'] === 'iso8601' ? value : toSeconds(String(value)),
  decode: (wire, { profile }) => (profile['types.duration'] === 'iso8601' ? wire : `PT${wire}S`),
  compare: (one, other) => toSeconds(String(one)) - toSeconds(String(other)),
  sample: (number) => `P${1 + (number % 365)}D`,
  edges: () => ['PT36H'],
  counterSamples: () => ['no-duration', ...NO_SCALAR],
};

/** One or more of the parts, in their order; without look-ahead, which the engines of Go and Rust (RE2) do not have. */
function someOf(parts: readonly string[]): string {
  const optional = (part: string) => `(?:${part})?`;
  return parts
    .map(
      (part, index) =>
        part +
        parts
          .slice(index + 1)
          .map(optional)
          .join(''),
    )
    .join('|');
}

function toSeconds(duration: string): number {
  const [date = '', time = ''] = duration.split('T');
  return secondsIn(date, DATE) + secondsIn(time, TIME);
}

function secondsIn(text: string, seconds: Readonly<Record<string, number>>): number {
  const parts = [...text.matchAll(/(\d+)([A-Z])/g)];
  return parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (seconds[unit] ?? 0), 0);
}
