import { placeIn } from '../../spec/profile/profile.ts';
import { valueAt } from '../../spec/wire/json-pointer.ts';
import { pointerFor } from '../../spec/wire/model-place.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { ModelEngine } from '../engine/engine.ts';
import { splitTarget } from '../http/http.ts';
import type { Filter } from '../store/store.ts';
import {
  type At,
  type DefectTable,
  each,
  fieldsIf,
  isOptional,
  isWritable,
  models,
  modelsIf,
  writable,
} from './defect.ts';
import { hides, lists, noting, queries, showing } from './on-engine.ts';
import { isSuccess, onBody, onSuccess, redirect, responds, type Wire } from './on-wire.ts';
import { isNamed, membersOf, wrongForm } from './values.ts';

const inPages = modelsIf(['create', 'list'], ({ profile }) => profile['list.paging'] !== 'none');

/** The fields that the suite filters by: the ID, and those whose wire form is one string in a query. */
const inFilters = fieldsIf(['create', 'list'], (at) => {
  const { common, name, type } = at.field;
  if (common) return name === 'id' && at.profile['list.filter'] !== 'none';
  return (
    at.profile['list.filter'] !== 'none' &&
    isWritable(at) &&
    ['int', 'string', 'bool', 'date', 'currency', 'email'].includes(type)
  );
});
/** The strings that the suite searches for a part. */
const inSearches = fieldsIf(
  ['create', 'list'],
  (at) =>
    ['contains', 'brackets'].includes(at.profile['list.filter']) &&
    isWritable(at) &&
    ['string', 'email'].includes(at.field.type),
);
const isEqual = ({ field: name, operator }: Filter, { field }: At) =>
  name === field.name && operator === 'equal';

