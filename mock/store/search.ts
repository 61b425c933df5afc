import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Filter, Found, Query, Sort } from './store.ts';

/** What a query finds among records that are in the order of their ids. `liveOnly` is seen to already. */
export function searchRecords(records: Iterable<RecordValues>, query: Query): Found {
  const { filters = [], where = [], sort = [], offset = 0, size = Number.POSITIVE_INFINITY } = query;
  const matching = [...records].filter(
    (record) =>
      where.every(([field, value]) => (record[field] ?? null) === value) &&
      filters.every((filter) => holds(filter, record)),
  );
  const ordered = sort.length > 0 ? matching.sort(comparison(sort)) : matching;
  return { records: ordered.slice(offset, offset + size), total: matching.length };
}

function holds({ field, operator, type, values }: Filter, record: RecordValues): boolean {
  const found = record[field] ?? null;
  const [value = null] = values;
  if (operator === 'null') return (found === null) === value;
  if (operator === 'in') return values.includes(found);
  if (found === null || value === null) return false;
  if (operator === 'contains') return String(found).toLowerCase().includes(String(value).toLowerCase());
  const { compare = compareValues } = WIRE_TYPES[type];
  const order = compare(found, value);
  return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[operator];
}

function comparison(sorts: readonly Sort[]) {
  const compares = sorts.map(({ descending, field, type }) => {
    const sign = descending ? -1 : 1;
    const { compare = compareValues } = WIRE_TYPES[type];
    return (record: RecordValues, next: RecordValues): number => {
      const [one, other] = [record[field] ?? null, next[field] ?? null];
      if (one === null || other === null) return Number(one === null) - Number(other === null);
      return sign * compare(one, other);
    };
  });
  return (record: RecordValues, next: RecordValues): number => {
    for (const compare of compares) {
      const order = compare(record, next);
      if (order !== 0) return order;
    }
    return Number(record.id) - Number(next.id);
  };
}

function compareValues(one: Value, other: Value): number {
  if (one === other) return 0;
  return one !== null && other !== null && one < other ? -1 : 1;
}
