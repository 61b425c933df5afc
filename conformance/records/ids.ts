import type { Model } from '../../spec/catalogue/catalogue.ts';
import { type Answer, isAccepted, isRefused } from '../api/answer.ts';
import type { Api } from '../api/api.ts';
import { fetchList, type Listing } from '../api/listing.ts';
import { findRecord, type Id, idInLocation, isId } from '../api/places.ts';
import { Blocked } from '../assert/failure.ts';

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
    `the id ${id} of a ${name} is beyond 2^53: it can't be told from its neighbours, so nothing more is sent`,
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

/** Whether a refusal may be for a text that is too long; it is about the body. */
export function mayBeTooLong(answer: Answer): boolean {
  return isRefused(answer) && ![401, 403, 404, 405, 406, 408, 415, 429].includes(answer.status);
}

/** The list of a model over its pages; undefined when the answer is none. Throws Blocked for ids that are too long. */
export async function readList(api: Api, model: Model): Promise<Listing | undefined> {
  const listing = await fetchList(api, model.name);
  if (listing?.inexactId !== undefined) throw idTooLong(model, listing.inexactId);
  return listing;
}
