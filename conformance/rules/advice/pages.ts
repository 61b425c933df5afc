import { whyUnknown } from '../../../spec/profile/profile.ts';
import { isAccepted } from '../../api/answer.ts';
import { fetchList, placeInList } from '../../api/listing.ts';
import { statusOf } from '../../assert/assert.ts';
import { Blocked, Failure, Skip } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import type { CaseContext } from '../../plan/rule.ts';

const LONGEST_LIST = 200;

/** Walks through a short list in small pages; throws Failure unless they hold each record once, and all of them. */
export async function expectPartition(context: CaseContext): Promise<void> {
  const { api, model, profile } = context;
  const why = whyUnknown(profile, 'list.paging');
  if (why !== undefined) throw new Skip(why);
  const whole = await fetchList(api, model.name);
  if (!whole) throw new Blocked(`${model.name} can't be listed`);
  if (!whole.complete || whole.records.length > LONGEST_LIST)
    throw new Skip(`the list has more than ${LONGEST_LIST} records, too many for small pages`);
  // Smaller than the pages that the whole was fetched in, which may have left out the same records.
  const size = Math.max(1, Math.min(Math.ceil(whole.records.length / 3), profile['list.maxSize'] - 1));
  const seen: unknown[] = [];
  // A service may show fewer than it is asked for, where list.maxSize is unknown: the pages are as long as the first.
  const isSizeOpen = whyUnknown(profile, 'list.maxSize') !== undefined;
  let step = size;
  for (let page = 0; seen.length < whole.records.length && page * step < whole.records.length; page++) {
    const place = placeInList(profile, page, page * step);
    const answer = await api.list(model.name, { ...place, [profile['list.sizeParameter']]: String(size) });
    const records = isAccepted(answer) ? api.recordsIn(answer) : undefined;
    if (!records) throw new Failure('a page is not a list', 'a list', statusOf(answer));
    for (const { id } of records) seen.push(id);
    if (isSizeOpen && page === 0 && records.length > 0) step = Math.min(size, records.length);
  }
  const wanted = whole.records.map((record) => record.id);
  const missing = wanted.filter((id) => !seen.includes(id));
  if (missing.length > 0 || seen.length !== new Set(seen).size)
    throw new Failure(
      'the pages do not contain each record once',
      `${wanted.length} records, each once`,
      `${seen.length}, missing ${show(missing)}`,
    );
}
