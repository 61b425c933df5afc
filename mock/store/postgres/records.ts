import type pg from 'pg';
import { itemKeys, type SortKey, sortKey } from '../../../spec/types/sort-key.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Layout, type RecordsPart, StoreAway } from '../store.ts';
import { SCHEMA } from './schema.ts';

/** A statement as the driver takes it. With a name, it is prepared once in each connection. */
export type Statement = {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
  /** Milliseconds; else those of the connection. */
  readonly query_timeout?: number;
};
export type DatabaseRow = Readonly<Record<string, unknown>>;
export type Ask = (statement: Statement) => Promise<{ readonly rows: readonly DatabaseRow[] }>;

export type Reading = {
  readonly ask: Ask;
  readonly space: string;
  readonly layout: Layout;
};

/** Selects the part of the model $2 in the space $1. */
export const PART = `(select part from ${SCHEMA}.part where space = $1 and model = $2)`;

/** Selects the base of that part; null if it has none. */
export const BASE = `(select base from ${SCHEMA}.part where space = $1 and model = $2)`;

/**
 * Selects from the records `r` of the model $2 in the space $1 that meet a condition: those of its part, and those of
 * the base that the part does not replace. PostgreSQL looks for a few records one by one, in the part and by an
 * index, and joins all.
 */
export function fromRecords(condition: string, reads: 'few' | 'all'): string {
  const replaced = `(
      select true from ${SCHEMA}.record own
      where own.part = (select part from ${SCHEMA}.part where space = $1 and model = $2 and base is not null)
        and own.id = r.id and r.part = ${BASE})`;
  return `from ${SCHEMA}.record r
    where r.part in (${PART}, ${BASE}) and r.data is not null and ${condition}
      and ${reads === 'few' ? `${replaced} is null` : `not exists ${replaced}`}`;
}

/**
 * Selects the first records that meet a condition, by ID: those of the part, and those of the base, each in the order of
 * an index. PostgreSQL would sort all records of a join. Enough records of the part say where the others end.
 */
export function firstRecords(condition: string, limit: string): string {
  const halfOf = (part: string, more = '') =>
    `select id, data from ${SCHEMA}.record r where part = ${part} and data is not null and ${condition}${more}
     order by id limit ${limit}`;
  return `(
    with first as materialized (${halfOf(PART)})
    select id, data from first
    union all
    (${halfOf(
      BASE,
      ` and id <= (select case when count(*) >= ${limit} then max(id) else ${Number.MAX_SAFE_INTEGER} end from first)
      and (select true from ${SCHEMA}.record own where own.part = ${PART} and own.id = r.id) is null`,
    )}))`;
}

const GET = `select data ${fromRecords('r.id = $3::bigint', 'few')}`;

/** Returns a record; undefined if there is none. */
export async function readRecord({ ask, space }: Reading, model: string, id: number) {
  // PostgreSQL rejects other values as bigint.
  if (!Number.isSafeInteger(id)) return undefined;
  const { rows } = await ask({ name: 'get', text: GET, values: [space, model, id] });
  return rows[0] && (JSON.parse(String(rows[0].data)) as RecordValues);
}

const MOST_IN_PART = 100;

/** Milliseconds until a client that does not read loses the connection to the database. */
const LONGEST_PAUSE = 30_000;

const NEXT = {
  name: 'next-part',
  text: `select id, data from ${firstRecords('id > $3::bigint', `${MOST_IN_PART}`)} found order by id limit ${MOST_IN_PART}`,
};

/** Reads all records of models in one transaction, which sees no writes of others. */
export async function* readAll(
  pool: pg.Pool,
  space: string,
  models: readonly string[],
  told: <Result>(ask: () => Promise<Result>) => Promise<Result>,
): AsyncGenerator<RecordsPart> {
  const client = await told(() => pool.connect());
  let isHeld = true;
  let late: NodeJS.Timeout | undefined;
  /** Returns the connection. Closes one that is in the middle of the transaction. */
  const letGo = (isWhole: boolean) => {
    clearTimeout(late);
    if (isHeld) client.release(!isWhole);
    isHeld = false;
  };
  try {
    await told(() => client.query('begin isolation level repeatable read read only'));
    for (const model of models) {
      let last = String(Number.MIN_SAFE_INTEGER);
      for (let isFirst = true; ; isFirst = false) {
        const { rows } = await told(() => client.query({ ...NEXT, values: [space, model, last] }));
        if (rows.length === 0 && !isFirst) break;
        late = setTimeout(letGo, LONGEST_PAUSE, false);
        yield { model, records: rows.map(({ data }) => JSON.parse(data)) };
        clearTimeout(late);
        if (!isHeld) throw new StoreAway(`No part of the records was read for ${LONGEST_PAUSE / 1000} s.`);
        if (rows.length < MOST_IN_PART) break;
        last = rows.at(-1).id;
      }
    }
    await told(() => client.query('commit'));
    letGo(true);
  } finally {
    letGo(false);
  }
}

export type RecordRow = {
  readonly id: number;
  readonly deleted: boolean;
  readonly owner: number | null;
  readonly data: string | null;
  readonly keys: Readonly<Record<string, SortKey | readonly SortKey[]>> | null;
};

/** Returns the columns of a record; those without data for a removed one. */
export function toRow(
  { links, mark, types }: Layout,
  model: string,
  id: number,
  record: RecordValues | undefined,
): RecordRow {
  if (!record) return { id, deleted: true, owner: null, data: null, keys: null };
  const [link] = links.get(model) ?? [];
  const owner = link === undefined ? null : (record[link] ?? null);
  const typeOf = types?.get(model);
  // A field can be named __proto__.
  const keys = Object.create(null);
  for (const name in record) {
    const value = record[name] ?? null;
    if (value === null) continue;
    const type = typeOf?.get(name) ?? 'string';
    keys[name] = Array.isArray(value) ? itemKeys(type, value) : sortKey(type, value);
  }
  return {
    id,
    deleted: mark !== undefined && record[mark] === true,
    owner: Number.isSafeInteger(owner) ? Number(owner) : null,
    data: JSON.stringify(record),
    keys,
  };
}
