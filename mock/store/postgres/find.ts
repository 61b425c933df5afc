import type { TypeName } from '../../../spec/catalogue/field.ts';
import { foldText, type SortKey, sortKey } from '../../../spec/types/sort-key.ts';
import type { Filter, Found, Layout, Query, Sort } from '../store.ts';
import { firstRecords, fromRecords, PART, type Reading, type Statement } from './records.ts';
import { SCHEMA } from './schema.ts';

export async function findRecords(
  { ask, layout, space }: Reading,
  model: string,
  query: Query,
): Promise<Found> {
  // Each column of each row costs the driver time, so that the total is in a column of a record.
  const [counted, ...rows] = (await ask(findStatement(layout, space, model, query))).rows;
  const total = Number(counted?.id ?? offsetOf(query) + rows.length);
  return { records: rows.map(({ data }) => JSON.parse(String(data))), total };
}

/**
 * Returns the statement that selects the total as `id`, and then the records of a page. Its conditions and its order are
 * those of sort keys. The total and the page are in one statement, so that the total fits the page.
 */
function findStatement(layout: Layout, space: string, model: string, query: Query): Statement {
  const { filters = [], liveOnly, sort = [], withTotal = true } = query;
  const values: unknown[] = [space, model];
  const bind: Bind = (value, type) => `$${values.push(value)}::${type}`;
  const equal = filters.filter(({ operator }) => operator === 'equal');
  const [field] = layout.links.get(model) ?? [];
  const link = equal.find((filter) => filter.field === field && Number.isSafeInteger(filter.values[0]));
  const base = [
    liveOnly ? 'not r.deleted' : 'true',
    ...(link ? [`r.owner = ${bind(link.values[0], 'bigint')}`] : []),
  ];
  const exact = filters.filter((filter) => filter !== link).map((filter) => filterSql(filter, bind));
  const condition = [...base, ...exact].join(' and ');
  const offset = bind(offsetOf(query), 'bigint');
  // Null if all are wanted.
  const size = bind(Number.isSafeInteger(query.size) ? query.size : null, 'bigint');
  const isNarrow = link !== undefined || equal.some((filter) => filter.field === 'id');
  if (exact.length + sort.length === 0 && !link) {
    const first = firstRecords(condition, `${offset} + ${size}`);
    const text = `select ${withTotal ? numberSql(liveOnly) : 'null'} as id, null as data
      union all
      select id, data from (select id, data from ${first} found order by id offset ${offset} limit ${size}) page`;
    return { text, values };
  }
  const keys = sort.flatMap((one) => orderSql(one, bind));
  const total = link || exact.length > 0 ? '(select count(*) from found)' : numberSql(liveOnly);
  const columns = keys.map(({ key }, index) => `, ${key} as key${index}`).join('');
  const order = keys.map(({ direction }, index) => `key${index} ${direction} nulls last, `).join('');
  const text = `with found as (select r.part, r.id${columns} ${fromRecords(condition, isNarrow ? 'few' : 'all')})
    select ${withTotal ? total : 'null'} as id, null as data
    union all
    select id, (select data from ${SCHEMA}.record r where r.part = page.part and r.id = page.id)
    from (select * from found order by ${order}id offset ${offset} limit ${size}) page`;
  return { text, values };
}

/** Adds a value to those of a statement, and returns its place in the text, such as `$3::text`. */
type Bind = (value: unknown, type: string) => string;

/** Selects the number of records of the model $2 in the space $1. */
function numberSql(liveOnly: boolean): string {
  const number = PART.replace('select part', `select live${liveOnly ? '' : ' + deleted'}`);
  return `coalesce(${number}, 0)`;
}

function offsetOf({ offset = 0 }: Query): number {
  return Math.min(offset, Number.MAX_SAFE_INTEGER);
}

const NEVER = 'false';

