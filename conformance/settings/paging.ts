import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { type Profile, under } from '../../spec/profile/profile.ts';
import { type Answer, isAccepted, isRefused } from '../api/answer.ts';
import { placeInList, totalOf } from '../api/listing.ts';
import type { Id } from '../api/places.ts';
import { blocked, type Ended, failure, skip } from '../assert/ending.ts';
import { show } from '../assert/wire-check.ts';
import { expectRecords } from '../cases/assert.ts';
import type { CaseContext } from '../cases/rule.ts';
import { plainList } from '../rules/updates.ts';
import { describe, type Finding, type Findings, found, unknown } from './finding.ts';
import { type Observation, type Seen, seen } from './observation.ts';
import type { ProbeContext } from './probe-context.ts';
import {
  cursorIn,
  idsIn,
  listNow,
  needOrder,
  numbersBeside,
  PLENTY,
  pageOfOne,
  pageQuery,
  type Sample,
  sampleList,
  someListed,
  soundsLikeTotal,
} from './sample-list.ts';
import type { Probe } from './setting.ts';

/** Names that interfaces give to the parameters of a list. */
const SIZES = [
  'limit',
  'size',
  'perPage',
  'per_page',
  'pageSize',
  'page_size',
  'count',
  'take',
  'max',
  '$limit',
  '_limit',
  '$top',
  'top',
  'page[size]',
  'page[limit]',
];

const OFFSETS = ['offset', 'skip', 'start', 'from', '$skip', '_start', 'page[offset]'];

const PAGES = ['page', 'p', 'pageNumber', 'page_number', 'pageNo', '_page', 'page[number]'];

/** A list that shows more than this at once has no pages. */
const MOST_ON_A_PAGE = 100;

/** A size that no list reaches. If the service rejects it, learn tries the sizes in FEWER. */
const VERY_MANY = 100_000;

const FEWER = [10_000, 5000, 1000, 500, 250, 200, 100, 50, 25, 20, 10];

const NO_DEFAULT: Finding = unknown('every list returns all of its records');

const MOST_LOOKS = 3;

/** How a part of a list is asked for (section 4, rule 4); a parameter counts when it changes what is shown. */
export const pagingProbe: Probe = {
  settings: ['list.paging', 'list.offsetParameter', 'list.pageParameter', 'list.sizeParameter'],
  needs: 'reading',
  async run(context) {
    const sample = await sampleList(context, [...SIZES, ...OFFSETS, ...PAGES], SIZES);
    await needOrder(context, sample);
    const size = await findSize(context, sample);
    if (!size) return withoutSize(context, sample);
    const more = await listNow(context, sample.model, { [size.name]: PLENTY });
    const place = await findPlace(context, more.ids.length > 3 ? more : sample, size.name);
    return { 'list.sizeParameter': found(size.name, size.seen), ...place };
  },
};

/** How many records a list shows when no number is asked for, and at most (section 8). */
export const sizesProbe: Probe = {
  settings: ['list.defaultSize', 'list.maxSize'],
  needs: 'reading',
  async run(context) {
    const { api, isFound, profile } = context;
    if (!isFound('list.sizeParameter')) throw blocked('the parameter for the page size is unknown');
    const model = await longestList(context);
    const sized = (size: number, more: Record<string, string> = {}) =>
      api.list(model.name, { [profile['list.sizeParameter']]: String(size), ...more });
    // The short list before and after the long one: records may come and go meanwhile.
    const before = await api.list(model.name);
    const many = await sized(VERY_MANY);
    if (!isAccepted(many)) return { ...(await mostAccepted(many, sized)) };
    const ids = idsIn(context, many);
    const most = ids.length;
    const whole = Math.max(knownTotal(context, many) ?? 0, most);
    const rest = whole > most || (most > 0 && (await hasMore(context, sized, most, ids)));
    const short = `the longest list (${model.name}) has ${whole} records`;
    const after = await api.list(model.name);
    const shown = idsIn(context, after).length;
    const isSteady = shown === idsIn(context, before).length;
    const isCut = isSteady && shown > 0 && (most > shown || rest);
    return {
      'list.defaultSize': isCut
        ? found(Math.min(shown, most), after)
        : unknown(
            isSteady ? `${short}, all in one response` : `the list of ${model.name} changes during the test`,
          ),
      'list.maxSize':
        rest && most > 0
          ? found(most, many)
          : unknown(`${short}, all in one response to a request for ${VERY_MANY}`),
    };
  },
};

