import {
  compareKeys,
  foldedIn,
  foldText,
  itemKeys,
  type SortKey,
  sortKey,
} from '../../spec/types/sort-key.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Filter, Found, Layout, Query, Sort } from './store.ts';

/** Maximum number of orders that a table keeps. */
const MOST_ORDERS = 8;

/** The records of one model in a session or a snapshot. */
export class Table {
  /** Identifies the session that can write to it. For all others, it is shared, and they copy it first. */
  readonly owner: object;
  /** The last ID that was used. */
  lastId: number;
  readonly #layout: Layout;
  readonly #model: string;
  #records = new Map<number, RecordValues>();
  /** By link to a parent, the IDs with each value. */
  readonly #links: Map<string, Map<SortKey, Set<number>>>;
  /** The records in the orders that were asked for since the last write, by name. */
  readonly #orders = new Map<string, readonly RecordValues[]>();

  /** `lastId` is the last used ID, if no record has it. */
  constructor(
    layout: Layout,
    model: string,
    owner: object,
    records: Iterable<RecordValues> = [],
    lastId = 0,
  ) {
    this.lastId = lastId;
    this.#layout = layout;
    this.#model = model;
    this.owner = owner;
    this.#links = new Map((layout.links.get(model) ?? []).map((field) => [field, new Map()]));
    for (const record of records) this.put(record);
  }

  get records(): ReadonlyMap<number, RecordValues> {
    return this.#records;
  }

