import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { allOf, type Condition, conditionsOf } from './condition.ts';
import {
  comparison,
  copyOrder,
  createOrder,
  isMarked,
  type Order,
  type OrderKey,
  replaceIn,
} from './order.ts';
import { searchRecords } from './search.ts';
import type { Found, Layout, Query } from './store.ts';

/** The most orders that a table keeps; the one unused longest goes. */
const MOST_ORDERS = 8;

/** Sorting one record costs as much as walking this number of records in a kept order. */
const WALKED = 50;

/** How often all are looked at for a condition before there is an order for it. */
const LOOKS = 2;

/** The records of one model in a session or a snapshot. */
export type Table = {
  /** Identifies the session that can write to it. For all others, it is shared, and they copy it first. */
  readonly owner: object;
  /** The last ID that was used. */
  readonly lastId: number;
  get(id: number): RecordValues | undefined;
  /** Resolves to undefined if the records were removed during the search. */
  find(query: Query): Found | Promise<Found | undefined>;
  put(record: RecordValues): void;
  remove(id: number): void;
  nextId(model: string): number;
  copy(owner: object): Table;
  /** All records of a table in memory. */
  readonly records?: ReadonlyMap<number, RecordValues> | undefined;
};

/** The records of a table in memory, with their indexes and orders. */
type Content = {
  readonly all: Map<number, RecordValues>;
  /** The same records without those marked as deleted: lists and their totals need no search. */
  readonly live: Map<number, RecordValues>;
  /** By indexed field: the ids that have a value. */
  readonly indexes: Map<string, Map<Value, Set<number>>>;
  readonly orders: Orders;
  /** Pages that were asked for since something was written, by what was asked. */
  readonly pages: Map<string, Found>;
  lastId: number;
};

/** Returns a table with some records, sorted by ID. */
export function createTable(
  { links, mark }: Layout,
  model: string,
  given: {
    readonly owner: object;
    readonly records?: Iterable<RecordValues>;
    /** The last ID that was used, if it is not that of a record. */
    readonly lastId?: number;
  },
): Table {
  const { lastId = 0, owner, records = [] } = given;
  const fields = links.get(model) ?? [];
  const indexes = new Map(fields.map((field) => [field, new Map<Value, Set<number>>()]));
  const orders = createOrders(mark);
  const content: Content = { all: new Map(), live: new Map(), indexes, orders, pages: new Map(), lastId: 0 };
  for (const record of records) putRecord(content, record);
  // A record whose ID is not the last one costs a sort, so that this comes last.
  content.lastId = Math.max(content.lastId, lastId);
  return tableOf(content, owner);
}

function tableOf(content: Content, owner: object): Table {
  return {
    owner,
    records: content.all,
    get lastId() {
      return content.lastId;
    },
    get: (id) => content.all.get(id),
    find: (query) => findRecords(content, query),
    put: (record) => putRecord(content, record),
    remove: (id) => removeRecord(content, id),
    nextId: (model) => {
      content.lastId = idAfter(content.lastId, model);
      return content.lastId;
    },
    copy: (other) => tableOf(copyContent(content), other),
  };
}

function copyContent({ all, live, indexes, lastId, orders }: Content): Content {
  const copied = [...indexes].map(([field, index]) => {
    const values = [...index].map(([value, ids]) => [value, new Set(ids)] as const);
    return [field, new Map(values)] as const;
  });
  return {
    all: new Map(all),
    live: new Map(live),
    indexes: new Map(copied),
    orders: copyOrders(orders),
    pages: new Map(),
    lastId,
  };
}

/** Throws RangeError if there is no ID after the last one. */
export function idAfter(lastId: number, model: string): number {
  if (lastId >= Number.MAX_SAFE_INTEGER)
    throw new RangeError(`No ID is left for ${model} after ${lastId}. Reset the session, or use lower IDs.`);
  return lastId + 1;
}

function removeRecord(table: Content, id: number): void {
  const known = table.all.get(id);
  table.pages.clear();
  unindex(table, known);
  reorder(table.orders, known, undefined);
  table.all.delete(id);
  table.live.delete(id);
}