/** How a list is divided, and its sizes (section 4, rule 4, and section 8). */
export const pagingObservations: readonly Observation[] = [
  {
    name: 'list.paging',
    title: 'Two pages of one record contain the same records as one page of two',
    requirement: 'query-not-shown',
    needs: ['create', 'list'],
    observe: observePaging,
  },
  {
    name: 'list.defaultSize',
    title: 'A list without a size parameter has as many records as set in the profile',
    requirement: 'limits-not-shown',
    needs: ['list'],
    applies: hasPages,
    observe: observeDefaultSize,
  },
  {
    name: 'list.maxSize',
    title: 'A list has at most as many records as set in the profile',
    requirement: 'limits-not-shown',
    needs: ['list'],
    applies: hasPages,
    async observe(context) {
      const { api, model, profile } = context;
      const query = { [profile['list.sizeParameter']]: String(profile['list.maxSize'] + 1) };
      const answer = await api.list(model.name, query);
      if (isRefused(answer) && isAccepted(await context.ask(plainList)))
        return { none: 'the target rejects a page that is too large' };
      return readSize(context, 'list.maxSize', answer);
    },
  },
];

function hasPages({ profile }: Contract): boolean {
  return profile['list.paging'] !== 'none';
}

async function observePaging(context: CaseContext): Promise<Seen> {
  const { model, profile } = context;
  const { 'list.paging': own, 'list.sizeParameter': size } = profile;
  const { ids } = await context.ask(someListed);
  const part = await context.ask(pageOfOne);
  if (own !== 'none' && ids.length > 1) {
    const next = await listNow(context, model, pageQuery(profile, 1));
    if (String([part.ids, next.ids]) === String(ids.slice(0, 2)) && next.ids.length === 1)
      return seen(own, part.seen, `pages of one record with ${size}=1`);
  }
  if (part.ids.length !== 1) {
    const plain = await context.ask(plainList);
    if (!isAccepted(plain)) return { none: `${plain.asked} returned ${plain.status}` };
    return seen('none', part.seen, `${part.ids.length} records with ${size}=1`);
  }
  const styles = (['offset', 'page', 'index'] as const).toSorted(
    (one, other) => Number(other === own) - Number(one === own),
  );
  let wrong: Ended | undefined;
  for (const style of styles) {
    const failure = await tryPages(context, style);
    if (!failure) return seen(style, part.seen, `pages of one record with ${size}=1`);
    wrong ??= failure;
  }
  if (own !== 'none') throw wrong;
  return seen('offset', part.seen, `one record with ${size}=1`);
}

/** Returns undefined if two pages of one record contain the records of one page of two. */
async function tryPages(context: CaseContext, style: Profile['list.paging']): Promise<Ended | undefined> {
  const profile = under(context.profile, 'list.paging', style);
  const page = async (index: number, size = 1): Promise<readonly Id[]> => {
    return (await listNow(context, context.model, pageQuery(profile, index, size))).ids;
  };
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const both = await page(0, 2);
    const pages = [await page(0), await page(1)];
    const [[one, ...more] = [], [other, ...others] = []] = pages;
    if (more.length + others.length > 0 || one === undefined || other === undefined || one === other)
      return notParted('one record on each of two pages, not the same', pages);
    if (both.length === 2 && String(both) === String([one, other])) return undefined;
    // Others may write meanwhile, and no page of two has to be given.
    const isSteady = String(both) === String(await page(0, 2));
    if (isSteady && both.length === 2) return notParted(`the two records of one page, ${show(both)}`, pages);
  }
  throw skip('the list changes between requests, or has too few records for pages');
}