  /** Returns the next ID. Throws RangeError if there is none. */
  nextId(): number {
    this.lastId = idAfter(this.lastId, this.#model);
    return this.lastId;
  }

  copy(owner: object): Table {
    const copy = new Table(this.#layout, this.#model, owner, [], this.lastId);
    copy.#records = new Map(this.#records);
    for (const [field, index] of this.#links)
      copy.#links.set(field, new Map([...index].map(([key, ids]) => [key, new Set(ids)])));
    return copy;
  }

  put(record: RecordValues): void {
    const id = Number(record.id);
    this.#note(id, record);
    this.#records.set(id, record);
    this.lastId = Math.max(this.lastId, id);
  }

  remove(id: number): void {
    this.#note(id, undefined);
    this.#records.delete(id);
  }

  find(query: Query): Found {
    const { filters = [], liveOnly, offset = 0, size = Number.POSITIVE_INFINITY, sort = [] } = query;
    const linked = this.#linked(filters);
    if (linked) return searchRecords(this.#shown(linked, liveOnly), query);
    // Without a known order, it takes less time to sort only the matching records.
    const isKnown = filters.length === 0 || this.#orders.has(nameOf(sort, liveOnly));
    if (!isKnown) return searchRecords(this.#order([], liveOnly), query);
    const order = this.#order(sort, liveOnly);
    const found = filters.length === 0 ? order : order.filter(meetsAll(filters));
    return { records: found.slice(offset, offset + size), total: found.length };
  }

  /** Sorts all records once until the next write. */
  #order(sort: readonly Sort[], liveOnly: boolean): readonly RecordValues[] {
    const name = nameOf(sort, liveOnly);
    const order = this.#orders.get(name) ?? sortRecords(this.#shown(this.#records.values(), liveOnly), sort);
    if (this.#orders.size >= MOST_ORDERS) this.#orders.clear();
    this.#orders.set(name, order);
    return order;
  }

  #shown(records: Iterable<RecordValues>, liveOnly: boolean): RecordValues[] {
    const { mark } = this.#layout;
    const all = [...records];
    return liveOnly && mark !== undefined ? all.filter((record) => record[mark] !== true) : all;
  }

  /** Replaces a record in the links, and forgets the orders. */
  #note(id: number, record: RecordValues | undefined): void {
    const known = this.#records.get(id);
    this.#orders.clear();
    for (const [field, index] of this.#links) {
      if (known) index.get(linkKey(known, field))?.delete(id);
      if (!record) continue;
      const key = linkKey(record, field);
      index.set(key, (index.get(key) ?? new Set()).add(id));
    }
  }

  /** Returns the record with an ID, or the records with a link; undefined if no filter is for one. */
  #linked(filters: readonly Filter[]): RecordValues[] | undefined {
    for (const { field, operator, values } of filters) {
      const index = this.#links.get(field);
      if (operator !== 'equal' || (!index && field !== 'id')) continue;
      const key = sortKey('int', values[0] ?? null);
      const ids = index ? [...(index.get(key) ?? [])] : [Number(key)];
      return ids.map((id) => this.#records.get(id)).filter((record) => record !== undefined);
    }
    return undefined;
  }
}

/** Throws RangeError if there is no ID after the last one. */
export function idAfter(lastId: number, model: string): number {
  if (lastId >= Number.MAX_SAFE_INTEGER)
    throw new RangeError(`No ID is left for ${model} after ${lastId}. Reset the session, or use lower IDs.`);
  return lastId + 1;
}

function linkKey(record: RecordValues, field: string): SortKey {
  return sortKey('int', record[field] ?? null);
}

function nameOf(sort: readonly Sort[], liveOnly: boolean): string {
  return sort.length === 0 ? String(liveOnly) : JSON.stringify([liveOnly, sort]);
}

type Condition = (record: RecordValues) => boolean;

function conditionOf(filter: Filter): Condition {
  const { field, operator, or, type, values } = filter;
  const [value = null] = values;
  if (or) {
    const any = [{ field, operator, type, values }, ...or].map(conditionOf);
    return (record) => any.some((holds) => holds(record));
  }
  const key = sortKey(type, value);
  const onKey = (holds: (key: SortKey) => boolean): Condition => {
    return (record) => holds(keyIn(record, filter));
  };
  switch (operator) {
    case 'has':
      return (record) => itemKeys(type, record[field] ?? null).includes(key);
    case 'contains': {
      const part = foldText(String(value));
      return onKey((own) => typeof own === 'string' && foldedIn(own).includes(part));
    }
    case 'null':
      return (record) => ((record[field] ?? null) === null) === (value === true);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      const sign = operator.startsWith('g') ? 1 : -1;
      const isEqualIn = operator.endsWith('e');
      return onKey((own) => {
        if (own === null || key === null) return false;
        const order = compareKeys(own, key) * sign;
        return order > 0 || (order === 0 && isEqualIn);
      });
    }
    default: {
      // Only equal values have equal keys, except durations and lists. Keys cost more to compute than values to compare.
      if (type !== 'duration' && !values.some((one) => one !== null && typeof one === 'object')) {
        const wanted = new Set(values);
        return (record) => wanted.has(record[field] ?? null);
      }
      const keys = new Set(values.map((one) => sortKey(type, one)));
      return onKey((own) => keys.has(own));
    }
  }
}

function meetsAll(filters: readonly Filter[]): Condition {
  const conditions = filters.map(conditionOf);
  return (record) => conditions.every((holds) => holds(record));
}

function keyIn(record: RecordValues, { field, type }: Pick<Sort, 'field' | 'type'>): SortKey {
  return sortKey(type, record[field] ?? null);
}

/** Sorts by the first key, then by the next ones, then by ID. Unset values are last in both directions. */
function sortRecords(records: readonly RecordValues[], sort: readonly Sort[]): RecordValues[] {
  if (sort.length === 0) return records.toSorted(byId);
  const entries = records.map((record) => ({ record, keys: sort.map((one) => keyIn(record, one)) }));
  entries.sort((one, other) => {
    for (const [index, { descending }] of sort.entries()) {
      const [key = null, next = null] = [one.keys[index], other.keys[index]];
      const order = compareKeys(key, next);
      if (order !== 0) return descending && key !== null && next !== null ? -order : order;
    }
    return byId(one.record, other.record);
  });
  return entries.map(({ record }) => record);
}

function byId(one: RecordValues, other: RecordValues): number {
  return Number(one.id) - Number(other.id);
}

/** Runs a query on records. The caller applies `liveOnly`. */
export function searchRecords(records: readonly RecordValues[], query: Query): Found {
  const { filters = [], offset = 0, size = Number.POSITIVE_INFINITY, sort = [] } = query;
  const found = sortRecords(records.filter(meetsAll(filters)), sort);
  return { records: found.slice(offset, offset + size), total: found.length };
}
