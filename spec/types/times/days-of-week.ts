import type { Value, WireType } from '../wire-type.ts';

/** `daysOfWeek`: a list of 1 (Monday) to 7, or a number with bit 0 for Monday (`types.daysOfWeek`). */
export const daysOfWeek: WireType = {
  schema: ({ profile }) =>
    profile['types.daysOfWeek'] === 'array'
      ? {
          type: 'array',
          items: { type: 'integer', format: 'int32', minimum: 1, maximum: 7 },
          uniqueItems: true,
        }
      : { type: 'integer', format: 'int32', minimum: 0, maximum: 127 },
  encode: (value, { profile }) =>
    profile['types.daysOfWeek'] === 'array' ? value : toMask(value as number[]),
  // A set has no order: sorted, two lists of the same days are the same value.
  decode: (wire) => (Array.isArray(wire) ? wire.toSorted() : fromMask(Number(wire))),
  sample: (number) => fromMask(1 + (number % 127)),
  edges: () => [
    [6, 7],
    [1, 2, 3, 4, 5, 6, 7],
  ],
  counterSamples: (): Value[] => ['no-days', { a: 'b' }],
};

function toMask(days: readonly number[]): number {
  return days.reduce((mask, day) => mask | (1 << (day - 1)), 0);
}

function fromMask(mask: number): number[] {
  return [1, 2, 3, 4, 5, 6, 7].filter((day) => mask & (1 << (day - 1)));
}
