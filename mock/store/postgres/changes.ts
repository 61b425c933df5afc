import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { conditionOf, isMarked, meetsAll, sortRecords } from '../search.ts';
import type { Found, Layout, Query, ReadableRecords } from '../store.ts';

/** The changes of one model that are not stored yet. */
export type ModelChanges = {
  /** The last ID, if all records were removed before these changes; else undefined. */
  last: number | undefined;
  /** The new versions; undefined for a removed record. */
  readonly records: Map<number, RecordValues | undefined>;
  /** The new versions by the field that they are often found by; undefined after each change. */
  byLink?: Map<Value, RecordValues[]> | undefined;
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
    known.byLink = undefined;
    for (const [id, record] of one.records) {
      known.records.set(id, record);
      if (known.last !== undefined) known.last = Math.max(known.last, id);
    }
  }
}

/** Returns what a query finds after changes. */
export async function findAfter(
  changed: ModelChanges,
  model: string,
  query: Query,
  { layout, reads }: { readonly layout: Layout; readonly reads: ReadableRecords },
): Promise<Found> {
  const { last, records } = changed;
  const { filters = [], liveOnly, offset = 0, size, sort = [] } = query;
  const conditions = meetsAll(filters.map(conditionOf));
  const matches = (record: RecordValues | undefined): record is RecordValues =>
    record !== undefined && !(liveOnly && isMarked(record, layout.mark)) && conditions(record);
  const [link] = layout.links.get(model) ?? [];
  const linked = filters.find(({ field, operator }) => operator === 'equal' && field === link);
  const added = [
    ...(linked ? versionsOf(changed, linked.field, linked.values[0] ?? null) : records.values()),
  ].filter(matches);
  // Each changed record can leave the page, or come before it.
  const most = size === undefined ? {} : { size: offset + size + records.size };
  const found =
    last === undefined
      ? await reads.find(model, { ...query, offset: 0, ...most })
      : { records: [], total: 0 };
  const kept = found.records.filter(({ id }) => !records.has(Number(id)));
  const sorted = sortRecords([...kept, ...added], sort);
  if (size === undefined) return { records: sorted.slice(offset), total: sorted.length };
  const replaced =
    last === undefined ? await Promise.all([...records.keys()].map((id) => reads.get(model, id))) : [];
  const total = found.total - replaced.filter(matches).length + added.length;
  return { records: sorted.slice(offset, offset + size), total };
}

/** Returns the new versions with a value in the field that records are often found by. */
function versionsOf(changed: ModelChanges, field: string, value: Value): readonly RecordValues[] {
  changed.byLink ??= Map.groupBy(
    [...changed.records.values()].filter((record) => record !== undefined),
    (record) => record[field] ?? null,
  );
  return changed.byLink.get(value) ?? [];
}
