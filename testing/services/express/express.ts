import createExpress, { type NextFunction, type Request, type Response } from 'express';
import type { On } from '../defects/defect.ts';
import { listeners } from '../in-process.ts';
import { type PlainOptions, USUAL } from '../plain/options.ts';
import { isObject } from '../records/forms.ts';
import { createRecords, referrers } from '../records/records.ts';
import { seed } from '../records/seed.ts';
import { openTables } from '../records/sqlite.ts';
import { Conflict, isGone, type Row } from '../records/tables.ts';
import { BASE, listen, readId, type Service, type ServiceOptions } from '../service.ts';
import { MODELS, type Model } from '../source/source.ts';

/** Responses show the values of SQLite: booleans as 0 and 1, and datetimes with a space. */
const OPTIONS: PlainOptions = { ...USUAL, bool: 'int', datetime: 'space' };
const UNIQUE = ['brand', 'warehouse', 'customerTag', 'customerGroup', 'lockerType', 'voucherCategory'].map(
  (model) => `${model}.name`,
);
const DEFAULT_SIZE = 25;
const MAX_SIZE = 200;

/** A refusal, which the last handler answers. */
class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: readonly string[];

  constructor(status: number, code: string, message: string, fields: readonly string[] = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}

/**
 * Express over SQLite, like many backends: a delete marks the record, whose name stays taken. Foreign keys are checked: a
 * delete also deletes records that need this one, or is refused.
 */
export async function startExpress(options: ServiceOptions = {}): Promise<Service> {
  const { defect } = options;
  const tables = openTables(UNIQUE);
  seed(createRecords(tables, OPTIONS), tables, OPTIONS, defect?.wipes);
  const records = createRecords(tables, OPTIONS, defect);
  const app = createExpress().set('case sensitive routing', true).disable('x-powered-by').disable('etag');
  app.use(createExpress.json({ strict: false }));

  app.get(`${BASE}/:model`, (request, response) => {
    const model = modelOf(request, 'list');
    const { $limit, $skip, ...wanted } = request.query;
    const limit = Math.min(wholeNumber('$limit', $limit, DEFAULT_SIZE), MAX_SIZE);
    const skip = wholeNumber('$skip', $skip, 0);
    const filters = Object.entries(wanted).filter(([name]) =>
      model.fields.some((field) => field.name === name),
    );
    const all = records.list(model, (row) => filters.every(([name, value]) => String(row[name]) === value));
    const cut = all.slice(skip, skip + limit);
    const data = defect?.page?.(cut, all) ?? cut;
    response.json({ total: defect?.total?.(all.length, data.length) ?? all.length, limit, skip, data });
  });
  app.get(`${BASE}/:model/:id`, (request, response) => {
    const model = modelOf(request, 'retrieve');
    response.json(records.show(model, find(model, request, 'retrieve'), 'retrieve'));
  });
  app.post(`${BASE}/:model`, (request, response) => {
    const model = modelOf(request, 'create');
    const id = records.create(model, accept(model, request.body, 'create'));
    response.status(201).json(records.show(model, tables.find(model.name, id) ?? {}, 'create'));
  });
  app.post(`${BASE}/:model/:id`, (request, response) => {
    const model = modelOf(request, 'update');
    const row = find(model, request, 'update');
    records.update(model, row, accept(model, request.body, 'update', row));
    response.json(records.show(model, tables.find(model.name, Number(row.id)) ?? {}, 'update'));
  });
  app.delete(`${BASE}/:model/:id`, (request, response) => {
    const model = modelOf(request, 'delete');
    const row = find(model, request, 'delete');
    letGo(model, row);
    records.remove(model, row);
    response.json(records.show(model, tables.find(model.name, Number(row.id)) ?? {}, 'delete'));
  });
  app.use((request, _response, next) => {
    next(new Refusal(404, 'not_found', `Cannot ${request.method} ${request.path}`));
  });
  app.use(answerError);

  const service = await listen(app, records, options);
  // Express needs the requests of sockets.
  listeners.delete(service.url);
  return {
    ...service,
    close: async () => {
      await service.close();
      tables.close();
    },
  };

  function modelOf(request: Request, on: On): Model {
    const model = MODELS.get(String(request.params.model));
    const isRead = on === 'list' || on === 'retrieve';
    if (!model || (model.readOnly && !isRead && !defect?.opens?.includes(on)))
      throw new Refusal(404, 'not_found', `Cannot ${request.method} ${request.path}`);
    if (on !== 'create' && on !== 'update' && defect?.breaks?.(records.at(model, on)))
      throw new Error('broken');
    return model;
  }

  function find(model: Model, request: Request, on: On): Row {
    const id = readId(String(request.params.id));
    const row = id === undefined ? undefined : tables.find(model.name, id);
    if (row && !isGone(row)) return row;
    const instead = id && !row && defect?.unknown?.(records.at(model, on, { id }));
    if (!instead) throw new Refusal(404, 'not_found', `${model.name} ${request.params.id} does not exist`);
    if (instead === 'create') tables.insert(model.name, { id });
    return { id };
  }

  function accept(model: Model, sent: unknown, on: 'create' | 'update', before?: Row): Row {
    if (!isObject(sent)) throw new Refusal(400, 'bad_request', 'the body has to be a JSON object');
    const at = records.at(model, on, { sent, ...(before ? { before, id: Number(before.id) } : {}) });
    if (defect?.breaks?.(at)) throw new Error('broken');
    const wrong = records
      .problems(model, sent, on, before)
      .map(({ field, kind }) => `${field.name}: ${kind}`);
    if (wrong.length > 0 || defect?.refuses?.(at))
      throw new Refusal(422, 'invalid', 'validation failed', wrong);
    return sent;
  }

  /** A record that refers to another is deleted first, loses its link, or prevents the delete. */
  function letGo(model: Model, row: Row): void {
    const all = referrers(records, model, Number(row.id));
    const isPair = (other: Model) =>
      other.fields.every(
        ({ name, readonly, type }) => readonly || type === 'int' || name === 'start' || name === 'end',
      );
    const isLine = (other: Model) => model.fields.some(({ lines }) => lines === other.name);
    const isNeeded = ({ field, model: other }: (typeof all)[number]) =>
      other.fields.some(({ name, required }) => name === field && required);
    const holds = all.find((found) => isNeeded(found) && !isPair(found.model) && !isLine(found.model));
    if (holds)
      throw new Refusal(409, 'in_use', `${model.name} is in use by ${holds.model.name} ${holds.row.id}`);
    for (const found of all)
      if (isNeeded(found)) records.remove(found.model, found.row);
      else tables.change(found.model.name, Number(found.row.id), { [found.field]: null });
  }
}

function wholeNumber(name: string, text: unknown, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (typeof text === 'string' && /^\d{1,9}$/.test(text)) return Number(text);
  throw new Refusal(400, 'bad_request', `${name} has to be a whole number`);
}

function answerError(error: unknown, _: Request, response: Response, _next: NextFunction): void {
  const { code, fields, message, status } = asRefusal(error);
  response.status(status).json({ error: { code, message, fields } });
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof Conflict) return new Refusal(409, 'conflict', error.message);
  const status = isObject(error) && typeof error.status === 'number' ? error.status : 500;
  const message = error instanceof Error ? error.message : String(error);
  return new Refusal(status, status < 500 ? 'bad_request' : 'internal', message);
}
