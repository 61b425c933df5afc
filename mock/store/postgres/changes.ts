import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { allOf, conditionsOf } from '../condition.ts';
import { comparison, isMarked } from '../order.ts';
import type { Found, Layout, Query, ReadableRecords } from '../store.ts';

/** The changes of one model that are not stored yet. */
export type ModelChanges = {
  /** The last ID, if all records were removed before these changes; else undefined. */
  last: number | undefined;
  /** The new versions; undefined for a removed record. */
  readonly records: Map<number, RecordValues | undefined>;
};

/** Changes by model. */
export type Changes = Map<string, ModelChanges>;

/** Adds later changes. */
export function addChanges(changes: Changes, later: Changes): void {
  for (const [model, one] of later) {
    const known = changes.get(model);
    if (!known || one.last !== undefined) {
      changes.set(model, one);
      continue;
    }
    for (const [id, record] of one.records) {
      known.records.set(id, record);
      if (known.last !== undefined) known.last = Math.max(known.last, id);
    }
  }
}

/** Returns what a query finds after changes. */
export async function findAfter(
  { last, records }: ModelChanges,
  model: string,
  query: Query,
  { layout, reads }: { readonly layout: Layout; readonly reads: ReadableRecords },
): Promise<Found> {
  const { liveOnly, offset = 0, size, sort = [] } = query;
  const conditions = allOf(conditionsOf(query));
  const matches = (record: RecordValues | undefined): record is RecordValues =>
    record !== undefined && !(liveOnly && isMarked(record, layout.mark)) && conditions(record);
  const wasCleared = last !== undefined;
  // Each changed record can leave a page, or come before it.
  const most = size === undefined ? {} : { size: offset + size + records.size };
  const found = wasCleared
    ? { records: [], total: 0 }
    : await reads.find(model, { ...query, offset: 0, ...most });
  const replaced = wasCleared ? [] : await Promise.all([...records.keys()].map((id) => reads.get(model, id)));
  const added = [...records.values()].filter(matches);
  const kept = found.records.filter(({ id }) => !records.has(Number(id)));
  const sorted = [...kept, ...added].sort(comparison(sort));
  return {
    records: size === undefined ? sorted.slice(offset) : sorted.slice(offset, offset + size),
    total: found.total - replaced.filter(matches).length + added.length,
  };
}
