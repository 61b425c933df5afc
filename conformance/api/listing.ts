import { firstPage } from '../../spec/binding.ts';
import { type Profile, pagesOf, placeIn, profileAt } from '../../spec/profile/profile.ts';
import { valueAt } from '../../spec/wire/json-pointer.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, isAccepted, placesIn } from './answer.ts';
import type { ModelApi } from './api.ts';

/** The records of a list over its pages. */
export type Listing = {
  readonly records: readonly RecordValues[];
  /** False if there are more records than were fetched. */
  readonly complete: boolean;
  /** Only one page could be requested. It holds all records, or the maximum per page. */
  readonly onePage?: boolean;
  readonly first: ApiResponse;
  /** The first ID that two parts of the list contain, if each part leads to the next, or has a given size. */
  readonly twice?: unknown;
  /** The first ID that is too long to distinguish from its neighbors. */
  readonly inexactId?: string | undefined;
};

/** Enough for a disposable service. Of longer lists, only the start and the end are fetched. */
const MOST_PAGES = 20;
const LAST_PAGES = 2;
/** Of parts with a given size, the caller knows the number. */
const MOST_PARTS = 200;

/**
 * Fetches a list page by page; undefined if a response is no list. If `list.paging` is unknown, each part leads to the
 * next. `size` is the number of records per part, by default the maximum. With a size, parts begin where full ones end.
 */
export async function fetchList(api: ModelApi, model: string, size?: number): Promise<Listing | undefined> {
  const profile = profileAt(api.profile, model);
  const isUnknown = profile.unknown['list.paging'] !== undefined;
  const pages = pagesOf(profile);
  const most = size === undefined ? MOST_PAGES : MOST_PARTS;
  const parts: ListPart[] = [];
  let twice: unknown;
  for await (const part of fetchParts(api, model, size)) {
    const { fresh, found = [] } = part;
    // Over large pages, records of others move on to the next page.
    if ((isUnknown || size !== undefined) && parts.length > 0 && fresh.length > 0)
      twice ??= found.find((record) => !fresh.includes(record))?.id;
    parts.push(part);
    if (parts.length === most) break;
  }
  const [first, last] = [parts[0], parts.at(-1)];
  if (!first?.found || !last) return undefined;
  const records = parts.flatMap(({ fresh }) => fresh);
  const total = totalOf(first.answer, profile);
  const isAll = total !== undefined && records.length >= total;
  const isCut = parts.length === most && last.fresh.length > 0 && !isAll;
  if (isCut && !isUnknown && size === undefined) {
    // New records are usually at the end.
    const count = Math.ceil((total ?? 0) / (pages?.max ?? 1));
    for (let page = Math.max(MOST_PAGES, count - LAST_PAGES); page < count; page++) {
      const answer = await api.list(model, pageQuery(profile, page));
      const seen = new Set(records.map(({ id }) => id));
      records.push(...(api.recordsIn(answer) ?? []).filter(({ id }) => !seen.has(id)));
    }
  }
  return {
    records,
    complete: isAll || (!isCut && isLast(parts, profile, total)),
    onePage: isOnePage(parts, profile),
    first: first.answer,
    twice,
    inexactId: parts.find(({ answer }) => answer.inexactId !== undefined)?.answer.inexactId,
  };
}

/** Whether the service returned one page, although it was asked for others, or without a way to others. */
function isOnePage(parts: readonly ListPart[], profile: Profile): boolean {
  if (isEnd(parts)) return false;
  if (profile.unknown['list.paging']) return parts.length === 1;
  return profile['list.paging'] === 'none' || parts.at(-1)?.fresh.length === 0;
}

/** Whether the last part is empty or shorter than the first. Behind the end, which a wrong total hides, it can repeat records. */
function isEnd(parts: readonly ListPart[]): boolean {
  const length = parts.at(-1)?.found?.length ?? 0;
  return length === 0 || length < (parts[0]?.found?.length ?? 0);
}

/** Whether the last part is the end of the list. `total` is the number of records that the response states. */
function isLast(parts: readonly ListPart[], profile: Profile, total: number | undefined): boolean {
  const { length: count } = parts;
  const { answer, found, fresh = [] } = parts.at(-1) ?? {};
  if (!answer || !found || isEnd(parts)) return found !== undefined;
  if (total !== undefined && (count === 1 || !profile.unknown['list.paging'])) return false;
  if (profile.unknown['list.paging'])
    return count === 1 ? !isPageful(found.length, profile) : fresh.length > 0 && !nextPart(answer);
  // A service that returns the same page each time ignores the parameters. It shows all records, unless the page is full.
  const pages = pagesOf(profile);
  return fresh.length > 0 || ![pages?.max, pages?.default].includes(found.length);
}

