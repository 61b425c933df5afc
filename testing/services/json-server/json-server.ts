import type { NextFunction, Request, Response } from 'express';
import jsonServer from 'json-server';
import type { On } from '../defects/defect.ts';
import { isObject, USUAL_FORMS } from '../records/forms.ts';
import { createRecords } from '../records/records.ts';
import { seed } from '../records/seed.ts';
import type { Row, Tables } from '../records/tables.ts';
import { BASE, listen, readId, readLine, type Service, type ServiceOptions } from '../service.ts';
import { MODELS, type Model } from '../source/source.ts';

/**
 * json-server 0.17 with a middleware that checks what is sent, as its README has it. Reading, paging, filters and
 * ids are its own: `_page`, `_limit`, X-Total-Count only on a page, the greatest id and one, `{}` for what is not there.
 */
export async function startJsonServer(options: ServiceOptions = {}): Promise<Service> {
  const { defect } = options;
  const router = jsonServer.router(Object.fromEntries([...MODELS.keys()].map((name) => [name, [] as Row[]])));
  const tables = tablesOf(router.db);
  const habits = { tables, forms: USUAL_FORMS, unset: 'absent', deletes: 'remove' } as const;
  seed(createRecords(habits), tables, USUAL_FORMS, defect?.wipes);
  const records = createRecords({ ...habits, defect });

  router.render = (request, response) => {
    const { method, originalUrl } = request as Request;
    const line = readLine(method, originalUrl);
    const model = MODELS.get(line?.model ?? '');
    const { data } = response.locals as { data: unknown };
    if (!model || response.statusCode === 404) response.jsonp(data);
    else if (Array.isArray(data)) response.jsonp(showPage(model, data));
    else response.jsonp(records.show(model, data as Row, 'retrieve'));
  };
  const app = jsonServer.create();
  app.use(...jsonServer.defaults({ logger: false, noGzip: true, static: import.meta.dirname }));
  app.use(...jsonServer.bodyParser);
  app.use(answer);
  app.use(BASE, router);
  app.use((_request: Request, response: Response) => void response.status(404).jsonp({}));
  app.use((error: Error & { status?: number }, _: Request, response: Response, _next: NextFunction) => {
    response.status(error.status ?? 500).jsonp({ error: error.message });
  });
  return listen(app, records, options);

  /** Everything that json-server does not do by itself, or does otherwise than the source. */
  function answer(request: Request, response: Response, next: NextFunction): void {
    const line = readLine(request.method, request.originalUrl);
    const model = MODELS.get(line?.model ?? '');
    const on = line && operationOf(line);
    if (!model || !on || (model.readOnly && isWrite(on) && !defect?.opens?.includes(on)))
      return void response.status(404).jsonp({});
    const id = readId(line?.id);
    const row = id === undefined ? undefined : tables.find(model.name, id);
    const isOne = line?.id !== undefined;
    if (isOne && !row) {
      const instead = id && defect?.unknown?.(records.at(model, on, { id }));
      if (!instead) return void response.status(404).jsonp({});
      if (instead === 'create') tables.insert(model.name, { id });
      return void response.status(200).jsonp(records.show(model, { id }, on));
    }
    if (!isWrite(on)) {
      if (defect?.breaks?.(records.at(model, on))) throw new Error('out of order');
      next();
      return;
    }
    if (on === 'delete') {
      if (defect?.breaks?.(records.at(model, on))) throw new Error('out of order');
      if (row) records.remove(model, row);
      return void response.status(200).jsonp({});
    }
    const refusal = check(model, request.body, on, row);
    if (refusal !== undefined) return void response.status(400).jsonp({ error: refusal });
    if (row) records.update(model, row, request.body);
    const done = row ? Number(row.id) : records.create(model, request.body);
    if (!row) response.location(`${BASE}/${model.name}/${done}`);
    response.status(row ? 200 : 201).jsonp(records.show(model, tables.find(model.name, done) ?? {}, on));
  }

  function check(model: Model, sent: unknown, on: 'create' | 'update', before?: Row): string | undefined {
    if (!isObject(sent)) return 'an object is wanted';
    const at = records.at(model, on, { sent, ...(before ? { before, id: Number(before.id) } : {}) });
    if (defect?.breaks?.(at)) throw new Error('out of order');
    const [wrong] = records.problems(model, sent, on, before);
    if (wrong) return `${wrong.field.name}: ${wrong.kind}`;
    return defect?.refuses?.(at) ? 'not so' : undefined;
  }

  function showPage(model: Model, rows: readonly Row[]): Row[] {
    const shown = rows.map((row) => records.show(model, row, 'list'));
    const changed = defect?.listed?.(shown, records.at(model, 'list')) ?? shown;
    return defect?.page?.(changed, records.list(model)) ?? changed;
  }
}

function operationOf({ id, method }: { readonly id?: string; readonly method: string }): On | undefined {
  if (method === 'GET') return id === undefined ? 'list' : 'retrieve';
  if (method === 'POST') return id === undefined ? 'create' : 'update';
  return method === 'DELETE' && id !== undefined ? 'delete' : undefined;
}

function isWrite(on: On): on is 'create' | 'update' | 'delete' {
  return on === 'create' || on === 'update' || on === 'delete';
}

function tablesOf(db: ReturnType<typeof jsonServer.router>['db']): Tables {
  return {
    all: (model) => db.get(model).value(),
    find: (model, id) => db.get(model).getById(id).value(),
    insert: (model, row) => Number(db.get(model).insert(row).value().id),
    change: (model, id, patch) => void db.get(model).updateById(id, patch).value(),
    remove: (model, id) => void db.get(model).removeById(id).value(),
  };
}
