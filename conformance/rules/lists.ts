import { isDeepStrictEqual } from 'node:util';
import type { Operation } from '../../spec/catalogue/catalogue.ts';
import { fieldOf, isDeleted } from '../../spec/catalogue/roles.ts';
import { pagesOf } from '../../spec/profile/profile.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, type Id, isAccepted } from '../api/answer.ts';
import { fetchList, type Listing, totalOf } from '../api/listing.ts';
import { show } from '../assert/agreement.ts';
import { blocked, type Ended, failure, isEnded, skip, unjudged, unlessEnded } from '../assert/ending.ts';
import { expectRecord, expectRecords, expectUpdated, expectValues } from '../cases/assert.ts';
import {
  type Assumption,
  type CaseContext,
  type ListedRule,
  row,
  type SharedRequests,
  where,
} from '../cases/rule.ts';
import { isMarked } from '../records/identity.ts';
import { writableFields } from '../records/values/values.ts';
import {
  byId,
  isNumber,
  nothingToSee,
  ofEachValue,
  one,
  onShared,
  plainList,
  stableValues,
  three,
} from './shared.ts';
import { listLinesById, numberUpdates, wholeUpdate } from './updates.ts';

/** Retrieves some of the records of the list, and those that were updated. */
export const listedRecords: SharedRequests<readonly ListedRecord[]> = {
  name: 'listed records',
  async ask(context) {
    const { api, model, records } = context;
    const updated = (await unlessEnded(() => updatedRecords(context))) ?? [];
    const listing = model.operations.includes('list') ? await records.listing() : undefined;
    if (!listing || !model.operations.includes('retrieve')) return [];
    const all = listing.records.filter(({ id }) => Number.isInteger(id));
    const pairs: ListedRecord[] = [];
    const ofUpdated = all.filter(({ id }) => updated.some((one) => one === id));
    for (const listed of new Set([...someOf(all), ...ofUpdated]))
      pairs.push({ listed, retrieved: await api.retrieve(model.name, listed.id) });
    return pairs;
  },
};

/** Retrieve many shows the records of the model, each as a retrieve shows it (section 4). */
export const listRules: readonly ListedRule[] = [
  {
    id: 'list.shows-record',
    title: 'The list contains no record twice, and a created record with the values of a retrieve',
    requirement: 'operation-list',
    needs: ['list'],
    cases: ({ operations }) => [
      operations.includes('create') && operations.includes('retrieve') ? { writes: true } : {},
    ],
    operation: 'list',
    async judge(context, { writes }) {
      if (writes) return expectCreatedListed(context);
      const lists = await context.ask(listsSeen);
      if (!lists.paged?.records.length) throw await nothingToSee(context);
      expectNoneTwice(context, lists);
    },
  },
  row({
    id: 'list.shows-update',
    title: 'The list contains an updated record once, with its new values',
    requirement: 'operation-list',
    needs: ['create', 'retrieve', 'list', 'update'],
    operation: 'list',
    requests: wholeUpdate,
    async judge(context, _, { answer, change, id }) {
      expectUpdated(context, answer, change);
      await expectListed(context, [id], 'updated');
      await listLinesById(context);
    },
  }),
  row({
    id: 'list.agrees',
    title: 'Retrieve returns each record of the list with the same values',
    requirement: 'operation-list',
    needs: ['retrieve', 'list'],
    operation: 'list',
    requests: listedRecords,
    async judge(context, _, pairs) {
      const lists = await context.ask(listsSeen);
      if (pairs.length === 0) {
        const plain = await context.ask(plainList);
        if (isAccepted(plain)) expectRecords(context, plain);
        throw await nothingToSee(context);
      }
      expectSome(lists);
      for (const pair of pairs) await expectAgreement(context, pair, lists);
    },
  }),
];

/** Pages under the profile. */
export const pagesRule: Assumption = {
  id: 'profile.pages',
  setting: 'list.paging',
  title: 'The pages of a list contain each record exactly once',
  requirement: 'query-not-shown',
  needs: ['create', 'list'],
  cases: where(({ profile }) => profile['list.paging'] !== 'none' && !profile.unknown['list.paging']),
  async judge(context) {
    const why = await onShared(context, three, () => expectParts(context));
    if (why !== undefined) throw skip(why);
  },
};

