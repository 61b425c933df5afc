import { setTimeout as delay } from 'node:timers/promises';
import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { typeSetting } from '../../../spec/profile/profile.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Defect, fieldDefect, has, isWritable, modelDefect } from '../defect.ts';
import { onDraft, refuse } from '../on-draft.ts';
import { draftOf, hiding, isOne, neighbourOf, onEngine, without, withValues } from '../on-engine.ts';
import { otherValue } from '../other-value.ts';

const creates = (model: Model) => has(model, 'create');
const createsWith = (field: Field, model: Model) => isWritable(field) && creates(model);
/** The source leaves the values of an optional field open: refusing what a client makes up breaks nothing. */
const hasOpenValues = (field: Field, { references }: Contract) =>
  field.type === 'select'
    ? field.choices === undefined
    : !field.required &&
      field.type !== 'bool' &&
      field.lines === undefined &&
      !references.has(field.key) &&
      typeSetting(field) === undefined;
const someWritable = (model: Model) => creates(model) && model.fields.some(isWritable);

/** Creates that keep something else than what was sent, or touch what is there (section 4). */
export const createDefects: readonly Defect[] = [
  fieldDefect({
    name: 'create.drops-field',
    violates: 'does not store a field that is sent with a create',
    rules: ['create.keeps-field'],
    applies: createsWith,
    decorate: ({ model, field }) =>
      onEngine(model, (inner) => ({
        create: (_, { values, violations }) =>
          inner.create(model, { values: without(values, field.name), violations }),
      })),
  }),
  fieldDefect({
    name: 'create.alters-field',
    violates: 'stores another value than the one that is sent with a create',
    rules: ['create.keeps-field'],
    applies: createsWith,
    decorate: ({ model, field }, { profile }) =>
      onEngine(model, (inner) => ({
        create: (_, { values, violations }) => {
          const value = values[field.name];
          const other = value === undefined ? {} : { [field.name]: otherValue(field, value, profile) };
          return inner.create(model, { values: { ...values, ...other }, violations });
        },
      })),
  }),
  fieldDefect({
    name: 'create.drops-field-and-shows-it',
    violates: 'does not store a field that is sent with a create, and answers as if it did',
    rules: ['create.keeps-field'],
    applies: createsWith,
    decorate: ({ model, field }) =>
      onEngine(model, (inner) => ({
        create: async (_, { values, violations }) => {
          const result = await inner.create(model, { values: without(values, field.name), violations });
          const value = values[field.name];
          return isOne(result) && value !== undefined ? withValues(result, { [field.name]: value }) : result;
        },
      })),
  }),
  fieldDefect({
    name: 'create.answers-another-value',
    violates: 'stores a field that is sent with a create, and answers with another value',
    rules: ['create.keeps-field'],
    applies: createsWith,
    decorate: ({ model, field }, { profile }) =>
      onEngine(model, (inner) => ({
        create: async (_, draft) => {
          const result = await inner.create(model, draft);
          if (!isOne(result) || draft.values[field.name] === undefined) return result;
          return withValues(result, {
            [field.name]: field.required ? otherValue(field, result.record[field.name], profile) : null,
          });
        },
      })),
  }),
  fieldDefect({
    name: 'create.refuses-field',
    violates: 'refuses a create that names a writable field',
    rules: ['operations.create', 'operations.create-required'],
    applies: (field, model, contract) => createsWith(field, model) && !hasOpenValues(field, contract),
    decorate: ({ model, field }) =>
      onDraft(model, 'create', (draft, sent) =>
        sent[field.name] === undefined ? draft : refuse(draft, field, 'may not be sent'),
      ),
  }),
  fieldDefect({
    name: 'create.changes-neighbour',
    violates: 'stores a field that is sent with a create in another record too',
    rules: ['create.distinct'],
    applies: createsWith,
    decorate: ({ model, field }) =>
      onEngine(model, (inner) => ({
        create: async (_, draft) => {
          const result = await inner.create(model, draft);
          const value = draft.values[field.name];
          if (!isOne(result) || value === undefined) return result;
          const other = await neighbourOf(inner, model, Number(result.record.id), 'below');
          if (other) await inner.update(model, Number(other.id), draftOf({ [field.name]: value }));
          return result;
        },
      })),
  }),
  modelDefect({
    name: 'create.stores-nothing',
    violates: 'answers a create with a record that it does not keep',
    rules: ['operations.retrieve', 'create.keeps-field', 'create.distinct', 'list.shows-record'],
    applies: creates,
    decorate: ({ model }) =>
      onEngine(model, (inner) => {
        const gone = new Set<number>();
        return {
          ...hiding(inner, gone),
          create: async (_, draft) => {
            const result = await inner.create(model, draft);
            if (isOne(result)) gone.add(Number(result.record.id));
            return result;
          },
        };
      }),
  }),
  modelDefect({
    name: 'create.reuses-id',
    violates: 'stores each created record in the place of the one before, under its id',
    rules: ['create.distinct', 'advice.create-at-once'],
    applies: creates,
    decorate: ({ model }) =>
      onEngine(model, (inner) => {
        let last: number | undefined;
        return {
          create: async (_, draft) => {
            const again = last === undefined ? undefined : await inner.update(model, last, draft);
            if (again && isOne(again)) return again;
            const result = await inner.create(model, draft);
            if (isOne(result)) last = Number(result.record.id);
            return result;
          },
        };
      }),
  }),
  modelDefect({
    name: 'create.reuses-deleted-id',
    violates: 'gives a created record the id of one that was deleted',
    rules: ['advice.id-not-reused'],
    applies: (model) => has(model, 'create', 'delete'),
    decorate: ({ model }) =>
      onEngine(model, (inner) => {
        const free: number[] = [];
        return {
          delete: async (_, id) => {
            const result = await inner.delete(model, id);
            if (isOne(result)) free.push(id);
            return result;
          },
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
    violates: 'gives creates that come at the same time one id',
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
    violates: 'answers a create with the id of another record',
    rules: ['operations.create', 'create.keeps-field', 'create.distinct'],
    applies: someWritable,
    decorate: ({ model }) =>
      onEngine(model, (inner) => ({
        create: async (_, draft) => {
          const result = await inner.create(model, draft);
          if (!isOne(result)) return result;
          const other = await neighbourOf(inner, model, Number(result.record.id), 'below');
          return withValues(result, { id: other?.id ?? result.record.id ?? null });
        },
      })),
  }),
  modelDefect({
    name: 'create.answers-unknown-id',
    violates: 'answers a create with an id that no record has',
    rules: ['operations.retrieve'],
    applies: creates,
    decorate: ({ model }) =>
      onEngine(model, (inner) => ({
        create: async (_, draft) => {
          const result = await inner.create(model, draft);
          return isOne(result) ? withValues(result, { id: Number(result.record.id) + 1000 }) : result;
        },
      })),
  }),
];

/** Holds what is there for as long as requests that were sent together take to come in. */
async function linger<Result>(work: Promise<Result>): Promise<Result> {
  const result = await work;
  await delay(20);
  return result;
}
