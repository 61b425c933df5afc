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

/** Whether a record meets a condition. */
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
      if (type !== 'duration' && values.every(isScalar)) {
        const wanted = new Set(values);
        return (record) => wanted.has(record[field] ?? null);
      }
      const keys = new Set(values.map((one) => sortKey(type, one)));
      return onKey((own) => keys.has(own));
    }
  }
}

function isScalar(value: Value): boolean {
  return value === null || typeof value !== 'object';
}

/** Returns the condition that all filters hold. */
export function meetsAll(filters: readonly Filter[]): Condition {
  const conditions = filters.map(conditionOf);
  return (record) => conditions.every((holds) => holds(record));
}

function keyIn(record: RecordValues, { field, type }: Pick<Sort, 'field' | 'type'>): SortKey {
  return sortKey(type, record[field] ?? null);
}

/** Sorts by the first key, then by the next ones, then by ID. Unset values are last in both directions. */
export function sortRecords(records: readonly RecordValues[], sort: readonly Sort[]): RecordValues[] {
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
