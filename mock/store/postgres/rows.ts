import { setImmediate as turn } from 'node:timers/promises';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { SCHEMA } from './schema.ts';

/** Maximum number of records that are kept, and of characters of each of them. */
const MOST = 10_000;
const LONGEST = 2000;

/** Maximum number of items in one statement. */
const AT_ONCE = 50;

/** A statement as the driver takes it. With a name, it is prepared once in each connection. */
export type Statement = {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
  /** Milliseconds; else those of the connection. */
  readonly query_timeout?: number;
};
export type Ask = (statement: Statement) => Promise<{ readonly rows: readonly Row[] }>;
export type Row = Readonly<Record<string, unknown>>;

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

/** Returns the records of some IDs; undefined for an ID without one. */
export async function readRecords(
  { ask, seen, space }: { readonly ask: Ask; readonly seen: Seen; readonly space: string },
  model: string,
  ids: readonly number[],
): Promise<(RecordValues | undefined)[]> {
  const text = `select id, data ${fromRecords('r.id = any ($3::bigint[])', 'few')}`;
  // PostgreSQL rejects other values as bigint.
  const { rows } = await ask({ name: 'get', text, values: [space, model, ids.filter(Number.isSafeInteger)] });
  const found = new Map(rows.map((row) => [Number(row.id), toRecord(seen, space, model, row)]));
  return ids.map((id) => found.get(id));
}

/** Returns the record of a row with its ID and its text. */
export function toRecord(seen: Seen, space: string, model: string, { data, id }: Row): RecordValues {
  return seen.read(space, model, Number(id), String(data));
}

export type Seen = ReturnType<typeof createSeen>;

/**
 * Keeps records with their texts in the database. A record with the same text stays the same object, so that its wire
 * form is written once (reply.ts).
 */
export function createSeen() {
  const known = new Map<string, { readonly text: string; readonly record: RecordValues }>();
  return {
    /** Returns the record of a text. */
    read: (space: string, model: string, id: number, text: string): RecordValues => {
      const name = `${space} ${model} ${id}`;
      const last = known.get(name);
      if (last?.text === text) return last.record;
      const record = JSON.parse(text);
      if (known.size >= MOST) known.clear();
      if (text.length <= LONGEST) known.set(name, { text, record });
      return record;
    },
  };
}

type Asked<Item, Answer> = {
  readonly item: Item;
  readonly resolve: (answer: Answer | Promise<Answer>) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Runs one statement for many callers: those that call in the same turn of the event loop, or while the last statement
 * is running. `run` returns one answer per item. If it rejects, all of these callers get the error.
 */
export function createBatches<Item, Answer>(
  run: (
    space: string,
    model: string,
    items: readonly Item[],
  ) => Promise<readonly (Answer | Promise<Answer>)[]>,
): (space: string, model: string, item: Item) => Promise<Answer> {
  const waiting = new Map<string, Asked<Item, Answer>[]>();
  return (space, model, item) =>
    new Promise((resolve, reject) => {
      const key = `${space} ${model}`;
      const known = waiting.get(key);
      const asked = known ?? [];
      asked.push({ item, resolve, reject });
      if (known) return;
      waiting.set(key, asked);
      void serve(key, space, model, asked);
    });

  async function serve(
    key: string,
    space: string,
    model: string,
    asked: Asked<Item, Answer>[],
  ): Promise<void> {
    for (;;) {
      await turn();
      const now = asked.splice(0, AT_ONCE);
      if (now.length === 0) break;
      try {
        const answers = await run(
          space,
          model,
          now.map(({ item }) => item),
        );
        for (const [index, { resolve }] of now.entries()) resolve(answers[index] as Answer);
      } catch (error) {
        for (const { reject } of now) reject(error);
      }
    }
    waiting.delete(key);
  }
}
