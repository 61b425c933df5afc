import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Defect, has, isWritable, modelDefect } from '../defect.ts';
import {
  hiding,
  isOne,
  neighborOf,
  noting,
  onCreate,
  onEngine,
  onShowing,
  overlap,
  withValues,
} from '../on-engine.ts';

const creates = (model: Model) => has(model, 'create');
const someWritable = (model: Model) => creates(model) && model.fields.some(isWritable);

/** Creates that store no record, or not under a new ID (section 4). */
export const createRecordDefects: readonly Defect[] = [
  modelDefect({
    name: 'create.stores-nothing',
    violates: 'returns a record for a create, but does not store it',
    rules: ['operations.retrieve', 'create.keeps-field', 'create.distinct', 'list.shows-record'],
    applies: creates,
    decorate: ({ model }) =>
      onEngine(model, (inner) => {
        const gone = new Set<number>();
        return {
          ...hiding(inner, gone),
          create: (_, draft) => noting(inner.create(model, draft), ({ id }) => gone.add(Number(id))),
        };
      }),
  }),
  modelDefect({
    name: 'create.reuses-id',
    violates: 'overwrites the previous record with each create',
    rules: ['create.distinct', 'advice.create-at-once'],
    applies: creates,
    decorate: ({ model }) =>
      onEngine(model, (inner) => {
        let last: number | undefined;
        return {
          create: async (_, draft) => {
            const again = last === undefined ? undefined : await inner.update(model, last, draft);
            if (again && isOne(again)) return again;
            return noting(inner.create(model, draft), ({ id }) => {
              last = Number(id);
            });
          },
        };
      }),
  }),
  modelDefect({
    name: 'create.reuses-deleted-id',
    violates: 'gives a created record the ID of a deleted record',
    rules: ['advice.id-not-reused'],
    applies: (model) => has(model, 'create', 'delete'),
    decorate: ({ model }) =>
      onEngine(model, (inner) => {
        const free: number[] = [];
        return {
          delete: (_, id) => noting(inner.delete(model, id), () => free.push(id)),
          create: (_, draft) => {
            const id = draft.violations.length === 0 ? free.pop() : undefined;
            const values: RecordValues = id === undefined ? draft.values : { ...draft.values, id };
            return inner.create(model, { ...draft, values });
          },
        };
      }),
  }),
  modelDefect({
    name: 'create.shares-id-at-once',
    violates: 'gives concurrent creates the same ID',
    rules: ['advice.create-at-once'],
    applies: creates,
    decorate: ({ model }) =>
      onEngine(model, (inner) => {
        let underWay: ReturnType<typeof inner.create> | undefined;
        return {
          create: async (_, draft) => {
            if (draft.violations.length > 0) return inner.create(model, draft);
            underWay ??= linger(inner.create(model, draft)).finally(() => {
              underWay = undefined;
            });
            return underWay;
          },
        };
      }),
  }),
  modelDefect({
    name: 'create.answers-another-record',
    violates: 'returns the ID of another record for a create',
    rules: ['operations.create', 'create.keeps-field', 'create.distinct'],
    applies: someWritable,
    decorate: ({ model }) =>
      onCreate(model, async (inner, draft) => {
        const result = await inner.create(model, draft);
        if (!isOne(result)) return result;
        const other = await neighborOf(inner, model, Number(result.record.id));
        return withValues(result, { id: other?.id ?? result.record.id ?? null });
      }),
  }),
  modelDefect({
    name: 'create.answers-unknown-id',
    violates: 'returns an ID that no record has for a create',
    rules: ['operations.retrieve'],
    applies: creates,
    decorate: ({ model }) =>
      onShowing(model, ['create'], (record) => ({ ...record, id: Number(record.id) + 1000 })),
  }),
];

async function linger<Result>(work: Promise<Result>): Promise<Result> {
  const result = await work;
  await overlap();
  return result;
}
