import type { Value, WireType } from '../wire-type.ts';

/**
 * Array types such as `StockInvoiceLine[]`: lines in full, or the ids of line records (`types.lines`).
 * The items of the full form are records, which the record codec turns over one by one before and after.
 */
export const lines: WireType = {
  schema: ({ profile }) =>
    profile['types.lines'] === 'objects'
      ? { type: 'array', items: { type: 'object' } }
      : { type: 'array', items: { type: 'integer', format: 'int64' }, uniqueItems: true },
  encode: (value, { profile }) =>
    profile['types.lines'] === 'objects'
      ? value
      : (value as Value[]).map((line) => (typeof line === 'number' ? line : (line as { id: number }).id)),
  decode: (wire) => wire,
  sample: () => [],
  edges: () => [],
  counterSamples: () => ['no-list', ['no-line']],
};
