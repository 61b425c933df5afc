import { isDeepStrictEqual } from 'node:util';
import { withArticle } from '../../spec/article.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { fieldOf, readRole } from '../../spec/catalogue/roles.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import {
  type ApiResponse,
  findRecord,
  type Id,
  idInLocation,
  isAccepted,
  isId,
  isObject,
  isRefused,
  readJson,
} from '../api/answer.ts';
import type { ModelApi } from '../api/api.ts';
import { fetchList, type Listing } from '../api/listing.ts';
import { agrees, isNone, isStored, UNREAD } from '../assert/agreement.ts';
import { blocked, type Ended } from '../assert/ending.ts';
import type { Exchange } from '../target/exchange.ts';
import { writableFields } from './values/values.ts';

/** A record of the target that the run created. */
export type Made = {
  readonly model: Model;
  /** Undefined if no response shows it. */
  readonly id: Id | undefined;
  /** As a response showed it last, in wire form. */
  shown?: RecordValues | undefined;
  /** Values that might have been written to it since, in wire form. */
  changes?: RecordValues[] | undefined;
  /** The case or question that created it, or that shares it. Without one, it stays until the end of the run. */
  readonly owner?: object | undefined;
  /** The record that showed it as a line. */
  readonly parent?: Made;
  /**
   * `deleted`: a delete was accepted. `missing`: a delete was refused because there is no such record, which might be
   * late. `left`: it can't be removed. Undefined until then.
   */
  state?: 'deleted' | 'missing' | 'left';
  /** The service was away since, so it might be gone, and another record might have its ID. */
  isUnclear?: boolean;
  /** After its delete, another record has its ID. */
  isReplaced?: boolean;
};

/** A record that a list shows, and that the run might have created. */
export type CandidateRecord = Made & { readonly shown: RecordValues };

/** Returns the name of a record in messages and journals, as `model/id`. */
export function nameOf({ id, model }: { readonly id: unknown; readonly model: Pick<Model, 'name'> }): string {
  return `${model.name}/${id ?? '(unknown ID)'}`;
}

/** Whether a record in wire form says that it is deleted, in either form of a boolean. */
export function isMarked(model: Model, record: RecordValues): boolean {
  const mark = readRole(model, 'deleted', record);
  return mark === true || mark === 1;
}

/**
 * Compares a record of the run with what its ID shows now. All values are in wire form.
 *
 * - `same`: the time of creation and all writable values are those that were shown or written. Values that no response
 *   or write had don't count, because a line can show fewer fields within its parent. Lines don't count, because some
 *   services create them again in each write.
 * - `other`: the time of creation differs, or no writable value is as it was shown. Booleans don't count, because two
 *   records often share them. A record that is marked as deleted can have lost its values.
 * - `unknown`: their values allow both.
 */
export function identify(
  { changes = [], model, shown: before }: Made,
  now: RecordValues,
): 'same' | 'other' | 'unknown' {
  if (!before) return 'unknown';
  const created = fieldOf(model, 'created')?.name ?? '';
  const [older, newer] = [before[created] ?? null, now[created] ?? null];
  const isCreatedThen =
    isDeepStrictEqual(older, newer) || (typeof older === 'string' && isStored(older, newer));
  const writable = writableFields(model).filter(({ lines }) => lines === undefined);
  const isKept = (name: string, seen = [before]) =>
    seen.some((one) => isDeepStrictEqual(one[name], now[name] ?? null));
  const known = writable.filter(
    ({ name }) => Object.hasOwn(before, name) || changes.some((one) => (one[name] ?? null) !== null),
  );
  const tells = known.length > 0 || older !== null;
  const isAllKept = known.every(({ name }) => isKept(name, [before, ...changes]));
  if (tells && isAllKept && (older === null || isCreatedThen)) return 'same';
  if (typeof older === typeof newer && !isCreatedThen) return 'other';
  if (isMarked(model, now)) return 'unknown';
  const telling = writable.filter(({ name, type }) => type !== 'bool' && (before[name] ?? null) !== null);
  return telling.length > 0 && !telling.some(({ name }) => isKept(name)) ? 'other' : 'unknown';
}

/**
 * Whether a record has all the given values, as far as they can be read. Both are canonical. A service can store an empty
 * string for a value that is missing.
 */
export function holds(model: Model, found: RecordValues, values: RecordValues): boolean {
  const telling = model.fields.filter(({ name }) => Object.hasOwn(values, name) && found[name] !== UNREAD);
  return (
    telling.length > 0 &&
    telling.every((field) => {
      const [value, shown] = [values[field.name] ?? null, found[field.name]];
      return value === null ? isNone(shown) : agrees(field, value, shown);
    })
  );
}

/** Two days in milliseconds, because clocks and time zones differ. */
const RECENT = 2 * 24 * 60 * 60 * 1000;

/**
 * Whether a record, in wire form, is what a create sent: it shows one of the sent values. If no sent value tells, it
 * was created recently. One value is enough, because services change values.
 */
export function isWhatWasSent(
  model: Model,
  record: RecordValues | undefined,
  { request, response }: Exchange,
): boolean {
  if (!record) return false;
  const sent = bodyOf(request.body ?? '');
  // A form sends null as an empty string, which a record need not show.
  const telling = writableFields(model).filter(
    ({ name }) => ['string', 'number'].includes(typeof sent[name]) && sent[name] !== '',
  );
  const shown = (value: unknown) => String(isObject(value) ? (value.id ?? value.value) : value);
  if (telling.length > 0) return telling.some(({ name }) => shown(record[name]) === String(sent[name]));
  const created = new Date(readRole(model, 'created', record) as string).getTime();
  // The clock of the service might differ from ours.
  const clocks = [Date.now(), Date.parse(response.headers.date ?? '')];
  return clocks.some((now) => Math.abs(created - now) < RECENT || Math.abs(created * 1000 - now) < RECENT);
}

function bodyOf(text: string): RecordValues {
  const { json } = readJson(text);
  return isObject(json) ? json : (Object.fromEntries(new URLSearchParams(text)) as RecordValues);
}

/**
 * Whether a record of a list might be what a create without a known result sent: it is not deleted, and holds all
 * strings that were sent, or all numbers if no string was sent. Strings of three characters can be the same by chance.
 * Readonly fields don't count, because a service need not keep them.
 */
export function mightBeSent(model: Model, sent: RecordValues, record: RecordValues): boolean {
  const values = writableFields(model).map(({ name }) => [name, sent[name]] as const);
  const texts = values.filter(([, value]) => typeof value === 'string' && value.length > 3);
  const telling = texts.length > 0 ? texts : values.filter(([, value]) => typeof value === 'number');
  const isHeld = telling.every(([name, value]) => isDeepStrictEqual(record[name], value));
  return telling.length > 0 && isHeld && !isMarked(model, record);
}

/** Whether a record holds the tag of a run as samples do: `name Ñandú k3f9-1002`. Learning adds a letter to it. */
export function isTagged(record: RecordValues, tag: string): boolean {
  // RegExp.escape is missing before Node 24.
  const sample = new RegExp(`\\b${tag.replaceAll(/\W/g, '\\$&')}l?(-\\d+\\b|@)`);
  return Object.values(record).some((value) => typeof value === 'string' && sample.test(value));
}

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

/** Returns the list of a model over its pages; undefined if there is none. Throws `blocked` for IDs above 2^53. */
export async function readList(api: ModelApi, model: Model): Promise<Listing | undefined> {
  const listing = await fetchList(api, model.name);
  if (listing?.inexactId !== undefined) throw idTooLong(model, listing.inexactId);
  return listing;
}

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
