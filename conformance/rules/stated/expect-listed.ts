import { changeProfile } from '../../../spec/profile/profile.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { fetchList, type Listing } from '../../api/listing.ts';
import type { Id } from '../../api/places.ts';
import { expectRecords, expectValues } from '../../assert/assert.ts';
import { Blocked, Failure, Unjudged } from '../../assert/failure.ts';
import type { CaseContext } from '../../plan/rule.ts';
import { type ListsSeen, listsWith } from '../questions/lists-seen.ts';
import { expectFull, expectSome, hasRoom, readPlainly } from '../support/plain-list.ts';
import { stableValues } from '../support/unchanged.ts';
import { inTwoParts } from './list-parts.ts';

/** The list over its pages; throws Blocked where it is the profile that keeps the suite from reading it. */
async function needListing(context: CaseContext): Promise<Listing> {
  const listing = await context.records.listing();
  if (listing) return listing;
  expectRecords(context, await context.api.list(context.model.name));
  throw new Blocked(
    'a list succeeds, but not with pages: list.paging, the names of its parameters, or list.maxSize differ',
    undefined,
    'list.paging',
  );
}

/** Throws Blocked where the record is on a page if pages are counted from 0: those from 1 leave the first one out. */
async function needPages({ api, catalogue, model, profile }: CaseContext, id: Id): Promise<void> {
  if (profile.unknown['list.paging'] || profile['list.paging'] !== 'page') return;
  const other = changeProfile(profile, { 'list.paging': 'index' }, catalogue);
  const from0 = await fetchList(api.under(other), model.name);
  if (from0?.records.some((record) => record.id === id))
    throw new Blocked('list.paging differs: the first page has number 0', undefined, 'list.paging');
}

/**
 * Each record stands in the list once, as a retrieve shows it. What the lists that are seen show counts: the next answer
 * may be another one.
 */
export async function expectListed(context: CaseContext, ids: readonly Id[], what: string): Promise<void> {
  await expectIn(context, await listsWith(context, ids), ids, what);
}

/** The same in lists that are seen, or in new ones. */
export async function expectIn(
  context: CaseContext,
  seen: ListsSeen | undefined,
  ids: readonly Id[],
  what: string,
): Promise<void> {
  const wanted: [Id, RecordValues][] = [];
  for (const id of ids) {
    const shown = seen?.own.get(id) ?? stableValues(context, await context.records.readValues(id));
    wanted.push([id, shown]);
  }
  const paged = seen?.paged ?? (await needListing(context));
  const { first, records, twice } = paged;
  // Where somebody made records meanwhile, which moves the others on, it is another one the next time.
  if (twice !== undefined && (await needListing(context)).twice === twice) throw inTwoParts(paged);
  for (const [id, retrieved] of wanted) {
    const found = records.filter((record) => record.id === id);
    const [listed] = found;
    if (!listed && !(await showsAll(context, paged)))
      throw new Unjudged(`the list is too long to search, and the pages read do not contain id ${id}`);
    if (!listed) await needPages(context, id);
    if (!listed || found.length > 1)
      throw new Failure(
        `the list does not contain the ${what} record exactly once`,
        `id ${id} once`,
        `${found.length} times`,
        first.exchange,
      );
    expectValues(context, retrieved, readIn(context, listed), `the ${what} record in the list`, first);
  }
  const plain = seen ? seen.plain : await readPlainly(context);
  if (!plain) return;
  expectSome(plain, paged);
  for (const [id, retrieved] of wanted) {
    const listed = plain.records.find((record) => record.id === id);
    if (!listed) return expectFull(context, plain, id);
    const name = `the ${what} record in the list without a query`;
    expectValues(context, retrieved, readIn(context, listed), name, plain.answer);
  }
}

/** Whether a record that is there has to stand among those that were read. */
async function showsAll(context: CaseContext, { complete, onePage, records }: Listing): Promise<boolean> {
  if (!onePage || records.length === 0) return complete;
  if (await hasRoom(context, records.length, () => context.records.listed())) return true;
  // A list is not full if another list of the service is longer.
  return complete && context.showsMore(records.length);
}

export function readIn(context: CaseContext, wire: RecordValues): RecordValues {
  return context.check.read(context.model, wire);
}
