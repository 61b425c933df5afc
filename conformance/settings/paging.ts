import {
  isPages,
  isSameOption,
  type Pages,
  type Profile,
  under,
  usualFrom,
} from '../../spec/profile/profile.ts';
import { type ApiResponse, type Id, isAccepted } from '../api/answer.ts';
import { pageQuery } from '../api/listing.ts';
import { show } from '../assert/agreement.ts';
import { type Ended, failure, skip } from '../assert/ending.ts';
import type { CaseContext } from '../cases/rule.ts';
import { plural } from '../results/text.ts';
import { plainList } from '../rules/shared.ts';
import {
  idsIn,
  listNow,
  needOrder,
  PLENTY,
  pageOfOne,
  pageSize,
  type SampleList,
  sampleList,
  sizeOf,
  someListed,
  totalsBeside,
  USUAL_SIZE,
} from './lists.ts';
import { found, type LearnedSetting, type Observation, type Observed, seen, unknown } from './observation.ts';
import type { Probe, ProbeContext } from './probe.ts';

/** Names that interfaces give to the parameters of a list. */
const SIZES = [
  USUAL_SIZE,
  ...'size perPage per_page pageSize page_size count take max $limit _limit $top top page[size] page[limit]'.split(
    ' ',
  ),
];

const OFFSETS = ['offset', 'skip', 'start', 'from', '$skip', '_start', 'page[offset]'];

const PAGES = ['page', 'p', 'pageNumber', 'page_number', 'pageNo', '_page', 'page[number]'];

/** A list that shows more than this at once has no pages. */
const MOST_ON_A_PAGE = 100;

/** How a part of a list is asked for (section 4, rule 4); a parameter counts when it changes what is shown. */
export const pagingProbe: Probe = {
  settings: ['list.paging'],
  async run(context) {
    const sample = await sampleList(context, [...SIZES, ...OFFSETS, ...PAGES], SIZES);
    await needOrder(context, sample);
    const size = await findSize(context, sample);
    if (size === undefined) return { 'list.paging': await judgeWithoutSize(context, sample) };
    const more = await listNow(context, sample.model, { [size]: PLENTY });
    const place = await findPlace(context, more.ids.length > 3 ? more : sample, size);
    const { from, seen, style } = place ?? { style: 'offset', from: usualFrom('offset') };
    const paging: Pages = { style, size, from, default: 'unknown', max: 'unknown' };
    if (seen) return { 'list.paging': found(paging, seen) };
    const reason = `${size} divides lists into pages, but none of ${OFFSETS.concat(PAGES).join(', ')} leads to the next page`;
    return { 'list.paging': unknown(reason, paging) };
  },
};

/** How a list is divided, and its sizes (section 4, rule 4, and section 8). */
export const pagingObservation: Observation = {
  setting: 'list.paging',
  title: 'Pages divide a list, and have the sizes set in the profile',
  requirement: 'query-not-shown',
  needs: ['list'],
  async observe(context) {
    const { model, profile, readOnly } = context;
    const { 'list.paging': own } = profile;
    // Pages of one record need two records.
    const style = !readOnly && model.operations.includes('create') ? await observeStyle(context) : undefined;
    if (own === 'none') return style ?? { none: 'a list without pages shows no size' };
    const isOther =
      style && !('none' in style) && !(isPages(style.option) && style.option.style === own.style);
    if (isOther) return style;
    const usual = await pageSize(context, 'default', own);
    const max = await pageSize(context, 'max', own);
    const option = { ...own, default: usual?.size ?? 'unknown', max: max?.size ?? 'unknown' } as const;
    const [size] = [usual, max].filter((one) => one !== undefined).sort((one) => (one.isOther ? -1 : 1));
    if (size && (size.isOther || !style || 'none' in style)) return seen(option, size.answer, size.shown);
    if (!style) return { none: 'no list contains more records than a page' };
    return 'none' in style ? style : { ...style, option };
  },
};

async function observeStyle(context: CaseContext): Promise<Observed> {
  const { model, profile } = context;
  const { 'list.paging': own } = profile;
  const { ids } = await context.ask(someListed);
  const part = await context.ask(pageOfOne);
  const size = `${sizeOf(profile)}=1`;
  if (own !== 'none' && ids.length > 1) {
    const next = await listNow(context, model, pageQuery(profile, 1, 1));
    if (String([part.ids, next.ids]) === String(ids.slice(0, 2)) && next.ids.length === 1)
      return seen(own, part.seen, `pages of one record with ${size}`);
  }
  if (part.ids.length !== 1) {
    const plain = await context.ask(plainList);
    if (!isAccepted(plain)) return { none: `${plain.asked} returned ${plain.status}` };
    return seen('none', part.seen, `${part.ids.length} records with ${size}`);
  }
  const styles = (['offset', 'page', 'index'] as const)
    .map((style) => withStyle(profile, style))
    .toSorted((one, other) => Number(isSameOption(other, own)) - Number(isSameOption(one, own)));
  let wrong: Ended | undefined;
  for (const paging of styles) {
    const failure = await tryPages(context, paging);
    if (!failure) return seen(paging, part.seen, `pages of one record with ${size}`);
    wrong ??= failure;
  }
  if (own !== 'none') throw wrong;
  return seen(withStyle(profile, 'offset'), part.seen, `one record with ${size}`);
}

