import { type Answer, isAccepted } from '../../../api/answer.ts';
import { type Id, placesIn } from '../../../api/places.ts';
import { type Finding, type Findings, found, unknown } from '../../finding.ts';
import type { Probe } from '../../probe.ts';
import type { ProbeContext } from '../../probe-context.ts';
import { numbersBeside, soundsLikeTotal } from './list-numbers.ts';
import { idsIn, listNow, needOrder, PLENTY, type Sample, sampleList } from './sample-list.ts';

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

/** The place beside the records of a text that says where the next page starts. */
function cursorIn(seen: Answer): string | undefined {
  const inBody = placesIn(seen.json).find(
    ({ pointer, value }) => /(next|cursor|after|token)[^/]*$/i.test(pointer) && typeof value === 'string',
  );
  if (inBody) return inBody.pointer;
  return /rel="?next"?/.test(seen.headers.link ?? '') ? 'the header Link' : undefined;
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
