import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import { type Defect, fieldDefect, has, isWritable } from '../defect.ts';
import { draftOf, isOne, neighborOf, onCreate, onShowing } from '../on-engine.ts';
import { otherValue } from '../other-value.ts';

const createsWith = (field: Field, model: Model) => isWritable(field) && has(model, 'create');

/** Creates that answer with another value than is stored, or change another record too (section 4). */
export const createDefects: readonly Defect[] = [
  fieldDefect({
    name: 'create.answers-another-value',
    violates: 'stores a field of a create, but returns another value',
    rules: ['create.keeps-field'],
    applies: createsWith,
    decorate: ({ model, field }, { profile }) =>
      onShowing(model, ['create'], (record, sent) => {
        if (sent[field.name] === undefined) return record;
        const value = field.required ? otherValue(field, record[field.name], profile) : null;
        return { ...record, [field.name]: value };
      }),
  }),
  fieldDefect({
    name: 'create.changes-neighbor',
    violates: 'stores a field of a create in another record too',
    rules: ['create.distinct'],
    applies: createsWith,
    decorate: ({ model, field }) =>
      onCreate(model, async (inner, draft) => {
        const result = await inner.create(model, draft);
        const value = draft.values[field.name];
        if (!isOne(result) || value === undefined) return result;
        const other = await neighborOf(inner, model, Number(result.record.id));
        if (other) await inner.update(model, Number(other.id), draftOf({ [field.name]: value }));
        return result;
      }),
  }),
];
