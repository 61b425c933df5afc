import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../../spec/contract.ts';
import { placeIn } from '../../../spec/profile/profile.ts';
import { splitPointer } from '../../../spec/wire/json-pointer.ts';
import { pointerFor } from '../../../spec/wire/model-place.ts';
import type { Decoration } from '../../decoration.ts';
import { splitTarget } from '../../http/http.ts';
import { type Defect, fieldDefect, has, isWritable, modelDefect } from '../defect.ts';
import { onSuccess, replaceAt, type Wire } from '../on-wire.ts';
import { wrongForm } from '../wrong-forms.ts';

const listsOwn = (model: Model) => has(model, 'create', 'list');

/** Lists that are wrong only where nothing is asked for in a query, as the source shows them (section 4). */
export const plainListDefects: readonly Defect[] = [
  modelDefect({
    name: 'list.plain-empty',
    violates: 'returns no record for a list without a query',
    rules: ['list.shows-record', 'list.agrees'],
    applies: (model) => has(model, 'list', 'retrieve'),
    decorate: ({ model }, contract) => onPlainList(model, contract, () => []),
  }),
  modelDefect({
    name: 'list.plain-omits-newest',
    violates: 'omits the newest record from a list without a query',
    // If the list has several pages, the first one has only records of others.
    rules: ['list.shows-record', 'profile.list.paging'],
    applies: listsOwn,
    decorate: ({ model }, contract) =>
      onPlainList(model, contract, (records) => {
        const newest = Math.max(...records.map(({ id }) => Number(id)));
        return records.filter(({ id }) => id !== newest);
      }),
  }),
  fieldDefect({
    name: 'list.plain-lacks-required',
    violates: 'returns records without a required field in a list without a query',
    rules: ['required.present'],
    applies: (field) => field.required,
    decorate: ({ model, field }, contract) =>
      onPlainList(model, contract, (records) => records.map(({ [field.name]: _, ...others }) => others)),
  }),
  fieldDefect({
    name: 'list.plain-wrong-type',
    violates: 'returns a field with a value of another type in a list without a query',
    rules: ['fields.type', 'fields.id'],
    applies: () => true,
    decorate: ({ model, field }, contract) =>
      onPlainList(model, contract, (records) =>
        records.map((record) => ({ ...record, [field.name]: wrongForm(field) })),
      ),
  }),
  fieldDefect({
    name: 'list.plain-drops-field',
    violates: 'returns no value of an optional field in a list without a query',
    // Where lists are asked for without a query, they are also what a retrieve has to agree with.
    rules: ['list.shows-record', 'list.agrees'],
    applies: (field, model) => isWritable(field) && !field.required && listsOwn(model),
    decorate: ({ model, field }, contract) =>
      onPlainList(model, contract, (records) => records.map((record) => ({ ...record, [field.name]: null }))),
  }),
];

/** The records of a list that is asked for without a query, as they look on the wire. */
function onPlainList(
  model: Model,
  contract: Contract,
  alter: (records: readonly Wire[]) => readonly Wire[],
): Decoration {
  const { profile } = contract;
  return onSuccess(model, ['list'], contract, (reply, { request }) => {
    const asked = new URLSearchParams(splitTarget(request.target)[1]);
    asked.delete(placeIn(profile.version)?.name ?? '');
    if (asked.size > 0) return reply;
    const place = splitPointer(pointerFor(profile['response.records'], model.name));
    const body = replaceAt(JSON.parse(reply.body), place, (found) =>
      Array.isArray(found) ? alter(found) : found,
    );
    return { ...reply, body: JSON.stringify(body) };
  });
}
