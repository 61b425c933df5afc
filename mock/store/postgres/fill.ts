import type { Client } from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Layout, NewRecords } from '../store.ts';
import { createTable, idAfter, type Table } from '../table.ts';
import { hasFields, LONG, SCHEMA } from './schema.ts';
import { toRow } from './writes.ts';

/** Characters that are sent together. */
const CHUNK = 1 << 17;

/** Maximum number of rows in one COPY, because its triggers keep its rows until its end. */
const AT_ONCE = 100_000;

/**
 * Fills an empty space in the transaction of a client, which must not be in pipeline mode. Records that the work may
 * read again wait in memory until `finish`; added ones go to the database while the work goes on.
 */
export function createFill(client: Client, space: string, layout: Layout) {
  const tables = new Map<string, Table>();
  /** The highest IDs of added records, and of IDs that were assigned. */
  const given = new Map<string, number>();
  const parts = new Map<string, string>();
  const rows = createRows(client);
  const newTable = (model: string) => createTable(layout, model, { owner: tables });
  const tableOf = (model: string) => {
    const table = tables.get(model) ?? newTable(model);
    tables.set(model, table);
    return table;
  };
  const lastOf = (model: string) => Math.max(given.get(model) ?? 0, tableOf(model).lastId);
  const records: NewRecords = {
    get: async (model, id) => tableOf(model).get(id),
    find: async (model, query) => tableOf(model).find(query),
    nextId: async (model) => {
      const id = idAfter(lastOf(model), model);
      given.set(model, id);
      return id;
    },
    put: async (model, record) => tableOf(model).put(record),
    remove: async (model, id) => tableOf(model).remove(id),
    clear: async (model) => {
      tables.set(model, newTable(model));
      given.delete(model);
    },
    add: async (model, record) => {
      given.set(model, Math.max(lastOf(model), Number(record.id)));
      await write(model, record);
    },
  };
  return {
    records,
    /** Sends the waiting records, and stores the parts and the last IDs. */
    finish: async () => {
      for (const [model, { records: all }] of tables)
        for (const record of all.values()) await write(model, record);
      await rows.end();
      for (const model of tables.keys()) if (!parts.has(model)) await makePart(model);
      await client.query(
        `insert into ${SCHEMA}.part (space, model, part, owned)
         select $1, *, false from unnest($2::text[], $3::bigint[])`,
        [space, [...parts.keys()], [...parts.values()]],
      );
      const models = [...tables.keys()];
      await client.query(
        `insert into ${SCHEMA}.counter (space, model, last) select $1, * from unnest($2::text[], $3::bigint[])`,
        [space, models, models.map(lastOf)],
      );
    },
  };

  function write(model: string, record: RecordValues): Promise<unknown> | undefined {
    const part = parts.get(model);
    return part === undefined ? begin(model, record) : rows.add(rowOf(part, model, record));
  }

  async function begin(model: string, record: RecordValues): Promise<void> {
    // No statement can run during a COPY.
    await rows.end();
    await rows.add(rowOf(await makePart(model), model, record));
  }

  async function makePart(model: string): Promise<string> {
    const found = await client.query(`select nextval('${SCHEMA}.part_ids') as part`);
    const part = String(found.rows[0]?.part);
    parts.set(model, part);
    return part;
  }

  /** Returns a row in the text format of COPY. JSON has no line breaks, tabs, or other control characters. */
  function rowOf(part: string, model: string, record: RecordValues): string {
    const { data, deleted, id, owner, plain } = toRow(model, record, layout);
    const text = data.replaceAll('\\', '\\\\');
    const fields = hasFields(data) ? text : '\\N';
    return `${part}\t${id}\t${deleted}\t${owner ?? '\\N'}\t${text}\t${plain}\t${fields}\n`;
  }
}

/** Sends rows to the table of records, many at a time. A promise resolves when the next row can come. */
function createRows(client: Client) {
  let stream: CopyStreamQuery | undefined;
  let failure: Error | undefined;
  let onFailure = (_: Error) => {};
  let waiting = '';
  let count = 0;
  return {
    add: (row: string): Promise<unknown> | undefined => {
      waiting += row;
      count += 1;
      if (count === AT_ONCE) return end();
      return waiting.length >= CHUNK ? send() : undefined;
    },
    end,
  };

  async function end(): Promise<void> {
    if (count === 0) return;
    const ended = await send();
    stream = undefined;
    count = 0;
    await orFailure((done) => ended.end(done));
  }

  async function send(): Promise<CopyStreamQuery> {
    if (failure) throw failure;
    stream ??= open();
    const [copy, text] = [stream, waiting];
    waiting = '';
    // One at a time, because the stream crashes over chunks that wait after an error of the database.
    await orFailure((done) => copy.write(text, done));
    return copy;
  }

  /** Waits for a step of the stream, or rejects with the error of the database. */
  function orFailure(start: (done: () => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      onFailure = reject;
      start(resolve);
    });
  }

  function open(): CopyStreamQuery {
    const columns = 'part, id, deleted, owner, data, plain, fields';
    const copy = copyFrom(`copy ${SCHEMA}.record (${columns}) from stdin`);
    copy.on('error', (error) => {
      failure = error;
      onFailure(error);
    });
    return client.query(Object.assign(copy, { query_timeout: LONG }));
  }
}
