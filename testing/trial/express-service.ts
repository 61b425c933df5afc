/**
 * Serves the work of a team at one of ten steps, with Express and a Map:
 * node testing/trial/express-service.ts --step 3 --port 0 --models models.json
 */
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import createExpress, { type NextFunction, type Request, type Response } from 'express';
import type { Field, Model } from '../services/source/source.ts';
import type { Plan } from './steps.ts';

type Row = Record<string, unknown>;
type Fault = { readonly pointer: string; readonly message: string };

/** An error response, which the last handler writes. */
class Refusal extends Error {
  readonly status: number;
  readonly violations: readonly Fault[];

  constructor(status: number, title: string, violations: readonly Fault[] = []) {
    super(title);
    this.status = status;
    this.violations = violations;
  }
}

const { values: flags } = parseArgs({
  options: { step: { type: 'string' }, port: { type: 'string', default: '0' }, models: { type: 'string' } },
});
const step = Number(flags.step);
const plan: Plan = JSON.parse(readFileSync(flags.models ?? '', 'utf8'));
const models = new Map(plan.models.map((model) => [model.name, model]));
const tables = new Map(plan.models.map(({ name }) => [name, new Map<number, Row>()]));

const app = createExpress().set('case sensitive routing', true).disable('x-powered-by').disable('etag');
if (step > 1) {
  app.use(createExpress.json({ strict: false }));
  for (const model of plan.models) if (step > 8 || plan.first.includes(model.name)) addRoutes(model);
  app.use((request) => {
    throw new Refusal(404, `There is no ${request.path}`);
  });
  app.use((error: Error & { status?: number }, _: Request, response: Response, _next: NextFunction) => {
    const { message: title, status = 500 } = error;
    const violations = error instanceof Refusal ? error.violations : [];
    response.status(status).type('application/problem+json');
    response.send(JSON.stringify({ type: 'about:blank', title, status, violations }));
  });
}
const server = app.listen(Number(flags.port), '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});

function addRoutes(model: Model): void {
  const path = `/api/model/${model.name}`;
  const all = app.route(path);
  const one = app.route(`${path}/:id`);
  all.get((request, response) => {
    const { rows, total } = list(model, request.query);
    response.set('X-Total-Count', String(total)).json(rows.map((row) => show(model, row)));
  });
  one.get((request, response) => {
    response.json(show(model, find(model, request, true)));
  });
  if (step > 2 && !model.readOnly)
    all.post((request, response) => {
      response.status(201).json(show(model, create(model, accept(model, request.body, 'create'))));
    });
  if (step > 3 && !model.readOnly)
    one[step === 4 ? 'put' : 'post']((request, response) => {
      const row = find(model, request);
      update(model, row, accept(model, request.body, 'update'));
      response.json(show(model, row));
    });
  if (step > 5 && !model.readOnly)
    one.delete((request, response) => {
      const row = find(model, request);
      remove(model, row);
      response.json(show(model, row));
    });
  for (const route of [all, one])
    route.all((request) => {
      throw new Refusal(405, `${request.path} has no ${request.method}`);
    });
  // No client can create these.
  if (model.readOnly) create(model, { type: 1 });
}

function tableOf(name: string): Map<number, Row> {
  return tables.get(name) ?? new Map();
}

function find(model: Model, request: Request, withDeleted = false): Row {
  const id = String(request.params.id);
  const row = /^[1-9]\d*$/.test(id) ? tableOf(model.name).get(Number(id)) : undefined;
  if (row && (withDeleted || !row.deleted)) return row;
  throw new Refusal(404, `There is no ${model.name} ${id}`);
}

function list(model: Model, query: Row): { rows: Row[]; total: number } {
  const { limit, offset, sort, ...filters } = query;
  const known = new Set(model.fields.map(({ name }) => name));
  const by = String(sort ?? 'id').replace(/^-/, '');
  const odd = [...Object.keys(filters), by].filter((name) => !known.has(name));
  if (odd.length > 0) throw new Refusal(422, 'A parameter is unknown', faultsOf(odd, 'is unknown'));
  const start = readNumber('offset', offset, 0);
  const most = Math.min(readNumber('limit', limit, 100), 500);
  const all = [...tableOf(model.name).values()].filter(
    (row) =>
      !row.deleted && Object.entries(filters).every(([name, value]) => String(row[name] ?? null) === value),
  );
  const sign = String(sort).startsWith('-') ? -1 : 1;
  all.sort((one, other) => sign * compare(one[by] ?? null, other[by] ?? null));
  return { rows: all.slice(start, start + most), total: all.length };
}

function readNumber(name: string, text: unknown, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (typeof text === 'string' && /^\d{1,9}$/.test(text)) return Number(text);
  throw new Refusal(422, 'A parameter is invalid', faultsOf([name], 'is not a whole number'));
}

function compare(one: unknown, other: unknown): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? -1 : 1;
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one) < String(other) ? -1 : 1;
}

