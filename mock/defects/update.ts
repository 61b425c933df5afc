import type { Model } from '../../spec/catalogue.ts';
import type { Field } from '../../spec/field.ts';
import type { RecordValues } from '../../spec/record-codec.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { type Defect, fieldDefect, has, isWritable, modelDefect, type Plan } from './defect.ts';
import { onDraft, refuse } from './on-draft.ts';
import { ALL, draftOf, isOne, neighbourOf, onEngine, showing, without, withValues } from './on-engine.ts';
import { otherValue } from './other-value.ts';

const updates = (model: Model) => has(model, 'create', 'update');
const updatesWith = (field: Field, model: Model) => isWritable(field) && updates(model);
const someWritable = (model: Model) => updates(model) && model.fields.some(isWritable);
const severalWritable = (model: Model) => model.fields.filter(isWritable).length > 1;

/** Updates that do less than what was sent, or more (sections 1 and 4). */
export const updateDefects: readonly Defect[] = [
  fieldDefect({
    name: 'update.ignores-field',
    violates: 'does not store a field that is sent with an update',
    rules: ['update.changes-field'],
    applies: updatesWith,
    decorate: ({ model, field }) =>
      onEngine(model, (inner) => ({
        update: (_, id, { values, violations }) =>
          inner.update(model, id, { values: without(values, field.name), violations }),
      })),
  }),
  fieldDefect({
    name: 'update.alters-field',
    violates: 'stores another value than the one that is sent with an update',
    rules: ['update.changes-field'],
    applies: updatesWith,
    decorate: ({ model, field }, { profile }) =>
      onEngine(model, (inner) => ({
        update: (_, id, { values, violations }) => {
          const value = values[field.name];
          const other = value === undefined ? {} : { [field.name]: otherValue(field, value, profile) };
          return inner.update(model, id, { values: { ...values, ...other }, violations });
        },
      })),
  }),
  fieldDefect({
    name: 'update.ignores-field-and-shows-it',
    violates: 'does not store a field that is sent with an update, and answers as if it did',
    rules: ['update.changes-field'],
    applies: updatesWith,
    decorate: ({ model, field }) =>
      onEngine(model, (inner) => ({
        update: async (_, id, { values, violations }) => {
          const result = await inner.update(model, id, { values: without(values, field.name), violations });
          const value = values[field.name];
          return isOne(result) && value !== undefined ? withValues(result, { [field.name]: value }) : result;
        },
      })),
  }),
  fieldDefect({
    name: 'update.answers-old-value',
    violates: 'stores a field that is sent with an update, and answers with the value it had',
    rules: ['update.changes-field'],
    applies: updatesWith,
    decorate: ({ model, field }) =>
      onEngine(model, (inner) => ({
        update: async (_, id, draft) => {
          const before = await inner.retrieve(model, id);
          const result = await inner.update(model, id, draft);
          if (!isOne(result) || !isOne(before)) return result;
          return withValues(result, { [field.name]: before.record[field.name] ?? null });
        },
      })),
  }),
  fieldDefect({
    name: 'update.refuses-field',
    violates: 'refuses an update that names a writable field',
    rules: ['update.changes-field', 'operations.update'],
    applies: updatesWith,
    decorate: ({ model, field }) =>
      onDraft(model, 'update', (draft, sent) =>
        sent[field.name] === undefined ? draft : refuse(draft, field, 'may not be sent'),
      ),
  }),
  fieldDefect({
    name: 'update.loses-field',
    violates: 'takes the value of a field away that an update does not name',
    rules: ['update.keeps-other-fields'],
    applies: (field, model, { profile }) =>
      updatesWith(field, model) && severalWritable(model) && profile['request.update'] === 'partial',
    decorate: ({ model, field }) =>
      onEngine(model, (inner) => ({
        update: (_, id, { values, violations }) =>
          inner.update(model, id, { values: { [field.name]: null, ...values }, violations }),
      })),
  }),
  fieldDefect({
    name: 'update.changes-other-field',
    violates: 'changes the value of a field that an update does not name',
    rules: ['update.keeps-other-fields'],
    applies: (field, model, { profile }) =>
      updatesWith(field, model) && severalWritable(model) && profile['request.update'] === 'partial',
    decorate: ({ model, field }, { profile }) =>
      onEngine(model, (inner) => ({
        update: async (_, id, { values, violations }) => {
          const before = await inner.retrieve(model, id);
          const value = isOne(before) ? otherValue(field, before.record[field.name], profile) : null;
          return inner.update(model, id, { values: { [field.name]: value, ...values }, violations });
        },
      })),
  }),
  fieldDefect({
    name: 'update.loses-computed-field',
    violates: 'takes the value of a required readonly field away with an update',
    rules: ['required.present'],
    applies: (field, model) => field.required && field.readonly && updates(model),
    decorate: ({ model, field }) => changingShown(model, (record) => ({ ...record, [field.name]: null })),
  }),
  fieldDefect({
    name: 'update.touches-origin',
    violates: 'changes a common field that an update has to leave as it is',
    rules: ['update.keeps-origin'],
    applies: (field, model) =>
      field.common && ['id', 'created', 'createUser', 'deleted'].includes(field.name) && updates(model),
    decorate: ({ model, field }) =>
      changingShown(model, (record) => ({ ...record, [field.name]: shifted(record[field.name]) })),
  }),
  fieldDefect({
    name: 'update.changes-neighbour',
    violates: 'stores a field that is sent with an update in another record too',
    rules: ['update.keeps-other-records'],
    applies: updatesWith,
    details: () => ['below', 'above'],
    decorate: ({ model, field, detail }) =>
      onEngine(model, (inner) => ({
        update: async (_, id, draft) => {
          const result = await inner.update(model, id, draft);
          const value = draft.values[field.name];
          if (!isOne(result) || value === undefined) return result;
          const other = await neighbourOf(inner, model, id, detail === 'above' ? 'above' : 'below');
          if (other) await inner.update(model, Number(other.id), draftOf({ [field.name]: value }));
          return result;
        },
      })),
  }),
  fieldDefect({
    name: 'update.not-repeatable',
    violates: 'takes the value of a field away when an update sends the one it has',
    rules: ['advice.update-twice'],
    applies: (field, model) => updatesWith(field, model) && field.lines === undefined,
    decorate: ({ model, field }) =>
      onEngine(model, (inner) => ({
        update: async (_, id, { values, violations }) => {
          const before = await inner.retrieve(model, id);
          const value = values[field.name];
          const same = isOne(before) && JSON.stringify(before.record[field.name]) === JSON.stringify(value);
          return inner.update(model, id, {
            values: same ? { ...values, [field.name]: null } : values,
            violations,
          });
        },
      })),
  }),
  modelDefect({
    name: 'update.stores-nothing',
    violates: 'answers an update as if it had stored it, and stores nothing',
    rules: ['update.changes-field'],
    applies: someWritable,
    decorate: ({ model }) =>
      onEngine(model, (inner) => ({
        update: async (_, id, draft) => {
          const before = await inner.retrieve(model, id);
          if (draft.violations.length > 0 || !isOne(before) || before.record.deleted === true)
            return inner.update(model, id, draft);
          return withValues(before, draft.values);
        },
      })),
  }),
  modelDefect({
    name: 'update.stores-in-neighbour',
    violates: 'stores an update in another record',
    rules: ['update.changes-field', 'operations.update', 'update.keeps-other-records'],
    applies: someWritable,
    decorate: ({ model }) =>
      onEngine(model, (inner) => ({
        update: async (_, id, draft) => {
          const other = await neighbourOf(inner, model, id, 'below');
          return inner.update(model, Number(other?.id ?? id), draft);
        },
      })),
  }),
  modelDefect({
    name: 'update.leaves-copy',
    violates: 'leaves a copy of the record behind with an update',
    rules: ['update.keeps-other-records'],
    applies: someWritable,
    decorate: ({ model }, plan) =>
      onEngine(model, (inner) => ({
        update: async (_, id, draft) => {
          const result = await inner.update(model, id, draft);
          if (isOne(result)) await inner.create(model, draftOf(writableOf(model, result.record, plan)));
          return result;
        },
      })),
  }),
  modelDefect({
    name: 'update.answers-another-id',
    violates: 'answers an update with the id of another record',
    rules: ['operations.update'],
    applies: updates,
    decorate: ({ model }) =>
      onEngine(model, (inner) =>
        showing(inner, ['update'], (record) => ({ ...record, id: Number(record.id) - 1 })),
      ),
  }),
  modelDefect({
    name: 'update.sets-updated-back',
    violates: 'sets updated to an earlier time with an update',
    rules: ['advice.updated-rises'],
    applies: (model) =>
      updates(model) && model.fields.some(({ common, name }) => common && name === 'updated'),
    decorate: ({ model }) =>
      changingShown(model, (record) => ({ ...record, updated: '2001-01-01T00:00:00Z' })),
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

/** What a create of the same record would send. */
function writableOf(
  model: Model,
  record: RecordValues,
  { catalogue }: Pick<Plan, 'catalogue'>,
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

/** Another value of a common field: a number, a truth value or a point in time. */
function shifted(value: Value | undefined): Value {
  if (typeof value === 'boolean') return !value;
  return typeof value === 'number' ? value + 1 : '2001-01-01T00:00:00Z';
}
