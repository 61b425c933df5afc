import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';

const text: Column = { kind: 'string' };

const number: Column = { kind: 'number' };

const required = (column: Column): Column => ({ ...column, required: true });

/** Sections 2.1 and 2.3, as far as the tests need them. */
const MODELS: Readonly<Record<string, Readonly<Record<string, Column>>>> = {
  brand: { name: required(text) },
  warehouse: { name: required(text), comments: text },
  supplier: {
    name: required(text),
    main: required({ kind: 'boolean' }),
    ...Object.fromEntries(
      ['logo', 'taxNumber', 'email', 'phone', 'web', 'street', 'street2', 'city', 'zipCode', 'comments'].map(
        (name) => [name, text],
      ),
    ),
    ...Object.fromEntries(['region', 'country', 'paymentConditions'].map((name) => [name, number])),
  },
};

/**
 * A service as people write it by hand: node:http over SQLite, nothing of this project. Its tables are made without
 * AUTOINCREMENT, so that the id of a deleted last row is given to the next one.
 */
export type SqliteService = {
  readonly url: string;
  readonly db: DatabaseSync;
  /**
   * The writes to rows that were inserted by `insert` of the service, as `DELETE brand/3`, or `DELETE brand` of all.
   */
  readonly harm: readonly string[];
  /** How many rows were made by requests. */
  made(): number;
  /** The rows of a table, deleted ones too. */
  rows(model: string): Row[];
  /** Makes a row that belongs to somebody else, under the given ID or the next one. */
  insert(model: string, values: Row, id?: number): number;
  /** Settles when no connection is open: everything that a killed client sent is answered. */
  disconnected(): Promise<void>;
  close(): Promise<void>;
};

/** The settings of the service that differ from the default. */
export const SQLITE_SETTINGS = {
  'delete.effect': 'remove',
  'errors.form': 'simple',
  'list.filter': 'none',
  'list.paging': 'none',
  'list.sort': 'none',
  'request.unknownFields': 'ignore',
  'response.total': 'none',
  'status.noOperation': 404,
};

export type Row = Record<string, unknown>;

export type SqliteOptions = {
  /** Names have to differ, those of deleted rows included. */
  readonly uniqueNames?: boolean;
  /** A delete sets `deleted`, and hides the row. */
  readonly softDelete?: boolean;
  /** Says why a valid-looking row is refused, or nothing. */
  readonly refuse?: (model: string, values: Row) => string | undefined;
  /** Runs after each delete. */
  readonly afterDelete?: (service: SqliteService, model: string, id: number) => void;
  /** Runs after each answer that there is no such row. */
  readonly afterMissing?: (service: SqliteService, model: string, id: number) => void;
};

