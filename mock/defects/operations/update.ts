import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import { type Defect, fieldDefect, has, isWritable } from '../defect.ts';
import { onDraft, refuse } from '../on-draft.ts';
import { draftOf, isOne, neighbourOf, onEngine, without, withValues } from '../on-engine.ts';
import { otherValue } from '../other-value.ts';

const updates = (model: Model) => has(model, 'create', 'update');
const updatesWith = (field: Field, model: Model) => isWritable(field) && updates(model);
const severalWritable = (model: Model) => model.fields.filter(isWritable).length > 1;

/** Updates that do not store what was sent, or change other values too (sections 1 and 4). */
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
];
