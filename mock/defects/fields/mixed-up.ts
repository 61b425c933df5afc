import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Defect, fieldDefect, has, isWritable } from '../defect.ts';
import { onStoring, without } from '../on-engine.ts';

/** Values that are stored in the wrong field or in part (section 4). */
export const mixedUpDefects: readonly Defect[] = [
  fieldDefect({
    name: 'create.swaps-fields',
    violates: 'swaps two fields of the same type in a create',
    rules: ['create.keeps-field'],
    applies: (field, model, contract) =>
      has(model, 'create') && nextAlike(field, model, contract) !== undefined,
    details: (field, model, contract) => [nextAlike(field, model, contract)?.name ?? ''],
    decorate: ({ model, field, detail }) =>
      onStoring(model, 'create', (values) => {
        const [one, other] = [values[field.name], values[detail]];
        const isBoth = one !== undefined && other !== undefined;
        return isBoth ? { ...values, [field.name]: other, [detail]: one } : values;
      }),
  }),
  ...(['create', 'update'] as const).map((operation) =>
    fieldDefect({
      name: `${operation}.keeps-first-item`,
      violates: `stores only the first of several items in ${operation === 'create' ? 'a create' : 'an update'}`,
      rules: [operation === 'create' ? 'create.keeps-field' : 'update.changes-field'],
      applies: (field, model, contract) =>
        isWritable(field) && has(model, 'create', operation) && hasItems(field, contract),
      decorate: ({ model, field }) => onStoring(model, operation, (values) => cut(values, field)),
    }),
  ),
  fieldDefect({
    name: 'update.ignores-value',
    violates: 'does not store false, true or 0 when an update sends it',
    rules: ['update.changes-field'],
    applies: (field, model) => isWritable(field) && has(model, 'create', 'update'),
    details: ({ key, type }, _, { references }) => {
      if (type === 'bool') return ['false', 'true'];
      const isNumber = ['int', 'float', 'currency', 'percent'].includes(type);
      return isNumber && !references.has(key) ? ['0'] : [];
    },
    decorate: ({ model, field, detail }) =>
      onStoring(model, 'update', (values) =>
        String(values[field.name]) === detail ? without(values, field.name) : values,
      ),
  }),
];

/** The next field that a client may fill with the same values. */
function nextAlike(field: Field, model: Model, { references }: Contract): Field | undefined {
  const thingOf = ({ key }: Field) => {
    const link = references.get(key);
    return link && ('to' in link ? link.to : link.outside);
  };
  const isAlike = (other: Field) =>
    isWritable(other) && other.type === field.type && thingOf(other) === thingOf(field);
  const hasItsValues = !['select', 'lines', 'manyToMany'].includes(field.type);
  if (!isWritable(field) || !hasItsValues) return undefined;
  return model.fields.slice(model.fields.indexOf(field) + 1).find(isAlike);
}

function hasItems({ lines, type }: Field, { profile }: Contract): boolean {
  return type === 'manyToMany' || (lines !== undefined && profile['types.lines'] === 'objects');
}

function cut(values: RecordValues, { name }: Field): RecordValues {
  const items = values[name];
  return Array.isArray(items) ? { ...values, [name]: items.slice(0, 1) } : values;
}
