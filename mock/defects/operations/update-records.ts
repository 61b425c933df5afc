import type { Model } from '../../../spec/catalogue/catalogue.ts';
import { fieldOf, isDeleted } from '../../../spec/catalogue/roles.ts';
import type { Contract } from '../../../spec/contract.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Defect, fieldDefect, has, isWritable, modelDefect } from '../defect.ts';
import {
  ALL,
  draftOf,
  isOne,
  neighborOf,
  onEngine,
  onShowing,
  onUpdate,
  overlap,
  showing,
  withValues,
} from '../on-engine.ts';
import { isOrigin, shifted } from '../other-value.ts';

const updates = (model: Model) => has(model, 'create', 'update');
const plainFields = (model: Model) =>
  model.fields.filter((field) => isWritable(field) && field.type !== 'select' && field.lines === undefined);
const someWritable = (model: Model) => updates(model) && model.fields.some(isWritable);

/** Updates that change readonly values or another record, or that do nothing (section 4). */
export const updateRecordDefects: readonly Defect[] = [
  fieldDefect({
    name: 'update.loses-computed-field',
    violates: 'clears a required readonly field with an update',
    rules: ['required.present'],
    applies: (field, model) => field.required && field.readonly && updates(model),
    decorate: ({ model, field }) => changingShown(model, (record) => ({ ...record, [field.name]: null })),
  }),
  fieldDefect({
    name: 'update.touches-origin',
    violates: 'changes a common field that an update must keep',
    rules: ['update.keeps-origin'],
    applies: (field, model) => isOrigin(field) && updates(model),
    decorate: ({ model, field }) =>
      changingShown(model, (record) => ({ ...record, [field.name]: shifted(record[field.name]) })),
  }),
  modelDefect({
    name: 'update.stores-nothing',
    violates: 'returns an update as stored, but stores nothing',
    rules: ['update.changes-field'],
    applies: someWritable,
    decorate: ({ model }) =>
      onUpdate(model, async (inner, id, draft) => {
        const before = await inner.retrieve(model, id);
        if (draft.violations.length > 0 || !isOne(before) || isDeleted(model, before.record))
          return inner.update(model, id, draft);
        return withValues(before, draft.values);
      }),
  }),
  modelDefect({
    name: 'update.stores-in-neighbor',
    violates: 'stores an update in another record',
    rules: ['update.changes-field', 'operations.update', 'update.keeps-other-records'],
    applies: someWritable,
    decorate: ({ model }) =>
      onUpdate(model, async (inner, id, draft) => {
        const other = await neighborOf(inner, model, id);
        return inner.update(model, Number(other?.id ?? id), draft);
      }),
  }),
  modelDefect({
    name: 'update.loses-concurrent',
    violates: 'undoes one of two concurrent updates of different fields',
    rules: ['advice.lost-update'],
    applies: (model, { profile }) =>
      updates(model) && profile['request.update'] === 'partial' && plainFields(model).length > 1,
    decorate: ({ model }) =>
      onUpdate(model, async (inner, id, { values, violations }) => {
        const before = await inner.retrieve(model, id);
        await overlap();
        const old = isOne(before)
          ? plainFields(model).map(({ name }) => [name, before.record[name] ?? null])
          : [];
        return inner.update(model, id, { values: { ...Object.fromEntries(old), ...values }, violations });
      }),
  }),
  modelDefect({
    name: 'update.leaves-copy',
    violates: 'creates a copy of the record with an update',
    rules: ['update.keeps-other-records'],
    applies: someWritable,
    decorate: ({ model }, contract) =>
      onUpdate(model, async (inner, id, draft) => {
        const result = await inner.update(model, id, draft);
        if (isOne(result)) await inner.create(model, draftOf(writableOf(model, result.record, contract)));
        return result;
      }),
  }),
  modelDefect({
    name: 'update.answers-another-id',
    violates: 'returns the ID of another record for an update',
    rules: ['operations.update'],
    applies: updates,
    decorate: ({ model }) =>
      onShowing(model, ['update'], (record) => ({ ...record, id: Number(record.id) - 1 })),
  }),
  modelDefect({
    name: 'update.sets-updated-back',
    violates: 'sets updated to an earlier time with an update',
    rules: ['advice.updated-rises'],
    applies: (model) => updates(model) && fieldOf(model, 'updated') !== undefined,
    decorate: ({ model }) => {
      const name = fieldOf(model, 'updated')?.name ?? '';
      return changingShown(model, (record) => ({ ...record, [name]: '2001-01-01T00:00:00Z' }));
    },
  }),
  modelDefect({
    name: 'retrieve.changes-updated',
    violates: 'sets updated to a later time with each retrieve',
    rules: ['advice.updated-kept'],
    applies: (model) => has(model, 'create', 'retrieve') && fieldOf(model, 'updated') !== undefined,
    decorate: ({ model }) => {
      const name = fieldOf(model, 'updated')?.name ?? '';
      let times = 0;
      return onShowing(model, ['retrieve'], (record) => ({
        ...record,
        [name]: new Date(Date.parse(String(record[name])) + ++times * 1000).toISOString(),
      }));
    },
  }),
];

/** Records that look otherwise wherever they are shown, from their first update on. */
function changingShown(model: Model, alter: (record: RecordValues) => RecordValues) {
  return onEngine(model, (inner) => {
    const updated = new Set<number>();
    const shown = showing(inner, ALL, (record) => (updated.has(Number(record.id)) ? alter(record) : record));
    return {
      ...shown,
      update: async (_, id, draft) => {
        const result = await inner.update(model, id, draft);
        if (!isOne(result)) return result;
        updated.add(id);
        return { kind: 'record', record: alter(result.record) };
      },
    };
  });
}

/** The values that a create of the same record would send. */
function writableOf(
  model: Model,
  record: RecordValues,
  { catalogue }: Pick<Contract, 'catalogue'>,
): RecordValues {
  return Object.fromEntries(
    model.fields.filter(isWritable).map(({ lines, name }) => {
      const value = record[name] ?? null;
      const line = lines === undefined ? undefined : catalogue.models.get(lines);
      if (!line || !Array.isArray(value)) return [name, value];
      return [name, value.map((item) => writableOf(line, item as RecordValues, { catalogue }))];
    }),
  );
}
