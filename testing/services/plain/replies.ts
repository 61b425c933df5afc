import type { ServerResponse } from 'node:http';
import type { Row } from '../records/tables.ts';
import type { PlainOptions } from './options.ts';
import type { Page } from './pages.ts';

const MEDIA: Readonly<Record<PlainOptions['media'], string>> = {
  json: 'application/json',
  charset: 'application/json; charset=utf-8',
  'vnd.api': 'application/vnd.api+json',
  hal: 'application/hal+json;charset=UTF-8',
};

/** A body as text. */
function write(body: unknown, { writing }: PlainOptions): string {
  const text = JSON.stringify(body, null, writing === 'pretty' ? 2 : 0);
  if (writing !== 'escaped') return text;
  const unicode = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replaceAll(/[^\0-\x7f]/g, unicode).replaceAll('/', '\\/');
}

export type Reply = {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** `stockDelivery` → `stock_deliveries`, as Rails has it; data are many already. */
const plural = (name: string) => (name.endsWith('Data') ? name : `${name.replace(/y$/, 'ie')}s`);
const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function oneRecord(status: number, row: Row, { envelope }: PlainOptions, model: string): Reply {
  if (envelope === 'rails') return { status, body: { [snake(model)]: row } };
  if (envelope === 'data' || envelope === 'laravel') return { status, body: { data: row } };
  if (envelope === 'status') return { status, body: { success: true, data: row } };
  return { status, body: envelope === 'nested' ? { result: { record: row } } : row };
}

export function manyRecords(page: Page, total: number, options: PlainOptions, model: string): Reply {
  const { next, rows, start } = page;
  const { envelope, paging } = options;
  const count = options.total === 'body' ? { total } : {};
  const cursor = paging.startsWith('cursor') ? { next: next ?? null } : {};
  const range = `items ${start}-${start + rows.length - 1}/${total}`;
  const headers: Record<string, string> = {
    ...(options.total === 'header' ? { 'x-total-count': String(total) } : {}),
    ...(options.total === 'range' ? { 'content-range': range } : {}),
  };
  const body = wrap(page, total, { ...count, ...cursor }, options, model);
  const isBare = envelope === 'none' && options.total !== 'body' && !paging.startsWith('cursor');
  return { status: 200, headers, body: writeNone(isBare ? rows : body, rows, options) };
}

/** A body with an empty list in it, in the manner of those who have no empty lists. */
function writeNone(body: Row | Row[], rows: readonly Row[], { noRecords }: PlainOptions): unknown {
  if (noRecords === 'empty' || rows.length > 0) return body;
  if (Array.isArray(body)) return noRecords === 'null' ? null : body;
  if (noRecords === 'null')
    return JSON.parse(JSON.stringify(body, (_, value) => (value === rows ? null : value)));
  return {};
}

function wrap(
  { length, rows, start }: Page,
  total: number,
  more: Row,
  { envelope }: PlainOptions,
  model: string,
): Row {
  const [number, pages] = [Math.floor(start / Math.max(length, 1)), Math.ceil(total / Math.max(length, 1))];
  switch (envelope) {
    case 'nested':
      return { result: { records: rows }, meta: more };
    case 'status':
      return { success: true, data: rows, ...more };
    case 'laravel': {
      const meta = { current_page: number + 1, last_page: pages, per_page: length, total, ...more };
      return { data: rows, links: { first: null, next: null }, meta };
    }
    case 'django':
      return { count: total, next: null, previous: null, results: rows, ...more };
    case 'spring':
      return {
        content: rows,
        page: { size: length, number, totalElements: total, totalPages: pages },
        ...more,
      };
    case 'hal': {
      const page = { size: length, number, totalElements: total, totalPages: pages };
      return { ...(rows.length > 0 && { _embedded: { [`${model}List`]: rows } }), page, ...more };
    }
    case 'hydra': {
      const counted = { 'hydra:member': rows, 'hydra:totalItems': total };
      return { '@context': `/contexts/${model}`, '@type': 'hydra:Collection', ...counted, ...more };
    }
    case 'odata':
      return { '@odata.context': `$metadata#${model}`, '@odata.count': total, value: rows, ...more };
    case 'rails':
      return { [snake(plural(model))]: rows, ...more };
    default:
      return { data: rows, ...more };
  }
}

export function deletion(row: Row, options: PlainOptions, model: string): Reply {
  const { deleteAnswer, deleted: status } = options;
  if (status === 204 || deleteAnswer === 'none') return { status };
  if (deleteAnswer === 'record') return oneRecord(status, row, options, model);
  if (deleteAnswer === 'text') return { status, headers: { 'content-type': 'text/plain' }, body: 'OK' };
  const yes = options.bool === 'int' ? 1 : true;
  const bodies = {
    flag: { deleted: yes },
    count: { acknowledged: true, count: 1 },
    message: { message: 'The record was deleted.' },
  };
  return { status, body: bodies[deleteAnswer] };
}

/** `faults` has the faults by field. */
export function refusal(status: number, message: string, options: PlainOptions, faults: Row = {}): Reply {
  const { errors, refusals } = options;
  if (refusals === 'in the body' && status < 500 && status !== 401)
    return { status: 200, body: refusalInside(status, message, errors, faults) };
  const body = refusalBody(status, message, errors, faults);
  const type = { problem: 'application/problem+json', html: 'text/html' }[errors as string];
  return {
    status,
    ...(type === undefined ? {} : { headers: { 'content-type': type } }),
    ...(body === undefined ? {} : { body }),
  };
}

function refusalBody(status: number, message: string, errors: PlainOptions['errors'], faults: Row): unknown {
  const list = Object.entries(faults);
  switch (errors) {
    case 'problem': {
      const violations = list.map(([field, fault]) => ({ pointer: `/${field}`, message: fault }));
      return { type: 'about:blank', title: message, status, violations };
    }
    case 'simple':
      return { error: message, violations: list.map(([field, fault]) => `${field}: ${fault}`) };
    case 'fields':
      return { message, errors: Object.fromEntries(list.map(([field, fault]) => [field, [fault]])) };
    case 'list':
      return { errors: [{ status: String(status), title: message, source: Object.keys(faults) }] };
    case 'html':
      return `<!doctype html><title>${message}</title>`;
    case 'empty':
      return undefined;
  }
}

/** The body of a refusal with a success status. */
function refusalInside(status: number, message: string, errors: PlainOptions['errors'], faults: Row): Row {
  const list = Object.entries(faults).map(([field, fault]) => ({ field, message: fault }));
  switch (errors) {
    case 'problem':
      return { success: false, code: status, message, fields: list };
    case 'list':
      return { errors: [{ code: String(status), message }, ...list] };
    case 'fields':
      return { status: 'error', message, errors: faults };
    case 'empty':
      return { ok: false };
    default:
      return { success: false, error: { code: status, message, faults } };
  }
}

export function send(
  response: ServerResponse,
  { body, headers, status }: Reply,
  dialect: PlainOptions,
): void {
  response.writeHead(status, {
    'content-type': MEDIA[dialect.media],
    ...headers,
    ...(dialect.connection === 'closed' ? { connection: 'close' } : {}),
  });
  response.end(typeof body === 'string' || body === undefined ? body : write(body, dialect));
}
