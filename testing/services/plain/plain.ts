import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { On } from '../defects/defect.ts';
import { isObject } from '../records/forms.ts';
import { createRecords } from '../records/records.ts';
import { seed } from '../records/seed.ts';
import { createTables, isGone, type Row } from '../records/tables.ts';
import { listen, readId, readLine, type Service, type ServiceOptions } from '../service.ts';
import { MODELS, type Model } from '../source/source.ts';
import { type PlainOptions, USUAL } from './options.ts';
import { cut, isPagingParameter } from './pages.ts';
import { deletion, manyRecords, oneRecord, type Reply, refusal } from './replies.ts';

export const TOKEN = 'zoo';

/** Nothing but node:http and a Map; the options answer what the source leaves open, in dialects of all kinds. */
export async function startPlain(
  options: ServiceOptions & { readonly dialect?: PlainOptions } = {},
): Promise<Service> {
  const { defect, dialect = USUAL } = options;
  const tables = createTables();
  for (const name of MODELS.keys()) {
    // The first id is one more than the last.
    tables.insert(name, { id: dialect.firstId - 1 });
    tables.remove(name, dialect.firstId - 1);
  }
  const { deletes, unset } = dialect;
  const habits = { tables, forms: dialect, unset, deletes, replaces: dialect.update === 'full' };
  seed(createRecords(habits), tables, dialect);
  const records = createRecords({ ...habits, defect });
  return listen(
    (request, response) => {
      text(request)
        .then((body) => answer(request, body))
        .catch((error: Error) => refusal(500, error.message, dialect))
        .then((reply) => send(response, reply));
    },
    records,
    options,
  );

  function answer(request: IncomingMessage, body: string): Reply {
    if (dialect.auth === 'bearer' && request.headers.authorization !== `Bearer ${TOKEN}`)
      return refusal(401, 'who asks?', dialect);
    const line = readLine(request.method ?? '', request.url ?? '');
    const model = MODELS.get(line?.model ?? '');
    if (!line || !model)
      return refusal(dialect.missing === 410 ? 404 : dialect.missing, 'no such model', dialect);
    const on = operationOf(line.method, line.id);
    const isRead = on === 'list' || on === 'retrieve';
    if (!on || (model.readOnly && !isRead && !defect?.opens?.includes(on)))
      return refusal(dialect.noOperation, 'no such operation', dialect);
    if (isRead || on === 'delete')
      if (defect?.breaks?.(records.at(model, on))) throw new Error('out of order');
    if (on === 'list') return list(model, new URL(request.url ?? '', 'http://plain').searchParams);
    const values = on === 'create' || on === 'update' ? read(request, body) : undefined;
    if (on === 'create') return create(model, values);
    const id = readId(line.id);
    const row = id === undefined ? undefined : tables.find(model.name, id);
    if (!row || (isGone(row) && !(on === 'retrieve' && dialect.deletedReadable))) {
      const instead = id && !row && defect?.unknown?.(records.at(model, on, { id }));
      if (!instead) return refusal(dialect.missing, 'no such record', dialect);
      if (instead === 'create') tables.insert(model.name, { id });
      return oneRecord(200, records.show(model, { id }, on), dialect);
    }
    if (on === 'retrieve') return oneRecord(200, records.show(model, row, on), dialect);
    if (on === 'update') return update(model, row, values);
    records.remove(model, row);
    return deletion(
      records.show(model, { ...row, ...tables.find(model.name, Number(id)) }, 'delete'),
      dialect,
    );
  }

  function list(model: Model, query: URLSearchParams): Reply {
    const asked = [...query].filter(([name]) => !isPagingParameter(name, dialect));
    const isField = ([asks]: [string, string]) => model.fields.some(({ name }) => name === asks);
    const filters = asked.filter(isField);
    const odd = asked.find((one) => !isField(one));
    if (odd && dialect.unknownFields === 'reject')
      return refusal(dialect.invalid, `${odd[0]} is unknown`, dialect);
    const gone = dialect.deletedListed ? tables.all(model.name).filter(isGone) : [];
    const all = [...records.list(model), ...gone.map((row) => records.show(model, row, 'list'))].filter(
      (row) => filters.every(([name, value]) => String(bare(row[name])) === value),
    );
    const page = cut(all, query, dialect);
    if (!page) return refusal(dialect.invalid, 'a parameter is no number', dialect);
    const rows = defect?.page?.(page.rows, all) ?? page.rows;
    return manyRecords({ ...page, rows }, defect?.total?.(all.length, rows.length) ?? all.length, dialect);
  }

  function create(model: Model, sent: unknown): Reply {
    const refused = refuse(model, sent, 'create');
    if (refused) return refused;
    const id = records.create(model, tidy(model, sent as Row));
    return oneRecord(
      dialect.created,
      records.show(model, tables.find(model.name, id) ?? {}, 'create'),
      dialect,
    );
  }

  function update(model: Model, row: Row, sent: unknown): Reply {
    const refused = refuse(model, sent, 'update', row);
    if (refused) return refused;
    records.update(model, row, tidy(model, sent as Row));
    const left = tables.find(model.name, Number(row.id)) ?? {};
    return oneRecord(dialect.updated, records.show(model, left, 'update'), dialect);
  }

  function refuse(model: Model, sent: unknown, on: 'create' | 'update', before?: Row): Reply | undefined {
    if (!isObject(sent)) return refusal(dialect.unparsable, 'a JSON object is wanted', dialect);
    const at = records.at(model, on, { sent, ...(before ? { before, id: Number(before.id) } : {}) });
    if (defect?.breaks?.(at)) throw new Error('out of order');
    const faults: Record<string, string> = Object.fromEntries(
      records.problems(model, sent, on).map(({ field, kind }) => [field.name, kind]),
    );
    for (const name of Object.keys(sent)) {
      const field = model.fields.find((known) => known.name === name);
      if (!field && dialect.unknownFields === 'reject') faults[name] = 'unknown';
      const isTaken = field && defect?.takes?.(model, field, on);
      if (field?.readonly && !isTaken && dialect.readonlyFields === 'reject') faults[name] = 'readonly';
    }
    for (const [name, value] of Object.entries(sent))
      if (typeof value === 'string' && dialect.textLimit > 0 && value.length > dialect.textLimit)
        faults[name] = 'too long';
    const { language } = sent;
    if (dialect.language === 'two letters' && typeof language === 'string' && model.name === 'customer')
      if (!/^[a-z]{2}$/.test(language)) faults.language = 'has to be of two letters';
    if (Object.keys(faults).length === 0 && !defect?.refuses?.(at)) return undefined;
    return refusal(dialect.invalid, 'the body is invalid', dialect, faults);
  }

  /** Habits that change a little of what was sent and break nothing that is stated. */
  function tidy(model: Model, sent: Row): Row {
    return Object.fromEntries(
      Object.entries(sent).map(([name, value]) => {
        const type = model.fields.find((field) => field.name === name)?.type;
        if (type === 'currency' && typeof value === 'number' && dialect.money === 'two decimals')
          return [name, Math.round(value * 100) / 100];
        return [name, typeof value === 'string' && dialect.ends === 'trimmed' ? value.trim() : value];
      }),
    );
  }
}

function operationOf(method: string, id: string | undefined): On | undefined {
  if (method === 'GET') return id === undefined ? 'list' : 'retrieve';
  if (method === 'POST') return id === undefined ? 'create' : 'update';
  return method === 'DELETE' && id !== undefined ? 'delete' : undefined;
}

/** A member of a list may be shown with its name. */
function bare(value: unknown): unknown {
  return isObject(value) ? value.value : value;
}

/** Undefined where there is no JSON. */
function read(request: IncomingMessage, body: string): unknown {
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, { body, headers, status }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
}
