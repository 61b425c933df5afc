import type { Model } from '../../spec/catalogue/catalogue.ts';
import { type Pages, type Profile, pagesOf, placeIn, under } from '../../spec/profile/profile.ts';
import { type ApiResponse, type Id, isAccepted, isId, isRefused, placesIn } from '../api/answer.ts';
import type { ModelApi } from '../api/api.ts';
import { type Listing, pageQuery, totalOf } from '../api/listing.ts';
import { blocked, failure, skip, unlessEnded } from '../assert/ending.ts';
import { expectRecords } from '../cases/assert.ts';
import type { CaseContext, SharedRequests } from '../cases/rule.ts';
import { deletion, observation, plainList, three } from '../rules/shared.ts';
import { writeHeaderName } from './access.ts';
import { describe, found, type Observation, seen } from './observation.ts';
import { easiestModels, type Probe, type ProbeContext } from './probe.ts';

export type Asker = { readonly api: ModelApi };

/** The name that most interfaces give to the parameter for the number of records per page. */
export const USUAL_SIZE = 'limit';

/** More than any probe tells apart. */
export const PLENTY = '10';

/** A list of at least three records to try parameters on. */
export type SampleList = {
  readonly model: Model;
  readonly ids: readonly Id[];
  readonly seen: ApiResponse;
  /** The query of the list. It is empty unless the list shows fewer records without it. */
  readonly query: Readonly<Record<string, string>>;
};

/**
 * A list to try parameters on, with no field named like one of them. Where it shows too few records, more are asked
 * for with the parameters for their number, and made in the end.
 */
export async function sampleList(
  context: ProbeContext,
  names: readonly string[] = [],
  sizes: readonly string[] = knownSize(context),
): Promise<SampleList> {
  const free = ({ fields }: Model) => !fields.some(({ name }) => names.includes(name));
  const lists = [...(await context.survey.lists())]
    .map(([model, seen]) => ({ model, length: idsIn(context, seen).length }))
    .filter(({ model, length }) => length > 0 && free(model))
    .sort((one, other) => one.length - other.length);
  const there = (lists.find(({ length }) => length >= 3) ?? lists.at(-1))?.model;
  const sample = there && (await listMore(context, there, sizes));
  if (sample) return sample;
  const { readOnlyBecause: why } = context;
  const [easiest] = why === undefined ? easiestModels(context, free) : [];
  if (!easiest) throw blocked(`no list contains three records${why === undefined ? '' : `: ${why}`}`);
  const { ids } = await listNow(context, easiest);
  const { records } = await context.open(easiest);
  for (let missing = 3 - ids.length; missing > 0; missing--) await records.make();
  const made = await listMore(context, easiest, sizes);
  if (!made) throw blocked(`the list of ${easiest.name} does not contain the records that learn created`);
  return made;
}

/** Throws `blocked` if the order changes between responses, because pages then can't be compared. */
export async function needOrder(context: Asker, { ids, model, query }: SampleList): Promise<void> {
  for (const now of [await listNow(context, model, query), await listNow(context, model, query)])
    if (String(now.ids) !== String(ids) && String(now.ids.toSorted()) === String(ids.toSorted()))
      throw blocked(`the order of the list of ${model.name} changes between requests`);
}

/** At least three records of a list, asked for with a number of records where it shows fewer without. */
async function listMore(context: ProbeContext, model: Model, sizes: readonly string[]) {
  for (const query of [{}, ...sizes.map((name) => ({ [name]: PLENTY }))]) {
    const list = await listNow(context, model, query);
    if (list.ids.length >= 3) return list;
  }
  return undefined;
}

/** Returns the parameter for the number of records per page, if learn has found it. */
export function knownSize({ knows, profile }: ProbeContext): string[] {
  const pages = knows('list.paging') ? pagesOf(profile) : undefined;
  return pages ? [pages.size] : [];
}

/** Requests a list and returns its records. */
export async function listNow(context: Asker, model: Model, query: Readonly<Record<string, string>> = {}) {
  const seen = await context.api.list(model.name, query);
  return { model, seen, query, ids: idsIn(context, seen) };
}

/** A list without a query. It shows at least two records if the service returns two, or the run may create them. */
export const someListed: SharedRequests<SampleList> = {
  name: 'two records of the list',
  againAfter5xx: true,
  async ask(context) {
    const { model } = context;
    const { listing } = await context.ask(observation);
    const seen = listing?.first;
    const known = seen ? idsIn(context, seen) : [];
    if (seen && known.length >= 2) return { model, seen, query: {}, ids: known };
    const now = await listNow(context, model);
    if (now.ids.length >= 2 || context.readOnly || !model.operations.includes('create')) return now;
    await context.ask(three);
    return listNow(context, model);
  },
};

/** The first page of a list, with one record. */
export const pageOfOne: SharedRequests<SampleList> = {
  name: 'page of one record',
  againAfter5xx: true,
  ask: async (context) => listNow(context, context.model, { [sizeOf(context.profile)]: '1' }),
};

