import type { Field } from '../../spec/field.ts';
import { choicesOf } from '../../spec/types/select.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { type Defect, type FieldPlace, fieldDefect, has, isWritable, type Plan } from './defect.ts';
import { forgive, onDraft, refuse, violationsOf } from './on-draft.ts';
import { isOne, onEngine } from './on-engine.ts';
import { nameOf } from './other-value.ts';

const ACCEPTED = {
  create: ['values.accepted', 'profile.values-accepted'],
  update: ['values.accepted-on-update'],
} as const;
const REFUSED = {
  create: ['values.refused-on-create', 'profile.values-refused'],
  update: ['values.refused-on-update'],
} as const;

/** Value lists taken too narrowly, too widely, or as something else (sections 2 and 3). */
export const valueDefects: readonly Defect[] = (['create', 'update'] as const).flatMap((operation) => [
  fieldDefect({
    name: `values.member-refused-on-${operation}`,
    violates: `refuses a member of a value list in a${operation === 'update' ? 'n' : ''} ${operation}`,
    rules: ACCEPTED[operation],
    ...ofMembers(operation),
    decorate: ({ model, field, detail }) =>
      onDraft(model, operation, (draft) => {
        const value = draft.values[field.name];
        return value !== undefined && nameOf(value) === detail ? refuse(draft, field, 'is taken back') : draft;
      }),
  }),
  fieldDefect({
    name: `values.member-normalised-on-${operation}`,
    violates: `takes a member of a value list in a${operation === 'update' ? 'n' : ''} ${operation} and stores another one`,
    rules: ACCEPTED[operation],
    ...ofMembers(operation),
    decorate: ({ model, field, detail }, plan) =>
      onDraft(model, operation, (draft) => {
        const value = draft.values[field.name];
        if (value === undefined || nameOf(value) !== detail) return draft;
        return forgive(draft, field, otherMember(field, value, plan));
      }),
  }),
  fieldDefect({
    name: `values.outside-accepted-on-${operation}`,
    violates: `stores a value outside the value list in a${operation === 'update' ? 'n' : ''} ${operation}`,
    rules: REFUSED[operation],
    ...ofOutside(operation),
    decorate: (place, plan) =>
      onOutside(operation, place, (wire) =>
        WIRE_TYPES[place.field.type].decode(wire, { field: place.field, profile: plan.profile }),
      ),
  }),
  fieldDefect({
    name: `values.outside-normalised-on-${operation}`,
    violates: `turns a value outside the value list into a member in a${operation === 'update' ? 'n' : ''} ${operation}`,
    rules: REFUSED[operation],
    ...ofOutside(operation),
    decorate: (place, plan) => onOutside(operation, place, () => otherMember(place.field, null, plan)),
  }),
  fieldDefect({
    name: `values.outside-ignored-on-${operation}`,
    violates: `says yes to a value outside the value list in a${operation === 'update' ? 'n' : ''} ${operation}, and leaves it out`,
    rules: REFUSED[operation],
    ...ofOutside(operation),
    decorate: (place) => onOutside(operation, place, () => undefined),
  }),
  fieldDefect({
    name: `values.outside-stored-on-${operation}`,
    violates: `refuses a value outside the value list in a${operation === 'update' ? 'n' : ''} ${operation}, and stores the rest all the same`,
    rules: REFUSED[operation],
    ...ofOutside(operation),
    decorate: (place) => storingRefused(place, operation),
  }),
]);

/** Refuses, and stores what could be read, when something is wrong with the field. */
export function storingRefused({ model, field, detail }: FieldPlace, operation: 'create' | 'update') {
  return onEngine(model, (inner) => ({
    [operation]: async (...asked: readonly unknown[]) => {
      const [, id] = asked as Parameters<typeof inner.update>;
      const draft = asked.at(-1) as Parameters<typeof inner.create>[1];
      const stores = violationsOf(draft, field).some(
        ({ message }) => detail === undefined || message.length > 0,
      );
      const clean = forgive(draft, field);
      const result =
        operation === 'create' ? await inner.create(model, draft) : await inner.update(model, id, draft);
      if (!stores || isOne(result)) return result;
      if (operation === 'create') await inner.create(model, clean);
      else await inner.update(model, id, clean);
      return result;
    },
  }));
}

function ofMembers(operation: 'create' | 'update') {
  return {
    applies: (field: Field, model: FieldPlace['model'], { profile }: Plan) =>
      isListed(field, { profile }) && has(model, operation) && (operation === 'create' || !!field.choices),
    details: (field: Field, _: unknown, { profile }: Plan) =>
      (choicesOf({ field, profile }) ?? []).map(({ value }) => nameOf(value)),
  };
}

function ofOutside(operation: 'create' | 'update') {
  return {
    applies: (field: Field, model: FieldPlace['model'], { profile }: Plan) =>
      isListed(field, { profile }) && has(model, operation) && (operation === 'create' || !!field.choices),
    details: (field: Field, _: unknown, { profile }: Plan) =>
      WIRE_TYPES[field.type].counterSamples({ field, profile }).map(nameOf),
  };
}

function isListed(field: Field, { profile }: Pick<Plan, 'profile'>): boolean {
  return isWritable(field) && field.type === 'select' && choicesOf({ field, profile }) !== undefined;
}

function onOutside(
  operation: 'create' | 'update',
  { model, field, detail }: FieldPlace,
  replace: (wire: Value) => Value | undefined,
) {
  return onDraft(model, operation, (draft, sent) => {
    const wire = sent[field.name];
    if (wire === undefined || violationsOf(draft, field).length === 0) return draft;
    return detail === undefined || nameOf(wire) === detail
      ? forgive(draft, field, replace(wire))
      : draft;
  });
}

function otherMember(field: Field, value: Value, { profile }: Plan): Value {
  return (choicesOf({ field, profile }) ?? []).find((choice) => choice.value !== value)?.value ?? value;
}