async function expectCreatedListed(context: CaseContext): Promise<void> {
  // An update that is asked for after the three would make a newer one.
  const lists = await listsWith(context, []);
  if (lists) expectNoneTwice(context, lists);
  await onShared(context, three, async ({ newer, older }) => {
    await expectListed(context, [...(await variedIds(context)), older.id, newer.id], 'created');
    if (lists) await expectNoneHidden(context, lists);
    // The size can be known although no parameter leads to the next part.
    if (context.profile.unknown['list.paging']?.fits) await expectParts(context);
  });
}

/** The list shows each record that the run created and that a retrieve shows. */
async function expectNoneHidden(context: CaseContext, { existing, paged }: ListsSeen): Promise<void> {
  const { api, model, records } = context;
  const isIn = (list: Listing | undefined, id: Id) => list?.records.some((record) => record.id === id);
  // A few are enough.
  for (const id of existing.filter((one) => !isIn(paged, one)).slice(0, 3)) {
    const retrieved = await api.retrieve(model.name, id);
    const record = api.recordIn(retrieved);
    const again = await records.listing();
    if (!record || isMarked(model, record) || !again || isIn(again, id)) continue;
    if (!records.existing().includes(id) || !(await showsAll(context, again))) continue;
    const message = 'the list omits a record that the run created';
    const found = `${again.records.length} other records`;
    throw failure(message, `id ${show(id)}`, found, again.first.exchange);
  }
}

/** Lists that are read until two are wrong, because others change them while their parts are read. */
const MOST_LISTS = 4;
/** Smaller pages of longer lists would take too many requests. */
const LONGEST_LIST = 200;

/** Smaller parts of the list show the same records, each once. Returns why this can't be judged. */
async function expectParts({ api, model, profile, records: own }: CaseContext): Promise<string | undefined> {
  const isKnown = !profile.unknown['list.paging'];
  let before: string | undefined;
  for (let lists = 0; lists < MOST_LISTS; lists++) {
    const whole = await own.listing();
    if (!whole?.complete || whole.records.length > LONGEST_LIST)
      return `the list has more than ${LONGEST_LIST} records, too many for small pages`;
    // Of 13 records, pages of 5 begin at 0, 5, and 10: an offset with two digits.
    const missing = isKnown && lists === 0 ? 13 - whole.records.length : 0;
    for (let more = missing; more > 0; more--) if (!(await unlessEnded(() => own.make()))) break;
    if (missing > 0) continue;
    // Parts as large as those of the whole list might omit the same records. The service might have a smaller maximum.
    const longest = isKnown ? api.recordsIn(whole.first)?.length : undefined;
    const most = Math.min(Math.ceil(whole.records.length / 3), (longest ?? pagesOf(profile)?.max ?? 2) - 1);
    const parts = await fetchList(api, model.name, Math.max(1, most));
    if (!parts || (!isKnown && (!parts.complete || parts.onePage)))
      return 'no parameter leads to the next page';
    const seen = new Set(parts.records.map(({ id }) => id));
    const lost = whole.records.find(({ id }) => !seen.has(id));
    if (parts.twice === undefined && !lost) return undefined;
    // Without an order, each list has another one, but the same records.
    const records = JSON.stringify(byId(whole.records));
    if (records === before && totalOf(parts.first, profile) !== totalOf(whole.first, profile))
      return 'the pages state another total than the list';
    if (records === before && parts.twice !== undefined) throw inTwoParts(parts);
    if (records === before) {
      const message = 'a record is missing from every page of the list';
      throw failure(message, `id ${show(lost?.id)} once`, 'not at all', parts.first.exchange);
    }
    // Another client can create, change, or delete records meanwhile.
    before = records;
  }
  return `the list of ${model.name} changes while its pages are read`;
}

function inTwoParts({ first, twice }: Listing): Ended {
  const message = 'two pages of the list contain the same record';
  return failure(message, `id ${show(twice)} once`, 'twice', first.exchange);
}

/** The IDs of records with each value of a list, and of one without links: a list that joins them leaves it out. */
async function variedIds({ ask }: CaseContext): Promise<readonly Id[]> {
  const least = await unlessEnded(() => ask(one));
  return [...(least ? [least.id] : []), ...(await ask(ofEachValue))];
}

