import { type SortKey, sortKey } from '../../spec/types/sort-key.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import {
  type Condition,
  comparisonBy,
  conditionOf,
  type Entry,
  entryOf,
  firstIndex,
  meetsAll,
  partsOf,
  recordOf,
  searchRecords,
  sortEntries,
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

type RecordMap = Map<number, RecordValues>;

/** Records in an order that lists were asked for in, kept while they change. */
type Order = {
  readonly sort: readonly Sort[];
  readonly liveOnly: boolean;
  readonly entries: Entry[];
  /** The number of changes since the last use. */
  unseen: number;
};

/** Returns a table with some records, sorted by ID. `lastId` is the last used ID, if no record has it. */
export function createTable(
  layout: Layout,
  model: string,
  given: { readonly owner: object; readonly records?: Iterable<RecordValues>; readonly lastId?: number },
): Table {
  const table = new Table(layout, model, given.owner);
  for (const record of given.records ?? []) table.put(record);
  // A record whose ID is not the last one costs a sort, so that this comes last.
  table.lastId = Math.max(table.lastId, given.lastId ?? 0);
  return table;
}

/** The records of one model in a session or a snapshot. */
export class Table {
  /** Identifies the session that can write to it. For all others, it is shared, and they copy it first. */
  readonly owner: object;
  /** The last ID that was used. */
  lastId = 0;
  readonly #layout: Layout;
  readonly #model: string;
  /** All records, and those that are not marked as deleted, ordered by ID. */
  #all: RecordMap = new Map();
  #live: RecordMap = new Map();
  /** By link to a parent, the IDs with each value. */
  readonly #links: Map<string, Map<SortKey, Set<number>>>;
  /** By name, the most recently used one last. */
  readonly #orders = new Map<string, Order>();
  /** The number of times that an order was missing, by name. */
  readonly #asked = new Map<string, number>();
  /** The pages that were asked for since the last write. */
  readonly #pages = new Map<string, Found>();

  constructor(layout: Layout, model: string, owner: object) {
    this.#layout = layout;
    this.#model = model;
    this.owner = owner;
    this.#links = new Map((layout.links.get(model) ?? []).map((field) => [field, new Map()]));
  }

  /** All records, ordered by ID. */
  get records(): ReadonlyMap<number, RecordValues> {
    return this.#all;
  }

  get(id: number): RecordValues | undefined {
    return this.#all.get(id);
  }

