import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { parse } from 'qs';
import type { On } from '../defects/defect.ts';
import { isCounted, isObject, TEXTS } from '../records/forms.ts';
import { createRecords } from '../records/records.ts';
import { seed } from '../records/seed.ts';
import { createTables, isGone, type Row, type Tables } from '../records/tables.ts';
import { listen, readId, readLine, type Service, type ServiceOptions } from '../service.ts';
import { type Field, MODELS, type Model } from '../source/source.ts';
import { dress } from './manners/dress.ts';
import { faultsOf, findTwin, letGo } from './manners/refuse.ts';
import { coerce, tidy, workOut } from './manners/tidy.ts';
import { type PlainOptions, USUAL } from './options.ts';
import { cut, isPagingParameter, order } from './pages.ts';
import { deletion, manyRecords, oneRecord, type Reply, refusal, send } from './replies.ts';

export const TOKEN = 'zoo';

export type PlainService = ServiceOptions & {
  readonly dialect?: PlainOptions;
  /** One model in another dialect. */
  readonly oddModel?: { readonly at: string; readonly dialect: PlainOptions };
};

/** The plain service, with the tables that hold its records. */
export type StartedPlain = Service & { readonly tables: Tables };

/** Nothing but node:http and a Map; the options answer what the source leaves open, in dialects of all kinds. */
export async function startPlain(options: PlainService = {}): Promise<StartedPlain> {
  const { defect, dialect = USUAL, oddModel } = options;
  const tables = createTables(dialect.ids, dialect.firstId);
  if (dialect.begins === 'with records') seed(createRecords(tables, dialect), tables, dialect, defect?.wipes);
  const usual = respond(options, dialect, tables);
  const odd = oddModel && respond(options, oddModel.dialect, tables);
  const service = await listen(
    (request, response) => {
      const line = readLine(request.method ?? '', request.url ?? '');
      const [own, spoken] = odd && line?.model === oddModel.at ? [odd, oddModel.dialect] : [usual, dialect];
      text(request)
        .then((body) => own.answer(request, body))
        .catch((error: Error) => refusal(500, error.message, spoken))
        .then((reply) => send(response, reply, spoken));
    },
    usual.records,
    options,
  );
  return { ...service, tables };
}

function respond({ defect }: PlainService, dialect: PlainOptions, tables: Tables) {
  const records = createRecords(tables, dialect, defect);
  /** As `brand/7`. */
  const gone = new Set<string>();
  return { answer, records };

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
    const values = on === 'create' || on === 'update' ? read(request, body, model, dialect) : undefined;
    if (on === 'create') return create(model, values);
    const id = readId(line.id);
    if (id === undefined && dialect.oddId === 'invalid')
      return refusal(dialect.invalid, 'the id is no number', dialect);
    const row = id === undefined ? undefined : tables.find(model.name, id);
    if (!row || (isGone(row) && !(on === 'retrieve' && dialect.deletedReadable))) {
      if (on === 'delete' && dialect.again === 'fine' && gone.has(`${model.name}/${id}`))
        return deletion(row ? shown(model, row, on) : { id, deleted: true }, dialect, model.name);
      if (on === 'delete' && dialect.again === 'always fine' && !defect) return { status: dialect.deleted };
      const instead = id && !row && defect?.unknown?.(records.at(model, on, { id }));
      if (!instead) return refusal(dialect.missing, 'no such record', dialect);
      if (instead === 'create') tables.insert(model.name, { id });
      return oneRecord(200, shown(model, { id }, on), dialect, model.name);
    }
    if (on === 'retrieve') return oneRecord(200, shown(model, row, on), dialect, model.name);
    if (on === 'update') return update(model, row, values);
    const holder = letGo(model, row, records, tables, dialect);
    if (holder) return refusal(409, holder, dialect);
    records.remove(model, row);
    gone.add(`${model.name}/${id}`);
    return deletion(
      shown(model, { ...row, ...tables.find(model.name, Number(id)) }, 'delete'),
      dialect,
      model.name,
    );
  }

  function shown(model: Model, row: Row, on: On): Row {
    return dress(model, records.show(model, row, on), dialect);
  }

  function list(model: Model, query: URLSearchParams): Reply {
    const asked = [...query].filter(
      ([name]) => !isPagingParameter(name, dialect) && !(name === 'sort' && dialect.sort === 'field'),
    );
    const isField = ([asks]: [string, string]) => model.fields.some(({ name }) => name === asks);
    const filters = dialect.filter === 'none' ? [] : asked.filter(isField);
    const searches = dialect.filter === 'contains' ? searchesIn(model, asked) : [];
    const odd = asked.find(([name]) => !isField([name, '']) && !searches.some(({ asks }) => asks === name));
    if (odd && dialect.unknownFields === 'reject')
      return refusal(dialect.invalid, `${odd[0]} is unknown`, dialect);
    const left =
      dialect.deletedListed || defect?.showsMarked?.(query) ? tables.all(model.name).filter(isGone) : [];
    const rows = [...records.list(model), ...left.map((row) => records.show(model, row, 'list'))];
    const all = order(rows, query, dialect)
      .map((row) => dress(model, row, dialect))
      .filter((row) => filters.every(([name, value]) => String(bare(row[name])) === value))
      .filter((row) => searches.every(({ name, part }) => String(row[name] ?? '').includes(part)));
    const page = cut(all, query, dialect);
    if (!page) return refusal(dialect.invalid, 'a parameter is no number', dialect);
    const some = defect?.page?.(page.rows, all) ?? page.rows;
    const total = defect?.total?.(all.length, some.length) ?? all.length;
    return manyRecords({ ...page, rows: some }, total, dialect, model.name);
  }

  function create(model: Model, body: unknown): Reply {
    const { refused, sent, values } = accept(model, body, 'create');
    return refused ?? written(dialect.created, model, records.create(model, values), sent, 'create');
  }

  function update(model: Model, row: Row, body: unknown): Reply {
    const { refused, sent, values } = accept(model, body, 'update', row);
    if (refused) return refused;
    records.update(model, row, values);
    return written(dialect.updated, model, Number(row.id), sent, 'update');
  }

  /** Returns what is to be stored, or the refusal. */
  function accept(model: Model, body: unknown, on: 'create' | 'update', row?: Row) {
    const sent = isObject(body) ? coerce(model, body, dialect) : {};
    const refused = refuse(model, isObject(body) ? sent : body, on, row);
    if (refused) return { refused, sent, values: {} };
    if (on === 'update' && dialect.nulls === 'ignored')
      for (const name of Object.keys(sent)) if (sent[name] === null) delete sent[name];
    return { sent, values: workOut(model, tidy(model, sent, on, dialect), tables, dialect, row) };
  }

  /** The record, or the object that was written to the database. */
  function written(status: number, model: Model, id: number, sent: Row, on: 'create' | 'update'): Reply {
    const row = shown(model, tables.find(model.name, id) ?? {}, on);
    // Sent values have the shown form.
    if (dialect.echo === 'stored' || dialect.shows !== 'as taken')
      return oneRecord(status, row, dialect, model.name);
    const plain = model.fields.filter(
      ({ lines, name, readonly, type }) =>
        !readonly && !lines && type !== 'select' && name in row && (sent[name] ?? null) !== null,
    );
    const echoed = Object.fromEntries(plain.map(({ name }) => [name, sent[name]]));
    return oneRecord(status, { ...row, ...(defect ? {} : echoed) }, dialect, model.name);
  }

  function refuse(model: Model, sent: unknown, on: 'create' | 'update', before?: Row): Reply | undefined {
    if (!isObject(sent)) return refusal(dialect.unparsable, 'a JSON object is wanted', dialect);
    const at = records.at(model, on, { sent, ...(before ? { before, id: Number(before.id) } : {}) });
    if (defect?.breaks?.(at)) throw new Error('out of order');
    const faults: Row = Object.fromEntries(
      records.problems(model, sent, on, before).map(({ field, kind }) => [field.name, kind]),
    );
    if (Object.keys(faults).length === 0) Object.assign(faults, faultsOf(model, sent, tables, dialect));
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
    if (before && Object.keys(sent).length === 0 && dialect.noChange === 'refused')
      faults.body = 'nothing to change';
    if (Object.keys(faults).length > 0 || defect?.refuses?.(at))
      return refusal(dialect.invalid, 'the body is invalid', dialect, faults);
    const twin = findTwin(model, sent, before && Number(before.id), tables, dialect);
    return twin === undefined ? undefined : refusal(409, 'is there already', dialect, { [twin]: 'taken' });
  }
}

