import type { Model } from '../../spec/catalogue/catalogue.ts';
import { type Profile, pagesOf } from '../../spec/profile/profile.ts';
import { type ApiResponse, type Id, isAccepted, isId, placesIn } from '../api/answer.ts';
import type { ModelApi } from '../api/api.ts';
import { placeInList } from '../api/listing.ts';
import { blocked } from '../assert/ending.ts';
import type { SharedRequests } from '../cases/rule.ts';
import { three } from '../rules/shared.ts';
import { observation } from '../rules/updates.ts';
import { easiestModels, type ProbeContext } from './probe.ts';

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
async function listMore(
  context: ProbeContext,
  model: Model,
  sizes: readonly string[],
): Promise<SampleList | undefined> {
  const plain = await listNow(context, model);
  if (plain.ids.length >= 3) return plain;
  for (const name of sizes) {
    const more = await listNow(context, model, { [name]: PLENTY });
    if (more.ids.length >= 3) return more;
  }
  return undefined;
}

/** Returns the parameter for the number of records per page, if learn has found it. */
export function knownSize({ knows, profile }: ProbeContext): string[] {
  const pages = knows('list.paging') ? pagesOf(profile) : undefined;
  return pages ? [pages.size] : [];
}

/** Requests a list and returns its records. */
export async function listNow(
  context: Asker,
  model: Model,
  query: Readonly<Record<string, string>> = {},
): Promise<SampleList> {
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

/** Returns the query for a page of one record. */
export function pageQuery(profile: Profile, index: number, size = 1): Record<string, string> {
  return { ...placeInList(profile, index, index), [sizeOf(profile)]: String(size) };
}

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