function notParted(expected: string, pages: readonly unknown[]): Ended {
  return failure('the pages do not contain each record once', expected, show(pages));
}

async function observeDefaultSize(context: CaseContext): Promise<Seen> {
  const { api, model, profile, records } = context;
  const known = await context.ask(plainList);
  const wanted = profile['list.defaultSize'];
  const whole = await records.listing();
  const listed = whole?.complete ? whole.records.length : undefined;
  const missing = wanted + 1 - (totalOf(known, profile) ?? listed ?? wanted + 1);
  if (missing > 0 && missing <= MOST_MADE && !context.readOnly && isEasy(context)) {
    for (let count = 0; count < missing; count++) await records.make();
    return readSize(context, 'list.defaultSize', await api.list(model.name), wanted + 1);
  }
  if (totalOf(known, profile) !== undefined) return readSize(context, 'list.defaultSize', known);
  // The list that is known may be older than the records that its pages show by now.
  return readSize(context, 'list.defaultSize', await api.list(model.name), listed);
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
  setting: 'list.defaultSize' | 'list.maxSize',
  answer: Answer,
  total = totalOf(answer, context.profile),
): Seen {
  const shown = expectRecords(context, answer).length;
  const wanted = context.profile[setting];
  if (shown > wanted)
    throw failure(`a list contains more records than ${setting}`, `at most ${wanted}`, String(shown));
  if (total === undefined || (total <= wanted && shown === total))
    return { none: `no list contains more records than ${setting}` };
  if (shown < Math.min(total, wanted)) return seen(shown, answer, `${shown} of ${total} records`);
  return seen(wanted, answer, `${shown} records`);
}

async function findSize(
  context: ProbeContext,
  { model, ids, query }: Sample,
): Promise<{ name: string; seen: Answer } | undefined> {
  const takes = async (name: string, size: number) => {
    const seen = await context.api.list(model.name, { [name]: String(size) });
    return shows(context, seen, ids.slice(0, size)) ? seen : undefined;
  };
  // A list that shows two records without a parameter shows two with any.
  const isShort = Object.keys(query).length > 0;
  for (const name of SIZES) {
    const seen = await takes(name, 2);
    if (seen && (!isShort || (await takes(name, 1)))) return { name, seen };
  }
  return undefined;
}

/** With pages of two, a 1 passes over one record where it is an offset, over two where pages count from 0. */
async function findPlace(context: ProbeContext, { model, ids }: Sample, size: string): Promise<Findings> {
  const part = (name: string, value: number) =>
    context.api.list(model.name, { [size]: '2', [name]: String(value) });
  let near: Findings | undefined;
  for (const name of [...OFFSETS, ...PAGES]) {
    const first = await part(name, 1);
    if (shows(context, first, ids.slice(1, 3)))
      return { 'list.paging': found('offset', first), 'list.offsetParameter': found(name, first) };
    if (shows(context, first, ids.slice(2, 4)))
      return PAGES.includes(name)
        ? { 'list.paging': found('index', first), 'list.pageParameter': found(name, first) }
        : { 'list.paging': unknown(`${name} counts pages from 0`) };
    if (!shows(context, first, ids.slice(0, 2))) continue;
    const second = await part(name, 2);
    if (shows(context, second, ids.slice(2, 4)))
      return { 'list.paging': found('page', second), 'list.pageParameter': found(name, second) };
    const isEarly = shows(context, second, ids.slice(1, 3));
    if (isEarly && OFFSETS.includes(name)) return { 'list.paging': unknown(`${name} counts records from 1`) };
    // Pages that begin one too early or too late are pages, with a fault that `check` has to tell.
    if (PAGES.includes(name) && (isEarly || shows(context, second, ids.slice(3, 5))))
      near ??= { 'list.paging': found('page', second), 'list.pageParameter': found(name, second) };
  }
  if (near) return near;
  for (const name of PAGES) {
    const late = await context.api.list(model.name, { [size]: '1', [name]: '1' });
    if (shows(context, late, ids.slice(2, 3)))
      return { 'list.paging': found('index', late), 'list.pageParameter': found(name, late) };
  }
  const cursor = cursorIn(await context.api.list(model.name, { [size]: '2' }));
  const how = cursor && ` ${cursor} looks like a cursor, which list.paging does not support`;
  return {
    'list.paging': unknown(
      how
        ? `${size} divides lists into pages, but${how}`
        : `${size} divides lists into pages, but none of ${OFFSETS.concat(PAGES).join(', ')} leads to the next page`,
    ),
  };
}

