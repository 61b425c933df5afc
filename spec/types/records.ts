import { completeList, workingValues } from '../profile/profile.ts';
import { NO_SCALAR, type Value, type WireType } from './wire-type.ts';

/** `fkModel`: the name of the model that `fkId` points into; the profile may list the allowed ones (`values`). */
const fkModel: WireType = {
  schema: ({ profile }) => {
    const models = completeList(profile.values, 'fkModel');
    return models ? { type: 'string', enum: models.map(String) } : { type: 'string' };
  },
  encode: (value) => value,
  decode: (wire) => wire,
  sample: (number, { field, profile }) => {
    const models = workingValues(profile.values, 'fkModel');
    // Without a list, the one model that surely exists is the field's own.
    return models?.[number % models.length] ?? field.key.split('.')[0] ?? '';
  },
  edges: () => [],
  counterSamples: ({ profile }) =>
    completeList(profile.values, 'fkModel') ? ['no-model', ...NO_SCALAR] : NO_SCALAR,
};

/**
 * Array types such as `StockInvoiceLine[]`: lines in full, or the ids of line records (`types.lines`).
 * The items of the full form are records, which the record codec turns over one by one before and after.
 */
const lines: WireType = {
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

/** `manyToMany`: linked records as a list of ids, or of objects with id (`types.manyToMany`). */
const manyToMany: WireType = {
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

/** The types that hold other records or name them. */
export const RECORD_TYPES = { manyToMany, fkModel, lines };