/** Returns the parameter for the number of records per page, or its usual name. */
export function sizeOf(profile: Profile): string {
  return pagesOf(profile)?.size ?? USUAL_SIZE;
}

/** The ids of the records of an answer; none where it is no list. */
export function idsIn({ api }: Asker, seen: ApiResponse): Id[] {
  const records = isAccepted(seen) ? (api.recordsIn(seen) ?? []) : [];
  return records.flatMap(({ id }) => (isId(id) ? [id] : []));
}

/** Returns the integers next to the records of a list, by header name or JSON pointer, that seem to be a number of records. */
export function totalsBeside(seen: ApiResponse): ReadonlyMap<string, number> {
  const members = placesIn(seen.json).map(({ pointer, value }) => [pointer, value] as const);
  const totals = [...Object.entries(seen.headers), ...members].flatMap(([place, value]) =>
    /total|count/i.test(place) && !/rate-?limit/i.test(place) && /^\d{1,12}$/.test(String(value))
      ? [[place, Number(value)] as const]
      : [],
  );
  return new Map(totals);
}

/** Where a list says how many records there are in all (section 4, rule 4). */
export const totalProbe: Probe = {
  settings: ['response.total'],
  async run(context) {
    const sizes = knownSize(context);
    const read = (seen: ApiResponse) => ({
      seen,
      shown: idsIn(context, seen).length,
      totals: totalsBeside(seen),
    });
    const lists = [...(await context.survey.lists()).values()].map(read);
    const sample = await unlessEnded(() => sampleList(context, sizes), ['blocked']);
    const whole = sample && read(sample.seen);
    const part =
      sample && sizes[0] ? read(await context.api.list(sample.model.name, { [sizes[0]]: '1' })) : undefined;
    const all = [...lists, ...(whole ? [whole] : [])];
    const [first] = all;
    if (!first) throw blocked('no list succeeded');
    const places = [...first.totals.keys()].filter(
      (place) =>
        all.every(({ shown, totals }) => (totals.get(place) ?? -1) >= shown) &&
        // On a part of a list the total stays what it was, unlike the number of records shown.
        (!part || part.totals.get(place) === whole?.totals.get(place)),
    );
    // Some services say how many records there are only where a part of them was asked for.
    const onPages = [...(part?.totals ?? [])].flatMap(([place, number]) =>
      whole && part && part.shown < whole.shown && number >= whole.shown ? [place] : [],
    );
    const wanted = places.length > 0 ? places : onPages;
    const place = wanted.find((name) => /total/i.test(name)) ?? wanted[0];
    if (place === undefined && all.every(({ shown }) => shown === 0)) throw blocked('all lists are empty');
    if (place === undefined) return { 'response.total': found('none', first.seen) };
    const option = place.startsWith('/') ? place : (`header ${writeHeaderName(place)}` as const);
    return { 'response.total': found(option, part?.seen ?? first.seen) };
  },
};

/** The number next to the records of a list, at either place. */
export const totalObservation: Observation = {
  setting: 'response.total',
  title: 'A list contains the total number of records',
  requirement: 'query-not-shown',
  needs: ['list'],
  async observe(context) {
    const { model, profile, records: run } = context;
    const { listing, made } = await context.ask(observation);
    if (!listing) {
      const plain = await context.ask(plainList);
      if (isAccepted(plain)) expectRecords(context, plain);
      throw blocked(`${model.name} can't be listed`, plain.exchange, { differs: 'list.paging' });
    }
    const { complete, first, records } = listing;
    const total = totalOf(first, profile);
    if (total === undefined) {
      const totalAt = (place: string) => totalOf(first, under(profile, { 'response.total': place }));
      // One model might have the total, unlike the others.
      const usual = ['header X-Total-Count', '/total'] as const;
      const other = usual.find((place) => complete && totalAt(place) === records.length);
      return seen(other ?? 'none', first, other ? `a total of ${records.length}` : 'no total');
    }
    // A service can also count the records that are deleted.
    if (made && model.operations.includes('delete')) await unlessEnded(() => context.ask(deletion));
    if (!context.readOnly) await context.ask(someListed);
    await expectTotal(context, (await run.listing()) ?? listing);
    return seen(profile['response.total'], first, `a total of ${total}`);
  },
};

/** Lists that are read until two are wrong in the same way, because others change them while pages are read. */
const MOST_LISTS = 3;

/**
 * Throws `failure` if a list has another number of records than its total, or than the total next to its second page of
 * one record, twice in the same way: others can create and delete a record between two responses.
 */
