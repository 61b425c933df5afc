import { withArticle } from '../../spec/article.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { readRole } from '../../spec/catalogue/roles.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isRefused, readJson } from '../api/answer.ts';
import type { Api } from '../api/api.ts';
import { fetchList, type Listing } from '../api/listing.ts';
import { findRecord, type Id, idInLocation, isId, isObject } from '../api/places.ts';
import { Blocked } from '../assert/failure.ts';
import type { Exchange } from '../target/exchange.ts';
import { writableFields } from './values/values.ts';

/** The greatest id of a signed 32-bit column: no service has given it out, and none fails to read it. */
export const UNKNOWN_ID = 2_147_483_647;

/**
 * The ids that a success may have given to what it made, the likeliest first: where the profile says, in the header
 * Location, and wherever else a record of the model stands. None is left out, since the record has to be removed.
 */
export function idsIn(api: Api, model: Model, answer: Answer): readonly Id[] {
  if (!isAccepted(answer)) return [];
  const elsewhere = findRecord(model, answer.json)?.value.id;
  return [api.recordIn(answer)?.id, idInLocation(answer.headers), elsewhere].filter(isId);
}

/** The id where the profile says, if it is the integer that section 2.0 wants. */
export function integerIdIn(api: Api, answer: Answer): number | undefined {
  const id = isAccepted(answer) ? api.recordIn(answer)?.id : undefined;
  return typeof id === 'number' && Number.isInteger(id) ? id : undefined;
}

/** Nothing is judged by an id that is rounded, nor is anything sent to it. */
export function idTooLong({ name }: Model, id: string): Blocked {
  return new Blocked(
    `the ID ${id} of ${withArticle(name)} is above 2^53, so JSON can't represent it exactly; the suite sends no more requests for it`,
  );
}

/** The answer to a retrieve says that nothing has the id; a refusal of who asks, or of the method, does not say so. */
export function isGone(answer: Answer): boolean {
  return isRefused(answer) && ![401, 403, 405, 408, 429].includes(answer.status);
}

/** Whether a refusal may be for a value that another record has. */
export function mayBeDuplicate(answer: Answer): boolean {
  if (!isRefused(answer)) return false;
  return answer.status === 409 || /unique|duplicat|already|exist|taken|in use/i.test(answer.body);
}

/** Whether a refusal may be about a value of the body, such as a text that is too long. */
export function mayBeAboutBody(answer: Answer): boolean {
  return isRefused(answer) && ![401, 403, 404, 405, 406, 408, 415, 429].includes(answer.status);
}

/** The list of a model over its pages; undefined when the answer is none. Throws Blocked for ids that are too long. */
export async function readList(api: Api, model: Model): Promise<Listing | undefined> {
  const listing = await fetchList(api, model.name);
  if (listing?.inexactId !== undefined) throw idTooLong(model, listing.inexactId);
  return listing;
}

/** In milliseconds; clocks and time zones differ. */
const RECENT = 2 * 24 * 60 * 60 * 1000;

/**
 * Whether a record, in wire form, is what a create sent: it shows one of the values or, where nothing was sent that
 * tells, was created of late. It counts where the list can't say what was there before.
 */
export function isWhatWasSent(
  model: Model,
  record: RecordValues | undefined,
  { request, response }: Exchange,
): boolean {
  if (!record) return false;
  const sent = bodyOf(request.body ?? '');
  // A form sends null as an empty text, which a record need not show.
  const telling = writableFields(model).filter(
    ({ name }) => ['string', 'number'].includes(typeof sent[name]) && sent[name] !== '',
  );
  const shown = (value: unknown) => String(isObject(value) ? (value.id ?? value.value) : value);
  if (telling.length > 0) return telling.some(({ name }) => shown(record[name]) === String(sent[name]));
  const created = new Date(readRole(model, 'created', record) as string).getTime();
  // The clock of the service may be another one than ours.
  const clocks = [Date.now(), Date.parse(response.headers.date ?? '')];
  return clocks.some((now) => Math.abs(created - now) < RECENT || Math.abs(created * 1000 - now) < RECENT);
}

/** Why nothing may be written to the id that a create answered with, unless what was sent stands under it. */
export async function doubtOf(
  id: Id | undefined,
  api: Api,
  model: Model,
  { exchange }: Answer,
): Promise<Blocked | undefined> {
  if (id === undefined) return undefined;
  const now = await api.retrieve(model.name, id);
  if (isAccepted(now) && isWhatWasSent(model, findRecord(model, now.json)?.value, exchange)) return undefined;
  const why = `returns the ID ${id}, but a retrieve shows none of the sent values`;
  return new Blocked(
    `a create of ${withArticle(model.name)} ${why}, so it might be another record`,
    exchange,
  );
}

function bodyOf(text: string): RecordValues {
  const { json } = readJson(text);
  return isObject(json) ? json : (Object.fromEntries(new URLSearchParams(text)) as RecordValues);
}
