import {
  compareKeys,
  foldedIn,
  foldText,
  itemKeys,
  type SortKey,
  sortKey,
} from '../../spec/types/sort-key.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Filter, Found, Query, Sort } from './store.ts';

/** A place in an order by one field: before or after all records with a key. */
type Bound = { readonly key: SortKey; readonly isAfter: boolean };

/** The places between which the records of a filter are. */
type Range = readonly [from: Bound, to: Bound];

const before = (key: SortKey): Bound => ({ key, isAfter: false });
const after = (key: SortKey): Bound => ({ key, isAfter: true });
const FIRST = before(Number.NEGATIVE_INFINITY);
const UNSET = before(null);
const LAST = after(null);

/** A filter, and how an order by its field helps: the ranges of its records there, or whether a key meets it. */
export type Condition = {
  readonly field: string;
  readonly type: Filter['type'];
  readonly ranges?: readonly Range[];
  readonly holdsKey?: (key: SortKey) => boolean;
  holds(record: RecordValues): boolean;
};

export function conditionOf(filter: Filter): Condition {
  const { field, operator, or, type, values } = filter;
  const [value = null] = values;
  if (or) {
    const any = [{ field, operator, type, values }, ...or].map(conditionOf);
    return { field, type, holds: (record) => any.some((one) => one.holds(record)) };
  }
  if (operator === 'has') {
    const key = sortKey(type, value);
    const holds = (record: RecordValues) => itemKeys(type, record[field] ?? null).includes(key);
    return { field, type, holds };
  }
  if (operator === 'contains') {
    const part = foldText(String(value));
    const holdsKey = (key: SortKey) => typeof key === 'string' && foldedIn(key).includes(part);
    return { field, type, holdsKey, holds: (record) => holdsKey(keyIn(record, filter)) };
  }
  const ranges = rangesOf(filter);
  // Only equal values have equal keys, except durations and lists. Keys cost more to compute than values to compare.
  if ((operator === 'equal' || operator === 'in') && type !== 'duration' && values.every(isScalar)) {
    const wanted = new Set(values);
    return { field, type, ranges, holds: (record) => wanted.has(record[field] ?? null) };
  }
  const holds = (record: RecordValues) => {
    const key = keyIn(record, filter);
    return ranges.some(([from, to]) => isFrom(from, key) && !isFrom(to, key));
  };
  return { field, type, ranges, holds };
}

function isScalar(value: Value): boolean {
  return value === null || typeof value !== 'object';
}

function rangesOf({ operator, type, values }: Filter): readonly Range[] {
  const [value = null] = values;
  const key = sortKey(type, value);
  switch (operator) {
    case 'null':
      return [value === true ? [UNSET, LAST] : [FIRST, UNSET]];
    case 'gt':
    case 'gte':
      return key === null ? [] : [[operator === 'gt' ? after(key) : before(key), UNSET]];
    case 'lt':
    case 'lte':
      return key === null ? [] : [[FIRST, operator === 'lte' ? after(key) : before(key)]];
    default: {
      const keys = new Set(values.map((one) => sortKey(type, one)));
      return [...keys].map((one) => [before(one), after(one)]);
    }
  }
}

function isFrom(bound: Bound, key: SortKey): boolean {
  const order = compareKeys(key, bound.key);
  return order > 0 || (order === 0 && !bound.isAfter);
}

/** Whether a record meets all conditions. */
export function meetsAll(conditions: readonly Condition[]): Condition['holds'] {
  const [first, ...others] = conditions;
  if (!first) return () => true;
  return (record) => first.holds(record) && others.every(({ holds }) => holds(record));
}

/** A record with its keys in an order. */
export type Entry = { readonly record: RecordValues; readonly keys: readonly SortKey[] };

export function entryOf(record: RecordValues, sort: readonly Sort[]): Entry {
  return { record, keys: sort.map((one) => keyIn(record, one)) };
}

function keyIn(record: RecordValues, { field, type }: Pick<Sort, 'field' | 'type'>): SortKey {
  return sortKey(type, record[field] ?? null);
}

/** Compares by the first key, then by the next ones, then by ID. Unset values are last in both directions. */
export function comparisonBy(sort: readonly Sort[]): (one: Entry, other: Entry) => number {
  return (one, other) => {
    for (let index = 0; index < sort.length; index++) {
      const key = one.keys[index] ?? null;
      const next = other.keys[index] ?? null;
      const order = compareKeys(key, next);
      if (order === 0) continue;
      return sort[index]?.descending && key !== null && next !== null ? -order : order;
    }
    return Number(one.record.id) - Number(other.record.id);
  };
}

/** Returns the parts of an order by the field of some ranges, as the indexes of their first and after their last entry. */
export function partsOf(entries: readonly Entry[], ranges: readonly Range[]): (readonly [number, number])[] {
  const place = (bound: Bound) => firstIndex(entries, ({ keys }) => isFrom(bound, keys[0] ?? null));
  return ranges.map(([from, to]) => [place(from), place(to)]);
}

/** Returns the index of the first one for which something is so, as it is for all after it. */
export function firstIndex<One>(all: readonly One[], isSo: (one: One) => boolean): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isSo(all[middle] as One)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns records in an order, or by ID. */
export function sortEntries(records: Iterable<RecordValues>, sort: readonly Sort[]): Entry[] {
  return Array.from(records, (record) => entryOf(record, sort)).sort(comparisonBy(sort));
}

export function recordOf({ record }: Entry): RecordValues {
  return record;
}

/** Runs a query on records that are sorted by ID. The caller applies `liveOnly`. */
export function searchRecords(records: Iterable<RecordValues>, query: Query): Found {
  const { filters = [], offset = 0, size = Number.POSITIVE_INFINITY, sort = [] } = query;
  const matching = [...records].filter(meetsAll(filters.map(conditionOf)));
  const ordered = sort.length > 0 ? sortEntries(matching, sort).map(recordOf) : matching;
  return { records: ordered.slice(offset, offset + size), total: matching.length };
}
