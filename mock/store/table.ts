import { type SortKey, sortKey } from '../../spec/types/sort-key.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import {
  type Condition,
  comparisonBy,
  conditionOf,
  type Entry,
  entryOf,
  firstIndex,
  isMarked,
  meetsAll,
  partsOf,
  searchRecords,
  sortRecords,
} from './search.ts';
import type { Filter, Found, Layout, Query, Sort } from './store.ts';

/** All records are searched if there are at most this many. */
const FEW = 1000;
/** Maximum number of orders that a table keeps; the least recently used one is dropped. */
const MOST_ORDERS = 8;
/** With more writes between two uses of an order, sorting again is faster. */
const MOST_UNSEEN = 100;
/** Sorting one record costs as much as walking this number of records in an order. */
const WALKED = 50;
/** A filter by a field looks at all records this often before there is an order by the field. */
const LOOKS = 2;
/** Maximum number of cached pages, and of the records of one. */
const MOST_PAGES = 8;
const LONGEST_PAGE = 100;

/** The records of one model in a session or a snapshot. */
export type Table = {
  /** Identifies the session that can write to it. For all others, it is shared, and they copy it first. */
  readonly owner: object;
  /** All records, ordered by ID. */
  readonly records: ReadonlyMap<number, RecordValues>;
  /** The last ID that was used. */
  readonly lastId: number;
  get(id: number): RecordValues | undefined;
  find(query: Query): Found;
  put(record: RecordValues): void;
  remove(id: number): void;
  nextId(model: string): number;
  /** `lastId` is the last ID that was used, if it is higher than those of the records. */
  copy(owner: object, lastId?: number): Table;
};

/** Records in an order that lists were asked for in, kept while they change. */
type Order = {
  readonly sort: readonly Sort[];
  readonly liveOnly: boolean;
  readonly entries: Entry[];
  /** The number of changes since the last use. */
  unseen: number;
};

type Content = {
  readonly layout: Layout;
  readonly all: Map<number, RecordValues>;
  /** The records that are not marked as deleted, so that lists and totals need no search. */
  readonly live: Map<number, RecordValues>;
  /** By link to a parent, the IDs with each value. */
  readonly links: Map<string, Map<SortKey, Set<number>>>;
  /** By name, the most recently used one last. */
  readonly orders: Map<string, Order>;
  /** The number of times that an order was missing, by name. */
  readonly asked: Map<string, number>;
  /** The pages that were asked for since the last write. */
  readonly pages: Map<string, Found>;
  lastId: number;
};

/** Returns a table with some records, sorted by ID. */
export function createTable(
  layout: Layout,
  model: string,
  given: { readonly owner: object; readonly records?: Iterable<RecordValues>; readonly lastId?: number },
): Table {
  const fields = layout.links.get(model) ?? [];
  const links: Content['links'] = new Map(fields.map((field) => [field, new Map()]));
  const maps = { all: new Map(), live: new Map(), orders: new Map(), asked: new Map(), pages: new Map() };
  const content: Content = { layout, ...maps, links, lastId: 0 };
  for (const record of given.records ?? []) putRecord(content, record);
  // A record whose ID is not the last one costs a sort, so that this comes last.
  content.lastId = Math.max(content.lastId, given.lastId ?? 0);
  return tableOf(content, given.owner);
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
    copy: (other, lastId = 0) => tableOf(copyContent(content, lastId), other),
  };
}

function copyContent({ all, asked, lastId, layout, links, live, orders }: Content, last: number): Content {
  const copied = [...links].map(([field, index]) => {
    const values = [...index].map(([key, ids]) => [key, new Set(ids)] as const);
    return [field, new Map(values)] as const;
  });
  const sorted = [...orders].map(
    ([name, order]) => [name, { ...order, entries: order.entries.slice() }] as const,
  );
  return {
    layout,
    all: new Map(all),
    live: new Map(live),
    links: new Map(copied),
    orders: new Map(sorted),
    asked: new Map(asked),
    pages: new Map(),
    lastId: Math.max(lastId, last),
  };
}

