import { setImmediate as turn } from 'node:timers/promises';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { searchRecords } from '../search.ts';
import type { Found, Layout, Query } from '../store.ts';
import { SCHEMA } from './schema.ts';

const MOST = 10_000;

const LONGEST = 2000;

/** Maximum number of items in one statement. */
const AT_ONCE = 50;

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

/** Where and how records are read. */
export type Reading = {
  readonly ask: Ask;
  readonly space: string;
  readonly seen: Seen;
  readonly layout: Layout;
};

const PART = `(select part from ${SCHEMA}.part where space = $1 and model = $2)`;

/** Returns the records of some IDs; undefined for an ID without one. */
export async function readRecords(
  { ask, seen, space }: Reading,
  model: string,
  ids: readonly number[],
): Promise<(RecordValues | undefined)[]> {
  const text = `select id, data from ${SCHEMA}.record where part = ${PART} and id = any ($3::bigint[])`;
  // PostgreSQL rejects other values as bigint.
  const { rows } = await ask({ name: 'get', text, values: [space, model, ids.filter(Number.isSafeInteger)] });
  const found = new Map(rows.map((row) => [Number(row.id), toRecord(seen, space, model, row)]));
  return ids.map((id) => found.get(id));
}

/** Whether a query reads all records of a model or of a parent into this process. */
export function readsAll({ filters = [], sort = [], where = [] }: Query): boolean {
  return where.length + filters.length + sort.length > 0;
}

/**
 * Filters and sorts in this process, because no database sorts strings like the store in memory. PostgreSQL does the
 * rest.
 */
export async function findRecords(
  { ask, layout, seen, space }: Reading,
  model: string,
  query: Query,
): Promise<Found> {
  const { filters = [], liveOnly, offset = 0, size, sort = [], where = [] } = query;
  const read = (row: Row) => toRecord(seen, space, model, row);
  const [field] = layout.links.get(model) ?? [];
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
    const { rows } = await ask({ name: `list-${kind}`, text: `select id, data ${from} order by id`, values });
    return searchRecords(rows.map(read), query);
  }
  if (size === undefined && offset === 0) {
    const { rows } = await ask({ name: `list-${kind}`, text: `select id, data ${from} order by id`, values });
    return { records: rows.map(read), total: rows.length };
  }
  const next = values.length;
  // In one statement, so that the total fits the page.
  const text = `select (select count(*) ${from}) as total, page.id, page.data from (values (1)) one left join lateral
    (select id, data ${from} order by id offset $${next + 1} limit $${next + 2}) page on true order by page.id`;
  const { rows } = await ask({ name: `page-${kind}`, text, values: [...values, offset, size ?? null] });
  return {
    records: rows.filter(({ data }) => data !== null).map(read),
    total: Number(rows[0]?.total ?? 0),
  };
}

function toRecord(seen: Seen, space: string, model: string, { data, id }: Row): RecordValues {
  return seen.read(space, model, Number(id), String(data));
}

/** A record, and its text in the database. */
type SeenRecord = { readonly text: string; readonly record: RecordValues };

export type Seen = ReturnType<typeof createSeen>;

/**
 * Keeps the records as this replica read them last. Other replicas can have changed them since. A record with the same
 * text stays the same object, so that its wire form is written once (reply.ts).
 */
export function createSeen() {
  const known = new Map<string, SeenRecord>();
  const nameOf = (space: string, model: string, id: number) => `${space} ${model} ${id}`;
  const keep = (name: string, seen: SeenRecord) => {
    if (known.size >= MOST) known.clear();
    // A long record is not kept, because guessing its version again and again costs too much.
    if (seen.text.length > LONGEST) known.delete(name);
    else known.set(name, seen);
  };
  return {
    last: (space: string, model: string, id: number) => known.get(nameOf(space, model, id)),
    /** Returns the record of a text. */
    read: (space: string, model: string, id: number, text: string) => {
      const name = nameOf(space, model, id);
      const last = known.get(name);
      if (last?.text === text) return last.record;
      const record: RecordValues = JSON.parse(text);
      keep(name, { text, record });
      return record;
    },
    note: (space: string, model: string, id: number, seen: SeenRecord) =>
      keep(nameOf(space, model, id), seen),
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
