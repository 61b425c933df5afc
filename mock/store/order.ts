import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Sort } from './store.ts';

/** The key of an order. Without a type, raw values are compared, as for equality. */
export type OrderKey = Omit<Sort, 'type'> & { readonly type?: Sort['type'] };

/** The records of a table in an order that lists were asked for in, kept while they change. */
export type Order = {
  readonly liveOnly: boolean;
  readonly compare: (record: RecordValues, next: RecordValues) => number;
  readonly records: RecordValues[];
  /** How many records were put in or taken out since somebody last looked. */
  unseen: number;
};

/** With more writes between two reads, a new sort is faster. */
const MOST_UNSEEN = 100;

export function createOrder(
  records: Iterable<RecordValues>,
  keys: readonly OrderKey[],
  liveOnly: boolean,
): Order {
  const compare = comparison(keys);
  const [only] = keys;
  const isPlain = keys.length === 1 && only?.descending === false && comparerOf(only.type) === compareValues;
  const ordered = isPlain ? sortByValue(records, only.field) : [...records].sort(compare);
  return { liveOnly, compare, records: ordered, unseen: 0 };
}

/** The same for records that come by their ids, and fast where many have the same value. */
function sortByValue(records: Iterable<RecordValues>, field: string): RecordValues[] {
  const byValue = Map.groupBy(records, (record) => record[field] ?? null);
  const unset = byValue.get(null) ?? [];
  byValue.delete(null);
  const values = [...byValue.keys()].sort(compareValues);
  return [...values.map((value) => byValue.get(value) ?? []), unset].flat();
}

export function copyOrder(order: Order): Order {
  return { ...order, records: order.records.slice() };
}

/** Whether a record is marked as deleted. */
export function isMarked(record: RecordValues, mark: string | undefined): boolean {
  return mark !== undefined && record[mark] === true;
}

/** Replaces a record in an order; either version can be absent. Returns false if the order must be built again. */
export function replaceIn(
  order: Order,
  was: RecordValues | undefined,
  is: RecordValues | undefined,
  mark: string | undefined,
): boolean {
  const { compare, liveOnly, records } = order;
  const holds = (record: RecordValues | undefined): record is RecordValues =>
    record !== undefined && !(liveOnly && isMarked(record, mark));
  if (holds(was)) {
    const at = firstIndex(records, (record) => compare(record, was) >= 0);
    // Values that have no order, such as lists, are not found again.
    if (records[at] !== was) return false;
    if (holds(is) && compare(was, is) === 0) {
      records[at] = is;
      return true;
    }
    records.splice(at, 1);
  }
  if (holds(is))
    records.splice(
      firstIndex(records, (record) => compare(record, is) > 0),
      0,
      is,
    );
  order.unseen += 1;
  return order.unseen <= MOST_UNSEEN;
}

/** Where the first record stands of which something is so, which is so of all behind it too. */
export function firstIndex<One>(records: readonly One[], isSo: (record: One) => boolean, from = 0): number {
  let [low, high] = [from, records.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isSo(records[middle] as One)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function comparerOf(type: OrderKey['type']): (one: Value, other: Value) => number {
  return (type && WIRE_TYPES[type].compare) ?? compareValues;
}

/** Compares by the first key, then by the next ones, then by ID. Unset values are last in both directions. */
export function comparison(keys: readonly OrderKey[]): Order['compare'] {
  const compares = keys.map(({ descending, field, type }) => {
    const sign = descending ? -1 : 1;
    const compare = comparerOf(type);
    return (record: RecordValues, next: RecordValues): number => {
      const [one, other] = [record[field] ?? null, next[field] ?? null];
      if (one === null || other === null) return Number(one === null) - Number(other === null);
      return sign * compare(one, other);
    };
  });
  return (record, next) => {
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