function filterSql(filter: Filter, bind: Bind): string {
  const { field, operator, or, type, values } = filter;
  if (or)
    return `(${[{ field, operator, type, values }, ...or].map((one) => filterSql(one, bind)).join(' or ')})`;
  const [value = null] = values;
  switch (operator) {
    case 'null':
      if (typeof value !== 'boolean') return NEVER;
      return `${jsonOf(field, bind)} is ${value ? '' : 'not '}null`;
    case 'equal':
    case 'in':
      return oneOf(filter, bind);
    case 'has': {
      const list = jsonOf(field, bind);
      return `(jsonb_typeof(${list}) = 'array' and ${list} @> ${bindKey(sortKey(type, value), bind)})`;
    }
    case 'contains': {
      // The folded string is before the separator.
      const folded = `split_part(${textOf(field, bind)}, chr(1), 1)`;
      return `strpos(${folded}, ${bind(foldText(String(value)), 'text')}) > 0`;
    }
    default: {
      const sign = { gt: '>', gte: '>=', lt: '<', lte: '<=' }[operator];
      const key = sortKey(type, value);
      if (key === null) return NEVER;
      if (field === 'id')
        return `r.id ${sign} ${bind(key, Number.isSafeInteger(key) ? 'bigint' : 'numeric')}`;
      const isOfType = `jsonb_typeof(${jsonOf(field, bind)}) = '${typeof key}'`;
      return typeof key === 'number'
        ? `(${jsonOf(field, bind)} ${sign} ${bindKey(key, bind)} and ${isOfType})`
        : `(${textOf(field, bind)} ${sign} ${bind(key, 'text')} and ${isOfType})`;
    }
  }
}

function oneOf({ field, type, values }: Filter, bind: Bind): string {
  if (field === 'id') {
    const ids = values.filter((value) => Number.isSafeInteger(value));
    return `r.id = any (${bind(ids, 'bigint[]')})`;
  }
  const keys = values.map((value) => sortKey(type, value));
  const strings = keys.filter((key) => typeof key === 'string');
  const numbers = keys.filter((key) => typeof key === 'number').map(toJson);
  const isOne = (among: readonly string[], type: string) =>
    among.length === 1 ? `= ${bind(among[0], type)}` : `= any (${bind(among, `${type}[]`)})`;
  const conditions: string[] = [];
  if (keys.includes(null)) conditions.push(`${jsonOf(field, bind)} is null`);
  if (numbers.length > 0) conditions.push(`${jsonOf(field, bind)} ${isOne(numbers, 'jsonb')}`);
  if (strings.length > 0)
    conditions.push(
      `(${textOf(field, bind)} ${isOne(strings, 'text')} and jsonb_typeof(${jsonOf(field, bind)}) = 'string')`,
    );
  return conditions.length === 0 ? NEVER : `(${conditions.join(' or ')})`;
}

const NUMBERS: readonly TypeName[] = ['int', 'float', 'currency', 'percent', 'bool', 'duration'];

/** Returns the keys that a sort compares, one after the other. */
function orderSql({ descending, field, type }: Sort, bind: Bind) {
  const direction = descending ? 'desc' : 'asc';
  if (field === 'id') return [{ key: 'r.id', direction }];
  if (NUMBERS.includes(type)) return [{ key: jsonOf(field, bind), direction }];
  const text = { key: textOf(field, bind), direction };
  if (type !== 'select') return [text];
  // The values of a select are all numbers, or all strings.
  const json = jsonOf(field, bind);
  return [{ key: `case when jsonb_typeof(${json}) = 'number' then ${json} end`, direction }, text];
}

/** The key of a field as jsonb. That of an unset one is SQL null. */
function jsonOf(field: string, bind: Bind): string {
  return `(r.keys -> ${bind(field, 'text')})`;
}

function textOf(field: string, bind: Bind): string {
  return `(r.keys ->> ${bind(field, 'text')}) collate "C"`;
}

function bindKey(key: SortKey, bind: Bind): string {
  return bind(toJson(key), 'jsonb');
}

/** JSON has no infinite numbers. */
function toJson(key: SortKey): string {
  if (key === Number.POSITIVE_INFINITY) return '1e999';
  return key === Number.NEGATIVE_INFINITY ? '-1e999' : JSON.stringify(key);
}
