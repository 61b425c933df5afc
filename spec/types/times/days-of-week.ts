import type { Value, WireType } from '../wire-type.ts';

/** `daysOfWeek`: a list of 1 (Monday) to 7, or of 0 (Sunday) to 6, or a number with bit 0 for Monday (`types.daysOfWeek`). */
export const daysOfWeek: WireType = {
  schema: ({ profile }) => {
    const form = profile['types.daysOfWeek'];
    if (form === 'mask') return { type: 'integer', format: 'int32', minimum: 0, maximum: 127 };
    const [minimum, maximum] = form === 'index' ? [0, 6] : [1, 7];
    return {
      type: 'array',
      items: { type: 'integer', format: 'int32', minimum, maximum },
      uniqueItems: true,
    };
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

function toMask(days: readonly number[]): number {
  return days.reduce((mask, day) => mask | (1 << (day - 1)), 0);
}

function fromMask(mask: number): number[] {
  return [1, 2, 3, 4, 5, 6, 7].filter((day) => mask & (1 << (day - 1)));
}
