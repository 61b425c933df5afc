import type { Row } from '../records/tables.ts';
import type { PlainOptions } from './options.ts';
import type { Page } from './pages.ts';

export type Reply = {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

export function oneRecord(status: number, row: Row, { envelope }: PlainOptions): Reply {
  if (envelope === 'none') return { status, body: row };
  return { status, body: envelope === 'data' ? { data: row } : { result: { record: row } } };
}

export function manyRecords({ next, rows }: Page, total: number, options: PlainOptions): Reply {
  const { envelope, paging } = options;
  const count = options.total === 'body' ? { total } : {};
  const cursor = paging === 'cursor' ? { next: next ?? null } : {};
  const headers = options.total === 'header' ? { 'x-total-count': String(total) } : {};
  if (envelope === 'nested')
    return { status: 200, headers, body: { result: { records: rows }, meta: { ...count, ...cursor } } };
  const isBare = envelope === 'none' && options.total !== 'body' && paging !== 'cursor';
  return { status: 200, headers, body: isBare ? rows : { data: rows, ...count, ...cursor } };
}

export function deletion(row: Row, options: PlainOptions): Reply {
  const { deleteAnswer, deleted: status } = options;
  if (status === 204 || deleteAnswer === 'none') return { status };
  if (deleteAnswer === 'record') return oneRecord(status, row, options);
  const yes = options.bool === 'int' ? 1 : true;
  return {
    status,
    body: deleteAnswer === 'flag' ? { deleted: yes } : { message: 'The record was deleted.' },
  };
}

/** `faults` are the fields and what is wrong with each. */
export function refusal(
  status: number,
  message: string,
  { errors }: PlainOptions,
  faults: Readonly<Record<string, string>> = {},
): Reply {
  const list = Object.entries(faults);
  switch (errors) {
    case 'problem':
      return {
        status,
        headers: { 'content-type': 'application/problem+json' },
        body: {
          type: 'about:blank',
          title: message,
          status,
          violations: list.map(([field, fault]) => ({ pointer: `/${field}`, message: fault })),
        },
      };
    case 'simple':
      return {
        status,
        body: { error: message, violations: list.map(([field, fault]) => `${field}: ${fault}`) },
      };
    case 'fields':
      return {
        status,
        body: { message, errors: Object.fromEntries(list.map(([field, fault]) => [field, [fault]])) },
      };
    case 'list':
      return {
        status,
        body: { errors: [{ status: String(status), title: message, source: Object.keys(faults) }] },
      };
    case 'html':
      return {
        status,
        headers: { 'content-type': 'text/html' },
        body: `<!doctype html><title>${message}</title>`,
      };
    case 'empty':
      return { status };
  }
}