/** Throws RangeError if there is no ID after the last one. */
export function idAfter(lastId: number, model: string): number {
  if (lastId >= Number.MAX_SAFE_INTEGER)
    throw new RangeError(`No ID is left for ${model} after ${lastId}. Reset the session, or use lower IDs.`);
  return lastId + 1;
}

function removeRecord(table: Content, id: number): void {
  change(table, id, undefined);
  table.all.delete(id);
  table.live.delete(id);
}

function putRecord(table: Content, record: RecordValues): void {
  const id = Number(record.id);
  change(table, id, record);
  const isNewest = id >= table.lastId;
  setInOrder(table.all, id, record, isNewest);
  if (isMarked(record, table.layout.mark)) table.live.delete(id);
  else setInOrder(table.live, id, record, isNewest);
  table.lastId = Math.max(table.lastId, id);
}

/** A map keeps the order in which keys came. A key that comes late is the exception, and costs a sort. */
function setInOrder(records: Content['all'], id: number, record: RecordValues, isNewest: boolean): void {
  const isLate = !isNewest && !records.has(id);
  records.set(id, record);
  if (!isLate) return;
  const sorted = [...records].sort(([one], [other]) => one - other);
  records.clear();
  for (const [key, value] of sorted) records.set(key, value);
}

/** Replaces a record in the pages, links, and orders. */
function change(table: Content, id: number, record: RecordValues | undefined): void {
  const known = table.all.get(id);
  table.pages.clear();
  for (const [field, index] of table.links) {
    if (known) index.get(linkKey(known, field))?.delete(id);
    if (!record) continue;
    const key = linkKey(record, field);
    const ids = index.get(key) ?? new Set();
    index.set(key, ids.add(id));
  }
  for (const [name, order] of table.orders) {
    const isIn = (one: RecordValues | undefined): one is RecordValues =>
      one !== undefined && !(order.liveOnly && isMarked(one, table.layout.mark));
    if (isIn(known)) order.entries.splice(placeOf(order, known), 1);
    if (isIn(record)) order.entries.splice(placeOf(order, record), 0, entryOf(record, order.sort));
    order.unseen += 1;
    if (order.unseen > MOST_UNSEEN) table.orders.delete(name);
  }
}

function placeOf({ entries, sort }: Order, record: RecordValues): number {
  const [compare, entry] = [comparisonBy(sort), entryOf(record, sort)];
  return firstIndex(entries, (one) => compare(one, entry) >= 0);
}

function linkKey(record: RecordValues, field: string): SortKey {
  return sortKey('int', record[field] ?? null);
}

function findRecords(table: Content, query: Query): Found {
  const { filters = [], liveOnly, offset = 0, size = Number.POSITIVE_INFINITY, sort = [] } = query;
  if (filters.length + sort.length === 0) return pageOf(table, liveOnly, offset, size);
  const records = liveOnly ? table.live : table.all;
  const linked = linkedRecords(table, records, filters);
  if (linked || records.size <= FEW) return searchRecords(linked ?? records.values(), query);
  return searchOrders(table, records, query);
}

/** Returns the same object until the next write, so that it is serialized once, too (reply.ts). */
function pageOf({ all, live, pages }: Content, liveOnly: boolean, offset: number, size: number): Found {
  const name = `${liveOnly} ${offset} ${size}`;
  const known = pages.get(name);
  if (known) return known;
  const records = liveOnly ? live : all;
  const page = { records: [...cut(records.values(), offset, offset + size)], total: records.size };
  if (page.records.length > LONGEST_PAGE) return page;
  if (pages.size >= MOST_PAGES) pages.clear();
  pages.set(name, page);
  return page;
}

/** Returns the record with an ID, or the records with a link, ordered by ID; undefined if no filter is for one. */
function linkedRecords(
  { links }: Content,
  records: ReadonlyMap<number, RecordValues>,
  filters: readonly Filter[],
): RecordValues[] | undefined {
  for (const { field, operator, values } of filters) {
    const index = links.get(field);
    if (operator !== 'equal' || (!index && field !== 'id')) continue;
    const key = sortKey('int', values[0] ?? null);
    const ids = index ? [...(index.get(key) ?? [])].sort((one, other) => one - other) : [Number(key)];
    return ids.map((id) => records.get(id)).filter((record) => record !== undefined);
  }
  return undefined;
}

