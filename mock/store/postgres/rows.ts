import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { searchRecords } from '../search.ts';
import type { Found, Query } from '../store.ts';
import { SCHEMA } from './schema.ts';

/** By model, the fields that records are often found by. Of each model the first has an index. */
export type Indexed = ReadonlyMap<string, readonly string[]>;

/** A statement as the driver takes it; prepared once in each connection by its name. */
export type Statement = {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
  /** Milliseconds; else those of the connection. */
  readonly query_timeout?: number;
};
export type Ask = (statement: Statement) => Promise<{ readonly rows: readonly Row[] }>;
type Row = Readonly<Record<string, unknown>>;

const PART = `(select part from ${SCHEMA}.part where space = $1 and model = $2)`;

export async function readRecord(
  ask: Ask,
  space: string,
  model: string,
  id: number,
): Promise<RecordValues | undefined> {
  // No bigint is wanted by what is no whole number.
  if (!Number.isSafeInteger(id)) return undefined;
  const text = `select data from ${SCHEMA}.record where part = ${PART} and id = $3`;
  const { rows } = await ask({ name: 'get', text, values: [space, model, id] });
  return rows[0] && parse(model, rows[0]);
}

/**
 * Filters and orders are worked out here, as they are in memory: texts are ordered as people look for them, which no
 * database does the same. Everything else is left to PostgreSQL.
 */
export async function readRecords(
  ask: Ask,
  space: string,
  model: string,
  query: Query,
  indexed: Indexed,
): Promise<Found> {
  const { filters = [], liveOnly, offset = 0, size, sort = [], where = [] } = query;
  const read = (row: Row) => parse(model, row);
  const [field] = indexed.get(model) ?? [];
  const owner = where.find(([name, value]) => name === field && Number.isSafeInteger(value))?.[1];
  const rest = where.length - Number(owner !== undefined);
  const conditions = [
    `part = ${PART}`,
    ...(liveOnly ? ['not deleted'] : []),
    ...(owner === undefined ? [] : ['owner = $3']),
  ].join(' and ');
  const kind = `${liveOnly ? 'live' : 'all'}${owner === undefined ? '' : '-owned'}`;
  const values = [space, model, ...(owner === undefined ? [] : [owner])];
  const from = `from ${SCHEMA}.record where ${conditions}`;
  if (rest + filters.length + sort.length > 0) {
    const { rows } = await ask({ name: `list-${kind}`, text: `select data ${from} order by id`, values });
    return searchRecords(rows.map(read), query);
  }
  if (size === undefined && offset === 0) {
    const { rows } = await ask({ name: `list-${kind}`, text: `select data ${from} order by id`, values });
    return { records: rows.map(read), total: rows.length };
  }
  const next = values.length;
  // One statement, so that the total is that of the moment of the page.
  const text = `select (select count(*) ${from}) as total, page.data from (values (1)) one left join lateral
    (select id, data ${from} order by id offset $${next + 1} limit $${next + 2}) page on true order by page.id`;
  const { rows } = await ask({ name: `page-${kind}`, text, values: [...values, offset, size ?? null] });
  return {
    records: rows.filter(({ data }) => data !== null).map(read),
    total: Number(rows[0]?.total ?? 0),
  };
}

/** What a record has in columns of its own, and all of it as JSON. */
export function toRow(model: string, record: RecordValues, indexed: Indexed) {
  const [field] = indexed.get(model) ?? [];
  const owner = field === undefined ? null : (record[field] ?? null);
  return {
    id: Number(record.id),
    deleted: record.deleted === true,
    owner: Number.isSafeInteger(owner) ? owner : null,
    data: JSON.stringify(record),
  };
}

/** What was read lately. One text gives one object, so that its form on the wire is written once too (reply.ts). */
const known = new Map<string, RecordValues>();
const MOST_KNOWN = 10_000;
const LONGEST_KNOWN = 2000;

function parse(model: string, { data }: Row): RecordValues {
  const text = String(data);
  if (text.length > LONGEST_KNOWN) return JSON.parse(text);
  const key = `${model} ${text}`;
  const found = known.get(key);
  if (found) return found;
  if (known.size >= MOST_KNOWN) known.clear();
  const record: RecordValues = JSON.parse(text);
  known.set(key, record);
  return record;
}
