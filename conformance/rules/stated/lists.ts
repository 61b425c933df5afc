import { isDeepStrictEqual } from 'node:util';
import { isDeleted } from '../../../spec/catalogue/roles.ts';
import { changeProfile } from '../../../spec/profile/profile.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../../api/answer.ts';
import { fetchList, type Listing } from '../../api/listing.ts';
import type { Id } from '../../api/places.ts';
import { Blocked, Failure, Unjudged } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import { expectRecord, expectRecords, expectUpdated, expectValues } from '../../cases/assert.ts';
import { type CaseContext, type ListedRule, once } from '../../cases/rule.ts';
import { listLinesById } from '../questions/lines-by-id.ts';
import {
  expectFull,
  expectParts,
  expectSome,
  hasRoom,
  inTwoParts,
  type ListedRecord,
  type ListsSeen,
  listedRecords,
  listsSeen,
  listsWith,
  onThreeListed,
  readLists,
  readPlainly,
} from '../questions/lists-seen.ts';
import { plainList } from '../questions/shared.ts';
import { needCreate, nothingToSee, wholeUpdate } from '../questions/updates.ts';
import { stableValues } from '../support/kept-values.ts';

/** Retrieve many shows the records of the model, each as a retrieve shows it (section 4). */
export const listRules: readonly ListedRule[] = [
  {
    id: 'list.shows-record',
    title: 'The list contains no record twice, and a created record with the values of a retrieve',
    requirement: 'operation-list',
    needs: ['list'],
    cases: ({ operations }) => [
      operations.includes('create') && operations.includes('retrieve')
        ? { operation: 'list', writes: true, run: expectCreatedListed }
        : { operation: 'list', run: expectNoneTwice },
    ],
  },
  {
    id: 'list.shows-update',
    title: 'The list contains an updated record once, with its new values',
    requirement: 'operation-list',
    needs: ['create', 'retrieve', 'list', 'update'],
    cases: once(
      async (context) => {
        await needCreate(context);
        const { answer, change, id } = await context.ask(wholeUpdate);
        expectUpdated(context, answer, change);
        await expectListed(context, [id], 'updated').catch((error) => {
          // It was updated before other records were made: a list that is late may have shown it at any moment since.
          if (!(error instanceof Failure)) throw error;
          return expectIn(context, undefined, [id], 'updated');
        });
        await listLinesById(context);
      },
      { operation: 'list' },
    ),
  },
  {
    id: 'list.agrees',
    title: 'Retrieve returns each record of the list with the same values',
    requirement: 'operation-list',
    needs: ['retrieve', 'list'],
    cases: once(
      async (context) => {
        const pairs = await context.ask(listedRecords);
        const shown = await readShown(context);
        if (shown.size === 0) {
          const plain = await context.ask(plainList);
          if (isAccepted(plain)) expectRecords(context, plain);
          throw await nothingToSee(context);
        }
        for (const pair of pairs) await expectAgreement(context, pair, shown);
      },
      { operation: 'list' },
    ),
  },
];

function expectCreatedListed(context: CaseContext): Promise<void> {
  return onThreeListed(context, async ({ newer, older }) => {
    await expectListed(context, [older.id, newer.id], 'created');
    await expectParts(context);
  });
}

/** No response contains a record twice. Over pages without an order, a record can repeat. */
async function expectNoneTwice(context: CaseContext): Promise<void> {
  const { paged, plain } = await context.ask(listsSeen);
  if (!paged || paged.records.length === 0) throw await nothingToSee(context);
  for (const answer of [paged.first, plain?.answer]) {
    const ids = (answer && context.api.recordsIn(answer))?.map(({ id }) => id) ?? [];
    const twice = ids.find((id, index) => id !== undefined && ids.indexOf(id) !== index);
    if (twice !== undefined)
      throw new Failure(
        `the list contains the record ${show(twice)} more than once`,
        'each record once',
        `${ids.filter((id) => id === twice).length} times`,
        answer?.exchange,
      );
  }
}

/** A record as one list shows it. */
type Shown = { readonly record: RecordValues; readonly list: Answer };

/** The records in the pages of the list, and in the list without a query, by their ids. */
async function readShown(context: CaseContext, again = false): Promise<Map<number, Shown[]>> {
  const shown = new Map<number, Shown[]>();
  const note = (records: readonly RecordValues[], list: Answer) => {
    for (const record of records)
      if (typeof record.id === 'number' && Number.isInteger(record.id))
        shown.set(record.id, [...(shown.get(record.id) ?? []), { record, list }]);
  };
  const { paged, plain } = again ? await readLists(context) : await context.ask(listsSeen);
  if (paged) note(paged.records, paged.first);
  if (!paged || !plain) return shown;
  // Others may have deleted all between the two answers; they hardly do so twice.
  if (plain.records.length === 0 && !again) return readShown(context, true);
  expectSome(plain, paged);
  note(plain.records, plain.answer);
  return shown;
}

const MOST_LOOKS = 3;

async function expectAgreement(
  context: CaseContext,
  { listed: { id }, retrieved }: ListedRecord,
  shown: ReadonlyMap<unknown, readonly Shown[]>,
): Promise<void> {
  try {
    compare(context, retrieved, shown.get(id) ?? []);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // Others may have changed or deleted it between the two answers: it has to be the same on both sides of the list.
    const shownBy = (answer: Answer) => [answer.status, context.api.recordIn(answer)];
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      const before = await context.api.retrieve(context.model.name, id);
      const again = (await readShown(context, true)).get(Number(id)) ?? [];
      const after = await context.api.retrieve(context.model.name, id);
      if (isDeepStrictEqual(shownBy(before), shownBy(after))) return compare(context, after, again);
    }
  }
}

function compare(context: CaseContext, answer: Answer, shown: readonly Shown[]): void {
  for (const { list, record } of shown) {
    const values = readIn(context, record);
    // What is marked as deleted may be listed without being readable (delete.readable).
    if (isDeleted(context.model, values) && !isAccepted(answer)) continue;
    const retrieved = readIn(context, expectRecord(context, answer, 'a retrieve of a record in the list'));
    expectValues(context, stableValues(context, retrieved), values, 'a record in the list', list);
  }
}

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
async function expectListed(context: CaseContext, ids: readonly Id[], what: string): Promise<void> {
  await expectIn(context, await listsWith(context, ids), ids, what);
}

/** The same in lists that are seen, or in new ones. */
async function expectIn(
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
/** Fewer records than any service puts on a page. */
const NO_PAGE = 10;

async function showsAll(context: CaseContext, { complete, onePage, records }: Listing): Promise<boolean> {
  if (!onePage || records.length === 0) return complete;
  const { profile } = context;
  const hasNoPages = profile['list.paging'] === 'none' && profile.unknown['list.paging'] === undefined;
  if (hasNoPages && records.length < NO_PAGE) return true;
  if (await hasRoom(context, records.length, () => context.records.listed())) return true;
  // A list is not full if another list of the service is longer.
  return complete && context.showsMore(records.length);
}

function readIn(context: CaseContext, wire: RecordValues): RecordValues {
  return context.check.read(context.model, wire);
}
