import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { allOf, type Condition, conditionsOf } from './condition.ts';
import { comparison, copyOrder, createOrder, type Order, type OrderKey, replaceIn } from './order.ts';
import type { Found, Query } from './store.ts';

/** The orders that lists of one table were asked for in, kept while its records change. */
export type Orders = {
  /** The field that marks a deleted record. */
  readonly mark: string | undefined;
  /** By name, the one used last behind. */
  readonly kept: Map<string, Order>;
  /** How often one was asked for that is not kept. */
  readonly asked: Map<string, number>;
};

type Records = ReadonlyMap<number, RecordValues>;

/** The most orders that a table keeps; the one unused longest goes. */
const MOST_ORDERS = 8;
/** Sorting a part of the records costs as much as walking so many times as many in the order that they are kept in. */
const WALKED = 50;
/** How often all are looked at for a condition before there is an order for it. */
const LOOKS = 2;

export function createOrders(mark: string | undefined): Orders {
  return { mark, kept: new Map(), asked: new Map() };
}

export function copyOrders({ asked, kept, mark }: Orders): Orders {
  return {
    mark,
    kept: new Map([...kept].map(([name, order]) => [name, copyOrder(order)])),
    asked: new Map(asked),
  };
}

/** Puts a record in the place of what it was, either of which may be absent. */
export function reorder(
  { kept, mark }: Orders,
  was: RecordValues | undefined,
  is: RecordValues | undefined,
): void {
  for (const [name, order] of kept) if (!replaceIn(order, was, is, mark)) kept.delete(name);
}

/** What `searchRecords` finds; of many records those asked for first cost a sort, and then a look-up. */
export function searchOrders(orders: Orders, records: Records, query: Query): Found {
  const { liveOnly, offset = 0, size = Number.POSITIVE_INFINITY, sort = [] } = query;
  const end = offset + size;
  const conditions = conditionsOf(query);
  const walked = () => (sort.length > 0 ? orderedBy(orders, records, sort, liveOnly) : records.values());
  if (conditions.length === 0) return { records: cut(walked(), offset, end), total: records.size };
  const { take, total } = matchingRecords(orders, records, conditions, liveOnly);
  if (total * WALKED <= records.size)
    return { records: take().sort(comparison(sort)).slice(offset, end), total };
  return { records: cut(walked(), offset, Math.min(end, total), allOf(conditions)), total };
}

/** All that match, in no order: of those of the condition that the fewest meet the ones that meet the others. */
function matchingRecords(
  orders: Orders,
  records: Records,
  conditions: readonly Condition[],
  liveOnly: boolean,
) {
  const [narrowest] = conditions
    .flatMap((condition) => {
      const { key, partsOf } = condition;
      if (!key || !isWorthwhile(orders, [key], liveOnly)) return [];
      const ordered = orderedBy(orders, records, [key], liveOnly);
      const parts = partsOf(ordered);
      return [{ condition, ordered, parts, count: parts.reduce((sum, [from, to]) => sum + to - from, 0) }];
    })
    .sort((one, other) => one.count - other.count);
  const others = conditions.filter((one) => one !== narrowest?.condition);
  if (!narrowest) return counted([...records.values()].filter(allOf(others)));
  const { count, ordered, parts } = narrowest;
  const take = () => parts.flatMap(([from, to]) => ordered.slice(from, to));
  return others.length === 0 ? { total: count, take } : counted(take().filter(allOf(others)));
}

function counted(records: RecordValues[]) {
  return { total: records.length, take: () => records };
}

/** To look at all once or twice costs less than an order. */
function isWorthwhile({ asked, kept }: Orders, keys: readonly OrderKey[], liveOnly: boolean): boolean {
  const name = nameOf(keys, liveOnly);
  if (kept.has(name)) return true;
  const times = (asked.get(name) ?? 0) + 1;
  asked.set(name, times);
  return times > LOOKS;
}

function orderedBy(
  { kept }: Orders,
  records: Records,
  keys: readonly OrderKey[],
  liveOnly: boolean,
): readonly RecordValues[] {
  const name = nameOf(keys, liveOnly);
  const order = kept.get(name) ?? createOrder(records.values(), keys, liveOnly);
  kept.delete(name);
  kept.set(name, order);
  order.unseen = 0;
  const [oldest] = kept.keys();
  if (kept.size > MOST_ORDERS && oldest !== undefined) kept.delete(oldest);
  return order.records;
}

function nameOf(keys: readonly OrderKey[], liveOnly: boolean): string {
  return JSON.stringify([liveOnly, keys]);
}

/** A part of the records that are wanted. */
export function cut(
  records: Iterable<RecordValues>,
  offset: number,
  end: number,
  isWanted: Condition['holds'] = () => true,
): RecordValues[] {
  const wanted: RecordValues[] = [];
  let index = 0;
  for (const record of records) {
    if (index >= end) break;
    if (!isWanted(record)) continue;
    if (index >= offset) wanted.push(record);
    index += 1;
  }
  return wanted;
}
