import type { Filter, Found, Query } from '../../mock/store/store.ts';
import { compareKeys, foldedIn, foldText, itemKeys, sortKey } from '../../spec/types/sort-key.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';

/** Returns what each store must find: looks at all records one by one, and sorts them by their keys. */
export function searchPlainly(records: Iterable<RecordValues>, query: Query): Found {
  const { filters = [], liveOnly, offset = 0, size = Number.POSITIVE_INFINITY, sort = [] } = query;
  const matching = [...records].filter(
    (record) => !(liveOnly && record.deleted === true) && filters.every((filter) => matches(record, filter)),
  );
  matching.sort((one, other) => {
    for (const { descending, field, type } of sort) {
      const [key, next] = [one, other].map((record) => sortKey(type, record[field] ?? null));
      const order = compareKeys(key ?? null, next ?? null);
      if (order !== 0) return descending && key !== null && next !== null ? -order : order;
    }
    return Number(one.id) - Number(other.id);
  });
  return { records: matching.slice(offset, offset + size), total: matching.length };
}

function matches(record: RecordValues, { field, operator, type, values }: Filter): boolean {
  const found = record[field] ?? null;
  const key = sortKey(type, found);
  const wanted = values.map((value) => sortKey(type, value));
  const [first = null] = wanted;
  switch (operator) {
    case 'null':
      return (found === null) === values[0];
    case 'equal':
    case 'in':
      return wanted.includes(key);
    case 'has':
      return itemKeys(type, found).includes(first);
    case 'contains':
      return typeof key === 'string' && foldedIn(key).includes(foldText(String(values[0])));
    default: {
      if (key === null || first === null) return false;
      const order = compareKeys(key, first);
      return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[operator];
    }
  }
}
