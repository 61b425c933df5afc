import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Exchange, TargetResponse } from '../target/exchange.ts';
import { findRecord, isId, isObject, type Place, placesIn } from './places.ts';

/** No record is nested deeper; to walk through what is takes long, or more stack than there is. */
const DEEPEST = 500;

/** A response with what its body means. */
export type Answer = TargetResponse &
  JsonBody & {
    /** `GET /api/model/brand/3`, for messages. */
    readonly asked: string;
    /** The model that the path names. */
    readonly model?: string | undefined;
    /** Whether the target has accepted the same operation on the model, so that the credentials are not the reason to refuse. */
    readonly isPermitted?: () => boolean;
    /** The status calls it a success, and the body is an error. */
    readonly saysNo?: true;
    /** The request with this response, fit to be shown: without secrets, and cut where it is long. */
    readonly exchange: Exchange;
  };

export function readAnswer(
  response: TargetResponse,
  asked: string,
  exchange: Exchange,
  model?: string,
  read: JsonBody = readJson(response.body),
): Answer {
  const answer = { ...response, asked, model, exchange, ...read };
  return isErrorInside(answer) ? { ...answer, saysNo: true } : answer;
}

/** The answer says yes. */
export function isAccepted({ saysNo, status }: Pick<Answer, 'saysNo' | 'status'>): boolean {
  return status >= 200 && status < 300 && !saysNo;
}

/** The answer says no, by its status or by its body; a 5xx says that something broke, which is never a no. */
export function isRefused({ saysNo, status }: Pick<Answer, 'saysNo' | 'status'>): boolean {
  return saysNo === true || (status >= 400 && status < 500 && !isForLater({ status }));
}

/** The statuses 408, 425, and 429 ask the client to send the same request later (RFC 9110, 8470, 6585). */
export function isForLater({ status }: Pick<Answer, 'status'>): boolean {
  return [408, 425, 429].includes(status);
}

/** Whether a response to a retrieve says that no record has the ID. A refusal of the client or the method does not. */
export function isGone(answer: Answer): boolean {
  return isRefused(answer) && ![401, 403, 405].includes(answer.status);
}

/** Returns the record of a model that a success shows, wherever it is in the body; undefined if there is none. */
export function findRecordIn(model: Model, answer: Answer): RecordValues | undefined {
  return isAccepted(answer) ? findRecord(model, answer.json)?.value : undefined;
}

/** A list without a record, as those write it who have no empty lists: null, or left out (HAL, draft-kelly-json-hal, 4.1.2). */
export function isNoList(
  list: unknown,
  { json, ...answer }: Pick<Answer, 'json' | 'saysNo' | 'status'>,
): boolean {
  if (!isAccepted(answer)) return false;
  return list === null || (list === undefined && isObject(json) && !placesIn(json).some(isData));
}

/** Where something stands, an empty list has another place. */
function isData({ value }: Place): boolean {
  return Array.isArray(value) || (isObject(value) && Object.hasOwn(value, 'id'));
}

/** Why a body could not be read, where its coding is the reason: none was asked for (RFC 9110, 12.5.3). */
export function codingOf({ headers }: Pick<Answer, 'headers'>): string {
  const coding = headers['content-encoding'] ?? 'identity';
  return /^\s*(identity)?\s*$/i.test(coding)
    ? ''
    : ` (with content-encoding ${coding}, which the request did not ask for)`;
}

type Body = Pick<Answer, 'status' | 'headers' | 'body' | 'json'>;

/** The form of an error's body (setting `errors.form`); undefined where it is none of those. */
export function errorFormOf({ body, headers, json }: Body): Profile['errors.form'] | undefined {
  if (body.trim() === '') return 'empty';
  if (headers['content-type']?.startsWith('application/problem+json')) return 'problem';
  return isObject(json) && json.error !== undefined ? 'simple' : undefined;
}

/**
 * Whether an answer that its status calls a success is an error all the same: it says so, and shows no record beside
 * the error, alone or in a list. Section 7 leaves statuses and payloads of errors open.
 */
function isErrorInside(body: Body): boolean {
  if (body.status < 200 || body.status > 299 || !isObject(body.json)) return false;
  const { error, errors } = body.json;
  const isNamed = [error, errors].some((value) =>
    isObject(value) || Array.isArray(value) ? hasMembers(value) : value,
  );
  if (!isNamed && errorFormOf(body) !== 'problem' && !isFailure(body.json)) return false;
  const others = placesIn(body.json).filter(({ pointer }) => !/^\/errors?(\/|$)/.test(pointer));
  return !others.some(({ value }) => [value].flat().some((one) => isObject(one) && isId(one.id)));
}

function hasMembers(value: object): boolean {
  return Object.keys(value).length > 0;
}

/** `success: false`, `ok: false`, or a status in words (JSend). */
function isFailure({ ok, status, success }: RecordValues): boolean {
  return success === false || ok === false || /^(error|fail|failed|failure)$/i.test(String(status));
}

/** What a body holds. */
export type JsonBody = {
  /** Undefined when it is no JSON, or nested too deep. */
  readonly json: unknown;
  /** The first id in it that a number of JavaScript can't hold; in `json` such ids are texts, digit by digit. */
  readonly inexactId?: string;
};

/** An id that is rounded is the id of another record: a delete would hit that one. */
export function readJson(text: string): JsonBody {
  if (isDeep(text)) return { json: undefined };
  let inexactId: string | undefined;
  const exact = (name: string, value: unknown, { source = '' }: { source?: string } = {}) => {
    if (name !== 'id' || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
    inexactId ??= source;
    return source;
  };
  try {
    // To look at every member takes its time; few ids are so long.
    const json: unknown = /"id"\s*:\s*-?\d{16}/.test(text) ? JSON.parse(text, exact) : JSON.parse(text);
    return { json, ...(inexactId === undefined ? {} : { inexactId }) };
  } catch {
    return { json: undefined };
  }
}

function isDeep(text: string): boolean {
  // Most have no room for it, or too few brackets.
  if (text.length < 2 * DEEPEST || !hasMany(text, ['[', '{'])) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') at = endOfString(text, at);
    else if (sign === '[' || sign === '{') depth++;
    else if (sign === ']' || sign === '}') depth--;
    if (depth > DEEPEST) return true;
  }
  return false;
}

/** Whether there are more of the signs than may be open at once; much faster than to look at each. */
function hasMany(text: string, signs: readonly string[]): boolean {
  let count = 0;
  for (const sign of signs)
    for (let at = text.indexOf(sign); at >= 0 && count <= DEEPEST; at = text.indexOf(sign, at + 1)) count++;
  return count > DEEPEST;
}

/** The place of the quote that ends a string; the end of the text where none does. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '"') return at;
    if (text[at] === '\\') at++;
  }
  return text.length;
}
