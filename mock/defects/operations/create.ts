import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { typeSetting } from '../../../spec/profile/profile.ts';
import { type Defect, fieldDefect, has, isWritable } from '../defect.ts';
import { onDraft, refuse } from '../on-draft.ts';
import { draftOf, isOne, neighbourOf, onEngine, without, withValues } from '../on-engine.ts';
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
/** Creates that store a field with another value than was sent, or in another record too (section 4). */
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
];
