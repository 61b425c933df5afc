import { valueAt } from '../spec/json-pointer.ts';
import type { Profile } from '../spec/profile.ts';
import type { RecordValues } from '../spec/record-codec.ts';
import { type Answer, type Api, isAccepted } from './api.ts';

/** The records of a list over its pages. */
export type Listing = {
  readonly records: readonly RecordValues[];
  /** False when there are more records than were fetched. */
  readonly complete: boolean;
  /** The first answer. */
  readonly first: Answer;
};

/** Enough for a disposable service; a list beyond that is only looked at in part. */
const MOST_PAGES = 20;

/** Fetches a list page by page; undefined when an answer is no list. */
export async function fetchList(api: Api, model: string, profile: Profile): Promise<Listing | undefined> {
  const records: RecordValues[] = [];
  const seen = new Set<unknown>();
  let first: Answer | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await api.list(model, pageQuery(profile, records.length, page));
    first ??= answer;
    const found = isAccepted(answer) ? api.recordsIn(answer) : undefined;
    if (!found) return page === 0 ? undefined : { records, complete: false, first };
    // A service that ignores the paging parameters shows its first page again and again.
    const fresh = found.filter((record) => !seen.has(record.id));
    for (const record of fresh) seen.add(record.id);
    records.push(...fresh);
    const total = totalOf(answer, profile);
    if (profile['list.paging'] === 'none' || fresh.length === 0) return { records, complete: true, first };
    if (total === undefined ? found.length < profile['list.maxSize'] : records.length >= total)
      return { records, complete: true, first };
  }
  return first && { records, complete: false, first };
}

/** The query parameters for the largest page that starts at a record. */
function pageQuery(profile: Profile, offset: number, page: number): Record<string, string> {
  const size = String(profile['list.maxSize']);
  switch (profile['list.paging']) {
    case 'offset':
      return { [profile['list.offsetParameter']]: String(offset), [profile['list.sizeParameter']]: size };
    case 'page':
      return { [profile['list.pageParameter']]: String(page + 1), [profile['list.sizeParameter']]: size };
    case 'none':
      return {};
  }
}

/** The number of all records of a list as the answer gives it. */
export function totalOf(answer: Answer, profile: Profile): number | undefined {
  const shown =
    profile['response.total'] === 'header'
      ? answer.headers[profile['response.totalHeader'].toLowerCase()]
      : profile['response.total'] === 'pointer'
        ? valueAt(answer.json, profile['response.totalPointer'])
        : undefined;
  const total = Number(shown ?? Number.NaN);
  return Number.isInteger(total) ? total : undefined;
}