/** No response contains a record twice. Over pages without an order, a record can repeat. */
function expectNoneTwice(context: CaseContext, { paged, plain }: Lists): void {
  for (const answer of [paged?.first, plain?.first]) {
    const ids = context.api.recordsIn(answer)?.map(({ id }) => id) ?? [];
    const twice = ids.find((id, index) => id !== undefined && ids.indexOf(id) !== index);
    if (twice === undefined) continue;
    const message = `the list contains the record ${show(twice)} more than once`;
    const times = ids.filter((id) => id === twice).length;
    throw failure(message, 'each record once', `${times} times`, answer?.exchange);
  }
}

type Shown = { readonly record: RecordValues; readonly list: ApiResponse };

/** A record in the pages of the list, and in the list without a query. */
function shownIn({ paged, plain }: Lists, id: unknown): Shown[] {
  return [paged, plain].flatMap((list) =>
    (list?.records ?? []).flatMap((record) => (list && record.id === id ? { record, list: list.first } : [])),
  );
}

async function expectAgreement(
  context: CaseContext,
  { listed: { id }, retrieved }: ListedRecord,
  lists: Lists,
): Promise<void> {
  try {
    compare(context, retrieved, shownIn(lists, id));
  } catch (error) {
    if (!isEnded(error, 'fail')) throw error;
    // Others may have changed or deleted it between the two responses, but hardly again.
    const before = await context.api.retrieve(context.model.name, id);
    const again = shownIn(await readLists(context), id);
    const after = await context.api.retrieve(context.model.name, id);
    const [first, last] = [before, after].map((answer) => [answer.status, context.api.recordIn(answer)]);
    if (isDeepStrictEqual(first, last)) compare(context, after, again);
  }
}

function compare(context: CaseContext, answer: ApiResponse, shown: readonly Shown[]): void {
  for (const { list, record } of shown) {
    const values = context.check.read(context.model, record);
    // A list can show a deleted record that a retrieve does not (delete.effect).
    if (isDeleted(context.model, values) && !isAccepted(answer)) continue;
    const wire = expectRecord(context, answer, 'a retrieve of a record in the list');
    const retrieved = context.check.read(context.model, wire);
    // Between two updates, both responses also show when and by whom a record was updated last.
    const last = [fieldOf(context.model, 'updated'), fieldOf(context.model, 'updatedBy')].flatMap((field) =>
      field ? [[field.name, retrieved[field.name] ?? null]] : [],
    );
    const expected = { ...stableValues(context, retrieved), ...Object.fromEntries(last) };
    expectValues(context, expected, values, 'a record in the list', list);
  }
}

/**
 * The list shows each record once. The lists that were seen count, because the next response may be another one. The
 * record of the run compares the values with those of other responses.
 */
async function expectListed(context: CaseContext, ids: readonly Id[], what: string): Promise<void> {
  const seen = await listsWith(context, ids);
  if (!seen) for (const id of ids) await context.records.read(id);
  const paged = seen?.paged ?? (await context.records.listing());
  // An unknown place of the records is another reason.
  if (!paged) expectRecords(context, await context.api.list(context.model.name));
  if (!paged) throw blocked('the pages of a list are no lists', undefined, { differs: 'list.paging' });
  const { first, records, twice } = paged;
  // Where somebody made records meanwhile, which moves the others on, it is another one the next time.
  if (twice !== undefined && (await context.records.listing())?.twice === twice) throw inTwoParts(paged);
  for (const id of ids) {
    const times = records.filter((record) => record.id === id).length;
    if (times === 1) continue;
    if (times === 0 && !(await showsAll(context, paged)))
      throw unjudged(`the list is too long to search, and the pages read do not contain id ${id}`);
    const message = `the list does not contain the ${what} record exactly once`;
    throw failure(message, `id ${id} once`, `${times} times`, first.exchange);
  }
  const plain = seen ? seen.plain : await readPlainly(context);
  if (!plain) return;
  expectSome({ paged, plain });
  const missing = ids.find((id) => !plain.records.some((record) => record.id === id));
  const readAgain = async () => (await readPlainly(context))?.records;
  // A full list has the default number of records.
  if (missing === undefined || !(await hasRoom(context, plain.records.length, readAgain))) return;
  const message = 'a list without a query omits a record, although it is not full';
  const found = `${plain.records.length} other records`;
  throw failure(message, `id ${missing}`, found, plain.first.exchange);
}

