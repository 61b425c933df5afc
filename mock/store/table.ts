import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { searchRecords } from './search.ts';
import type { Found, Query } from './store.ts';

/** The records of one model in memory. */
export type Table = {
  readonly all: Map<number, RecordValues>;
  /** The same records without those marked as deleted: lists and their totals need no search. */
  readonly live: Map<number, RecordValues>;
  /** By indexed field: the ids that have a value. */
  readonly indexes: Map<string, Map<Value, Set<number>>>;
  lastId: number;
  /** Who may write to it; for everybody else it is shared and has to be copied first. */
  readonly owner: object;
};

export function createTable(indexed: readonly string[], owner: object): Table {
  const indexes = new Map(indexed.map((field) => [field, new Map<Value, Set<number>>()]));
  return { all: new Map(), live: new Map(), indexes, lastId: 0, owner };
}

export function copyTable({ all, live, indexes, lastId }: Table, owner: object): Table {
  const copied = [...indexes].map(([field, index]) => {
    const values = [...index].map(([value, ids]) => [value, new Set(ids)] as const);
    return [field, new Map(values)] as const;
  });
  return { all: new Map(all), live: new Map(live), indexes: new Map(copied), lastId, owner };
}

export function nextIdOf(table: Table, model: string): number {
  if (table.lastId >= Number.MAX_SAFE_INTEGER)
    throw new RangeError(`${model} ${table.lastId} has the last id there is`);
  table.lastId += 1;
  return table.lastId;
}

export function removeRecord(table: Table, id: number): void {
  unindex(table, table.all.get(id));
  table.all.delete(id);
  table.live.delete(id);
}

export function putRecord(table: Table, record: RecordValues): void {
  const id = Number(record.id);
  unindex(table, table.all.get(id));
  const newest = id >= table.lastId;
  setInOrder(table.all, id, record, newest);
  if (record.deleted === true) table.live.delete(id);
  else setInOrder(table.live, id, record, newest);
  table.lastId = Math.max(table.lastId, id);
  for (const [field, index] of table.indexes) {
    const value = record[field] ?? null;
    const ids = index.get(value) ?? new Set();
    index.set(value, ids.add(id));
  }
}

/** A map keeps the order in which keys came; a key that comes late is the exception, and costs a sort. */
function setInOrder(
  records: Map<number, RecordValues>,
  id: number,
  record: RecordValues,
  newest: boolean,
): void {
  const late = !newest && !records.has(id);
  records.set(id, record);
  if (!late) return;
  const sorted = [...records].sort(([one], [other]) => one - other);
  records.clear();
  for (const [key, value] of sorted) records.set(key, value);
}

function unindex(table: Table, record: RecordValues | undefined): void {
  if (!record) return;
  for (const [field, index] of table.indexes) {
    const value = record[field] ?? null;
    const ids = index.get(value);
    ids?.delete(Number(record.id));
    if (ids?.size === 0) index.delete(value);
  }
}

export function findRecords(table: Table, query: Query): Found {
  const records = query.liveOnly ? table.live : table.all;
  const { filters = [], where = [], sort = [], offset = 0, size = Number.POSITIVE_INFINITY } = query;
  if (where.length + filters.length + sort.length > 0)
    return searchRecords(candidates(table, records, where), query);
  return { records: slice(records.values(), offset, offset + size), total: records.size };
}

/** The records of an index where one of the fields has one, in the order of their ids; else all. */
function candidates(
  table: Table,
  records: Map<number, RecordValues>,
  where: readonly (readonly [string, Value])[],
): Iterable<RecordValues> {
  for (const [field, value] of where) {
    const index = table.indexes.get(field);
    if (!index) continue;
    const ids = [...(index.get(value) ?? [])].sort((one, other) => one - other);
    return ids.map((id) => records.get(id)).filter((record) => record !== undefined);
  }
  return records.values();
}

function slice(records: Iterable<RecordValues>, offset: number, end: number): RecordValues[] {
  const wanted: RecordValues[] = [];
  let index = 0;
  for (const record of records) {
    if (index >= end) break;
    if (index >= offset) wanted.push(record);
    index += 1;
  }
  return wanted;
}