async function expectTotal(context: CaseContext, listing: Listing): Promise<void> {
  const { api, model, profile, records } = context;
  const hasPages = profile['list.paging'] !== 'none' && !profile.unknown['list.paging'];
  let last: Listing | undefined = listing;
  let before: string | undefined;
  for (let lists = 0; lists < MOST_LISTS && last; lists++) {
    const count = last.records.length;
    const isWhole = last.complete || profile['list.paging'] === 'none';
    const whole = totalOf(last.first, profile) ?? count;
    const part = hasPages && count > 1 ? await api.list(model.name, pageQuery(profile, 1, 1)) : last.first;
    // A page after the last record has no total in some services.
    const ofPart = totalOf(part, profile) ?? whole;
    const isRight = !isWhole || whole === count;
    if (isRight && ofPart === whole) return;
    const wrong = String([count, whole, ofPart]);
    if (wrong === before) {
      const answer = isRight ? part : last.first;
      const expected = `${isWhole ? count : whole} in ${placeIn(profile['response.total'])?.name}`;
      throw failure('the total is wrong', expected, String(totalOf(answer, profile)), answer.exchange);
    }
    before = wrong;
    last = await records.listing();
  }
  throw skip('other clients change the list while its pages are read');
}

/** A size that no list reaches. If the service rejects it, learn tries the sizes in FEWER. */
const VERY_MANY = 100_000;

const FEWER = [10_000, 5000, 1000, 500, 250, 200, 100, 50, 25, 20, 10];

/** How many records a list shows when no number is asked for, and at most (section 8). */
export const sizesProbe: Probe = {
  settings: ['list.paging'],
  again: true,
  async run(context) {
    const { isFound, profile } = context;
    const pages = pagesOf(profile);
    if (!pages || !isFound('list.paging')) return {};
    const model = await longestList(context);
    const sized = (size: number) => listNow(context, model, { [pages.size]: String(size) });
    // The short list before and after the long one: records may come and go meanwhile.
    const before = await listNow(context, model);
    let [asked, many] = [VERY_MANY, await sized(VERY_MANY)];
    for (const fewer of FEWER) if (!isAccepted(many.seen)) [asked, many] = [fewer, await sized(fewer)];
    if (!isAccepted(many.seen)) throw blocked(describe(many.seen));
    const most = many.ids.length;
    const hasNext = async () => {
      const next = await listNow(context, model, pageQuery(profile, 1, asked, most));
      // If the first page isn't full, it also contains a new record.
      return next.ids.some((id) => !many.ids.includes(id)) && (await sized(asked)).ids.length === most;
    };
    const rest = most > 0 && (countOf(context, many.seen) > most || (await hasNext()));
    const after = await listNow(context, model);
    const shown = after.ids.length;
    const isCut = shown === before.ids.length && shown > 0 && (most > shown || rest);
    const sizes = {
      default: isCut ? Math.min(shown, most) : 'unknown',
      max: rest ? most : asked < VERY_MANY ? asked : 'unknown',
    } as const;
    const option = { ...(profile['list.paging'] as Pages), ...sizes };
    return { 'list.paging': found(option, (isCut ? after : many).seen) };
  },
};

/**
 * Returns the size of a list without a query, or of one that is asked for more; undefined if the list is too short to show
 * it. With `isOther`, the profile has another one.
 */
export async function pageSize(
  context: CaseContext,
  part: 'default' | 'max',
  { [part]: wanted, size: parameter }: Pages,
) {
  const { api, model, profile, records } = context;
  if (wanted === 'unknown') return undefined;
  const plain = await context.ask(plainList);
  const isTold = totalOf(plain, profile) !== undefined;
  const whole = part === 'default' && !isTold ? await records.listing() : undefined;
  // The list that is known may be older than the records that its pages show by now.
  const query = part === 'default' ? {} : { [parameter]: String(wanted + 1) };
  const answer = part === 'default' && isTold ? plain : await api.list(model.name, query);
  // The service rejects a page that is too large.
  if (part === 'max' && isRefused(answer) && isAccepted(plain)) return undefined;
  const size = expectRecords(context, answer).length;
  if (size > wanted)
    throw failure(
      `a list contains more records than ${part} of list.paging`,
      `at most ${wanted}`,
      String(size),
    );
  const total = totalOf(answer, profile) ?? (whole?.complete ? whole.records.length : size);
  if (size >= total) return undefined;
  return { size, isOther: size !== wanted, answer, shown: `${size} of ${total} records` };
}

/** The list with the most records; one to try parameters on where all show next to none. */
async function longestList(context: ProbeContext): Promise<Model> {
  const [longest] = [...(await context.survey.lists())]
    .map(([model, seen]) => ({ model, count: countOf(context, seen) }))
    .sort((one, other) => other.count - one.count);
  return longest && longest.count >= 3 ? longest.model : (await sampleList(context)).model;
}

/** The number of records of a list, as far as it is known. */
function countOf(context: ProbeContext, seen: ApiResponse): number {
  const total = context.isFound('response.total') ? totalOf(seen, context.profile) : undefined;
  return Math.max(idsIn(context, seen).length, total ?? 0);
}
