import type { Model } from '../../spec/catalogue/catalogue.ts';
import { type Pages, type Profile, pagesOf, placeIn, under } from '../../spec/profile/profile.ts';
import { type ApiResponse, isAccepted, isRefused } from '../api/answer.ts';
import { type Listing, placeInList, totalOf } from '../api/listing.ts';
import { blocked, failure, skip, unlessEnded } from '../assert/ending.ts';
import { expectRecords } from '../cases/assert.ts';
import type { CaseContext } from '../cases/rule.ts';
import { deletion } from '../rules/shared.ts';
import { observation, plainList } from '../rules/updates.ts';
import { writeHeaderName } from './access.ts';
import { describe, type Findings, found, type Observation, seen } from './observation.ts';
import type { Probe, ProbeContext } from './probe.ts';
import {
  idsIn,
  knownSize,
  numbersBeside,
  pageQuery,
  sampleList,
  someListed,
  soundsLikeTotal,
} from './sample-list.ts';

/** Where one model might have the total, unlike the others. */
const USUAL = ['header X-Total-Count', '/total'] as const;

/** A list with the number of records it showed. */
type Shown = {
  readonly seen: ApiResponse;
  readonly shown: number;
  readonly numbers: ReadonlyMap<string, number>;
};

/** Where a list says how many records there are in all (section 4, rule 4). */
export const totalProbe: Probe = {
  settings: ['response.total'],
  needs: 'reading',
  async run(context) {
    const lists = [...(await context.survey.lists()).values()].map((seen) => readList(context, seen));
    const [whole, part] = await wholeAndPart(context);
    const all = [...lists, ...(whole ? [whole] : [])];
    const [first] = all;
    if (!first) throw blocked('no list succeeded');
    const places = [...first.numbers.keys()].filter((place) =>
      all.every(({ numbers, shown }) => (numbers.get(place) ?? -1) >= shown),
    );
    // On a part of a list the total stays what it was, unlike the number of records shown.
    const unchanged = places.filter(
      (place) => !part || part.numbers.get(place) === whole?.numbers.get(place),
    );
    const varied = unchanged.filter(
      (place) => soundsLikeTotal(place) || new Set(all.map(({ numbers }) => numbers.get(place))).size > 2,
    );
    const place = varied.find((name) => /total/i.test(name)) ?? varied[0] ?? placeOnPages(whole, part);
    if (place === undefined) {
      if (all.every(({ shown }) => shown === 0)) throw blocked('all lists are empty');
      return { 'response.total': found('none', first.seen) };
    }
    return describePlace(place, part?.seen ?? first.seen);
  },
};