/** Returns the paging of a profile in another style. An offset has another parameter than a page. */
function withStyle({ 'list.paging': own }: Profile, style: Pages['style']): Pages {
  const from = usualFrom(style);
  if (own === 'none') return { style, size: USUAL_SIZE, from, default: 'unknown', max: 'unknown' };
  return { ...own, style, from: (own.style === 'offset') === (style === 'offset') ? own.from : from };
}

/** Returns undefined if two pages of one record contain the records of one page of two. */
async function tryPages(context: CaseContext, paging: Pages): Promise<Ended | undefined> {
  const profile = under(context.profile, { 'list.paging': paging });
  const page = async (index: number, size = 1): Promise<readonly Id[]> =>
    (await listNow(context, context.model, pageQuery(profile, index, size))).ids;
  const both = await page(0, 2);
  const pages = [await page(0), await page(1)] as const;
  const isApart = pages.every(({ length }) => length === 1) && pages[0][0] !== pages[1][0];
  if (isApart && String(both) === String(pages)) return undefined;
  // Others may write meanwhile, and no service has to give a page of two.
  if (String(both) !== String(await page(0, 2)) || (isApart && both.length !== 2))
    throw skip('the list changes between requests, or has too few records for pages');
  const expected = isApart
    ? `the two records of one page, ${show(both)}`
    : 'one record on each, not the same';
  return failure('the pages do not contain each record once', expected, show(pages));
}

async function findSize(context: ProbeContext, { model, ids, query }: SampleList) {
  const takes = async (name: string, size: number) => {
    const seen = await context.api.list(model.name, { [name]: String(size) });
    return shows(context, seen, ids.slice(0, size));
  };
  // A list that shows two records without a parameter shows two with any.
  const isShort = Object.keys(query).length > 0;
  for (const name of SIZES) {
    if ((await takes(name, 2)) && (!isShort || (await takes(name, 1)))) return name;
  }
  return undefined;
}

/** The parameter with which pages begin, and the response that shows it. */
type Place = { readonly style: Pages['style']; readonly from: string; readonly seen: ApiResponse };

/** With pages of two, a 1 passes over one record where it is an offset, over two where pages count from 0. */
async function findPlace(
  context: ProbeContext,
  { model, ids }: SampleList,
  size: string,
): Promise<Place | undefined> {
  const part = (name: string, value: number, length = '2') =>
    context.api.list(model.name, { [size]: length, [name]: String(value) });
  let near: Place | undefined;
  for (const from of [...OFFSETS, ...PAGES]) {
    const isPage = PAGES.includes(from);
    const first = await part(from, 1);
    if (shows(context, first, ids.slice(1, 3))) return { style: 'offset', from, seen: first };
    if (isPage && shows(context, first, ids.slice(2, 4))) return { style: 'index', from, seen: first };
    if (!isPage || !shows(context, first, ids.slice(0, 2))) continue;
    const seen = await part(from, 2);
    if (shows(context, seen, ids.slice(2, 4))) return { style: 'page', from, seen };
    // Pages that begin one too early or too late are pages, with a fault that `check` has to tell.
    if (shows(context, seen, ids.slice(1, 3)) || shows(context, seen, ids.slice(3, 5)))
      near ??= { style: 'page', from, seen };
  }
  if (near) return near;
  for (const from of PAGES) {
    const late = await part(from, 1, '1');
    if (shows(context, late, ids.slice(2, 3))) return { style: 'index', from, seen: late };
  }
  return undefined;
}

async function judgeWithoutSize(context: ProbeContext, { model, ids }: SampleList): Promise<LearnedSetting> {
  for (const name of PAGES) {
    const part = (value: number) => context.api.list(model.name, { [name]: String(value) });
    const isPaged = shows(context, await part(1), ids) && !shows(context, await part(2), ids);
    if (isPaged) return unknown(`${name} divides lists into pages, but no parameter sets the page size`);
  }
  const lists = [...(await context.survey.lists()).values()].map((list) => ({
    list,
    length: idsIn(context, list).length,
  }));
  const cut = lists.find(
    ({ length, list }) => length > 0 && [...totalsBeside(list).values()].some((total) => total > length),
  );
  if (cut) return unknown(`${cut.list.asked} reports more records than it returns`);
  // A short list proves nothing: it may be the first page.
  const [longest] = lists.sort((one, other) => other.length - one.length);
  if (longest && longest.length > MOST_ON_A_PAGE) return found('none', longest.list);
  return unknown(
    `no parameter divides lists into pages, and the longest list has ${plural(longest?.length ?? 0, 'record')}. Only a list with more than ${MOST_ON_A_PAGE} records proves that there is no paging`,
  );
}

function shows(context: ProbeContext, seen: ApiResponse, ids: readonly Id[]): boolean {
  return isAccepted(seen) && String(idsIn(context, seen)) === String(ids);
}
