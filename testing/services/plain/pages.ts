import type { Row } from '../records/tables.ts';
import type { PlainOptions } from './options.ts';

/** The names of the parameters that part a list. */
const PARAMETERS: Readonly<Record<PlainOptions['paging'], readonly string[]>> = {
  none: [],
  offset: ['offset', 'limit'],
  page: ['page', 'limit'],
  per_page: ['page', 'per_page'],
  'page[number]': ['page[number]', 'page[size]'],
  $limit: ['$skip', '$limit'],
  cursor: ['cursor', 'limit'],
  'cursor number': ['cursor', 'limit'],
  'from zero': ['page', 'size'],
};

export type Page = {
  readonly rows: Row[];
  readonly next?: string | number;
  /** The number of records before it, and how many it may hold. */
  readonly start: number;
  readonly length: number;
};

export function isPagingParameter(name: string, { paging }: PlainOptions): boolean {
  return PARAMETERS[paging].includes(name);
}

/** A part of a list; undefined where a parameter is no number, or too great. */
export function cut(
  all: Row[],
  query: URLSearchParams,
  { most, paging, size, tooMany }: PlainOptions,
): Page | undefined {
  if (paging === 'none') return { rows: all, start: 0, length: all.length };
  const [place = '', many = ''] = PARAMETERS[paging];
  const wanted = readNumber(query.get(many), Math.min(size, most));
  const counts = paging === 'page' || paging === 'per_page' || paging === 'page[number]';
  const at =
    paging === 'cursor' ? readCursor(query.get(place)) : readNumber(query.get(place), counts ? 1 : 0);
  if (wanted === undefined || at === undefined || (counts && at < 1)) return undefined;
  if (wanted > most && tooMany === 'refused') return undefined;
  const length = Math.min(wanted, most);
  const start = counts ? (at - 1) * length : paging === 'from zero' ? at * length : at;
  const rows = all.slice(start, start + length);
  const isLast = start + length >= all.length || length === 0;
  if (isLast || !paging.startsWith('cursor')) return { rows, start, length };
  return { rows, start, length, next: paging === 'cursor' ? writeCursor(start + length) : start + length };
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

/** Records in the order of a list. */
export function order(rows: readonly Row[], query: URLSearchParams, dialect: PlainOptions): Row[] {
  const asked = dialect.sort === 'field' ? query.get('sort') : null;
  if (asked !== null) {
    const [name, sign] = asked.startsWith('-') ? [asked.slice(1), -1] : [asked, 1];
    return rows.toSorted((one, other) => sign * compare(one[name], other[name]));
  }
  const byId = (one: Row, other: Row) => Number(one.id) - Number(other.id);
  if (dialect.order === 'newest') return rows.toSorted((one, other) => byId(other, one));
  if (dialect.order === 'id') return [...rows];
  return rows.toSorted((one, other) => compare(one.updated, other.updated) || byId(one, other));
}

function compare(one: unknown, other: unknown): number {
  if (one === other) return 0;
  if (one === null || one === undefined) return -1;
  if (other === null || other === undefined) return 1;
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one) < String(other) ? -1 : 1;
}
