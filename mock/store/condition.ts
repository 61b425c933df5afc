import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { comparerOf, firstIndex, type OrderKey } from './order.ts';
import type { Filter, Query } from './store.ts';

/** A condition on a record, and the range of the matching records in an order by its field. */
export type Condition = {
  holds(record: RecordValues): boolean;
  /** Undefined where no order helps. */
  readonly key?: OrderKey;
  /** The parts of such an order: where each begins, and where what is behind it does. */
  partsOf(ordered: readonly RecordValues[]): readonly (readonly [from: number, to: number])[];
};

export function conditionsOf({ filters = [], where = [] }: Query): Condition[] {
  return [...where.map(([field, value]) => isEqual(field, value)), ...filters.map(conditionOf)];
}

function isEqual(field: string, value: Value): Condition {
  const holds = (record: RecordValues) => (record[field] ?? null) === value;
  return isOneOf(field, [value], holds);
}

function conditionOf({ field, operator, type, values }: Filter): Condition {
  const [value = null] = values;
  const found = (record: RecordValues) => record[field] ?? null;
  switch (operator) {
    case 'null':
      return isOneOf(field, [null], (record) => (found(record) === null) === value, value === false);
    case 'in':
      return isOneOf(field, values, (record) => values.includes(found(record)));
    case 'has':
      return {
        holds: (record) => {
          const list = found(record);
          return Array.isArray(list) && list.includes(value);
        },
        partsOf: () => [],
      };
    case 'contains': {
      const part = String(value).toLowerCase();
      const holds = (record: RecordValues) => {
        const text = found(record);
        return text !== null && String(text).toLowerCase().includes(part);
      };
      return { holds, partsOf: () => [] };
    }
    default:
      return inRange({ field, type, descending: false }, operator, value);
  }
}

/** The values of a field that is one of some, or with `others` none of them. */
function isOneOf(
  field: string,
  values: readonly Value[],
  holds: Condition['holds'],
  others = false,
): Condition {
  // A list has no order.
  if (values.some((value) => typeof value === 'object' && value !== null))
    return { holds, partsOf: () => [] };
  return {
    holds,
    key: { field, descending: false },
    partsOf: (ordered) => {
      const parts = [...new Set(values)].map((value) => partOf(ordered, field, value));
      const [first = 0] = parts[0] ?? [];
      // Unset values are the last.
      return others ? [[0, first]] : parts;
    },
  };
}

function partOf(ordered: readonly RecordValues[], field: string, value: Value): readonly [number, number] {
  const compare = comparerOf(undefined);
  const order = (record: RecordValues) => {
    const found = record[field] ?? null;
    if (found === null || value === null) return Number(found === null) - Number(value === null);
    return compare(found, value);
  };
  const from = firstIndex(ordered, (record) => order(record) >= 0);
  return [from, firstIndex(ordered, (record) => order(record) > 0, from)];
}

function inRange(key: OrderKey, operator: 'gt' | 'gte' | 'lt' | 'lte', value: Value): Condition {
  const { field, type } = key;
  const compare = comparerOf(type);
  const isAbove = operator === 'gt' || operator === 'gte';
  const withIt = operator === 'gte' || operator === 'lte';
  return {
    key,
    holds: (record) => {
      const found = record[field] ?? null;
      if (found === null || value === null) return false;
      const order = compare(found, value);
      return (order === 0 && withIt) || (isAbove ? order > 0 : order < 0);
    },
    partsOf: (ordered) => {
      if (value === null) return [];
      const unset = firstIndex(ordered, (record) => (record[field] ?? null) === null);
      const at = firstIndex(ordered, (record) => {
        const found = record[field] ?? null;
        if (found === null) return true;
        const order = compare(found, value);
        return order > 0 || (order === 0 && isAbove === withIt);
      });
      return [isAbove ? [at, unset] : [0, at]];
    },
  };
}

export function allOf([first, ...others]: readonly Condition[]): Condition['holds'] {
  if (!first) return () => true;
  if (others.length === 0) return first.holds;
  return (record) => first.holds(record) && others.every(({ holds }) => holds(record));
}