  /** Returns the next ID. Throws RangeError if there is none. */
  nextId(): number {
    this.lastId = idAfter(this.lastId, this.#model);
    return this.lastId;
  }

  copy(owner: object): Table {
    const copy = new Table(this.#layout, this.#model, owner);
    copy.lastId = this.lastId;
    copy.#all = new Map(this.#all);
    copy.#live = new Map(this.#live);
    for (const [field, index] of this.#links)
      copy.#links.set(field, new Map([...index].map(([key, ids]) => [key, new Set(ids)])));
    for (const [name, order] of this.#orders)
      copy.#orders.set(name, { ...order, entries: order.entries.slice() });
    return copy;
  }

  put(record: RecordValues): void {
    const id = Number(record.id);
    this.#note(id, record);
    const isNewest = id >= this.lastId;
    setInOrder(this.#all, id, record, isNewest);
    if (isMarked(record, this.#layout.mark)) this.#live.delete(id);
    else setInOrder(this.#live, id, record, isNewest);
    this.lastId = Math.max(this.lastId, id);
  }

  remove(id: number): void {
    this.#note(id, undefined);
    this.#all.delete(id);
    this.#live.delete(id);
  }

  find(query: Query): Found {
    const { filters = [], liveOnly, sort = [] } = query;
    if (filters.length + sort.length === 0) return this.#page(query);
    const linked = this.#linked(filters, liveOnly);
    const records = this.#records(liveOnly);
    if (linked || records.size <= FEW) return searchRecords(linked ?? records.values(), query);
    return this.#searchOrders(query);
  }

  #records(liveOnly: boolean): RecordMap {
    return liveOnly ? this.#live : this.#all;
  }

  /** Replaces a record in the pages, links, and orders. */
  #note(id: number, record: RecordValues | undefined): void {
    const known = this.#all.get(id);
    this.#pages.clear();
    for (const [field, index] of this.#links) {
      if (known) index.get(linkKey(known, field))?.delete(id);
      if (!record) continue;
      const key = linkKey(record, field);
      index.set(key, (index.get(key) ?? new Set()).add(id));
    }
    for (const [name, order] of this.#orders) {
      const isIn = (one: RecordValues | undefined): one is RecordValues =>
        one !== undefined && !(order.liveOnly && isMarked(one, this.#layout.mark));
      if (isIn(known)) order.entries.splice(placeIn(order, known), 1);
      if (isIn(record)) order.entries.splice(placeIn(order, record), 0, entryOf(record, order.sort));
      order.unseen += 1;
      if (order.unseen > MOST_UNSEEN) this.#orders.delete(name);
    }
  }

  /** Returns the same object until the next write, so that it is serialized once, too (reply.ts). */
  #page({ liveOnly, offset = 0, size = Number.POSITIVE_INFINITY }: Query): Found {
    const name = `${liveOnly} ${offset} ${size}`;
    const known = this.#pages.get(name);
    if (known) return known;
    const records = this.#records(liveOnly);
    const page = { records: cut(records.values(), offset, offset + size), total: records.size };
    if (page.records.length > LONGEST_PAGE) return page;
    if (this.#pages.size >= MOST_PAGES) this.#pages.clear();
    this.#pages.set(name, page);
    return page;
  }

  /** Returns the record with an ID, or the records with a link, ordered by ID; undefined if no filter is for one. */
  #linked(filters: readonly Filter[], liveOnly: boolean): RecordValues[] | undefined {
    for (const { field, operator, values } of filters) {
      const index = this.#links.get(field);
      if (operator !== 'equal' || (!index && field !== 'id')) continue;
      const key = sortKey('int', values[0] ?? null);
      const ids = index ? [...(index.get(key) ?? [])].sort((one, other) => one - other) : [Number(key)];
      return ids.map((id) => this.#records(liveOnly).get(id)).filter((record) => record !== undefined);
    }
    return undefined;
  }

  /** Finds the same as `searchRecords`. For many records, the first search costs a sort, and the next ones a look-up. */
  #searchOrders(query: Query): Found {
    const { filters = [], liveOnly, offset = 0, size = Number.POSITIVE_INFINITY, sort = [] } = query;
    const records = this.#records(liveOnly);
    const conditions = filters.map(conditionOf);
    if (conditions.length === 0) {
      const page = this.#order(sort, liveOnly).slice(offset, offset + size);
      return { records: page.map(recordOf), total: records.size };
    }
    const { take, total } = this.#matching(conditions, liveOnly);
    if (size === 0) return { records: [], total };
    if (total * WALKED <= records.size)
      return {
        records: sortEntries(take(), sort)
          .slice(offset, offset + size)
          .map(recordOf),
        total,
      };
    const [end, isWanted] = [Math.min(offset + size, total), meetsAll(conditions)];
    if (sort.length === 0) return { records: cut(records.values(), offset, end, isWanted), total };
    const page = cut(this.#order(sort, liveOnly), offset, end, ({ record }) => isWanted(record));
    return { records: page.map(recordOf), total };
  }

  /** Returns the matching records in any order, and their number. Begins with the condition that fewest records meet. */
  #matching(conditions: readonly Condition[], liveOnly: boolean) {
    const [narrowest] = conditions
      .flatMap((condition) => {
        const { field, holdsKey, ranges, type } = condition;
        const sort = [{ field, type, descending: false }];
        if ((!ranges && !holdsKey) || !this.#isWorthwhile(nameOf(sort, liveOnly))) return [];
        const entries = this.#order(sort, liveOnly);
        if (holdsKey) {
          const found = entries.filter(({ keys }) => holdsKey(keys[0] ?? null)).map(recordOf);
          return [{ condition, total: found.length, take: () => found }];
        }
        const parts = partsOf(entries, ranges ?? []);
        const total = parts.reduce((sum, [from, to]) => sum + Math.max(0, to - from), 0);
        return {
          condition,
          total,
          take: () => parts.flatMap((part) => entries.slice(...part).map(recordOf)),
        };
      })
      .sort((one, other) => one.total - other.total);
    const others = conditions.filter((one) => one !== narrowest?.condition);
    if (narrowest && others.length === 0) return narrowest;
    const all = narrowest ? narrowest.take() : [...this.#records(liveOnly).values()];
    const found = all.filter(meetsAll(others));
    return { total: found.length, take: () => found };
  }

  /** Whether there is an order, or one costs less than looking at all records again. */
  #isWorthwhile(name: string): boolean {
    if (this.#orders.has(name)) return true;
    const times = (this.#asked.get(name) ?? 0) + 1;
    this.#asked.set(name, times);
    return times > LOOKS;
  }

  #order(sort: readonly Sort[], liveOnly: boolean): readonly Entry[] {
    const name = nameOf(sort, liveOnly);
    const entries = this.#orders.get(name)?.entries ?? sortEntries(this.#records(liveOnly).values(), sort);
    this.#orders.delete(name);
    this.#orders.set(name, { sort, liveOnly, entries, unseen: 0 });
    const [oldest] = this.#orders.keys();
    if (this.#orders.size > MOST_ORDERS && oldest !== undefined) this.#orders.delete(oldest);
    return entries;
  }
}

/** Throws RangeError if there is no ID after the last one. */
export function idAfter(lastId: number, model: string): number {
  if (lastId >= Number.MAX_SAFE_INTEGER)
    throw new RangeError(`No ID is left for ${model} after ${lastId}. Reset the session, or use lower IDs.`);
  return lastId + 1;
}

/** A map keeps the order in which keys came. A key that comes late is the exception, and costs a sort. */
function setInOrder(records: RecordMap, id: number, record: RecordValues, isNewest: boolean): void {
  const isLate = !isNewest && !records.has(id);
  records.set(id, record);
  if (!isLate) return;
  const sorted = [...records].sort(([one], [other]) => one - other);
  records.clear();
  for (const [key, value] of sorted) records.set(key, value);
}

function linkKey(record: RecordValues, field: string): SortKey {
  return sortKey('int', record[field] ?? null);
}

/** Returns where a record is in an order, or belongs. */
function placeIn({ entries, sort }: Order, record: RecordValues): number {
  const [compare, entry] = [comparisonBy(sort), entryOf(record, sort)];
  return firstIndex(entries, (one) => compare(one, entry) >= 0);
}

function nameOf(sort: readonly Sort[], liveOnly: boolean): string {
  return sort.reduce(
    (name, { descending, field, type }) => `${name} ${field} ${type} ${descending}`,
    `${liveOnly}`,
  );
}

/** Returns a part of the wanted ones. */
function cut<One>(all: Iterable<One>, offset: number, end: number, isWanted?: (one: One) => boolean): One[] {
  const found: One[] = [];
  let index = 0;
  for (const one of all) {
    if (index >= end) break;
    if (isWanted && !isWanted(one)) continue;
    if (index >= offset) found.push(one);
    index += 1;
  }
  return found;
}

/** Whether a record is marked as deleted. */
function isMarked(record: RecordValues, mark: string | undefined): boolean {
  return mark !== undefined && record[mark] === true;
}
