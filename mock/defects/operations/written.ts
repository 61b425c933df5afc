import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { typeSetting } from '../../../spec/profile/profile.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { combineDecorations } from '../../decoration.ts';
import { type Defect, fieldDefect, has, isWritable } from '../defect.ts';
import { onField, refuse } from '../on-draft.ts';
import { onShowing, onStoring, without } from '../on-engine.ts';
import { otherValue } from '../other-value.ts';

/** The source leaves the values of an optional field open: refusing what a client makes up breaks nothing. */
const hasOpenValues = (field: Field, { references }: Contract) =>
  field.type === 'select'
    ? field.choices === undefined
    : !field.required &&
      field.type !== 'bool' &&
      field.lines === undefined &&
      !references.has(field.key) &&
      typeSetting(field) === undefined;

const isSent = (wire: Value | undefined) => wire !== undefined;

const WRITES = [
  {
    operation: 'create',
    drops: 'drops',
    what: 'a create',
    rules: ['create.keeps-field'],
    refused: ['operations.create', 'operations.create-required'],
  },
  {
    operation: 'update',
    drops: 'ignores',
    what: 'an update',
    rules: ['update.changes-field'],
    refused: ['update.changes-field', 'operations.update'],
  },
] as const;

/** Creates and updates that do not store a field as it was sent (section 4). */
export const writtenDefects: readonly Defect[] = WRITES.flatMap(
  ({ operation, drops, what, rules, refused }) => {
    const applies = (field: Field, model: Model) => isWritable(field) && has(model, 'create', operation);
    const dropping = (model: Model, { name }: Field) =>
      onStoring(model, operation, (values) => without(values, name));
    return [
      fieldDefect({
        name: `${operation}.${drops}-field`,
        violates: `does not store a field of ${what}`,
        rules,
        applies,
        decorate: ({ model, field }) => dropping(model, field),
      }),
      fieldDefect({
        name: `${operation}.${drops}-field-and-shows-it`,
        violates: `does not store a field of ${what}, but returns it as stored`,
        rules,
        applies,
        decorate: ({ model, field }) =>
          combineDecorations([
            dropping(model, field),
            onShowing(model, [operation], (record, { [field.name]: value }) =>
              value === undefined ? record : { ...record, [field.name]: value },
            ),
          ]),
      }),
      fieldDefect({
        name: `${operation}.alters-field`,
        violates: `stores another value than the one that is sent with ${what}`,
        rules,
        applies,
        decorate: ({ model, field }, { profile }) =>
          onStoring(model, operation, (values) => {
            const value = values[field.name];
            return value === undefined
              ? values
              : { ...values, [field.name]: otherValue(field, value, profile) };
          }),
      }),
      fieldDefect({
        name: `${operation}.refuses-field`,
        violates: `rejects ${what} with a writable field`,
        rules: refused,
        applies: (field, model, contract) =>
          applies(field, model) && (operation === 'update' || !hasOpenValues(field, contract)),
        decorate: (place) =>
          onField(operation, place, isSent, (draft) => refuse(draft, place.field, 'cannot be sent')),
      }),
    ];
  },
);
