import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { isText } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { type Defect, fieldDefect, has } from '../defect.ts';
import { forgive, onField, refuse } from '../on-draft.ts';
import { otherValue } from '../other-value.ts';

const applies = (field: Field, model: Model) =>
  field.required && !field.readonly && has(model, 'create', 'update');

/** A record without lines always shows an empty list. */
const appliesToNull = (field: Field, model: Model, { profile }: Contract) => {
  // A form can't express null: an empty text is a value.
  const tellsNull = profile['request.encoding'] === 'json' || !isText(field);
  return applies(field, model) && field.lines === undefined && tellsNull;
};
const isMissing = (wire: Value | undefined) => wire === undefined;
const isNull = (wire: Value | undefined) => wire === null || wire === '';

const movesFreely = ({ key }: Field, { profile: { transitions } }: Contract) =>
  transitions === 'any' || !Object.hasOwn(transitions, key);

/** Required fields that are not asked for, or may be taken away (section 4, rule 2). */
export const requiredDefects: readonly Defect[] = [
  fieldDefect({
    name: 'required.not-asked-for',
    violates: 'accepts a create without a required field, and stores no value',
    rules: ['required.on-create'],
    applies,
    decorate: (place) => onField('create', place, isMissing, (draft) => forgive(draft, place.field)),
  }),
  fieldDefect({
    name: 'required.made-up',
    violates: 'accepts a create without a required field, and invents a value',
    rules: ['required.on-create'],
    applies,
    decorate: (place, { profile }) =>
      onField('create', place, isMissing, (draft) =>
        forgive(draft, place.field, otherValue(place.field, null, profile)),
      ),
  }),
  fieldDefect({
    name: 'required.null-on-create',
    violates: 'accepts and stores null for a required field in a create',
    rules: ['required.null-on-create'],
    applies: appliesToNull,
    decorate: (place) => onField('create', place, isNull, (draft) => forgive(draft, place.field, null)),
  }),
  fieldDefect({
    name: 'required.taken-away',
    violates: 'accepts and stores null for a required field in an update',
    rules: ['required.on-update'],
    // A profile names no move to null, so that it is refused.
    applies: (field, model, contract) =>
      appliesToNull(field, model, contract) && movesFreely(field, contract),
    decorate: (place) => onField('update', place, isNull, (draft) => forgive(draft, place.field, null)),
  }),
  fieldDefect({
    name: 'required.asked-for-on-update',
    violates: 'rejects an update without a required field, although an update can omit fields',
    rules: ['profile.request.update', 'update.changes-field'],
    elsewhere: true,
    applies: (field, model, { profile }) =>
      applies(field, model) &&
      profile['request.update'] === 'partial' &&
      model.fields.filter((other) => !other.readonly).length > 1,
    decorate: (place) =>
      onField('update', place, isMissing, (draft) => refuse(draft, place.field, 'is required')),
  }),
  fieldDefect({
    name: 'required.asked-for-optional',
    violates: 'rejects a create without an optional field',
    rules: ['operations.create-required'],
    applies: (field, model) => !field.required && !field.readonly && has(model, 'create'),
    decorate: (place) =>
      onField('create', place, isMissing, (draft) => refuse(draft, place.field, 'is required')),
  }),
];
