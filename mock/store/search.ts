import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { allOf, conditionsOf } from './condition.ts';
import { comparison } from './order.ts';
import type { Found, Query } from './store.ts';

/** Runs a query over records that are sorted by ID. The caller has applied `liveOnly`. */
export function searchRecords(records: Iterable<RecordValues>, query: Query): Found {
  const { sort = [], offset = 0, size = Number.POSITIVE_INFINITY } = query;
  const matching = [...records].filter(allOf(conditionsOf(query)));
  const ordered = sort.length > 0 ? matching.sort(comparison(sort)) : matching;
  return { records: ordered.slice(offset, offset + size), total: matching.length };
}