export async function startSqliteService(options: SqliteOptions = {}): Promise<SqliteService> {
  const db = new DatabaseSync(':memory:');
  for (const model of Object.keys(MODELS)) {
    const name = options.uniqueNames ? 'name TEXT UNIQUE' : 'name TEXT';
    db.exec(
      `CREATE TABLE ${model} (id INTEGER PRIMARY KEY, ${name}, body TEXT, created TEXT, updated TEXT, deleted INTEGER DEFAULT 0)`,
    );
  }
  let made = 0;
  const harm: string[] = [];
  const inserted = new Set<string>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks).toString()));
  });
  const connections = new Set<Promise<void>>();
  server.on('connection', (socket) => {
    const closed = new Promise<void>((done) => socket.on('close', () => done()));
    connections.add(closed);
    closed.then(() => connections.delete(closed));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const service: SqliteService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    db,
    harm,
    made: () => made,
    rows: (model) => db.prepare(`SELECT * FROM ${model} ORDER BY id`).all().map(read),
    insert(model, values, id) {
      const given = insert(model, values, id);
      inserted.add(`${model}/${given}`);
      return given;
    },
    async disconnected() {
      // Connections are taken in order: once this one was, none from before it waits.
      const { port } = server.address() as AddressInfo;
      await new Promise((done) => connect(port, '127.0.0.1').on('close', done).resume().end());
      while (connections.size > 0) await Promise.all(connections);
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  return service;

  function answer(request: IncomingMessage, response: ServerResponse, body: string): unknown {
    const say = (status: number, value?: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(value === undefined ? '' : JSON.stringify(value));
    };
    const fail = (status: number, error: string) => say(status, { error });
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const [, base, api, model = '', id, ...more] = pathname.split('/');
    if (base !== 'api' || api !== 'model' || more.length > 0 || !Object.hasOwn(MODELS, model))
      return fail(404, 'not found');
    if (id !== undefined && !/^[1-9]\d{0,9}$/.test(id)) return fail(404, 'not found');
    const row = id === undefined ? undefined : find(model, Number(id));
    if (id !== undefined && !row) {
      fail(404, `there is no ${model} ${id}`);
      options.afterMissing?.(service, model, Number(id));
      return undefined;
    }
    if (request.method === 'GET') return row ? say(200, row) : say(200, list(model));
    if (request.method !== 'GET' && row && inserted.has(`${model}/${id}`))
      harm.push(`${request.method} ${model}/${id}`);
    if (request.method === 'DELETE' && !row && list(model).some((one) => inserted.has(`${model}/${one.id}`)))
      harm.push(`DELETE ${model}`);
    if (request.method === 'DELETE' && row) {
      remove(model, Number(id));
      say(200, { ...row, deleted: true });
      options.afterDelete?.(service, model, Number(id));
      return undefined;
    }
    if (request.method !== 'POST') return fail(405, 'method not allowed');
    let values: unknown;
    try {
      values = JSON.parse(body);
    } catch {
      return fail(400, 'no JSON');
    }
    if (values === null || typeof values !== 'object' || Array.isArray(values)) return fail(400, 'no object');
    const known = Object.fromEntries(
      Object.entries(values).filter(([name]) => Object.hasOwn(MODELS[model] ?? {}, name)),
    );
    const merged = { ...(row ? own(model, row) : {}), ...known };
    const problem = complain(model, merged) ?? options.refuse?.(model, merged);
    if (problem !== undefined) return fail(422, problem);
    try {
      if (row) {
        db.prepare(`UPDATE ${model} SET name = ?, body = ?, updated = ? WHERE id = ?`).run(
          String(merged.name),
          JSON.stringify(merged),
          now(),
          Number(id),
        );
        return say(200, find(model, Number(id)));
      }
      made++;
      return say(201, find(model, insert(model, merged)));
    } catch (error) {
      return fail(409, (error as Error).message);
    }
  }

  function insert(model: string, values: Row, id: number | null = null): number {
    const { lastInsertRowid } = db
      .prepare(`INSERT INTO ${model} (id, name, body, created, updated) VALUES (?, ?, ?, ?, ?)`)
      .run(id, String(values.name), JSON.stringify(values), now(), now());
    return Number(lastInsertRowid);
  }

  function find(model: string, id: number): Row | undefined {
    const found = db.prepare(`SELECT * FROM ${model} WHERE id = ? AND deleted = 0`).get(id);
    return found && show(model, read(found));
  }

  function list(model: string): Row[] {
    return service
      .rows(model)
      .filter(({ deleted }) => !deleted)
      .map((row) => show(model, row));
  }

  function remove(model: string, id: number): void {
    db.prepare(
      options.softDelete
        ? `UPDATE ${model} SET deleted = 1 WHERE id = ?`
        : `DELETE FROM ${model} WHERE id = ?`,
    ).run(id);
  }
}

function read(row: Row): Row {
  const { body, ...rest } = row;
  return { ...JSON.parse(String(body)), ...rest };
}

function show(model: string, row: Row): Row {
  const { created, deleted, id, updated } = row;
  const common = { id, created, createUser: 1, updated, updateUser: 1, deleted: deleted === 1 };
  return { ...common, ...own(model, row) };
}

function own(model: string, row: Row): Row {
  return Object.fromEntries(Object.keys(MODELS[model] ?? {}).map((name) => [name, row[name] ?? null]));
}

/** In whole seconds, like many frameworks. */
function now(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}

type Kind = 'string' | 'number' | 'boolean' | 'lines';

type Column = { readonly kind: Kind; readonly required?: boolean; readonly list?: readonly unknown[] };

/** Returns the error in a row; undefined for a valid row. */
function complain(model: string, values: Readonly<Record<string, unknown>>): string | undefined {
  for (const [name, { kind, required: isRequired }] of Object.entries(MODELS[model] ?? {})) {
    const value = values[name] ?? null;
    if (value === '' && isRequired) return `${name} is empty`;
    if (value === null ? isRequired : kind !== 'lines' && typeof value !== kind)
      return `${name} is not valid`;
    if (name === 'email' && value !== null && !String(value).includes('@')) return 'email is not valid';
    if (typeof value === 'number' && !Number.isInteger(value)) return `${name} is not valid`;
  }
  return undefined;
}
