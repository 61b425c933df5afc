import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { complaint, MODELS } from './faulty-models.ts';
import { serve } from './http-server.ts';

/** The settings of the service that differ from the default. */
export const FAULTY_SETTINGS = {
  'request.blankStrings': 'accept',
  'delete.effect': 'remove',
  'delete.answer': 'none',
  'status.deleted': 204,
  'errors.form': 'simple',
  'list.paging': 'none',
  'list.sort': 'none',
  'list.filter': 'none',
  'response.total': 'none',
};

/** A record as it is stored and shown. */
export type Row = { id: number; deleted: boolean } & Values;
type Values = Record<string, unknown>;
export type Tables = Readonly<Record<string, Map<number, Row>>>;

/** Where a service may go wrong; each is given what it may change, and gives what is used instead. */
export type Faults = {
  /** Returns the stored values of a create or update; `before` is the record to update. */
  readonly store?: (model: string, row: Row, sent: Values, before?: Row) => Row;
  /** Returns the shown values of a record. */
  readonly show?: (model: string, row: Row, where: 'create' | 'retrieve' | 'update' | 'list') => Row;
  /** The rows that a list is made of. */
  readonly list?: (model: string, rows: Row[], all: Row[]) => Row[];
  /** Says no to a valid body. */
  readonly refuse?: (model: string, sent: Values, before?: Row) => string | undefined;
  /** Runs after a body was refused; `valid` is what is right in it. */
  readonly refused?: (model: string, sent: Values, valid: Values, before?: Row) => void;
  /** Runs after a write. */
  readonly after?: (
    operation: 'create' | 'update' | 'delete',
    model: string,
    row: Row,
    tables: Tables,
  ) => void;
  /** Answers before anything else does. */
  readonly first?: (
    method: string,
    path: string,
    tables: Tables,
  ) => { status: number; body?: unknown } | undefined;
};

export type FaultyOptions = {
  readonly faults?: Faults;
  /** Records that are there before. */
  readonly rows?: Readonly<Record<string, readonly Values[]>>;
  /** Gives the ids of removed records again, as SQLite does without AUTOINCREMENT. */
  readonly reuseIds?: boolean;
};

const NOW = '2025-10-22T09:30:00Z';

/**
 * An independent service for some models on a free port: JSON, whole lists without pages, removed records gone. It
 * keeps the contract unless a fault is given.
 */
export async function startFaultyService({ faults = {}, reuseIds, rows = {} }: FaultyOptions = {}) {
  const tables: Tables = Object.fromEntries(
    Object.keys(MODELS).map((model) => [model, new Map<number, Row>()]),
  );
  const last = new Map<string, number>();
  for (const [model, given] of Object.entries(rows)) for (const row of given) insert(model, row);
  const asked: string[] = [];
  const served = await serve((request, response) => {
    text(request).then(
      (body) => send(response, answerOrBreak(request, body)),
      () => response.destroy(),
    );
  });
  return {
    ...served,
    tables,
    /** The requests so far, as `POST /api/model/brand`. */
    asked,
    insert,
  };

  function insert(model: string, values: Values): Row {
    const table = tables[model] ?? new Map<number, Row>();
    const highest = Math.max(0, ...table.keys());
    const id = (reuseIds ? highest : Math.max(last.get(model) ?? 0, highest)) + 1;
    last.set(model, id);
    const given = { created: NOW, createUser: 1, updated: NOW, updateUser: 1, deleted: false, ...values };
    const row: Row = { id, ...given };
    table.set(id, row);
    return row;
  }

  /** A fault that throws breaks the service. */
  function answerOrBreak(request: IncomingMessage, body: string): Reply {
    try {
      return answer(request, body);
    } catch (error) {
      return reply(500, { error: String(error) });
    }
  }

  function answer(request: IncomingMessage, body: string): Reply {
    const { method = '', url = '' } = request;
    const [path = ''] = url.split('?');
    asked.push(`${method} ${path}`);
    const early = faults.first?.(method, path, tables);
    if (early) return reply(early.status, early.body);
    const [, model = '', id, ...more] = /^\/api\/model\/([^/]+)(?:\/([^/]+))?(.*)$/.exec(path) ?? [];
    const fields = Object.hasOwn(MODELS, model) ? MODELS[model] : undefined;
    const table = tables[model];
    if (!fields || !table || more.join('') !== '') return reply(404, { error: 'no such model' });
    const show = (row: Row, where: 'create' | 'retrieve' | 'update' | 'list') =>
      faults.show?.(model, { ...row }, where) ?? row;
    if (id === undefined && method === 'GET') {
      const all = [...table.values()];
      const listed =
        faults.list?.(
          model,
          all.map((row) => ({ ...row })),
          all,
        ) ?? all;
      return reply(
        200,
        listed.map((row) => show(row, 'list')),
      );
    }
    const row = id !== undefined && /^\d+$/.test(id) ? table.get(Number(id)) : undefined;
    if (!['GET', 'POST', 'DELETE'].includes(method) || (id === undefined && method !== 'POST'))
      return reply(405, { error: 'no such operation' });
    if (id !== undefined && !row) return reply(404, { error: 'no such record' });
    if (row && method === 'GET') return reply(200, show(row, 'retrieve'));
    if (row && method === 'DELETE') {
      table.delete(row.id);
      faults.after?.('delete', model, row, tables);
      return reply(204);
    }
    const sent = read(body);
    if (!sent) return reply(400, { error: 'that is no object' });
    const wrong = complaint(fields, sent, row === undefined) ?? faults.refuse?.(model, sent, row);
    if (wrong !== undefined) {
      faults.refused?.(model, sent, valid(fields, sent), row);
      return reply(422, { error: wrong });
    }
    const values = Object.fromEntries(
      Object.keys(fields).map((name) => [name, sent[name] ?? row?.[name] ?? null]),
    );
    for (const name of Object.keys(fields)) if (row && sent[name] === null) values[name] = null;
    const draft = { ...(row ?? { id: 0, deleted: false }), ...values };
    const stored = faults.store?.(model, draft, sent, row) ?? draft;
    if (!row) {
      const { id: _, ...made } = stored;
      const one = insert(model, made);
      faults.after?.('create', model, one, tables);
      return reply(201, show(one, 'create'));
    }
    const changed = { ...stored, id: row.id };
    table.set(row.id, changed);
    faults.after?.('update', model, changed, tables);
    return reply(200, show(table.get(row.id) ?? changed, 'update'));
  }
}

function valid(fields: (typeof MODELS)[string], sent: Values): Values {
  const isValid = ([name, value]: [string, unknown]) =>
    Object.hasOwn(fields, name) && complaint(fields, { [name]: value }, false) === undefined;
  return Object.fromEntries(Object.entries(sent).filter(isValid));
}

function read(body: string): Values | undefined {
  try {
    const sent = JSON.parse(body);
    return sent !== null && typeof sent === 'object' && !Array.isArray(sent) ? sent : undefined;
  } catch {
    return undefined;
  }
}

type Reply = { readonly status: number; readonly body?: unknown };

function reply(status: number, body?: unknown): Reply {
  return { status, body };
}

function send(response: ServerResponse, { body, status }: Reply): void {
  response.writeHead(status, body === undefined ? {} : { 'content-type': 'application/json' });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
