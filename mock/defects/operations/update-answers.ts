import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { Draft } from '../../engine/violation.ts';
import { type Defect, fieldDefect, has, isWritable, modelDefect } from '../defect.ts';
import { isOne, onShowing, onUpdate, withValues } from '../on-engine.ts';
import { isOrigin, otherValue, shifted } from '../other-value.ts';

const updates = (model: Model) => has(model, 'create', 'update');
const severalWritable = (model: Model) => updates(model) && model.fields.filter(isWritable).length > 1;
const severalPartly = (model: Model, { profile }: Contract) =>
  severalWritable(model) && profile['request.update'] === 'partial';

/** Updates of several fields that store fewer, and answers to updates that are not the record (section 4). */
export const updateAnswerDefects: readonly Defect[] = [
  modelDefect({
    name: 'update.stores-few-of-many',
    violates: 'returns an update of several fields as stored, but stores only the first or none',
    rules: ['update.changes-field'],
    applies: severalWritable,
    details: () => ['first', 'none'],
    decorate: ({ model, detail }) =>
      onUpdate(model, async (inner, id, draft) => {
        const names = Object.keys(draft.values);
        if (names.length < 2) return inner.update(model, id, draft);
        const result = await inner.update(model, id, only(draft, names.slice(0, detail === 'first' ? 1 : 0)));
        return isOne(result) ? withValues(result, draft.values) : result;
      }),
  }),
  modelDefect({
    name: 'update.drops-all-but-first',
    violates: 'stores only the first field of an update',
    rules: ['update.changes-field'],
    applies: severalWritable,
    decorate: ({ model }) =>
      onUpdate(model, (inner, id, draft) =>
        inner.update(model, id, only(draft, Object.keys(draft.values).slice(0, 1))),
      ),
  }),
  fieldDefect({
    name: 'update.answers-without-field',
    violates: 'returns no value of a field that an update omits',
    rules: ['update.keeps-other-fields'],
    applies: (field, model, contract) => isWritable(field) && severalPartly(model, contract),
    decorate: ({ model, field }) => answeringUnsent(model, field, () => null),
  }),
  fieldDefect({
    name: 'update.answers-other-value',
    violates: 'returns another value of a field that an update omits',
    rules: ['update.keeps-other-fields'],
    applies: (field, model, contract) => isWritable(field) && severalPartly(model, contract),
    decorate: ({ model, field }, { profile }) =>
      answeringUnsent(model, field, (value) => otherValue(field, value, profile)),
  }),
  fieldDefect({
    name: 'update.answers-other-origin',
    violates: 'returns another value of a common field that an update must keep',
    rules: ['update.keeps-origin'],
    applies: (field, model) => isOrigin(field) && updates(model),
    decorate: ({ model, field }) =>
      onShowing(model, ['update'], (record) => ({ ...record, [field.name]: shifted(record[field.name]) })),
  }),
];

function only({ values, violations }: Draft, names: readonly string[]): Draft {
  return {
    values: Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name))),
    violations,
  };
}

/** The answer to an update that does not name the field shows another value of it. */
function answeringUnsent(model: Model, field: Field, alter: (value: Value | undefined) => Value) {
  return onUpdate(model, async (inner, id, draft) => {
    const result = await inner.update(model, id, draft);
    if (!isOne(result) || Object.hasOwn(draft.values, field.name)) return result;
    return withValues(result, { [field.name]: alter(result.record[field.name]) });
  });
}
