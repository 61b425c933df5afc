import { NO_SCALAR, type WireType } from '../wire-type.ts';

const DAY = 86_400_000;
// A day of birth lies in the past, and so do its samples.
const FIRST = Date.UTC(1990, 0, 1);

/** `date`: a day such as 2025-10-22 (`types.date`). */
export const date: WireType = {
  schema: () => ({ type: 'string', format: 'date' }),
  encode: (value) => value,
  decode: (wire) => wire,
  sample: (number) => new Date(FIRST + (number % 10_000) * DAY).toISOString().slice(0, 10),
  edges: () => ['2024-02-29'],
  counterSamples: () => ['no-date', '2025-13-40', ...NO_SCALAR],
};
