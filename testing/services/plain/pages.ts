import type { Row } from '../records/tables.ts';
import type { PlainOptions } from './options.ts';

const MOST = 500;

/** The names of the parameters that part a list. */
const PARAMETERS: Readonly<Record<PlainOptions['paging'], readonly string[]>> = {
  none: [],
  offset: ['offset', 'limit'],
  page: ['page', 'limit'],
  per_page: ['page', 'per_page'],
  'page[number]': ['page[number]', 'page[size]'],
  $limit: ['$skip', '$limit'],
  cursor: ['cursor', 'limit'],
};

export type Page = { readonly rows: Row[]; readonly next?: string };

export function isPagingParameter(name: string, { paging }: PlainOptions): boolean {
  return PARAMETERS[paging].includes(name);
}

/** A part of a list; undefined where a parameter is no number. */
export function cut(all: Row[], query: URLSearchParams, { paging, size }: PlainOptions): Page | undefined {
  if (paging === 'none') return { rows: all };
  const [place = '', many = ''] = PARAMETERS[paging];
  const wanted = readNumber(query.get(many), size);
  const counts = paging === 'page' || paging === 'per_page' || paging === 'page[number]';
  const at =
    paging === 'cursor' ? readCursor(query.get(place)) : readNumber(query.get(place), counts ? 1 : 0);
  if (wanted === undefined || at === undefined || (counts && at < 1)) return undefined;
  const length = Math.min(wanted, MOST);
  const start = counts ? (at - 1) * length : at;
  const rows = all.slice(start, start + length);
  const isLast = start + length >= all.length || length === 0;
  return paging === 'cursor' && !isLast ? { rows, next: writeCursor(start + length) } : { rows };
}

function readNumber(text: string | null, otherwise: number): number | undefined {
  if (text === null) return otherwise;
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Means nothing to a client. */
function writeCursor(at: number): string {
  return Buffer.from(`after:${at}`).toString('base64url');
}

function readCursor(text: string | null): number | undefined {
  if (text === null) return 0;
  const at = /^after:(\d+)$/.exec(Buffer.from(text, 'base64url').toString())?.[1];
  return at === undefined ? undefined : Number(at);
}