/** The number next to the records of a list, at either place. */
export const totalObservation: Observation = {
  name: 'response.total',
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
    const totalAt = (place: Profile['response.total']) =>
      totalOf(first, under(profile, 'response.total', place));
    const total = totalOf(first, profile);
    if (total === undefined) {
      const other = USUAL.find((place) => complete && totalAt(place) === records.length);
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
const MOST_LISTS = 4;

/**
 * Throws `failure` if a list has another number of records than its total, or than the total next to its second page of
 * one record, twice in the same way: others can create and delete a record between two responses.
 */
async function expectTotal(context: CaseContext, listing: Listing): Promise<void> {
  const { api, model, profile, records } = context;
  const hasPages = profile['list.paging'] !== 'none' && !profile.unknown['list.paging'];
  let last = listing;
  let before: string | undefined;
  for (let lists = 1; lists < MOST_LISTS; lists++) {
    const count = last.records.length;
    const isWhole = last.complete || profile['list.paging'] === 'none';
    const whole = totalOf(last.first, profile) ?? count;
    const part = hasPages && count > 1 ? await api.list(model.name, pageQuery(profile, 1)) : last.first;
    // A page after the last record has no total in some services.
    const ofPart = totalOf(part, profile) ?? whole;
    if ((!isWhole || whole === count) && ofPart === whole) return;
    const wrong = String([count, whole, ofPart]);
    const next = wrong === before ? undefined : await records.listing();
    if (!next) {
      const answer = isWhole && whole !== count ? last.first : part;
      const expected = `${isWhole ? count : whole} in ${placeOf(profile)}`;
      throw failure('the total is wrong', expected, String(totalOf(answer, profile)), answer.exchange);
    }
    before = wrong;
    last = next;
  }
  throw skip('other clients change the list while its pages are read');
}

function placeOf(profile: Profile): string {
  return placeIn(profile['response.total'])?.name ?? '';
}

/** Some services say how many records there are only where a part of them was asked for. */
function placeOnPages(whole: Shown | undefined, part: Shown | undefined): string | undefined {
  if (!whole || !part || part.shown >= whole.shown) return undefined;
  const places = [...part.numbers].filter(
    ([place, number]) => soundsLikeTotal(place) && number >= whole.shown,
  );
  return places[0]?.[0];
}

function describePlace(place: string, seen: ApiResponse): Findings {
  const isInBody = place.startsWith('/');
  return { 'response.total': found(isInBody ? place : `header ${writeHeaderName(place)}`, seen) };
}

/** A list of three records or more, and one record of it; neither where there are too few, or no way to part it. */
async function wholeAndPart(context: ProbeContext): Promise<[Shown?, Shown?]> {
  const sizes = knownSize(context);
  const sample = await unlessEnded(() => sampleList(context, sizes), ['blocked']);
  if (!sample) return [];
  const parts = sizes.map((size) => context.api.list(sample.model.name, { [size]: '1' }));
  return [sample.seen, ...(await Promise.all(parts))].map((list) => readList(context, list)) as [
    Shown,
    Shown?,
  ];
}

function readList(context: ProbeContext, seen: ApiResponse): Shown {
  return { seen, shown: idsIn(context, seen).length, numbers: numbersBeside(seen) };
}

/** A size that no list reaches. If the service rejects it, learn tries the sizes in FEWER. */
const VERY_MANY = 100_000;

const FEWER = [10_000, 5000, 1000, 500, 250, 200, 100, 50, 25, 20, 10];

/** How many records a list shows when no number is asked for, and at most (section 8). */
export const sizesProbe: Probe = {
  settings: ['list.paging'],
  needs: 'reading',
  again: true,
  async run(context) {
    const { api, isFound, profile } = context;
    const pages = pagesOf(profile);
    if (!pages || !isFound('list.paging')) return {};
    const model = await longestList(context);
    const sized = (size: number, more: Record<string, string> = {}) =>
      api.list(model.name, { [pages.size]: String(size), ...more });
    const refine = (sizes: Partial<Pages>, answer: ApiResponse, ...notes: string[]): Findings => ({
      'list.paging': found({ ...(profile['list.paging'] as Pages), ...sizes }, answer, notes.join('; ')),
    });
    // The short list before and after the long one: records may come and go meanwhile.
    const before = await api.list(model.name);
    const many = await sized(VERY_MANY);
    if (!isAccepted(many)) {
      for (const size of FEWER) {
        const fewer = await sized(size);
        if (isAccepted(fewer)) return refine({ max: size }, fewer, `default is unknown: ${ALL_AT_ONCE}`);
      }
      return refine({}, many, `max is unknown: ${describe(many)}`, `default is unknown: ${ALL_AT_ONCE}`);
    }
    const ids = idsIn(context, many);
    const most = ids.length;
    const whole = Math.max(knownTotal(context, many) ?? 0, most);
    const rest = whole > most || (most > 0 && (await hasMore(context, sized, most, ids)));
    const short = `the longest list (${model.name}) has ${whole} records`;
    const after = await api.list(model.name);
    const shown = idsIn(context, after).length;
    const isSteady = shown === idsIn(context, before).length;
    const isCut = isSteady && shown > 0 && (most > shown || rest);
    const isLimited = rest && most > 0;
    const whyOpen = isSteady
      ? `${short}, all in one response`
      : `the list of ${model.name} changes during the test`;
    return refine(
      { ...(isCut ? { default: Math.min(shown, most) } : {}), ...(isLimited ? { max: most } : {}) },
      isCut ? after : many,
      ...(isCut ? [] : [`default is unknown: ${whyOpen}`]),
      ...(isLimited ? [] : [`max is unknown: ${short}, all in one response to a request for ${VERY_MANY}`]),
    );
  },
};

const ALL_AT_ONCE = 'every list returns all of its records';

/** The number of records on a page that is not the whole list. */
type PageSize = {
  readonly size: number;
  /** Whether the profile has another one. */
  readonly isOther: boolean;
  readonly answer: ApiResponse;
  readonly shown: string;
};

/** Returns the size of a list without a query; undefined if the list has too few records to show it. */
export async function defaultSize(context: CaseContext, wanted: number): Promise<PageSize | undefined> {
  const { api, model, profile, records } = context;
  const known = await context.ask(plainList);
  const whole = await records.listing();
  const listed = whole?.complete ? whole.records.length : undefined;
  const missing = wanted + 1 - (totalOf(known, profile) ?? listed ?? wanted + 1);
  if (missing > 0 && missing <= MOST_MADE && !context.readOnly && isEasy(context)) {
    for (let count = 0; count < missing; count++) await records.make();
    return readSize(context, 'default', wanted, await api.list(model.name), wanted + 1);
  }
  if (totalOf(known, profile) !== undefined) return readSize(context, 'default', wanted, known);
  // The list that is known may be older than the records that its pages show by now.
  return readSize(context, 'default', wanted, await api.list(model.name), listed);
}

/** Returns the size of a list that is asked for more records than the maximum. */
export async function maxSize(
  context: CaseContext,
  parameter: string,
  wanted: number,
): Promise<PageSize | undefined> {
  const answer = await context.api.list(context.model.name, { [parameter]: String(wanted + 1) });
  // The service rejects a page that is too large.
  if (isRefused(answer) && isAccepted(await context.ask(plainList))) return undefined;
  return readSize(context, 'max', wanted, answer);
}

/** Records that a case creates to fill a page. */
const MOST_MADE = 30;

/** Whether the model is the first one whose records need no other record, so that a run fills one list only. */
function isEasy({ catalogue, model, references }: CaseContext): boolean {
  const [first] = [...catalogue.models.values()].filter(
    ({ fields, operations }) =>
      (['create', 'list', 'delete'] as const).every((operation) => operations.includes(operation)) &&
      fields.every((field) => !field.required || field.readonly || !references.has(field.key)),
  );
  return first === model;
}

function readSize(
  context: CaseContext,
  part: 'default' | 'max',
  wanted: number,
  answer: ApiResponse,
  total = totalOf(answer, context.profile),
): PageSize | undefined {
  const size = expectRecords(context, answer).length;
  if (size > wanted)
    throw failure(
      `a list contains more records than ${part} of list.paging`,
      `at most ${wanted}`,
      String(size),
    );
  return total !== undefined && size < total
    ? { size, isOther: size !== wanted, answer, shown: `${size} of ${total} records` }
    : undefined;
}

/** The list with the most records; one to try parameters on where all show next to none. */
async function longestList(context: ProbeContext): Promise<Model> {
  const [longest] = [...(await context.survey.lists())]
    .map(([model, seen]) => ({
      model,
      length: Math.max(idsIn(context, seen).length, knownTotal(context, seen) ?? 0),
    }))
    .sort((one, other) => other.length - one.length);
  return longest && longest.length >= 3 ? longest.model : (await sampleList(context)).model;
}

type Sized = (size: number, more?: Record<string, string>) => Promise<ApiResponse>;

function knownTotal({ isFound, profile }: ProbeContext, seen: ApiResponse): number | undefined {
  return isFound('response.total') ? totalOf(seen, profile) : undefined;
}

/** Whether the next page holds records that the first one did not show. */
async function hasMore(
  context: ProbeContext,
  sized: Sized,
  most: number,
  ids: readonly unknown[],
): Promise<boolean> {
  const { api, profile } = context;
  const next = await sized(VERY_MANY, placeInList(profile, 1, most));
  const records = isAccepted(next) ? (api.recordsIn(next) ?? []) : [];
  const known = new Set(ids);
  if (records.every(({ id }) => known.has(id))) return false;
  // If the first page isn't full, it also contains a new record.
  return idsIn(context, await sized(VERY_MANY)).length === most;
}