/** Finds the same as `searchRecords`. For many records, the first search costs a sort, and the next ones a look-up. */
function searchOrders(table: Content, records: ReadonlyMap<number, RecordValues>, query: Query): Found {
  const { filters = [], liveOnly, offset = 0, size = Number.POSITIVE_INFINITY, sort = [] } = query;
  const conditions = filters.map(conditionOf);
  const ordered = () =>
    sort.length > 0 ? orderFor(table, sort, liveOnly).values().map(recordOf) : records.values();
  if (conditions.length === 0) {
    const page = orderFor(table, sort, liveOnly).slice(offset, offset + size);
    return { records: page.map(recordOf), total: records.size };
  }
  const { take, total } = matching(table, records, conditions, liveOnly);
  if (size === 0) return { records: [], total };
  if (total * WALKED <= records.size)
    return { records: sortRecords(take(), sort).slice(offset, offset + size), total };
  const end = Math.min(offset + size, total);
  return { records: [...cut(ordered(), offset, end, meetsAll(conditions))], total };
}

/** Returns the matching records, in no order, and their number. Begins with the condition that the fewest records meet. */
function matching(
  table: Content,
  records: ReadonlyMap<number, RecordValues>,
  conditions: readonly Condition[],
  liveOnly: boolean,
): { readonly total: number; take(): readonly RecordValues[] } {
  const [narrowest] = conditions
    .flatMap((condition) => {
      const { field, ranges, type } = condition;
      const sort = [{ field, type, descending: false }];
      if (!ranges || !isWorthwhile(table, sort, liveOnly)) return [];
      const entries = orderFor(table, sort, liveOnly);
      const parts = partsOf(entries, ranges);
      const count = parts.reduce((sum, [from, to]) => sum + Math.max(0, to - from), 0);
      return [
        { condition, count, take: () => parts.flatMap((part) => entries.slice(...part).map(recordOf)) },
      ];
    })
    .sort((one, other) => one.count - other.count);
  const others = conditions.filter((one) => one !== narrowest?.condition);
  if (narrowest && others.length === 0) return { total: narrowest.count, take: narrowest.take };
  const found = (narrowest ? narrowest.take() : [...records.values()]).filter(meetsAll(others));
  return { total: found.length, take: () => found };
}

/** Whether there is an order, or one costs less than looking at all records again. */
function isWorthwhile({ asked, orders }: Content, sort: readonly Sort[], liveOnly: boolean): boolean {
  const name = nameOf(sort, liveOnly);
  if (orders.has(name)) return true;
  const times = (asked.get(name) ?? 0) + 1;
  asked.set(name, times);
  return times > LOOKS;
}

function orderFor(
  { all, live, orders }: Content,
  sort: readonly Sort[],
  liveOnly: boolean,
): readonly Entry[] {
  const name = nameOf(sort, liveOnly);
  const order = orders.get(name) ?? createOrder((liveOnly ? live : all).values(), sort, liveOnly);
  orders.delete(name);
  orders.set(name, order);
  order.unseen = 0;
  const [oldest] = orders.keys();
  if (orders.size > MOST_ORDERS && oldest !== undefined) orders.delete(oldest);
  return order.entries;
}

function createOrder(records: Iterable<RecordValues>, sort: readonly Sort[], liveOnly: boolean): Order {
  const entries = Array.from(records, (record) => entryOf(record, sort)).sort(comparisonBy(sort));
  return { sort, liveOnly, entries, unseen: 0 };
}

function nameOf(sort: readonly Sort[], liveOnly: boolean): string {
  return JSON.stringify([liveOnly, sort.map(({ descending, field, type }) => [field, type, descending])]);
}

function recordOf({ record }: Entry): RecordValues {
  return record;
}

/** Yields a part of the wanted records. */
function* cut(
  records: Iterable<RecordValues>,
  offset: number,
  end: number,
  isWanted: Condition['holds'] = () => true,
): Generator<RecordValues> {
  let index = 0;
  for (const record of records) {
    if (index >= end) return;
    if (!isWanted(record)) continue;
    if (index >= offset) yield record;
    index += 1;
  }
}
