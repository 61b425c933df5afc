import { showsMarked } from '../../../spec/binding.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { combineDecorations, type Decoration } from '../../decoration.ts';
import { type Defect, type FieldPlace, fieldDefect, has, isWritable, modelDefect } from '../defect.ts';
import { onShown, onSuccess, type Wire } from '../on-wire.ts';
import { wrongForm } from '../wrong-forms.ts';
import { excludedNames } from './answers.ts';

const isUnset = (value: unknown) => value === undefined || value === null;

/** Fields that are not what the source says in some records only: bare, updated, deleted or older ones (section 2). */
export const laterFieldDefects: readonly Defect[] = [
  fieldDefect({
    name: 'fields.wrong-type-when-unset',
    violates: 'returns a field without a value as a value of another type',
    rules: ['fields.type'],
    applies: (field, model) =>
      !field.required && isWritable(field) && !hasListForm(field) && has(model, 'create'),
    details: () => ['create', 'retrieve'],
    decorate: ({ model, field, detail }, contract) =>
      onShown(model, [detail], contract, (wire) =>
        isUnset(wire[field.name]) ? { ...wire, [field.name]: wrongForm(field) } : wire,
      ),
  }),
  fieldDefect({
    name: 'fields.wrong-type-once-updated',
    violates: 'returns a readonly field with a value of another type in a retrieve after an update',
    rules: ['fields.type'],
    applies: (field, model) => field.readonly && field.name !== 'id' && has(model, 'create', 'update'),
    decorate: (place, contract) =>
      retrievedAfter('update', place, contract, (wire) => ({
        ...wire,
        [place.field.name]: wrongForm(place.field),
      })),
  }),
  fieldDefect({
    name: 'fields.null-once-updated',
    violates: 'returns a required readonly field without a value in a retrieve after an update',
    rules: ['required.present'],
    applies: (field, model) => field.readonly && field.required && has(model, 'create', 'update'),
    decorate: (place, contract) =>
      retrievedAfter('update', place, contract, (wire) => ({ ...wire, [place.field.name]: null })),
  }),
  fieldDefect({
    name: 'fields.wrong-type-once-deleted',
    violates: 'returns a required field with a value of another type in a retrieve after a delete',
    rules: ['fields.type'],
    applies: (field, model, { profile }) =>
      field.required &&
      has(model, 'create', 'delete') &&
      profile['delete.effect'] !== 'remove' &&
      showsMarked(profile).retrieve,
    decorate: (place, contract) =>
      retrievedAfter('delete', place, contract, (wire) => ({
        ...wire,
        [place.field.name]: wrongForm(place.field),
      })),
  }),
  modelDefect({
    name: 'fields.excluded-shown-in-some',
    violates:
      'returns a common field that the source excludes from the model in a retrieve of every second record',
    rules: ['fields.excluded'],
    details: excludedNames,
    decorate: ({ model, detail }, contract) =>
      onShown(model, ['retrieve'], contract, (wire) =>
        Number(wire.id) % 2 === 0 ? { ...wire, [detail]: null } : wire,
      ),
  }),
];

/** No tags and no lines are an empty list. */
function hasListForm({ lines, type }: Field): boolean {
  return lines !== undefined || type === 'manyToMany';
}

/** Retrieves of the records that an operation was done to look otherwise. */
function retrievedAfter(
  operation: 'update' | 'delete',
  { model }: Pick<FieldPlace, 'model'>,
  contract: Contract,
  alter: (wire: Wire) => Wire,
): Decoration {
  return {
    model: model.name,
    // Each mock has its own records.
    handle: (inner, service) => {
      const done = new Set<number>();
      const noting = onSuccess(model, [operation], contract, (reply, { id }) => {
        done.add(Number(id));
        return reply;
      });
      const showing = onShown(model, ['retrieve'], contract, (wire) =>
        done.has(Number(wire.id)) ? alter(wire) : wire,
      );
      return combineDecorations([noting, showing]).handle?.(inner, service) ?? inner;
    },
  };
}