function putRecord(table: Content, record: RecordValues): void {
  const id = Number(record.id);
  const known = table.all.get(id);
  table.pages.clear();
  unindex(table, known);
  reorder(table.orders, known, record);
  const newest = id >= table.lastId;
  setInOrder(table.all, id, record, newest);
  if (isMarked(record, table.orders.mark)) table.live.delete(id);
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

function unindex(table: Content, record: RecordValues | undefined): void {
  if (!record) return;
  for (const [field, index] of table.indexes) {
    const value = record[field] ?? null;
    const ids = index.get(value);
    ids?.delete(Number(record.id));
    if (ids?.size === 0) index.delete(value);
  }
}

/** Of so few records all are looked at. */
const FEW = 1000;
/** How many pages of a table are known, and the longest of them. */
const MOST_PAGES = 8;
const LONGEST_PAGE = 100;

function findRecords(table: Content, query: Query): Found {
  const records = query.liveOnly ? table.live : table.all;
  const { filters = [], where = [], sort = [], offset = 0, size = Number.POSITIVE_INFINITY } = query;
  if (where.length + filters.length + sort.length === 0) return pageOf(table, query.liveOnly, offset, size);
  const linked = linkedRecords(table, records, where);
  if (linked || records.size <= FEW) return searchRecords(linked ?? records.values(), query);
  return searchOrders(table.orders, records, query);
}

/** The same object until something is written, so that its text is written once too (reply.ts). */
function pageOf({ all, live, pages }: Content, liveOnly: boolean, offset: number, size: number): Found {
  const name = `${liveOnly} ${offset} ${size}`;
  const known = pages.get(name);
  if (known) return known;
  const records = liveOnly ? live : all;
  const page = { records: cut(records.values(), offset, offset + size), total: records.size };
  if (page.records.length > LONGEST_PAGE) return page;
  if (pages.size >= MOST_PAGES) pages.clear();
  pages.set(name, page);
  return page;
}

/** The records of an ID, or of an index of links where one of the fields has one, in the order of their IDs. */
function linkedRecords(
  table: Content,
  records: ReadonlyMap<number, RecordValues>,
  where: readonly (readonly [string, Value])[],
): RecordValues[] | undefined {
  for (const [field, value] of where) {
    if (field === 'id') {
      const record = records.get(Number(value));
      return record ? [record] : [];
    }
    const index = table.indexes.get(field);
    if (!index) continue;
    const ids = [...(index.get(value) ?? [])].sort((one, other) => one - other);
    return ids.map((id) => records.get(id)).filter((record) => record !== undefined);
  }
  return undefined;
}

/** The orders that lists of one table were asked for in, kept while its records change. */
type Orders = {
  /** The field that marks a deleted record. */
  readonly mark: string | undefined;
  /** By name, the one used last behind. */
  readonly kept: Map<string, Order>;
  /** How often one was asked for that is not kept. */
  readonly asked: Map<string, number>;
};

type Records = ReadonlyMap<number, RecordValues>;

function createOrders(mark: string | undefined): Orders {
  return { mark, kept: new Map(), asked: new Map() };
}

function copyOrders({ asked, kept, mark }: Orders): Orders {
  return {
    mark,
    kept: new Map([...kept].map(([name, order]) => [name, copyOrder(order)])),
    asked: new Map(asked),
  };
}

/** Replaces a record in the kept orders; either version can be absent. */
function reorder({ kept, mark }: Orders, was: RecordValues | undefined, is: RecordValues | undefined): void {
  for (const [name, order] of kept) if (!replaceIn(order, was, is, mark)) kept.delete(name);
}

/** What `searchRecords` finds; of many records those asked for first cost a sort, and then a look-up. */
function searchOrders(orders: Orders, records: Records, query: Query): Found {
  const { liveOnly, offset = 0, size = Number.POSITIVE_INFINITY, sort = [] } = query;
  const end = offset + size;
  const conditions = conditionsOf(query);
  const walked = () => (sort.length > 0 ? orderedBy(orders, records, sort, liveOnly) : records.values());
  if (conditions.length === 0) return { records: cut(walked(), offset, end), total: records.size };
  const { take, total } = matchingRecords(orders, records, conditions, liveOnly);
  if (total * WALKED <= records.size)
    return { records: take().sort(comparison(sort)).slice(offset, end), total };
  return { records: cut(walked(), offset, Math.min(end, total), allOf(conditions)), total };
}

/** All that match, in no order: of those of the condition that the fewest meet the ones that meet the others. */
function matchingRecords(
  orders: Orders,
  records: Records,
  conditions: readonly Condition[],
  liveOnly: boolean,
) {
  const [narrowest] = conditions
    .flatMap((condition) => {
      const { key, partsOf } = condition;
      if (!key || !isWorthwhile(orders, [key], liveOnly)) return [];
      const ordered = orderedBy(orders, records, [key], liveOnly);
      const parts = partsOf(ordered);
      return [{ condition, ordered, parts, count: parts.reduce((sum, [from, to]) => sum + to - from, 0) }];
    })
    .sort((one, other) => one.count - other.count);
  const others = conditions.filter((one) => one !== narrowest?.condition);
  if (!narrowest) return counted([...records.values()].filter(allOf(others)));
  const { count, ordered, parts } = narrowest;
  const take = () => parts.flatMap(([from, to]) => ordered.slice(from, to));
  return others.length === 0 ? { total: count, take } : counted(take().filter(allOf(others)));
}

function counted(records: RecordValues[]) {
  return { total: records.length, take: () => records };
}

/** To look at all once or twice costs less than an order. */
function isWorthwhile({ asked, kept }: Orders, keys: readonly OrderKey[], liveOnly: boolean): boolean {
  const name = nameOf(keys, liveOnly);
  if (kept.has(name)) return true;
  const times = (asked.get(name) ?? 0) + 1;
  asked.set(name, times);
  return times > LOOKS;
}

function orderedBy(
  { kept }: Orders,
  records: Records,
  keys: readonly OrderKey[],
  liveOnly: boolean,
): readonly RecordValues[] {
  const name = nameOf(keys, liveOnly);
  const order = kept.get(name) ?? createOrder(records.values(), keys, liveOnly);
  kept.delete(name);
  kept.set(name, order);
  order.unseen = 0;
  const [oldest] = kept.keys();
  if (kept.size > MOST_ORDERS && oldest !== undefined) kept.delete(oldest);
  return order.records;
}

function nameOf(keys: readonly OrderKey[], liveOnly: boolean): string {
  return JSON.stringify([liveOnly, keys]);
}

/** A part of the records that are wanted. */
function cut(
  records: Iterable<RecordValues>,
  offset: number,
  end: number,
  isWanted: Condition['holds'] = () => true,
): RecordValues[] {
  const wanted: RecordValues[] = [];
  let index = 0;
  for (const record of records) {
    if (index >= end) break;
    if (!isWanted(record)) continue;
    if (index >= offset) wanted.push(record);
    index += 1;
  }
  return wanted;
}
