import type { Model } from '../../../../spec/catalogue/catalogue.ts';
import { type Answer, isAccepted } from '../../../api/answer.ts';
import { type Id, isId, placesIn } from '../../../api/places.ts';
import { type Finding, type Findings, found, Unlearned, unknown } from '../../finding.ts';
import { easiestModels, type Probe } from '../../probe.ts';
import type { ProbeContext } from '../../probe-context.ts';
import { numbersBeside, soundsLikeTotal } from './list-numbers.ts';

/** Names that interfaces give to the parameters of a list. */
const SIZES = [
  ...['limit', 'size', 'perPage', 'per_page', 'pageSize', 'page_size', 'count', 'take', 'max'],
  ...['$limit', '_limit', '$top', 'top', 'page[size]', 'page[limit]'],
];
const OFFSETS = ['offset', 'skip', 'start', 'from', '$skip', '_start', 'page[offset]'];
const PAGES = ['page', 'p', 'pageNumber', 'page_number', 'pageNo', '_page', 'page[number]'];

/** A list that shows more than this at once is in no parts. */
const MOST_ON_A_PAGE = 100;

/** More than any probe tells apart. */
const PLENTY = '10';

/** A list of at least three records to try parameters on. */
export type Sample = {
  readonly model: Model;
  readonly ids: readonly Id[];
  readonly seen: Answer;
  /** What the list is asked with; empty unless it shows fewer without. */
  readonly query: Readonly<Record<string, string>>;
};

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

/**
 * A list to try parameters on, with no field named like one of them. Where it shows too few records, more are asked
 * for with the parameters for their number, and made in the end.
 */
export async function sampleList(
  context: ProbeContext,
  names: readonly string[] = [],
  sizes: readonly string[] = knownSize(context),
): Promise<Sample> {
  const free = ({ fields }: Model) => !fields.some(({ name }) => names.includes(name));
  const lists = [...(await context.survey.lists())]
    .map(([model, seen]) => ({ model, length: idsIn(context, seen).length }))
    .filter(({ model, length }) => length > 0 && free(model))
    .sort((one, other) => one.length - other.length);
  const there = (lists.find(({ length }) => length >= 3) ?? lists.at(-1))?.model;
  const sample = there && (await listMore(context, there, sizes));
  if (sample) return sample;
  const { readOnlyBecause } = context;
  if (readOnlyBecause !== undefined) throw new Unlearned(`no list shows three records: ${readOnlyBecause}`);
  const [easiest] = easiestModels(context, free);
  if (!easiest) throw new Unlearned('no list shows three records, and none can be made');
  const { ids } = await listNow(context, easiest);
  const { records } = await context.open(easiest);
  for (let missing = 3 - ids.length; missing > 0; missing--) await records.make();
  const made = await listMore(context, easiest, sizes);
  if (!made) throw new Unlearned(`records of ${easiest.name} were made and do not stand in its list`);
  return made;
}

/** Places in a list, and orders of it, tell nothing where each answer has another order. */
export async function needOrder(context: ProbeContext, { ids, model, query }: Sample): Promise<void> {
  const known = new Set(ids);
  for (let again = 0; again < 2; again++) {
    const now = await listNow(context, model, query);
    const isSame = now.ids.length === ids.length && now.ids.every((id, index) => id === ids[index]);
    const isMoved = now.ids.length === ids.length && now.ids.every((id) => known.has(id));
    if (!isSame && isMoved) throw new Unlearned(`the list of ${model.name} has another order each time`);
  }
}

/** At least three records of a list, asked for with a number of records where it shows fewer without. */
async function listMore(
  context: ProbeContext,
  model: Model,
  sizes: readonly string[],
): Promise<Sample | undefined> {
  const plain = await listNow(context, model);
  if (plain.ids.length >= 3) return plain;
  for (const name of sizes) {
    const more = await listNow(context, model, { [name]: PLENTY });
    if (more.ids.length >= 3) return more;
  }
  return undefined;
}

function knownSize({ isFound, profile }: ProbeContext): string[] {
  return isFound('list.sizeParameter') ? [profile['list.sizeParameter']] : [];
}

async function listNow(
  context: ProbeContext,
  model: Model,
  query: Readonly<Record<string, string>> = {},
): Promise<Sample> {
  const seen = await context.api.list(model.name, query);
  return { model, seen, query, ids: idsIn(context, seen) };
}

/** The ids of the records of an answer; none where it is no list. */
export function idsIn({ api }: ProbeContext, seen: Answer): Id[] {
  const records = isAccepted(seen) ? (api.recordsIn(seen) ?? []) : [];
  return records.flatMap(({ id }) => (isId(id) ? [id] : []));
}

async function findSize(
  context: ProbeContext,
  { model, ids, query }: Sample,
): Promise<{ name: string; seen: Answer } | undefined> {
  const takes = async (name: string, size: number) => {
    const seen = await context.api.list(model.name, { [name]: String(size) });
    return shows(context, seen, ids.slice(0, size)) ? seen : undefined;
  };
  // A list that shows two when nothing is asked for shows them with any parameter.
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
  for (const name of [...OFFSETS, ...PAGES]) {
    const first = await part(name, 1);
    if (shows(context, first, ids.slice(1, 3)))
      return { 'list.paging': found('offset', first), 'list.offsetParameter': found(name, first) };
    if (shows(context, first, ids.slice(2, 4)))
      return { 'list.paging': unknown(`${name} counts pages from 0`) };
    if (!shows(context, first, ids.slice(0, 2))) continue;
    const second = await part(name, 2);
    if (shows(context, second, ids.slice(2, 4)))
      return { 'list.paging': found('page', second), 'list.pageParameter': found(name, second) };
  }
  const cursor = cursorIn(await context.api.list(model.name, { [size]: '2' }));
  const how = cursor && ` ${cursor} looks like a cursor, which no option of list.paging is`;
  return {
    'list.paging': unknown(
      how
        ? `${size} parts a list, and${how}`
        : `${size} parts a list, and none of ${OFFSETS.concat(PAGES).join(', ')} moves on`,
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
    if (isPaged) return { 'list.paging': unknown(`${name} parts a list, and no parameter says how small`) };
  }
  const cut = [...(await context.survey.lists()).values()].find((list) => saysMore(context, list));
  if (cut) return { 'list.paging': unknown(`${cut.asked} says that there are more records than it shows`) };
  return { 'list.paging': await judgeWhole(context) };
}

/** A short list shows nothing: it may be the first part of what is to come. */
async function judgeWhole(context: ProbeContext): Promise<Finding> {
  const [longest] = [...(await context.survey.lists()).values()]
    .map((list) => ({ list, length: idsIn(context, list).length }))
    .sort((one, other) => other.length - one.length);
  if (longest && longest.length > MOST_ON_A_PAGE) return found('none', longest.list);
  return unknown(
    `no parameter parts a list, and the longest one seen holds ${longest?.length ?? 0} records: only more than ${MOST_ON_A_PAGE} at once would show that there are no parts`,
  );
}

/** A list in parts that nothing asked for tells of itself (response.total). */
function saysMore(context: ProbeContext, list: Answer): boolean {
  const shown = idsIn(context, list).length;
  const totals = [...numbersBeside(list)].filter(([place]) => soundsLikeTotal(place));
  return shown > 0 && totals.some(([, total]) => total > shown);
}

function shows(context: ProbeContext, seen: Answer, ids: readonly Id[]): boolean {
  return isAccepted(seen) && String(idsIn(context, seen)) === String(ids);
}
