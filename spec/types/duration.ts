import { NO_SCALAR, type WireType } from './wire-type.ts';

// Calendar units have no fixed length; these lengths serve where a profile wants seconds, and to sort.
const SECONDS = [31_536_000, 2_592_000, 604_800, 86_400, 3600, 60, 1];
const FORM =
  /^P(?=\d|T\d)(?:(\d{1,6})Y)?(?:(\d{1,6})M)?(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,12})S)?)?$/;

/** `duration`: P30D, or a whole number of seconds (`types.duration`). */
export const duration: WireType = {
  schema: ({ profile }) =>
    profile['types.duration'] === 'iso8601'
      ? { type: 'string', pattern: FORM.source.replaceAll('\\d', '[0-9]') }
      : { type: 'integer', format: 'int64', minimum: 0, maximum: 999_999_999_999, description: 'Seconds.' },
  encode: (value, { profile }) =>
    profile['types.duration'] === 'iso8601' ? value : toSeconds(String(value)),
  decode: (wire, { profile }) => (profile['types.duration'] === 'iso8601' ? wire : `PT${wire}S`),
  compare: (one, other) => toSeconds(String(one)) - toSeconds(String(other)),
  sample: (number) => `P${1 + (number % 365)}D`,
  edges: () => ['PT36H'],
  counterSamples: () => ['no-duration', ...NO_SCALAR],
};

function toSeconds(duration: string): number {
  const parts = FORM.exec(duration)?.slice(1) ?? [];
  return SECONDS.reduce((sum, unit, index) => sum + unit * Number(parts[index] ?? 0), 0);
}