/** Returns the writable values of a request; throws a Refusal for invalid ones. */
function accept(model: Model, body: unknown, on: 'create' | 'update'): Row {
  if (!isObject(body)) throw new Refusal(400, 'The body is not a JSON object');
  const faults = findFaults(model, body, on);
  if (faults.length > 0) throw new Refusal(422, 'The body is invalid', faults);
  const overwritten = step === 7 && on === 'update' ? plan.overwritten : undefined;
  const kept = model.fields.filter(
    ({ name, readonly }) => name in body && (!readonly || `${model.name}.${name}` === overwritten),
  );
  return Object.fromEntries(kept.map(({ name }) => [name, cut(`${model.name}.${name}`, body[name])]));
}

function cut(field: string, value: unknown): unknown {
  return step === 6 && field === plan.cut && typeof value === 'string' ? value.slice(0, 20) : value;
}

function findFaults(model: Model, body: Row, on: 'create' | 'update', parent = ''): Fault[] {
  const unknown = Object.keys(body).filter((name) => !model.fields.some((field) => field.name === name));
  const wrong = model.fields.filter((field) => {
    const { name, readonly, required } = field;
    if (readonly || name === parent) return false;
    const value = body[name];
    if (value === undefined) return required && on === 'create';
    return value === null ? required : !isValid(model, field, value);
  });
  const names = wrong.map(({ name }) => name);
  return [...faultsOf(unknown, 'is unknown'), ...faultsOf(names, 'is missing or invalid')];
}

function faultsOf(names: readonly string[], message: string): Fault[] {
  return names.map((name) => ({ pointer: `/${name}`, message }));
}

function isValid(model: Model, { lines, name, type, values }: Field, value: unknown): boolean {
  const text = typeof value === 'string' ? value : undefined;
  if (values) return values.some((member) => member === value);
  switch (type) {
    case 'int':
      return Number.isSafeInteger(value);
    case 'float':
    case 'currency':
    case 'percent':
      return Number.isFinite(value);
    case 'bool':
      return typeof value === 'boolean';
    case 'date':
      return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && isTime(`${text}T00:00:00Z`);
    case 'datetime':
      return text !== undefined && isTime(text);
    case 'time':
      return text !== undefined && /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(text);
    case 'duration':
      return text !== undefined && /^P(?=.)(\d+[YMWD])*(T(\d+[HMS])+)?$/.test(text);
    case 'daysOfWeek':
      return Array.isArray(value) && value.every((day) => Number.isInteger(day) && day > 0 && day < 8);
    case 'manyToMany':
      return Array.isArray(value) && value.every(Number.isSafeInteger);
    case 'lines': {
      const line = models.get(lines ?? '');
      const isLine = (item: unknown) =>
        line && isObject(item) && findFaults(line, item, 'create', model.name).length === 0;
      return Array.isArray(value) && value.every(isLine);
    }
    default:
      return text !== undefined && name !== '';
  }
}

/** Whether a text is a point in time that the calendar has. */
function isTime(text: string): boolean {
  const shape = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.exec(text);
  const day = Date.parse(`${shape?.[1]}T00:00:00Z`);
  return !Number.isNaN(day) && new Date(day).toISOString().startsWith(shape?.[1] ?? '-');
}

function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function create(model: Model, values: Row): Row {
  const table = tableOf(model.name);
  const now = new Date().toISOString();
  const given = model.fields.filter(({ readonly, required }) => readonly && required).map(initial);
  const common = { created: now, createUser: 1, updated: now, updateUser: 1 };
  const deleted = model.readOnly ? {} : { deleted: false };
  const row: Row = { ...Object.fromEntries(given), id: table.size + 1, ...common, ...deleted };
  table.set(table.size + 1, row);
  update(model, row, values);
  return row;
}

/** Returns a value for a required field that no client sends. */
function initial({ name, type, values }: Field): [string, unknown] {
  if (values) return [name, values[0]];
  return [name, ['int', 'float', 'currency'].includes(type) ? 0 : `${name} of the service`];
}

function update(model: Model, row: Row, values: Row): void {
  for (const [name, value] of Object.entries(values)) {
    const line = models.get(model.fields.find((field) => field.name === name)?.lines ?? '');
    if (!line) row[name] = value;
    else {
      for (const old of linesOf(model, line, row)) old.deleted = true;
      for (const item of value as Row[]) {
        const own = line.fields.filter((field) => !field.readonly && field.name in item);
        const kept = Object.fromEntries(own.map((field) => [field.name, item[field.name]]));
        create(line, { ...kept, [model.name]: row.id });
      }
    }
  }
  row.updated = new Date().toISOString();
}

function remove(model: Model, row: Row): void {
  row.deleted = true;
  for (const { lines } of model.fields) {
    const line = models.get(lines ?? '');
    if (line) for (const item of linesOf(model, line, row)) item.deleted = true;
  }
}

function linesOf(parent: Model, line: Model, { id }: Row): Row[] {
  return [...tableOf(line.name).values()].filter((row) => !row.deleted && row[parent.name] === id);
}

function show(model: Model, row: Row): Row {
  const shown = model.fields.map(({ lines, name }) => {
    const line = models.get(lines ?? '');
    const value = line ? linesOf(model, line, row).map((item) => show(line, item)) : (row[name] ?? null);
    const isMistyped = step === 9 && `${model.name}.${name}` === plan.mistyped && value !== null;
    return [name, isMistyped ? String(value) : value];
  });
  return Object.fromEntries(shown);
}
