import type { TypeName } from '../../../../spec/catalogue/field.ts';
import type { Value } from '../../../../spec/types/wire-type.ts';
import type { Filter, Sort } from '../../store.ts';
import { byUnits, collated, isForeign, isStorable, lowered, type TextSupport, toRegExp } from './texts.ts';

/** Adds a value to those of a statement, and returns its place in the text, such as `$3::text`. */
export type Bind = (value: unknown, type: string) => string;

/**
 * How the values of a type are ordered: as JSON numbers or booleans, as strings by the collation, by code units, or
 * without the final Z, and `none` if SQL can't express the order.
 */
type Order = 'json' | 'collated' | 'units' | 'datetime' | 'none';

const ORDERS: Readonly<Record<TypeName, Order>> = {
  int: 'json',
  float: 'json',
  currency: 'json',
  percent: 'json',
  bool: 'json',
  string: 'collated',
  text: 'collated',
  markdown: 'collated',
  email: 'collated',
  url: 'units',
  image: 'units',
  fkModel: 'units',
  select: 'units',
  date: 'units',
  time: 'units',
  datetime: 'datetime',
  duration: 'none',
  daysOfWeek: 'none',
  manyToMany: 'none',
  lines: 'none',
};

const NEVER = 'false';

/**
 * Returns the condition that a field has a value, or is unset for null. Names of fields are values of the statement, too.
 */
export function equalSql(field: string, value: Value, bind: Bind): string {
  return oneOfSql(field, [value], bind);
}

/** Returns a condition; undefined if SQL can't express it exactly. */
export function filterSql(filter: Filter, bind: Bind, texts: TextSupport): string | undefined {
  const { field, operator, values } = filter;
  const [value = null] = values;
  switch (operator) {
    case 'null':
      if (typeof value !== 'boolean') return NEVER;
      return `${textOf(field, bind)} is ${value ? '' : 'not '}null`;
    case 'in':
      return oneOfSql(field, values, bind);
    case 'has': {
      if (!isScalar(value) || !isKept(value)) return NEVER;
      const list = jsonOf(field, bind);
      return `(jsonb_typeof(${list}) = 'array' and ${list} @> ${bind(JSON.stringify(value), 'jsonb')})`;
    }
    case 'contains':
      return containsSql(filter, bind, texts);
    default:
      return rangeSql(filter, { gt: '>', gte: '>=', lt: '<', lte: '<=' }[operator], bind, texts);
  }
}

/** Returns the expressions to order by, each with its direction; undefined if SQL can't express the order. */
export function orderSql(
  sorts: readonly Sort[],
  bind: Bind,
  texts: TextSupport,
): { readonly key: string; readonly direction: string }[] | undefined {
  if (!sorts.every(({ type }) => isOrdered(ORDERS[type], texts))) return undefined;
  return sorts.flatMap((sort) => {
    const direction = sort.descending ? 'desc nulls last' : 'asc nulls last';
    return keysOf(sort, bind).map((key) => ({ key, direction }));
  });
}

/**
 * Returns the condition that this process must place a record by some of these fields: a string has a character that
 * the database can have in another place. Undefined if there can be none.
 */
export function foreignSql(
  keys: readonly Pick<Sort, 'field' | 'type'>[],
  bind: Bind,
  { foreign }: TextSupport,
): string | undefined {
  const fields = new Set(keys.filter(({ type }) => ORDERS[type] === 'collated').map(({ field }) => field));
  if (foreign === undefined || fields.size === 0) return undefined;
  const pattern = bind(foreign, 'text');
  return [...fields].map((field) => isForeign(textOf(field, bind), pattern)).join(' or ');
}

/** Whether the condition of a filter holds only for records that this process need not place. */
export function isByOrder({ operator, type }: Filter): boolean {
  return ORDERS[type] === 'collated' && ['gt', 'gte', 'lt', 'lte'].includes(operator);
}

function keysOf({ field, type }: Sort, bind: Bind): readonly string[] {
  if (field === 'id') return ['id'];
  switch (ORDERS[type]) {
    case 'collated':
      return [collated(textOf(field, bind))];
    case 'datetime':
      return [`left(${textOf(field, bind)}, -1) collate "C"`];
    case 'units': {
      const units = byUnits(textOf(field, bind));
      if (type !== 'select') return [units];
      // The values of a select are all numbers, or all strings.
      const json = jsonOf(field, bind);
      return [
        `case when jsonb_typeof(${json}) = 'number' then ${json} end`,
        `case when jsonb_typeof(${json}) = 'string' then ${units} end`,
      ];
    }
    default:
      return [`nullif(${jsonOf(field, bind)}, 'null')`];
  }
}

function isOrdered(order: Order, { foreign, sortsUnits }: TextSupport): boolean {
  switch (order) {
    case 'collated':
      return foreign !== undefined;
    case 'units':
      return sortsUnits;
    default:
      return order !== 'none';
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

function containsSql({ field, values }: Filter, bind: Bind, texts: TextSupport): string | undefined {
  const part = String(values[0] ?? null).toLowerCase();
  // Half of a surrogate pair matches within a character.
  if (!texts.lowers || !isStorable(part)) return undefined;
  return `strpos(${lowered(textOf(field, bind))}, ${bind(part, 'text')}) > 0`;
}

function rangeSql(
  { field, type, values }: Filter,
  sign: string,
  bind: Bind,
  texts: TextSupport,
): string | undefined {
  const [value = null] = values;
  if (value === null) return NEVER;
  const order = ORDERS[type];
  if (!isOrdered(order, texts) || !isKept(value)) return undefined;
  if (typeof value === 'number' || typeof value === 'boolean') {
    if (order === 'collated' || order === 'datetime') return undefined;
    const json = jsonOf(field, bind);
    return `(${json} ${sign} ${bind(JSON.stringify(value), 'jsonb')} and jsonb_typeof(${json}) = '${typeof value}')`;
  }
  if (typeof value !== 'string' || order === 'json') return undefined;
  if (order === 'collated' && (!texts.foreign || toRegExp(texts.foreign).test(value))) return undefined;
  const text = textOf(field, bind);
  const limit = bind(value, 'text');
  switch (order) {
    case 'collated':
      return `${collated(text)} ${sign} ${limit}`;
    case 'datetime':
      // Of strings with the same length, the last character counts, too.
      return `(case when length(${text}) = length(${limit}) then ${text} collate "C" ${sign} ${limit}
        else left(${text}, -1) collate "C" ${sign} left(${limit}, -1) end)`;
    default:
      return `(${byUnits(text)} ${sign} ${byUnits(limit)} and ${isString(field, bind)})`;
  }
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