/** Lists (section 4, rule 4). */
export const LISTS: DefectTable = {
  'list.omits-newest': {
    places: models('create', 'list'),
    record: lists((records) => {
      const newest = Math.max(...records.map(({ id }) => Number(id)));
      return records.filter(({ id }) => id !== newest);
    }),
  },
  'list.omits-updated': {
    places: models('create', 'list', 'update'),
    record: (own, at) => {
      const updated = new Set<unknown>();
      return {
        ...lists((records) => records.filter(({ id }) => !updated.has(id)))(own, at),
        update: (id, draft) => {
          updated.add(id);
          return own.update(id, draft);
        },
      };
    },
  },
  'list.omits-value': {
    places: each(writable('create', 'list'), membersOf),
    record: lists((records, { detail, field: { name } }) =>
      records.filter((record) => !isNamed(record[name] ?? null, detail)),
    ),
  },
  'list.empty': { places: models('create', 'list'), record: lists(() => []) },
  'list.repeats-newest': {
    places: models('create', 'list'),
    record: lists((records) => [...records, ...records.slice(-1)]),
  },
  'list.repeats-oldest': {
    places: models(),
    record: lists((records) => [...records.slice(0, 1), ...records]),
  },
  'list.mixes-models': {
    places: modelsIf([], ({ catalogue }) => catalogue.models.size > 1),
    response: responds(['list'], async (call, next, at) => {
      const reply = await next();
      if (!isSuccess(reply)) return reply;
      const pointerOf = (name: string) => pointerFor(at.profile['response.records'], name);
      for (const model of at.catalogue.models.values()) {
        if (model.name === at.model.name) continue;
        const other = await next(redirect({ catalogue: at.catalogue, model }, call));
        const found = isSuccess(other) ? valueAt(JSON.parse(other.body), pointerOf(model.name)) : undefined;
        if (!Array.isArray(found) || found.length === 0) continue;
        return onBody(reply, pointerOf(at.model.name), (records) =>
          Array.isArray(records) ? [...records, found.at(-1)] : records,
        );
      }
      return reply;
    }),
  },
  'list.mixes-fields': {
    places: writable(),
    record: lists((records, { field: { name } }) =>
      records.map((record, index) => ({ ...record, [name]: (records[index - 1] ?? record)[name] ?? null })),
    ),
  },
  'list.drops-field': { places: fieldsIf(['create', 'list'], isOptional), record: hides('list') },
  'list.shows-old-value': {
    places: writable('create', 'list', 'update'),
    record: (own, { field: { name } }) => {
      const made = new Map<unknown, RecordValues>();
      const create: ModelEngine['create'] = (draft) =>
        noting(own.create(draft), (record) => made.set(record.id, record));
      const shown = showing(own, ['list'], (record) => {
        const old = made.get(record.id);
        return old ? { ...record, [name]: old[name] ?? null } : record;
      });
      return { ...shown, create };
    },
  },
  'list.pages-overlap': {
    places: inPages,
    record: queries((query) => ({ ...query, offset: Math.max(0, (query.offset ?? 0) - 1) })),
  },
  'list.pages-skip': {
    places: inPages,
    record: queries((query) => ({ ...query, offset: query.offset ? query.offset + 1 : 0 })),
  },
  'list.ignores-page': { places: inPages, record: queries((query) => ({ ...query, offset: 0 })) },
  'list.wrong-total': {
    places: modelsIf([], ({ profile }) => profile['response.total'] !== 'none'),
    record: (own) => ({
      list: async (query) => {
        const found = await own.list(query);
        return { ...found, total: found.total + 1 };
      },
    }),
  },
  'list.ignores-sort': {
    places: modelsIf(['create', 'list'], ({ profile }) => profile['list.sort'] !== 'none'),
    record: queries(({ sort: _, ...query }) => query),
  },
  'list.ignores-filter': {
    places: inFilters,
    record: queries(({ filters = [], ...query }, at) => {
      return { ...query, filters: filters.filter((filter) => !isEqual(filter, at)) };
    }),
  },
  'list.filter-omits': {
    places: inFilters,
    record: (own, at) => ({
      list: (query) =>
        (query.filters?.some((filter) => isEqual(filter, at)) ? lists(() => [])(own, at) : own).list(query),
    }),
  },
  'list.contains-whole': {
    places: inSearches,
    record: queries(({ filters = [], ...query }, { field: { name } }) => {
      const isSearch = (filter: Filter) => filter.field === name && filter.operator === 'contains';
      return {
        ...query,
        filters: filters.map((filter) => (isSearch(filter) ? { ...filter, operator: 'equal' } : filter)),
      };
    }),
  },
  'list.plain-empty': { places: models('list', 'retrieve'), response: onPlainList(() => []) },
  'list.plain-omits-newest': {
    places: models('create', 'list'),
    response: onPlainList((records) => {
      const newest = Math.max(...records.map(({ id }) => Number(id)));
      return records.filter(({ id }) => id !== newest);
    }),
  },
  'list.plain-lacks-required': {
    places: fieldsIf([], ({ field }) => field.required),
    response: onPlainList((records, { field }) => records.map(({ [field.name]: _, ...others }) => others)),
  },
  'list.plain-wrong-type': {
    places: fieldsIf([], () => true),
    response: onPlainList((records, { field }) =>
      records.map((record) => ({ ...record, [field.name]: wrongForm(field) })),
    ),
  },
  'list.plain-drops-field': {
    places: fieldsIf(['create', 'list'], isOptional),
    response: onPlainList((records, { field: { name } }) =>
      records.map((record) => ({ ...record, [name]: null })),
    ),
  },
};

/** Changes the records on the wire in a list that is requested without a query, as the source shows it. */
function onPlainList(alter: (records: readonly Wire[], at: At) => readonly Wire[]) {
  return onSuccess(['list'], (reply, { request }, at) => {
    const { profile, model } = at;
    const asked = new URLSearchParams(splitTarget(request.target)[1]);
    asked.delete(placeIn(profile.version)?.name ?? '');
    if (asked.size > 0) return reply;
    return onBody(reply, pointerFor(profile['response.records'], model.name), (found) =>
      Array.isArray(found) ? alter(found, at) : found,
    );
  });
}
