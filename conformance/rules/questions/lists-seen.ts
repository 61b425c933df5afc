import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Answer } from '../../api/answer.ts';
import { fetchList, type Listing } from '../../api/listing.ts';
import type { Id } from '../../api/places.ts';
import { Blocked, Failure, Skip } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import { expectRecords } from '../../cases/assert.ts';
import type { CaseContext, Question } from '../../cases/rule.ts';
import { stableValues } from '../support/kept-values.ts';
import { onShared, type Three, three } from './shared.ts';
import { wholeUpdate } from './updates.ts';

/** Retrieves some of the records of the list. */
export const listedRecords: Question<readonly ListedRecord[]> = {
  name: 'listed records',
  async ask({ api, model, records }) {
    const listing = model.operations.includes('list') ? await records.listing() : undefined;
    if (!listing || !model.operations.includes('retrieve')) return [];
    const pairs: ListedRecord[] = [];
    for (const listed of someOf(listing.records.filter(({ id }) => Number.isInteger(id))))
      pairs.push({ listed, retrieved: await api.retrieve(model.name, listed.id) });
    return pairs;
  },
};

/** A list over its pages, and without a query where that is another one. */
export type Lists = { readonly paged: Listing | undefined; readonly plain: PlainList | undefined };

/** The lists after the case created and updated records, with the responses to retrieves before. */
export type ListsSeen = Lists & { readonly own: ReadonlyMap<Id, RecordValues> };

export const listsSeen: Question<ListsSeen> = {
  name: 'lists',
  againAfter5xx: true,
  async ask(context) {
    const own = await readOwn(context).catch((error) => {
      if (!(error instanceof Blocked || error instanceof Skip)) throw error;
      return new Map<Id, RecordValues>();
    });
    return { own, ...(await readLists(context)) };
  },
};

/** Without a record in its pages nothing is compared with the plain list. */
export async function readLists(context: CaseContext): Promise<Lists> {
  const paged = await context.records.listing();
  return { paged, plain: paged && paged.records.length > 0 ? await readPlainly(context) : undefined };
}

async function readOwn(context: CaseContext): Promise<Map<Id, RecordValues>> {
  const { ask, model, readOnly, records } = context;
  const own = new Map<Id, RecordValues>();
  const has = (operation: (typeof model.operations)[number]) => model.operations.includes(operation);
  if (readOnly || !has('create') || !has('retrieve')) return own;
  const updated = has('update') ? [(await ask(wholeUpdate)).id] : [];
  const { newer, older } = await ask(three);
  for (const id of [older.id, newer.id, ...updated])
    own.set(id, stableValues(context, await records.readValues(id)));
  return own;
}

/** The lists that are seen; undefined where they, or some of the records, could not be read. */
export async function listsWith(context: CaseContext, ids: readonly Id[]): Promise<ListsSeen | undefined> {
  try {
    const seen = await context.ask(listsSeen);
    return seen.paged && ids.every((id) => seen.own.has(id)) ? seen : undefined;
  } catch (error) {
    if (error instanceof Failure || error instanceof Blocked || error instanceof Skip) return undefined;
    throw error;
  }
}

/** Judges by three records, the last of which is the newest of all when the lists are looked at. */
export async function onThreeListed(
  context: CaseContext,
  judge: (found: Three) => Promise<void>,
): Promise<void> {
  // An update that is asked for after the three would make a newer one.
  await listsWith(context, []);
  await onShared(context, three, judge);
}

/** A record of the list, in wire form, with the response to a retrieve of it. */
export type ListedRecord = { readonly listed: RecordValues; readonly retrieved: Answer };

/** The oldest and the newest, and one between them. */
function someOf<T>(items: readonly T[]): readonly T[] {
  return [...new Set([...items.slice(0, 2), items[items.length >> 1], ...items.slice(-3)])].filter(
    (item) => item !== undefined,
  );
}

/** A list as the source shows it: without a query (section 4). */
type PlainList = { readonly answer: Answer; readonly records: readonly RecordValues[] };

/** Undefined where what is read over the pages is the plain list itself. */
export async function readPlainly(context: CaseContext): Promise<PlainList | undefined> {
  const { 'list.paging': paging, unknown } = context.profile;
  if (paging === 'none' || unknown['list.paging']) return undefined;
  const answer = await context.api.list(context.model.name);
  return { answer, records: expectRecords(context, answer) };
}

/** A list without a query is not empty while its pages show records. */
export function expectSome({ answer, records }: PlainList, paged: Listing): void {
  if (records.length > 0 || paged.records.length === 0) return;
  throw new Failure(
    'a list without a query returns no records',
    `records, like the ${paged.records.length} on its pages`,
    'none',
    answer.exchange,
  );
}

/** A record may be missing only from a full list: one of `list.defaultSize` records. */
export async function expectFull(
  context: CaseContext,
  { answer, records }: PlainList,
  id: Id,
): Promise<void> {
  if (!(await hasRoom(context, records.length, async () => (await readPlainly(context))?.records))) return;
  throw new Failure(
    'a list without a query omits a record, although it is not full',
    `id ${id}`,
    `${records.length} other records`,
    answer.exchange,
  );
}

/** Whether a list shows more records than before when there is one more: then it was not full. */
export async function hasRoom(
  context: CaseContext,
  shown: number,
  read: () => Promise<readonly RecordValues[] | undefined>,
): Promise<boolean> {
  await context.records.make();
  return ((await read()) ?? []).length > shown;
}

/** Where each part of the list leads to the next, smaller parts show the same records, each once. */
export async function expectParts({ api, model, profile, records }: CaseContext): Promise<void> {
  const { 'list.paging': paging, 'list.sizeParameter': parameter } = profile.unknown;
  if (!paging || parameter) return;
  const whole = await records.listing();
  if (!whole?.complete) return;
  const inParts = () => fetchList(api, model.name, Math.max(2, Math.ceil(whole.records.length / 3)));
  const parts = await inParts();
  if (!parts?.complete || parts.onePage) return;
  const lost = lostOf(parts, whole);
  if (lost === undefined && parts.twice === undefined) return;
  // Somebody may have made or deleted records meanwhile: it is the same once more, and the record is there still.
  const again = await inParts();
  if (!again?.complete) return;
  if (parts.twice !== undefined && again.twice === parts.twice) throw inTwoParts(again);
  const isThere = (await records.listing())?.records.some(({ id }) => id === lost);
  if (lost === undefined || lostOf(again, whole) !== lost || !isThere) return;
  const message = 'a record is missing from every page of the list';
  throw new Failure(message, `id ${show(lost)} once`, 'not at all', again.first.exchange);
}

export function inTwoParts({ first, twice }: Listing): Failure {
  const message = 'two pages of the list contain the same record';
  return new Failure(message, `id ${show(twice)} once`, 'twice', first.exchange);
}

function lostOf(parts: Listing, whole: Listing): unknown {
  const seen = new Set(parts.records.map(({ id }) => id));
  return whole.records.find(({ id }) => !seen.has(id))?.id;
}
