import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Query } from '../store.ts';
import { pathOf } from './derived-columns.ts';

type Bound = string | number | null;

/** Adds a value to those of a statement, and returns its place in the text, such as `?3`. */
type Bind = (value: Bound) => string;

export function createValues(): { readonly bind: Bind; readonly values: readonly Bound[] } {
  const values: Bound[] = [];
  return { values, bind: (value) => `?${values.push(value)}` };
}

/**
 * Returns a statement for the records of some layers, the topmost first, that meet all conditions. An upper layer hides
 * the records of a lower one. Sorting by ID needs no search through all records, because each layer is sorted. `range`
 * is a condition on the ID, with which SQLite reads the IDs of the upper layers once.
 */
export function selectSql(
  layers: readonly number[],
  columns: string,
  { conditions, range }: { readonly conditions: readonly string[]; readonly range?: string },
): string {
  const parts = layers.map((layer, index) => {
    const upper = `FROM records AS upper WHERE held IN (${layers.slice(0, index).join(', ')})`;
    const shown = range
      ? `id NOT IN (SELECT id ${upper} AND ${range})`
      : `NOT EXISTS (SELECT 1 ${upper} AND upper.id = records.id)`;
    const all = [
      `held = ${layer}`,
      'body IS NOT NULL',
      ...(range ? [range] : []),
      ...(index > 0 ? [shown] : []),
      ...conditions,
    ];
    return `SELECT ${columns} FROM records WHERE ${all.join(' AND ')}`;
  });
  return parts.join(' UNION ALL ');
}

/** The names of fields that SQLite finds in JSON without escapes. */
const PLAIN = /^[a-z]\w*$/i;

/** Returns the fields that a query uses; undefined if SQLite can't select one of them. */
export function fieldsOf({ filters = [], sort = [], where = [] }: Query): readonly string[] | undefined {
  const names = [...where.map(([name]) => name), ...[...filters, ...sort].map(({ field }) => field)];
  const fields = [...new Set(names)].filter((name) => name !== 'id');
  return fields.every((name) => PLAIN.test(name)) ? fields : undefined;
}

/**
 * Returns the columns for the given fields, or for all, and a function that makes a record of a row. Fields have JSON,
 * so that this process reads each value as in a whole record.
 */
export function columnsFor(fields: readonly string[] | undefined, bind: Bind) {
  if (!fields)
    return {
      columns: 'id, body',
      toRecord: ([, body]: Row): RecordValues => JSON.parse(String(body)) as RecordValues,
    };
  return {
    columns: ['id', ...fields.map((field) => `body -> ${bind(pathOf(field))}`)].join(', '),
    toRecord: ([id, ...texts]: Row): RecordValues => {
      const record: Record<string, Value> = { id: Number(id) };
      for (const [index, field] of fields.entries()) {
        const text = texts[index];
        record[field] = typeof text === 'string' ? (JSON.parse(text) as Value) : null;
      }
      return record;
    },
  };
}

/** The values of a row, in the order of the columns. */
export type Row = readonly unknown[];

/**
 * Returns conditions that all records of a query meet. Other records can meet them, too: this process decides with the
 * conditions of the store in memory, and SQLite sends fewer records. SQLite compares JSON, which JSON.stringify writes
 * in the same way for the same value.
 */
export function narrowSql({ filters = [], where = [] }: Query, bind: Bind): string[] {
  return [
    ...where.flatMap(([field, value]) => oneOfSql(field, [value], bind)),
    ...filters.flatMap(({ field, operator, values }) => {
      if (operator === 'in') return oneOfSql(field, values, bind);
      const isUnset = operator === 'null' && values[0] === true;
      if (isUnset) return oneOfSql(field, [null], bind);
      return PLAIN.test(field) && field !== 'id' ? [`${jsonOf(field, bind)} <> 'null'`] : [];
    }),
  ];
}

function oneOfSql(field: string, values: readonly Value[], bind: Bind): string[] {
  if (!PLAIN.test(field) || field === 'id') return [];
  const texts = values.map((value) => JSON.stringify(value));
  return [`${jsonOf(field, bind)} IN (SELECT value FROM json_each(${bind(JSON.stringify(texts))}))`];
}

/** Returns the JSON of a field, which is null for an unset one. */
function jsonOf(field: string, bind: Bind): string {
  return `coalesce(body -> ${bind(pathOf(field))}, 'null')`;
}
