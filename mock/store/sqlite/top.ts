import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Order } from '../order.ts';

/** A search keeps at most this number of records before those that were not sorted out. */
const MOST_KEPT = 100_000;
/** The number of records that are added before the last ones are removed, at least. */
const LEAST_ADDED = 500;

/**
 * Collects a part of an order of many records, of which it keeps few. If the part begins late, the records must be added
 * several times: after each time, `goOn` returns whether once more.
 */
export function createTop(
  compare: Order['compare'],
  { offset = 0, size = Number.POSITIVE_INFINITY }: { readonly offset?: number; readonly size?: number },
) {
  const isWhole = size > MOST_KEPT / 2;
  let kept: RecordValues[] = [];
  /** The number of records that are before the kept ones, and the last of them. */
  let skipped = 0;
  let before: RecordValues | undefined;
  let last: RecordValues | undefined;
  let total = 0;
  let isCounted = false;
  const most = () => (isWhole ? Number.POSITIVE_INFINITY : Math.min(MOST_KEPT, offset - skipped + size));
  const trim = () => {
    kept.sort(compare);
    if (kept.length < most()) return;
    kept.length = most();
    last = kept.at(-1);
  };
  return {
    /** Whether all records are kept, because there is no size, or a large one. */
    isWhole,
    /** Whether the part is complete if the records come in order. */
    isFull: () => kept.length >= most(),
    add: (record: RecordValues) => {
      if (!isCounted) total += 1;
      if (size === 0 || (last && compare(record, last) >= 0)) return;
      if (before && compare(record, before) <= 0) return;
      kept.push(record);
      if (kept.length >= most() * 2 + LEAST_ADDED) trim();
    },
    goOn: (): boolean => {
      isCounted = true;
      trim();
      if (isWhole || size === 0 || offset - skipped + size <= MOST_KEPT || kept.length < MOST_KEPT)
        return false;
      const passed = Math.min(kept.length, offset - skipped);
      before = kept[passed - 1] ?? before;
      skipped += passed;
      kept = [];
      last = undefined;
      return true;
    },
    end: () => ({ records: kept.slice(offset - skipped, offset - skipped + size), total }),
  };
}