async function withoutSize(context: ProbeContext, { model, ids }: Sample): Promise<Findings> {
  const part = (name: string, value: number) => context.api.list(model.name, { [name]: String(value) });
  for (const name of OFFSETS) {
    const rest = await part(name, 1);
    if (shows(context, rest, ids.slice(1)))
      return { 'list.paging': found('offset', rest), 'list.offsetParameter': found(name, rest) };
  }
  for (const name of PAGES) {
    const isPaged = shows(context, await part(name, 1), ids) && !shows(context, await part(name, 2), ids);
    if (isPaged)
      return {
        'list.paging': unknown(`${name} divides lists into pages, but no parameter sets the page size`),
      };
  }
  const cut = [...(await context.survey.lists()).values()].find((list) => saysMore(context, list));
  if (cut) return { 'list.paging': unknown(`${cut.asked} reports more records than it returns`) };
  return { 'list.paging': await judgeWhole(context) };
}

/** A short list proves nothing: it may be the first page. */
async function judgeWhole(context: ProbeContext): Promise<Finding> {
  const [longest] = [...(await context.survey.lists()).values()]
    .map((list) => ({ list, length: idsIn(context, list).length }))
    .sort((one, other) => other.length - one.length);
  if (longest && longest.length > MOST_ON_A_PAGE) return found('none', longest.list);
  return unknown(
    `no parameter divides lists into pages, and the longest list has ${longest?.length ?? 0} records. Only a list with more than ${MOST_ON_A_PAGE} records proves that there is no paging`,
  );
}

/** Whether a list says that it has more records than it shows (response.total). */
function saysMore(context: ProbeContext, list: Answer): boolean {
  const shown = idsIn(context, list).length;
  const totals = [...numbersBeside(list)].filter(([place]) => soundsLikeTotal(place));
  return shown > 0 && totals.some(([, total]) => total > shown);
}

function shows(context: ProbeContext, seen: Answer, ids: readonly Id[]): boolean {
  return isAccepted(seen) && String(idsIn(context, seen)) === String(ids);
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

type Sized = (size: number, more?: Record<string, string>) => Promise<Answer>;

function knownTotal({ isFound, profile }: ProbeContext, seen: Answer): number | undefined {
  return isFound('response.total') ? totalOf(seen, profile) : undefined;
}

/** Whether the next page holds records that the first one did not show. */
async function hasMore(
  context: ProbeContext,
  sized: Sized,
  most: number,
  ids: readonly unknown[],
): Promise<boolean> {
  const { api, isFound, profile } = context;
  const paging = isFound('list.paging') ? profile['list.paging'] : 'none';
  if (paging === 'none') return false;
  const next = await sized(VERY_MANY, placeInList(profile, 1, most));
  const records = isAccepted(next) ? (api.recordsIn(next) ?? []) : [];
  const known = new Set(ids);
  if (records.every(({ id }) => known.has(id))) return false;
  // If the first page isn't full, it also contains a new record.
  return idsIn(context, await sized(VERY_MANY)).length === most;
}

async function mostAccepted(refusal: Answer, sized: Sized): Promise<Findings> {
  let last = refusal;
  for (const size of FEWER) {
    const seen = await sized(size);
    if (!isAccepted(seen)) {
      last = seen;
      continue;
    }
    return { 'list.maxSize': found(size, seen), 'list.defaultSize': NO_DEFAULT };
  }
  return { 'list.maxSize': unknown(describe(last)), 'list.defaultSize': NO_DEFAULT };
}
