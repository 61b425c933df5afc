import { fieldOf } from '../../spec/catalogue/roles.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { ModelEngine } from '../engine/engine.ts';
import type { Filter } from '../store/store.ts';
import type { At, ChangeRecords, Changes } from './defect.ts';
import { findOne, lists, neighborOf, noting, one, showing, shows } from './on-engine.ts';
import { isNamed } from './values.ts';

const isEqual = ({ field: name, operator }: Filter, { field }: At) =>
  name === field.name && operator === 'equal';

/** Changes to the records that retrieves and lists return (section 4). */
export const LISTED: Changes<ChangeRecords> = {
  'retrieve.answers-neighbor': retrieves(
    async (own, { id }) => (await neighborOf(own, id)) ?? neighborOf(own, id, 'above'),
  ),
  'retrieve.answers-first': retrieves(async (own) => (await own.list({})).records[0]),
  'retrieve.drops-field': hides('retrieve'),
  'retrieve.mixes-fields': retrieves(async (own, found, { field: { name } }) => {
    const other = await neighborOf(own, found.id);
    return other && { ...found, [name]: other[name] ?? null };
  }),
  'retrieve.changes-updated': (own, at) => {
    const name = fieldOf(at.model, 'updated')?.name ?? '';
    let times = 0;
    return showing(own, ['retrieve'], (record) => {
      const time = Date.parse(String(record[name])) + ++times * 1000;
      return { ...record, [name]: new Date(time).toISOString() };
    });
  },
  'list.omits-newest': lists((records) => {
    const newest = Math.max(...records.map(({ id }) => Number(id)));
    return records.filter(({ id }) => id !== newest);
  }),
  'list.omits-updated': (own, at) => {
    const updated = new Set<unknown>();
    return {
      ...lists((records) => records.filter(({ id }) => !updated.has(id)))(own, at),
      update: (id, draft) => {
        updated.add(id);
        return own.update(id, draft);
      },
    };
  },
  'list.omits-value': lists((records, { detail, field: { name } }) =>
    records.filter((record) => !isNamed(record[name] ?? null, detail)),
  ),
  'list.empty': lists(() => []),
  'list.repeats-newest': lists((records) => [...records, ...records.slice(-1)]),
  'list.repeats-oldest': lists((records) => [...records.slice(0, 1), ...records]),
  'list.mixes-fields': lists((records, { field: { name } }) =>
    records.map((record, index) => ({ ...record, [name]: (records[index - 1] ?? record)[name] ?? null })),
  ),
  'list.drops-field': hides('list'),
  'list.shows-old-value': (own, { field: { name } }) => {
    const made = new Map<unknown, RecordValues>();
    const shown = showing(own, ['list'], (record) => {
      const old = made.get(record.id);
      return old ? { ...record, [name]: old[name] ?? null } : record;
    });
    return {
      ...shown,
      create: (draft) => noting(own.create(draft), (record) => made.set(record.id, record)),
    };
  },
  'list.pages-overlap': queries((query) => ({ ...query, offset: Math.max(0, (query.offset ?? 0) - 1) })),
  'list.pages-skip': queries((query) => ({ ...query, offset: query.offset ? query.offset + 1 : 0 })),
  'list.ignores-page': queries((query) => ({ ...query, offset: 0 })),
  'list.wrong-total': (own) => ({
    list: async (query) => {
      const found = await own.list(query);
      return { ...found, total: found.total + 1 };
    },
  }),
  'list.ignores-sort': queries(({ sort: _, ...query }) => query),
  'list.ignores-filter': queries(({ filters = [], ...query }, at) => {
    return { ...query, filters: filters.filter((filter) => !isEqual(filter, at)) };
  }),
  'list.filter-omits': (own, at) => ({
    list: (query) =>
      (query.filters?.some((filter) => isEqual(filter, at)) ? lists(() => [])(own, at) : own).list(query),
  }),
  'list.contains-whole': queries(({ filters = [], ...query }, { field: { name } }) => {
    const isSearch = (filter: Filter) => filter.field === name && filter.operator === 'contains';
    const whole = filters.map((filter) =>
      isSearch(filter) ? { ...filter, operator: 'equal' as const } : filter,
    );
    return { ...query, filters: whole };
  }),
};

/** Retrieves another record than the one that is found. */
function retrieves(
  other: (own: ModelEngine, found: RecordValues, at: At) => Promise<RecordValues | undefined>,
): ChangeRecords {
  return (own, at) => ({
    retrieve: async (id) => {
      const found = await findOne(own, id);
      const record = found && (await other(own, found, at));
      return record ? one(record) : own.retrieve(id);
    },
  });
}

/** Shows no value of a field. */
function hides(operation: 'retrieve' | 'list'): ChangeRecords {
  return shows([operation], (record, { field }) => ({ ...record, [field.name]: null }));
}

/** Lists with another query than the requested one. */
function queries(
  change: (query: Parameters<ModelEngine['list']>[0], at: At) => Parameters<ModelEngine['list']>[0],
): ChangeRecords {
  return (own, at) => ({ list: (query) => own.list(change(query, at)) });
}
