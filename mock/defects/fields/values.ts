import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { choicesOf, WIRE_TYPES } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { type Defect, type FieldPlace, fieldDefect, has, isWritable } from '../defect.ts';
import { forgive, onDraft, refuse, violationsOf } from '../on-draft.ts';
import { nameOf } from '../other-value.ts';

type Written = 'create' | 'update';

const IN = { create: 'in a create', update: 'in an update' } as const;
const ACCEPTED = {
  create: ['values.accepted', 'profile.values-accepted'],
  update: ['profile.transitions'],
} as const;
const REFUSED = {
  create: ['values.refused-on-create', 'profile.values-refused'],
  update: ['values.refused-on-update'],
} as const;

/** Value lists with members missing, added or exchanged (sections 2 and 3). */
export const valueDefects: readonly Defect[] = (['create', 'update'] as const).flatMap((operation) => [
  fieldDefect({
    name: `values.member-refused-on-${operation}`,
    violates: `rejects a value of a value list ${IN[operation]}`,
    rules: ACCEPTED[operation],
    ...ofMembers(operation),
    decorate: ({ model, field, detail }) =>
      onDraft(model, operation, (draft) => {
        const value = draft.values[field.name];
        return value !== undefined && nameOf(value) === detail
          ? refuse(draft, field, 'is taken back')
          : draft;
      }),
  }),
  fieldDefect({
    name: `values.member-normalized-on-${operation}`,
    violates: `accepts a value of a value list ${IN[operation]}, but stores another one`,
    rules: ACCEPTED[operation],
    ...ofMembers(operation),
    decorate: ({ model, field, detail }, contract) =>
      onDraft(model, operation, (draft) => {
        const value = draft.values[field.name];
        if (value === undefined || nameOf(value) !== detail) return draft;
        return forgive(draft, field, otherMember(field, value, contract));
      }),
  }),
  fieldDefect({
    name: `values.outside-accepted-on-${operation}`,
    violates: `stores a value outside the value list ${IN[operation]}`,
    rules: REFUSED[operation],
    ...unlessMovesAreListed(operation),
    decorate: (place, contract) =>
      onOutside(operation, place, (wire) =>
        WIRE_TYPES[place.field.type].decode(wire, { field: place.field, profile: contract.profile }),
      ),
  }),
  fieldDefect({
    name: `values.outside-normalized-on-${operation}`,
    violates: `replaces a value outside the value list by a valid one ${IN[operation]}`,
    rules: REFUSED[operation],
    ...unlessMovesAreListed(operation),
    decorate: (place, contract) =>
      onOutside(operation, place, () => otherMember(place.field, null, contract)),
  }),
  fieldDefect({
    name: `values.outside-ignored-on-${operation}`,
    violates: `accepts a value outside the value list ${IN[operation]}, but does not store it`,
    rules: REFUSED[operation],
    ...ofOutside(operation),
    decorate: (place) => onOutside(operation, place, () => undefined),
  }),
]);

function ofMembers(operation: Written) {
  return {
    applies: appliesTo(operation),
    details: (field: Field, _: Model, { profile }: Contract) =>
      (choicesOf({ field, profile }) ?? []).map(({ value }) => nameOf(value)),
  };
}

function ofOutside(operation: Written) {
  return {
    applies: appliesTo(operation),
    details: (field: Field, _: Model, { profile }: Contract) =>
      WIRE_TYPES[field.type].counterSamples({ field, profile }).map(nameOf),
  };
}

/** If a profile allows only some moves of a field, a value outside its list is refused anyway. */
function unlessMovesAreListed(operation: Written) {
  const outside = ofOutside(operation);
  const isListed = (field: Field, { profile: { transitions } }: Contract) =>
    operation === 'update' && transitions !== 'any' && Object.hasOwn(transitions, field.key);
  return {
    ...outside,
    applies: (field: Field, model: Model, contract: Contract) =>
      outside.applies(field, model, contract) && !isListed(field, contract),
  };
}

/** The suite tries value lists of the profile only on create. */
function appliesTo(operation: Written) {
  return (field: Field, model: Model, { profile }: Contract): boolean => {
    if (!isWritable(field) || field.type !== 'select' || !has(model, operation)) return false;
    return operation === 'create' ? choicesOf({ field, profile }) !== undefined : field.choices !== undefined;
  };
}

function onOutside(
  operation: Written,
  { model, field, detail }: FieldPlace,
  replace: (wire: Value) => Value | undefined,
) {
  return onDraft(model, operation, (draft, sent) => {
    const wire = sent[field.name];
    if (wire === undefined || violationsOf(draft, field).length === 0) return draft;
    return withoutQuotes(nameOf(wire)) === withoutQuotes(detail ?? '')
      ? forgive(draft, field, replace(wire))
      : draft;
  });
}

/** A form has the numbers of an object as texts. */
function withoutQuotes(text: string): string {
  return text.replaceAll('"', '');
}

function otherMember(field: Field, value: Value, { profile }: Contract): Value {
  return (choicesOf({ field, profile }) ?? []).find((choice) => choice.value !== value)?.value ?? value;
}
