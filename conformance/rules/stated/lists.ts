import { isDeepStrictEqual } from 'node:util';
import { changeProfile } from '../../../spec/profile/profile.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../../api/answer.ts';
import { fetchList, type Listing } from '../../api/listing.ts';
import type { Id } from '../../api/places.ts';
import { expectRecord, expectRecords, expectUpdated, expectValues } from '../../assert/assert.ts';
import { Blocked, Failure, Skip } from '../../assert/failure.ts';
import { type CaseContext, once, type Rule } from '../../plan/rule.ts';
import { listLinesById } from '../questions/lines-by-id.ts';
import { type ListedRecord, listedRecords } from '../questions/listed-records.ts';
import { areShown, listsSeen, onThreeListed, readLists, readPlainly } from '../questions/lists-seen.ts';
import { needCreate, nothingToSee } from '../questions/observation.ts';
import { plainList } from '../questions/shared.ts';
import { wholeUpdate } from '../questions/updates.ts';
import { stableValues } from '../support/unchanged.ts';
import { expectParts, inTwoParts } from './list-parts.ts';
import { expectFull, expectSome, hasRoom } from './plain-list.ts';

/** Retrieve many shows the records of the model, each as a retrieve shows it (section 4). */
export const listRules: readonly Rule[] = [
  {
    id: 'list.shows-record',
    title: 'A created record stands in the list once, as a retrieve shows it',
    requirement: 'operation-list',
    level: 'stated',
    needs: ['create', 'retrieve', 'list'],
    cases: once(
      (context) =>
        onThreeListed(context, async ({ newer, older }) => {
          await expectListed(context, [older.id, newer.id], 'created');
          await expectParts(context);
        }),
      { operation: 'list' },
    ),
  },
  {
    id: 'list.shows-update',
    title: 'An updated record stands in the list once, with its new values',
    requirement: 'operation-list',
    level: 'stated',
    needs: ['create', 'retrieve', 'list', 'update'],
    cases: once(
      async (context) => {
        await needCreate(context);
        const { answer, change, id } = await context.ask(wholeUpdate);
        expectUpdated(context, answer, change);
        await expectListed(context, [id], 'updated');
        await listLinesById(context);
      },
      { operation: 'list' },
    ),
  },
  {
    id: 'list.agrees',
    title: 'A record that stands in the list can be retrieved, and looks the same',
    requirement: 'operation-list',
    level: 'stated',
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

/** The list over its pages; throws Blocked where it is the profile that keeps the suite from reading it. */
async function needListing(context: CaseContext): Promise<Listing> {
  const listing = await context.records.listing();
  if (listing) return listing;
  expectRecords(context, await context.api.list(context.model.name));
  throw new Blocked(
    'a list is answered, but none asked for in pages: list.paging differs, or the names of its parameters, or list.maxSize',
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
    throw new Blocked('the first page is the one of the number 0', undefined, 'list.paging');
}

/** Each record stands in the list once, as a retrieve shows it. */
async function expectListed(context: CaseContext, ids: readonly Id[], what: string): Promise<void> {
  if (await areShown(context, ids)) return;
  const wanted: [Id, RecordValues][] = [];
  for (const id of ids) wanted.push([id, stableValues(context, await context.records.readValues(id))]);
  const paged = await needListing(context);
  const { first, records, twice } = paged;
  // Where somebody made records meanwhile, which moves the others on, it is another one the next time.
  if (twice !== undefined && (await needListing(context)).twice === twice) throw inTwoParts(paged);
  for (const [id, retrieved] of wanted) {
    const found = records.filter((record) => record.id === id);
    const [listed] = found;
    if (!listed && !(await showsAll(context, paged)))
      throw new Skip(
        `the list is too long to be looked through, or can't be: id ${id} stands in no page seen`,
      );
    if (!listed) await needPages(context, id);
    if (!listed || found.length > 1)
      throw new Failure(
        `a record that was ${what} does not stand in the list once`,
        `id ${id} once`,
        `${found.length} times`,
        first.exchange,
      );
    expectValues(context, retrieved, readIn(context, listed), `the ${what} record in the list`, first);
  }
  const plain = await readPlainly(context);
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
  return hasRoom(context, records.length, () => context.records.listed());
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
    if (values.deleted === true && !isAccepted(answer)) continue;
    const retrieved = readIn(context, expectRecord(context, answer, 'a retrieve of a record in the list'));
    expectValues(context, stableValues(context, retrieved), values, 'a record in the list', list);
  }
}

function readIn(context: CaseContext, wire: RecordValues): RecordValues {
  return context.check.read(context.model, wire);
}
