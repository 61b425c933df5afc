import type { TypeName } from '../../../../spec/catalogue/field.ts';
import type { Value } from '../../../../spec/types/wire-type.ts';
import type { Filter, Sort } from '../../store.ts';

/** Adds a value to those of a statement, and returns its place in the text, such as `$3::text`. */
export type Bind = (value: unknown, type: string) => string;

/** How SQL orders the values of a type as their sort keys do; `none` if it can't. */
type Order = 'json' | 'text' | 'datetime' | 'none';

const ORDERS: Partial<Readonly<Record<TypeName, Order>>> = {
  int: 'json',
  float: 'json',
  currency: 'json',
  percent: 'json',
  bool: 'json',
  date: 'text',
  time: 'text',
  datetime: 'datetime',
};

function orderOf(type: TypeName): Order {
  return ORDERS[type] ?? 'none';
}

const NEVER = 'false';

/** Returns a condition; undefined if SQL can't express it exactly. */
export function filterSql(filter: Filter, bind: Bind): string | undefined {
  const { field, operator, type, values } = filter;
  const [value = null] = values;
  switch (operator) {
    case 'null':
      if (typeof value !== 'boolean') return NEVER;
      return `${textOf(field, bind)} is ${value ? '' : 'not '}null`;
    case 'equal':
    case 'in':
      // Durations of the same length have the same key.
      if (type === 'duration') return undefined;
      return oneOfSql(field, values, bind);
    case 'has': {
      if (!isScalar(value) || !isKept(value)) return NEVER;
      const list = jsonOf(field, bind);
      return `(jsonb_typeof(${list}) = 'array' and ${list} @> ${bind(JSON.stringify(value), 'jsonb')})`;
    }
    case 'contains':
      return undefined;
    default:
      return rangeSql(filter, { gt: '>', gte: '>=', lt: '<', lte: '<=' }[operator], bind);
  }
}

/** Returns the expressions to order by, each with its direction; undefined if SQL can't express the order. */
export function orderSql(
  sorts: readonly Sort[],
  bind: Bind,
): { readonly key: string; readonly direction: string }[] | undefined {
  if (!sorts.every(({ type }) => orderOf(type) !== 'none')) return undefined;
  return sorts.flatMap((sort) => {
    const direction = sort.descending ? 'desc nulls last' : 'asc nulls last';
    return keysOf(sort, bind).map((key) => ({ key, direction }));
  });
}

function keysOf({ field, type }: Sort, bind: Bind): readonly string[] {
  if (field === 'id') return ['id'];
  switch (orderOf(type)) {
    case 'datetime':
      return [`left(${textOf(field, bind)}, -1) collate "C"`];
    case 'text':
      return [`${textOf(field, bind)} collate "C"`];
    default:
      return [`nullif(${jsonOf(field, bind)}, 'null')`];
  }
}

function oneOfSql(field: string, values: readonly Value[], bind: Bind): string {
  const wanted = values.filter(isScalar).filter(isKept);
  if (field === 'id') {
    const ids = wanted.filter((value) => Number.isSafeInteger(value));
    return ids.length === 0 ? NEVER : `id = any (${bind(ids, 'bigint[]')})`;
  }
  const strings = wanted.filter((value) => typeof value === 'string');
  const others = wanted.filter((value) => value !== null && typeof value !== 'string');
  const conditions = [
    ...(wanted.includes(null) ? [`${textOf(field, bind)} is null`] : []),
    ...(strings.length > 0
      ? [
          `(${textOf(field, bind)} collate "C" = any (${bind(strings, 'text[]')}) and ${isString(field, bind)})`,
        ]
      : []),
    ...(others.length > 0
      ? [
          `${jsonOf(field, bind)} = any (${bind(
            others.map((value) => JSON.stringify(value)),
            'jsonb[]',
          )})`,
        ]
      : []),
  ];
  return conditions.length === 0 ? NEVER : `(${conditions.join(' or ')})`;
}

function rangeSql({ field, type, values }: Filter, sign: string, bind: Bind): string | undefined {
  const [value = null] = values;
  if (value === null) return NEVER;
  const order = orderOf(type);
  if (order === 'none' || !isKept(value)) return undefined;
  if (typeof value === 'number' || typeof value === 'boolean') {
    if (order !== 'json') return undefined;
    const json = jsonOf(field, bind);
    return `(${json} ${sign} ${bind(JSON.stringify(value), 'jsonb')} and jsonb_typeof(${json}) = '${typeof value}')`;
  }
  if (typeof value !== 'string' || order === 'json') return undefined;
  const text = textOf(field, bind);
  if (order === 'text') return `${text} collate "C" ${sign} ${bind(value, 'text')}`;
  return `left(${text}, -1) collate "C" ${sign} ${bind(value.slice(0, -1), 'text')}`;
}

/** The field as jsonb. An unset one is SQL null or JSON null. */
function jsonOf(field: string, bind: Bind): string {
  return `(fields -> ${bind(field, 'text')})`;
}

/** The field as text. An unset one is SQL null. */
function textOf(field: string, bind: Bind): string {
  return `(fields ->> ${bind(field, 'text')})`;
}

function isString(field: string, bind: Bind): string {
  return `jsonb_typeof(${jsonOf(field, bind)}) = 'string'`;
}

function isScalar(value: Value): boolean {
  return value === null || typeof value !== 'object';
}

/** Whether a record that the database has as jsonb can have this value. */
function isKept(value: Value): boolean {
  if (typeof value === 'string') return isStorable(value);
  return typeof value !== 'number' || Number.isFinite(value);
}

/** Whether the database can store a string: it has no NUL and no half of a surrogate pair. */
function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
