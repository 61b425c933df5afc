import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { type Defect, fieldDefect, has, isWritable } from '../defect.ts';
import { draftOf, isOne, neighborOf, onStoring, onUpdate, withValues } from '../on-engine.ts';
import { otherValue } from '../other-value.ts';

const updatesWith = (field: Field, model: Model) => isWritable(field) && has(model, 'create', 'update');
/** Whether an update may leave a field out and change another one. */
const isLeftOut = (field: Field, model: Model, { profile }: Contract) =>
  updatesWith(field, model) &&
  model.fields.filter(isWritable).length > 1 &&
  profile['request.update'] === 'partial';

/** Updates that do not store what was sent, or change other values too (sections 1 and 4). */
export const updateDefects: readonly Defect[] = [
  fieldDefect({
    name: 'update.answers-old-value',
    violates: 'stores a field of an update, but returns the old value',
    rules: ['update.changes-field'],
    applies: updatesWith,
    decorate: ({ model, field }) =>
      onUpdate(model, async (inner, id, draft) => {
        const before = await inner.retrieve(model, id);
        const result = await inner.update(model, id, draft);
        if (!isOne(result) || !isOne(before)) return result;
        return withValues(result, { [field.name]: before.record[field.name] ?? null });
      }),
  }),
  fieldDefect({
    name: 'update.loses-field',
    violates: 'clears a field that an update omits',
    rules: ['update.keeps-other-fields'],
    applies: isLeftOut,
    decorate: ({ model, field }) =>
      onStoring(model, 'update', (values) => ({ [field.name]: null, ...values })),
  }),
  fieldDefect({
    name: 'update.changes-other-field',
    violates: 'changes a field that an update omits',
    rules: ['update.keeps-other-fields'],
    applies: isLeftOut,
    decorate: ({ model, field }, { profile }) =>
      onUpdate(model, async (inner, id, { values, violations }) => {
        const before = await inner.retrieve(model, id);
        const value = isOne(before) ? otherValue(field, before.record[field.name], profile) : null;
        return inner.update(model, id, { values: { [field.name]: value, ...values }, violations });
      }),
  }),
  fieldDefect({
    name: 'update.changes-neighbor',
    violates: 'stores a field of an update in another record too',
    rules: ['update.keeps-other-records'],
    applies: updatesWith,
    details: () => ['below', 'above'],
    decorate: ({ model, field, detail }) =>
      onUpdate(model, async (inner, id, draft) => {
        const result = await inner.update(model, id, draft);
        const value = draft.values[field.name];
        if (!isOne(result) || value === undefined) return result;
        const other = await neighborOf(inner, model, id, detail);
        if (other) await inner.update(model, Number(other.id), draftOf({ [field.name]: value }));
        return result;
      }),
  }),
  fieldDefect({
    name: 'update.not-repeatable',
    violates: 'clears a field when an update sends its current value',
    rules: ['advice.update-twice'],
    applies: (field, model) => updatesWith(field, model) && field.lines === undefined,
    decorate: ({ model, field }) =>
      onUpdate(model, async (inner, id, { values, violations }) => {
        const before = await inner.retrieve(model, id);
        const value = values[field.name];
        const same = isOne(before) && JSON.stringify(before.record[field.name]) === JSON.stringify(value);
        const stored = same ? { ...values, [field.name]: null } : values;
        return inner.update(model, id, { values: stored, violations });
      }),
  }),
];
