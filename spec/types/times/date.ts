import { NO_SCALAR, type TypeSchema, type WireType } from '../wire-type.ts';

const DAY = 86_400_000;
// A day of birth lies in the past, and so do its samples.
const FIRST = Date.UTC(1990, 0, 1);

const MIDNIGHT: TypeSchema = {
  type: 'string',
  pattern: '^[0-9]{4}-[01][0-9]-[0-3][0-9]T00:00:00([.]0{1,9})?(Z|[+]00:00)?$',
};

/** `date`: a day such as 2025-10-22, or its first moment in UTC, as 2025-10-22T00:00:00Z (`types.date`). */
export const date: WireType = {
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
  edges: () => ['2024-02-29'],
  counterSamples: () => ['no-date', '2025-13-40', ...NO_SCALAR],
};
