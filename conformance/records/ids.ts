import { withArticle } from '../../spec/article.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isRefused } from '../api/answer.ts';
import type { Api } from '../api/api.ts';
import { fetchList, type Listing } from '../api/listing.ts';
import { findRecord, type Id, idInLocation, isId } from '../api/places.ts';
import { Blocked } from '../assert/failure.ts';
import { isWhatWasSent } from '../book/identity.ts';

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

/** A record that an answer showed. */
export type SeenRecord = {
  readonly model: Model;
  /** The operation that showed it, as messages name it: `list`, `retrieve after a delete`. */
  readonly from: string;
  /** In wire form. */
  readonly record: RecordValues;
  readonly answer: Answer;
};

/** The record that an answer shows where the profile says; none where it is no success, or shows none. */
export function seenIn(
  { api, model }: { readonly api: Api; readonly model: Model },
  from: string,
  answer: Answer | undefined,
): SeenRecord[] {
  const record = answer && isAccepted(answer) ? api.recordIn(answer) : undefined;
  return answer && record ? [{ model, from, record, answer }] : [];
}
