import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import { splitPointer, valueAt } from '../../../spec/wire/json-pointer.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Defect, fieldDefect, has, isWritable, modelDefect } from '../defect.ts';
import { isOne, listing, onEngine, showing } from '../on-engine.ts';
import { isSuccess, onOperation, redirect, replaceAt } from '../on-wire.ts';

const listsOwn = (model: Model) => has(model, 'create', 'list');
const newestOf = (records: readonly RecordValues[]) =>
  records.toSorted((one, other) => Number(one.id) - Number(other.id)).at(-1);

/** Lists that leave records out, show them twice, or show what is not theirs (section 4). */
export const listDefects: readonly Defect[] = [
  modelDefect({
    name: 'list.omits-newest',
    violates: 'leaves the newest record out of the list',
    rules: ['list.shows-record'],
    applies: listsOwn,
    decorate: ({ model }) =>
      onEngine(model, (inner) => ({
        list: listing(inner, (records) => records.filter((record) => record !== newestOf(records))),
      })),
  }),
  modelDefect({
    name: 'list.omits-updated',
    violates: 'leaves records out of the list once they were updated',
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
    violates: 'answers every list with no record',
    rules: ['list.shows-record'],
    applies: listsOwn,
    decorate: ({ model }) => onEngine(model, (inner) => ({ list: listing(inner, () => []) })),
  }),
  modelDefect({
    name: 'list.repeats-newest',
    violates: 'shows the newest record twice in the list',
    rules: ['list.shows-record'],
    applies: listsOwn,
    decorate: ({ model }) =>
      onEngine(model, (inner) => ({
        list: listing(inner, (records) => [...records, ...records.slice(-1)]),
      })),
  }),
  modelDefect({
    name: 'list.repeats-oldest',
    violates: 'shows the oldest record twice in the list',
    rules: ['advice.list-ids-unique'],
    decorate: ({ model }) =>
      onEngine(model, (inner) => ({
        list: listing(inner, (records) => [...records.slice(0, 1), ...records]),
      })),
  }),
  modelDefect({
    name: 'list.mixes-models',
    violates: 'shows a record of another model in the list',
    rules: ['required.present', 'list.agrees', 'fields.only', 'advice.fields-only', 'advice.list-ids-unique'],
    applies: (_, { catalogue }) => catalogue.models.size > 1,
    decorate: ({ model }, contract) => {
      const { catalogue, profile } = contract;
      const names = [...catalogue.models.keys()].filter((name) => name !== model.name);
      const pointer = profile['response.records'];
      return onOperation(model, ['list'], contract, async ({ request }, inner) => {
        const reply = await inner();
        if (!isSuccess(reply)) return reply;
        for (const name of names) {
          const other = await inner(redirect(request, `${catalogue.base}/${name}`, 'GET'));
          const found = isSuccess(other) ? valueAt(JSON.parse(other.body), pointer) : undefined;
          if (!Array.isArray(found) || found.length === 0) continue;
          const body = replaceAt(JSON.parse(reply.body), splitPointer(pointer), (records) =>
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
    violates: 'shows a field of a record with the value of the record before it in the list',
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
    violates: 'shows no value of an optional field in the list',
    rules: ['list.shows-record'],
    applies: (field, model) => isWritable(field) && !field.required && listsOwn(model),
    decorate: ({ model, field }) =>
      onEngine(model, (inner) => showing(inner, ['list'], (record) => ({ ...record, [field.name]: null }))),
  }),
  fieldDefect({
    name: 'list.shows-old-value',
    violates: 'shows a field in the list with the value it had before an update',
    rules: ['list.shows-update'],
    applies: (field, model) => isWritable(field) && listsOwn(model) && has(model, 'update'),
    decorate: ({ model, field }) =>
      onEngine(model, (inner) => {
        const made = new Map<unknown, RecordValues>();
        return {
          create: async (_, draft) => {
            const result = await inner.create(model, draft);
            if (isOne(result)) made.set(result.record.id, result.record);
            return result;
          },
          ...showing(inner, ['list'], (record) => {
            const old = made.get(record.id);
            return old ? { ...record, [field.name]: old[field.name] ?? null } : record;
          }),
        };
      }),
  }),
  modelDefect({
    name: 'list.pages-overlap',
    violates: 'begins a page with the last record of the page before',
    rules: ['advice.pages-part-list', 'profile.list.paging'],
    applies: (model, { profile }) => listsOwn(model) && profile['list.paging'] !== 'none',
    decorate: ({ model }) =>
      onEngine(model, (inner) => ({
        list: (_, query) => inner.list(model, { ...query, offset: Math.max(0, (query.offset ?? 0) - 1) }),
      })),
  }),
  modelDefect({
    name: 'list.pages-skip',
    violates: 'leaves a record out between two pages',
    rules: ['advice.pages-part-list'],
    applies: (model, { profile }) => listsOwn(model) && profile['list.paging'] !== 'none',
    decorate: ({ model }) =>
      onEngine(model, (inner) => ({
        list: (_, query) =>
          inner.list(model, { ...query, offset: (query.offset ?? 0) > 0 ? (query.offset ?? 0) + 1 : 0 }),
      })),
  }),
  modelDefect({
    name: 'list.ignores-page',
    violates: 'answers every page with the first one',
    rules: ['profile.list.paging', 'advice.pages-part-list'],
    applies: (model, { profile }) => listsOwn(model) && profile['list.paging'] !== 'none',
    decorate: ({ model }) =>
      onEngine(model, (inner) => ({ list: (_, query) => inner.list(model, { ...query, offset: 0 }) })),
  }),
  modelDefect({
    name: 'list.wrong-total',
    violates: 'says that there is one record more than there are',
    rules: ['profile.response.total'],
    applies: (_, { profile }) => profile['response.total'] !== 'none',
    decorate: ({ model }) =>
      onEngine(model, (inner) => ({
        list: async (_, query) => {
          const found = await inner.list(model, query);
          return { ...found, total: found.total + 1 };
        },
      })),
  }),
  modelDefect({
    name: 'list.ignores-sort',
    violates: 'shows a list in the order of ids whatever it is to be sorted by',
    rules: ['profile.list.sort'],
    applies: (model, { profile }) => listsOwn(model) && profile['list.sort'] === 'field',
    decorate: ({ model }) =>
      onEngine(model, (inner) => ({ list: (_, { sort: __, ...query }) => inner.list(model, query) })),
  }),
  fieldDefect({
    name: 'list.ignores-filter',
    violates: 'shows all records whatever value of a field a list is filtered by',
    rules: ['profile.list.filter'],
    applies: (field, model, { profile }) =>
      listsOwn(model) && profile['list.filter'] === 'equality' && isFilter(field),
    decorate: ({ model, field }) =>
      onEngine(model, (inner) => ({
        list: (_, { where = [], ...query }) =>
          inner.list(model, { ...query, where: where.filter(([name]) => name !== field.name) }),
      })),
  }),
  fieldDefect({
    name: 'list.filter-omits',
    violates: 'leaves a record out of a list filtered by the value it has',
    rules: ['profile.list.filter'],
    applies: (field, model, { profile }) =>
      listsOwn(model) && profile['list.filter'] === 'equality' && isFilter(field),
    decorate: ({ model, field }) =>
      onEngine(model, (inner) => ({
        list: (_, query) =>
          query.where?.some(([name]) => name === field.name)
            ? listing(inner, () => [])(model, query)
            : inner.list(model, query),
      })),
  }),
];

/** The fields that the suite filters by: the id, and those whose wire form is one text in a query. */
function isFilter(field: Field): boolean {
  if (field.common) return field.name === 'id';
  return isWritable(field) && ['int', 'string', 'bool', 'date', 'currency', 'email'].includes(field.type);
}
