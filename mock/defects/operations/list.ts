import type { Model } from '../../../spec/catalogue/catalogue.ts';
import { splitPointer, valueAt } from '../../../spec/wire/json-pointer.ts';
import { pointerFor } from '../../../spec/wire/model-place.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Defect, fieldDefect, has, isWritable, modelDefect } from '../defect.ts';
import { listing, noting, onEngine, onShowing, showing } from '../on-engine.ts';
import { isSuccess, onOperation, redirect, replaceAt } from '../on-wire.ts';

const listsOwn = (model: Model) => has(model, 'create', 'list');
const newestOf = (records: readonly RecordValues[]) =>
  records.toSorted((one, other) => Number(one.id) - Number(other.id)).at(-1);

/** Lists that leave records out, show them twice, or show what is not theirs (section 4). */
export const listDefects: readonly Defect[] = [
  modelDefect({
    name: 'list.omits-newest',
    violates: 'omits the newest record from the list',
    rules: ['list.shows-record'],
    applies: listsOwn,
    decorate: ({ model }) =>
      onEngine(model, (inner) => ({
        list: listing(inner, (records) => records.filter((record) => record !== newestOf(records))),
      })),
  }),
  modelDefect({
    name: 'list.omits-updated',
    violates: 'omits updated records from the list',
    rules: ['list.shows-update'],
    applies: (model) => listsOwn(model) && has(model, 'update'),
    decorate: ({ model }) =>
      onEngine(model, (inner) => {
        const updated = new Set<number>();
        return {
          update: async (_, id, draft) => {
            updated.add(id);
            return inner.update(model, id, draft);
          },
          list: listing(inner, (records) => records.filter(({ id }) => !updated.has(Number(id)))),
        };
      }),
  }),
  modelDefect({
    name: 'list.empty',
    violates: 'returns no record in any list',
    rules: ['list.shows-record'],
    applies: listsOwn,
    decorate: ({ model }) => onEngine(model, (inner) => ({ list: listing(inner, () => []) })),
  }),
  modelDefect({
    name: 'list.repeats-newest',
    violates: 'returns the newest record twice in the list',
    rules: ['list.shows-record'],
    applies: listsOwn,
    decorate: ({ model }) =>
      onEngine(model, (inner) => ({
        list: listing(inner, (records) => [...records, ...records.slice(-1)]),
      })),
  }),
  modelDefect({
    name: 'list.repeats-oldest',
    violates: 'returns the oldest record twice in the list',
    rules: ['advice.list-ids-unique'],
    decorate: ({ model }) =>
      onEngine(model, (inner) => ({
        list: listing(inner, (records) => [...records.slice(0, 1), ...records]),
      })),
  }),
  modelDefect({
    name: 'list.mixes-models',
    violates: 'returns a record of another model in the list',
    rules: ['required.present', 'list.agrees', 'fields.only', 'advice.fields-only', 'advice.list-ids-unique'],
    applies: (_, { catalogue }) => catalogue.models.size > 1,
    decorate: ({ model }, contract) => {
      const { catalogue, profile } = contract;
      const names = [...catalogue.models.keys()].filter((name) => name !== model.name);
      const pointerOf = (name: string) => pointerFor(profile['response.records'], name);
      return onOperation(model, ['list'], contract, async ({ request }, inner) => {
        const reply = await inner();
        if (!isSuccess(reply)) return reply;
        for (const name of names) {
          const other = await inner(redirect(request, `${catalogue.base}/${name}`, 'GET'));
          const found = isSuccess(other) ? valueAt(JSON.parse(other.body), pointerOf(name)) : undefined;
          if (!Array.isArray(found) || found.length === 0) continue;
          const body = replaceAt(JSON.parse(reply.body), splitPointer(pointerOf(model.name)), (records) =>
            Array.isArray(records) ? [...records, found.at(-1)] : records,
          );
          return { ...reply, body: JSON.stringify(body) };
        }
        return reply;
      });
    },
  }),
  fieldDefect({
    name: 'list.mixes-fields',
    violates: 'returns a field of a record with the value of the record before it in the list',
    rules: ['list.shows-record', 'list.agrees'],
    applies: isWritable,
    decorate: ({ model, field }) =>
      onEngine(model, (inner) => ({
        list: listing(inner, (records) =>
          records.map((record, index) => ({
            ...record,
            [field.name]: (records[index - 1] ?? record)[field.name] ?? null,
          })),
        ),
      })),
  }),
  fieldDefect({
    name: 'list.drops-field',
    violates: 'returns no value of an optional field in the list',
    rules: ['list.shows-record'],
    applies: (field, model) => isWritable(field) && !field.required && listsOwn(model),
    decorate: ({ model, field }) =>
      onShowing(model, ['list'], (record) => ({ ...record, [field.name]: null })),
  }),
  fieldDefect({
    name: 'list.shows-old-value',
    violates: 'returns a field in the list with its value before an update',
    rules: ['list.shows-update'],
    applies: (field, model) => isWritable(field) && listsOwn(model) && has(model, 'update'),
    decorate: ({ model, field }) =>
      onEngine(model, (inner) => {
        const made = new Map<unknown, RecordValues>();
        return {
          create: (_, draft) => noting(inner.create(model, draft), (record) => made.set(record.id, record)),
          ...showing(inner, ['list'], (record) => {
            const old = made.get(record.id);
            return old ? { ...record, [field.name]: old[field.name] ?? null } : record;
          }),
        };
      }),
  }),
];