/** Whether a record that is there has to stand among those that were read. */
async function showsAll(context: CaseContext, { complete, onePage, records }: Listing): Promise<boolean> {
  if (!onePage || records.length === 0) return complete;
  if (await hasRoom(context, records.length, () => context.records.listed())) return true;
  // A list is not full if another list of the service is longer.
  return complete && context.showsMore(records.length);
}

/** A list over its pages, and without a query if that is another one. */
type Lists = {
  readonly paged: Listing | undefined;
  readonly plain: Pick<Listing, 'first' | 'records'> | undefined;
};

/** `own`: the records that the case retrieved before. `existing`: all that the run created before, and did not delete. */
type ListsSeen = Lists & { readonly own: ReadonlySet<Id>; readonly existing: readonly Id[] };

const listsSeen: SharedRequests<ListsSeen> = {
  name: 'lists',
  againAfter5xx: true,
  async ask(context) {
    const own = (await unlessEnded(() => readOwn(context))) ?? new Set<Id>();
    const existing = context.records.existing();
    return { own, existing, ...(await readLists(context)) };
  },
};

/** Without a record in its pages nothing is compared with the plain list. */
async function readLists(context: CaseContext): Promise<Lists> {
  const paged = await context.records.listing();
  return { paged, plain: paged && paged.records.length > 0 ? await readPlainly(context) : undefined };
}

/** Whether the run can create and retrieve records of the model, and do more with them. */
function has({ model, readOnly }: CaseContext, ...more: readonly Operation[]): boolean {
  return (
    !readOnly && (['create', 'retrieve', ...more] as const).every((one) => model.operations.includes(one))
  );
}

/** The IDs of a record that was updated, and of one whose numbers are 0 after updates. */
async function updatedRecords(context: CaseContext): Promise<readonly Id[]> {
  if (!has(context, 'update')) return [];
  const { id } = await context.ask(wholeUpdate);
  const hasNumbers = writableFields(context.model).some((field) => isNumber(context, field));
  const zero = hasNumbers ? await unlessEnded(() => context.ask(numberUpdates)) : undefined;
  return [id, ...(zero ?? []).slice(0, 1).map((one) => one.id)];
}

async function readOwn(context: CaseContext): Promise<Set<Id>> {
  if (!has(context)) return new Set();
  const updated = await updatedRecords(context);
  const varied = await variedIds(context);
  const { newer, older } = await context.ask(three);
  const read = [older.id, newer.id, ...updated];
  for (const id of read) await context.records.read(id);
  return new Set([...varied, ...read]);
}

/** The lists that are seen; undefined where they, or some of the records, could not be read. */
async function listsWith(context: CaseContext, ids: readonly Id[]): Promise<ListsSeen | undefined> {
  const seen = await unlessEnded(() => context.ask(listsSeen), ['fail', 'blocked', 'skip', 'error']);
  return seen?.paged && ids.every((id) => seen.own.has(id)) ? seen : undefined;
}

/** A record of the list, in wire form, with the response to a retrieve of it. */
type ListedRecord = { readonly listed: RecordValues; readonly retrieved: ApiResponse };

/** The oldest and the newest, and one between them. */
function someOf<T>(items: readonly T[]): readonly T[] {
  const middle = items.length >> 1;
  return [...items.slice(0, 2), ...items.slice(middle, middle + 1), ...items.slice(-3)];
}

/** Reads the list as the source shows it: without a query (section 4). Undefined if `paged` is that list. */
async function readPlainly(context: CaseContext): Promise<Lists['plain']> {
  const { 'list.paging': paging, unknown } = context.profile;
  if (paging === 'none' || unknown['list.paging']) return undefined;
  const first = await context.api.list(context.model.name);
  return { first, records: expectRecords(context, first) };
}

/** A list without a query is not empty while its pages show records. */
function expectSome({ paged, plain }: Lists): void {
  if (!plain || plain.records.length > 0 || !paged?.records.length) return;
  const expected = `records, like the ${paged.records.length} on its pages`;
  throw failure('a list without a query returns no records', expected, 'none', plain.first.exchange);
}

/** Whether a list shows more records than before when there is one more: then it was not full. */
async function hasRoom(
  context: CaseContext,
  shown: number,
  read: () => Promise<readonly RecordValues[] | undefined>,
): Promise<boolean> {
  await context.records.make();
  return ((await read()) ?? []).length > shown;
}