type ListPart = {
  readonly answer: ApiResponse;
  /** The records of the part; undefined if the response is no list. */
  readonly found: readonly RecordValues[] | undefined;
  /** Those that no earlier part has. A part can have a record twice. */
  readonly fresh: readonly RecordValues[];
};

/**
 * Yields a list part by part, as the caller asks for them. It ends after a response that is no list, with a part
 * without new records, or when it has the total number of records that the response states.
 */
export async function* fetchParts(
  api: ModelApi,
  model: string,
  size?: number,
): AsyncGenerator<ListPart, void> {
  const profile = profileAt(api.profile, model);
  const isUnknown = profile.unknown['list.paging'] !== undefined;
  const pages = pagesOf(profile);
  const sized: Record<string, string> = size === undefined || !pages ? {} : { [pages.size]: String(size) };
  const hasOnePage = !isUnknown && profile['list.paging'] === 'none';
  const seen = new Set<unknown>();
  let count = 0;
  let query: Record<string, string> | undefined = pageQuery(profile, 0, size);
  for (let page = 1; query; page++) {
    const answer = await api.list(model, { ...query, ...sized });
    const found = api.recordsIn(answer);
    const fresh = (found ?? []).filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    count += fresh.length;
    yield { answer, found, fresh };
    if (fresh.length === 0 || hasOnePage || count >= (totalOf(answer, profile) ?? Number.POSITIVE_INFINITY))
      return;
    query = isUnknown ? nextPart(answer) : pageQuery(profile, page, size, size ? page * size : count);
  }
}

/** Whether a list of this length can have further parts, though its paging is unknown. */
function isPageful(length: number, profile: Profile): boolean {
  const usual = [12, 15, 16, 24, 25, 32, 64, 75, 125, 128, 256, 512, pagesOf(profile)?.default];
  return length % 10 === 0 || usual.includes(length);
}

/** Returns the query for a page, by default of the maximum size. The first page is 0, and `offset` is its first record. */
export function pageQuery(
  profile: Profile,
  page: number,
  size: number = pagesOf(profile)?.max ?? 0,
  offset = page * size,
): Record<string, string> {
  const pages = pagesOf(profile);
  if (profile.unknown['list.paging'] || !pages) return {};
  const from = pages.style === 'offset' ? offset : page + firstPage(profile);
  return { [pages.from]: String(from), [pages.size]: String(size) };
}

/** Returns the total number of records that the response states. */
export function totalOf(answer: ApiResponse, profile: Profile): number | undefined {
  const place = placeIn(profile['response.total']);
  const shown =
    place?.in === 'header'
      ? answer.headers[place.name.toLowerCase()]
      : place && valueAt(answer.json, place.name);
  const total = Number(shown ?? Number.NaN);
  return Number.isInteger(total) ? total : undefined;
}

/**
 * Returns the query for the next part of a list: from the Link header (RFC 8288), from an address in the body, or from a
 * cursor whose name starts with next or cursor. Only the query of the address is used.
 */
export function nextPart(answer: ApiResponse): Record<string, string> | undefined {
  if (!isAccepted(answer)) return undefined;
  const linked = /<([^>]*)>\s*;[^,<]*\brel="?next\b/i.exec(answer.headers.link ?? '')?.[1];
  if (linked !== undefined) return queryOf(linked);
  for (const { pointer, value: found } of placesIn(answer.json)) {
    const value = typeof found === 'number' ? String(found) : found;
    if (typeof value !== 'string' || value === '' || !/next|cursor/i.test(pointer)) continue;
    const name = pointer.slice(pointer.lastIndexOf('/') + 1);
    const query = queryOf(value);
    if (query) return query;
    // The parameter for `next_cursor` is `cursor`, and for `nextPageToken`, it is `pageToken`.
    const rest = name.replace(/^next_?/i, '') || 'cursor';
    if (/^(next|cursor)/i.test(name)) return { [rest.charAt(0).toLowerCase() + rest.slice(1)]: value };
  }
  return undefined;
}

/** Returns the query of an address; undefined if there is none. */
function queryOf(address: string): Record<string, string> | undefined {
  if (!/^(https?:\/\/|\/|\?)/.test(address)) return undefined;
  const params = URL.parse(address, 'http://list')?.searchParams;
  return params && params.size > 0 ? Object.fromEntries(params) : undefined;
}
