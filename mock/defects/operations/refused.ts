import { type Defect, fieldDefect, has, isWritable } from '../defect.ts';
import { violationsOf } from '../on-draft.ts';
import { draftOf, isOne, onCreate, onUpdate } from '../on-engine.ts';
import { otherValue } from '../other-value.ts';

/** Refused requests that take effect all the same. */
export const refusedDefects: readonly Defect[] = [
  fieldDefect({
    name: 'refused.create-stored',
    violates: 'rejects a create with an invalid field, but stores the other fields',
    rules: ['required.on-create', 'values.refused-on-create', 'fields.wrong-type-on-create'],
    applies: (field, model) => isWritable(field) && has(model, 'create'),
    decorate: ({ model, field }) =>
      onCreate(model, async (inner, draft) => {
        const result = await inner.create(model, draft);
        if (!isOne(result) && violationsOf(draft, field).length > 0)
          await inner.create(model, draftOf(draft.values));
        return result;
      }),
  }),
  fieldDefect({
    name: 'refused.update-stored',
    violates: 'rejects an update with an invalid field, but changes the field',
    rules: ['values.refused-on-update', 'fields.wrong-type-on-update'],
    applies: (field, model) => isWritable(field) && has(model, 'update'),
    decorate: ({ model, field }, { profile }) =>
      onUpdate(model, async (inner, id, draft) => {
        const before = await inner.retrieve(model, id);
        const result = await inner.update(model, id, draft);
        if (isOne(before) && result.kind === 'invalid' && violationsOf(draft, field).length > 0) {
          const value = otherValue(field, before.record[field.name], profile);
          await inner.update(model, id, draftOf({ ...draft.values, [field.name]: value }));
        }
        return result;
      }),
  }),
];
