import { NO_SCALAR, type TypeSchema, type Value, type WireType } from './wire-type.ts';

/** The times that every form of a datetime can show. */
export const EARLIEST = Date.UTC(1970, 0, 1);
export const LATEST = Date.UTC(9999, 11, 31);

/** Reads a time or a day. Returns undefined for an invalid one, and for one outside of these bounds. */
export function readTime(given: Date | string): Date | undefined {
  const time = new Date(given);
  const isTime = given instanceof Date || /^\d{4}-\d\d-\d\d/.test(given);
  return isTime && time.getTime() >= EARLIEST && time.getTime() <= LATEST ? time : undefined;
}

const DAY = 86_400_000;

// A day of birth lies in the past, and so do its samples.
const FIRST = Date.UTC(1990, 0, 1);

const MIDNIGHT: TypeSchema = {
  type: 'string',
  pattern: '^[0-9]{4}-[01][0-9]-[0-3][0-9]T00:00:00([.]0{1,9})?(Z|[+]00:00)?$',
};

/** `date`: a day such as 2025-10-22, or its first moment in UTC, as 2025-10-22T00:00:00Z (`types.date`). */
const date: WireType = {
  schema: ({ profile }) =>
    profile['types.date'] === 'midnight' ? MIDNIGHT : { type: 'string', format: 'date' },
  encode: (value, { profile }) => (profile['types.date'] === 'midnight' ? `${value}T00:00:00Z` : value),
  decode: (wire) => {
    const day = String(wire).slice(0, 10);
    // The pattern lets 30 February pass, which Date moves into March.
    const point = new Date(`${day}T00:00:00Z`);
    if (Number.isNaN(point.getTime()) || !point.toISOString().startsWith(day))
      throw new TypeError(`${wire} is not a valid date`);
    return day;
  },
  sample: (number) => new Date(FIRST + (number % 10_000) * DAY).toISOString().slice(0, 10),
  edges: () => ['2024-02-29', '2060-07-01'],
  counterSamples: () => ['no-date', '2025-13-40', ...NO_SCALAR],
};

/** `time`: a time of day, as 09:30:00 or as 09:30 (`types.time`). A service that omits zeros can show other seconds. */
const time: WireType = {
  schema: ({ profile }) => ({
    type: 'string',
    pattern: `^([01][0-9]|2[0-3]):[0-5][0-9]${profile['types.time'] === 'seconds' ? ':[0-5][0-9]' : '(:([0-5][1-9]|[1-5]0))?'}$`,
  }),
  encode: (value, { profile }) => (profile['types.time'] === 'seconds' ? value : String(value).slice(0, 5)),
  decode: (wire) => (String(wire).length === 5 ? `${wire}:00` : wire),
  sample: (number) => new Date((number % 1440) * 60_000).toISOString().slice(11, 19),
  edges: () => ['00:00:00', '23:59:59'],
  counterSamples: () => ['no-time', '25:61:00', ...NO_SCALAR],
};

// By hand, since Temporal.Duration is not in every Node that is supported.
// Calendar units have no fixed length; these lengths serve where a profile wants seconds, and to sort.
const DATE = { Y: 31_536_000, M: 2_592_000, W: 604_800, D: 86_400 };

const TIME = { H: 3600, M: 60, S: 1 };

const DATE_FORM = someOf(Object.keys(DATE).map((unit) => `[0-9]{1,6}${unit}`));

const TIME_FORM = `T(?:${someOf(['[0-9]{1,6}H', '[0-9]{1,6}M', '[0-9]{1,12}S'])})`;

const FORM = `^P(?:(?:${DATE_FORM})(?:${TIME_FORM})?|${TIME_FORM})$`;

/** `duration`: P30D, or a whole number of seconds (`types.duration`). */
const duration: WireType = {
  schema: ({ profile }) =>
    profile['types.duration'] === 'iso8601'
      ? { type: 'string', pattern: FORM }
      : { type: 'integer', format: 'int64', minimum: 0, maximum: 999_999_999_999, description: 'Seconds.' },
  encode: (value, { profile }) =>
    profile['types.duration'] === 'iso8601' ? value : toSeconds(String(value)),
  decode: (wire, { profile }) => (profile['types.duration'] === 'iso8601' ? wire : `PT${wire}S`),
  sample: (number) => `P${1 + (number % 365)}D`,
  edges: () => ['PT36H', 'P2DT6H30M'],
  counterSamples: () => ['no-duration', ...NO_SCALAR],
};

/** `daysOfWeek`: a list of 1 (Monday) to 7, or of 0 (Sunday) to 6, or a number with bit 0 for Monday (`types.daysOfWeek`). */
const daysOfWeek: WireType = {
  schema: ({ profile }) => {
    const form = profile['types.daysOfWeek'];
    if (form === 'mask') return { type: 'integer', format: 'int32', minimum: 0, maximum: 127 };
    const [minimum, maximum] = form === 'index' ? [0, 6] : [1, 7];
    const items = { type: 'integer', format: 'int32', minimum, maximum } as const;
    return { type: 'array', items, uniqueItems: true };
  },
  encode: (value, { profile }) => {
    const days = value as number[];
    if (profile['types.daysOfWeek'] === 'mask') return toMask(days);
    return profile['types.daysOfWeek'] === 'index' ? days.map((day) => day % 7).toSorted() : days;
  },
  // A set has no order: sorted, two lists of the same days are the same value.
  decode: (wire, { profile }) => {
    if (!Array.isArray(wire)) return fromMask(Number(wire));
    const isIndex = profile['types.daysOfWeek'] === 'index';
    return (isIndex ? wire.map((day) => (day === 0 ? 7 : day)) : wire).toSorted();
  },
  sample: (number) => fromMask(1 + (number % 127)),
  edges: () => [
    [6, 7],
    [1, 2, 3, 4, 5, 6, 7],
  ],
  counterSamples: (): Value[] => ['no-days', { a: 'b' }],
};

/** The types of points in time, spans and days. */
export const TIME_TYPES = { date, time, duration, daysOfWeek };

/** One or more of the parts, in their order; without look-ahead, which the engines of Go and Rust (RE2) do not have. */
function someOf(parts: readonly string[]): string {
  const optional = parts.map((part) => `(?:${part})?`);
  return parts.map((part, index) => part + optional.slice(index + 1).join('')).join('|');
}

/** Returns the seconds of a duration in canonical form. */
export function toSeconds(duration: string): number {
  const [date = '', time = ''] = duration.split('T');
  return secondsIn(date, DATE) + secondsIn(time, TIME);
}

function secondsIn(text: string, seconds: Readonly<Record<string, number>>): number {
  const parts = [...text.matchAll(/(\d+)([A-Z])/g)];
  return parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (seconds[unit] ?? 0), 0);
}

function toMask(days: readonly number[]): number {
  return days.reduce((mask, day) => mask | (1 << (day - 1)), 0);
}

function fromMask(mask: number): number[] {
  return [1, 2, 3, 4, 5, 6, 7].filter((day) => mask & (1 << (day - 1)));
}
