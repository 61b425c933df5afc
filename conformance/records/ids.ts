import { withArticle } from '../../spec/article.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import {
  type ApiResponse,
  findRecord,
  type Id,
  idInLocation,
  isAccepted,
  isId,
  isRefused,
} from '../api/answer.ts';
import type { ModelApi } from '../api/api.ts';
import { fetchList, type Listing } from '../api/listing.ts';
import { blocked, type Ended } from '../assert/ending.ts';

/** The maximum signed 32-bit integer: no service has assigned it, and all can read it. */
export const UNKNOWN_ID = 2_147_483_647;

/**
 * Returns the possible IDs of a created record, the likeliest first: from the place of the profile, from the Location
 * header, and from any record of the model in the body. It returns all of them, because the record has to be removed.
 */
export function idsIn(api: ModelApi, model: Model, answer: ApiResponse): readonly Id[] {
  if (!isAccepted(answer)) return [];
  const elsewhere = findRecord(model, answer.json)?.value.id;
  return [api.recordIn(answer)?.id, idInLocation(answer.headers), elsewhere].filter(isId);
}

/** Returns the ID from the place of the profile, if it is an integer (section 2.0). */
export function integerIdIn(api: ModelApi, answer: ApiResponse): number | undefined {
  const id = isAccepted(answer) ? api.recordIn(answer)?.id : undefined;
  return typeof id === 'number' && Number.isInteger(id) ? id : undefined;
}

/** Returns why the suite neither judges nor sends a rounded ID. */
export function idTooLong({ name }: Model, id: string): Ended {
  return blocked(
    `the ID ${id} of ${withArticle(name)} is above 2^53, and the suite can't represent such a number exactly, so it sends no more requests for it`,
    undefined,
    { limited: true },
  );
}

/** Whether a refusal can be because of a value in the body, such as a long text. */
export function mayBeAboutBody(answer: ApiResponse): boolean {
  return isRefused(answer) && ![401, 403, 404, 405, 406, 408, 415, 429].includes(answer.status);
}

/**
 * Returns the list of a model over its pages; undefined if the response is no list. Throws `blocked` for IDs above 2^53.
 */
export async function readList(api: ModelApi, model: Model): Promise<Listing | undefined> {
  const listing = await fetchList(api, model.name);
  if (listing?.inexactId !== undefined) throw idTooLong(model, listing.inexactId);
  return listing;
}

/** A record in a response. */
export type SeenRecord = {
  readonly model: Model;
  /** The operation, as messages name it: `list`, `retrieve after a delete`. */
  readonly from: string;
  /** In wire form. */
  readonly record: RecordValues;
  readonly answer: ApiResponse;
};

/** Returns the record in the place of the profile; nothing if the response is no success, or shows no record. */
export function seenIn(
  { api, model }: { readonly api: ModelApi; readonly model: Model },
  from: string,
  answer: ApiResponse | undefined,
): SeenRecord[] {
  const record = answer && isAccepted(answer) ? api.recordIn(answer) : undefined;
  return answer && record ? [{ model, from, record, answer }] : [];
}

/** Whether a refusal can be because another record has a value. */
export function mayBeDuplicate(answer: ApiResponse): boolean {
  const words = /unique|duplicat|already|exist|taken|in use/i;
  return isRefused(answer) && (answer.status === 409 || words.test(answer.body));
}