function operationOf(method: string, id: string | undefined): On | undefined {
  if (method === 'GET') return id === undefined ? 'list' : 'retrieve';
  if (method === 'POST') return id === undefined ? 'create' : 'update';
  return method === 'DELETE' && id !== undefined ? 'delete' : undefined;
}

/** Returns the searches for a part of a string, such as `name[contains]=ana`. */
function searchesIn(model: Model, asked: readonly [string, string][]) {
  const texts = model.fields.filter(({ type }) => ['string', 'text', 'markdown', 'email'].includes(type));
  return texts.flatMap(({ name }) => {
    const asks = `${name}[contains]`;
    return asked.flatMap(([one, part]) => (one === asks ? [{ asks, name, part }] : []));
  });
}

/** A member of a list may be shown with its name. */
function bare(value: unknown): unknown {
  return isObject(value) ? value.value : value;
}

/** Undefined where there is no body in the encoding of the service. */
function read(request: IncomingMessage, body: string, model: Model, dialect: PlainOptions): unknown {
  if (dialect.body === 'form')
    return /^application\/x-www-form-urlencoded\b/.test(request.headers['content-type'] ?? '')
      ? readForm(model, parse(body, { arrayLimit: 1000, depth: 6 }), dialect)
      : undefined;
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Returns the values of a form, in which each value is text. Readonly fields stay as they were sent. */
function readForm(model: Model, form: Row, dialect: PlainOptions): Row {
  return Object.fromEntries(
    Object.entries(form).map(([name, value]) => {
      const field = model.fields.find((one) => one.name === name);
      return [name, field && !field.readonly ? readValue(field, value, dialect) : value];
    }),
  );
}

function readValue(field: Field, value: unknown, dialect: PlainOptions): unknown {
  if (value === '') return null;
  if (Array.isArray(value))
    return value.filter((one) => one !== '').map((one) => readValue(field, one, dialect));
  const line = MODELS.get(field.lines ?? '');
  if (isObject(value))
    return line
      ? readForm(line, value, dialect)
      : { ...value, ...('id' in value && { id: parseText(value.id) }) };
  const { type } = field;
  const isText =
    [...TEXTS, 'date', 'time', 'fkModel'].includes(type) ||
    (type === 'datetime' && !isCounted(dialect)) ||
    ((type === 'select' || type === 'currency' || type === 'percent') && dialect[type] === 'string');
  return isText ? value : parseText(value);
}

/** Returns the number or boolean that a text has; another text as it is. */
function parseText(value: unknown): unknown {
  if (value === 'true' || value === 'false') return value === 'true';
  return typeof value === 'string' && /^-?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(value) ? Number(value) : value;
}
