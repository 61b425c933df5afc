import type { Value, WireType } from '../wire-type.ts';

/** `manyToMany`: linked records as a list of ids, or of objects with id (`types.manyToMany`). */
export const manyToMany: WireType = {
  schema: ({ profile }) => {
    const id = { type: 'integer', format: 'int64' } as const;
    if (profile['types.manyToMany'] === 'ids') return { type: 'array', items: id, uniqueItems: true };
    return {
      type: 'array',
      items: { type: 'object', properties: { id }, required: ['id'] },
      uniqueItems: true,
    };
  },
  encode: (value, { profile }) =>
    profile['types.manyToMany'] === 'ids' ? value : (value as number[]).map((id) => ({ id })),
  // Links have no order and none counts twice: sorted, two lists of the same ids are the same value.
  decode: (wire) =>
    [
      ...new Set(
        (wire as Value[]).map((item) => (typeof item === 'number' ? item : (item as { id: number }).id)),
      ),
    ].toSorted((one, other) => one - other),
  sample: (number) => [1 + (number % 1_000_000), 2 + (number % 1_000_000)],
  edges: () => [[]],
  counterSamples: () => ['no-list', ['no-id'], { a: 'b' }],
};
