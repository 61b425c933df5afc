import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import { onceFor } from '../../spec/once-for.ts';
import { parseJson } from '../../spec/parse-json.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { REDACTED, redacting, SHORTEST_SECRET } from '../../spec/redaction.ts';
import { joinPointer } from '../../spec/wire/json-pointer.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Exchange, TargetResponse } from '../target/exchange.ts';

/** A response with the meaning of its body. */
export type ApiResponse = TargetResponse &
  JsonBody & {
    /** `GET /api/model/brand/3`, for messages. */
    readonly asked: string;
    readonly model?: string | undefined;
    /** Whether the target has accepted the same operation on the model, so that the credentials are not the reason to refuse. */
    readonly isPermitted?: () => boolean;
    /** The status is a success, but the body is an error. */
    readonly saysNo?: true;
    /** The request and this response without secrets, and with long bodies cut. */
    readonly exchange: Exchange;
  };

export function readAnswer(
  response: TargetResponse,
  asked: string,
  exchange: Exchange,
  model?: string,
): ApiResponse {
  const answer = { ...response, asked, model, exchange, ...readJson(response.body) };
  return isErrorInside(answer) ? { ...answer, saysNo: true } : answer;
}

export function isAccepted({ saysNo, status }: Pick<ApiResponse, 'saysNo' | 'status'>): boolean {
  return status >= 200 && status < 300 && !saysNo;
}

/** Whether the target refused the request, by status or body. A 5xx is a fault of the service, never a refusal. */
export function isRefused({ saysNo, status }: Pick<ApiResponse, 'saysNo' | 'status'>): boolean {
  return saysNo === true || (status >= 400 && status < 500 && !isForLater({ status }));
}

/** The statuses 408, 425, and 429 ask the client to send the same request later (RFC 9110, 8470, 6585). */
export function isForLater({ status }: Pick<ApiResponse, 'status'>): boolean {
  return [408, 425, 429].includes(status);
}

/** Whether a response to a retrieve says that no record has the ID. A refusal of the client or the method does not. */
export function isGone(answer: ApiResponse): boolean {
  return isRefused(answer) && ![401, 403, 405].includes(answer.status);
}

/** Returns the record of a model that a success shows, wherever it is in the body; undefined if there is none. */
export function findRecordIn(model: Model, answer: ApiResponse): RecordValues | undefined {
  return isAccepted(answer) ? findRecord(model, answer.json)?.value : undefined;
}

/** Whether a response is an empty list in another form: null, left out (HAL, draft-kelly-json-hal, 4.1.2), or status 204. */
export function isNoList(
  list: unknown,
  { json, ...answer }: Pick<ApiResponse, 'json' | 'saysNo' | 'status'>,
): boolean {
  if (!isAccepted(answer)) return false;
  // If a value can hold data, an absent list is elsewhere, and not empty.
  const isData = ({ value }: BodyValue) =>
    Array.isArray(value) || (isObject(value) && Object.hasOwn(value, 'id'));
  if (list === null || answer.status === 204) return true;
  return list === undefined && isObject(json) && !placesIn(json).some(isData);
}

/** Returns the coding that keeps the suite from reading a body, because no request asks for one (RFC 9110, 12.5.3). */
export function codingOf({ headers }: Pick<ApiResponse, 'headers'>): string {
  const coding = headers['content-encoding'] ?? 'identity';
  return /^\s*(identity)?\s*$/i.test(coding)
    ? ''
    : ` (with content-encoding ${coding}, which the request did not ask for)`;
}

type Body = Pick<ApiResponse, 'status' | 'headers' | 'body' | 'json'>;

/** Returns the form of an error's body (setting `errors.form`); undefined for other forms. */
export function errorFormOf({ body, headers, json }: Body): Profile['errors.form'] | undefined {
  if (body.trim() === '') return 'empty';
  if (headers['content-type']?.startsWith('application/problem+json')) return 'problem';
  return isObject(json) && json.error !== undefined ? 'simple' : undefined;
}

/** Whether a success status comes with an error, and shows no record. Section 7 leaves the form of errors open. */
function isErrorInside(body: Body): boolean {
  if (body.status < 200 || body.status > 299 || !isObject(body.json)) return false;
  const { error, errors, ok, status, success } = body.json;
  const isNamed = [error, errors].some((value) =>
    typeof value === 'object' ? Object.keys(value ?? {}).length > 0 : value,
  );
  const isFailure =
    success === false || ok === false || /^(error|fail|failed|failure)$/i.test(String(status));
  if (!isNamed && errorFormOf(body) !== 'problem' && !isFailure) return false;
  const others = placesIn(body.json).filter(({ pointer }) => !/^\/errors?(\/|$)/.test(pointer));
  return !others.some(({ value }) => [value].flat().some((one) => isObject(one) && isId(one.id)));
}

export type JsonBody = {
  /** Undefined if the body isn't JSON, or is nested too deep. */
  readonly json: unknown;
  /** The first ID above 2^53. In `json` such IDs are strings of digits. */
  readonly inexactId?: string | undefined;
};

/** Parses a body without rounding IDs, because a rounded ID names another record, and a delete would hit that one. */
export function readJson(text: string): JsonBody {
  let inexactId: string | undefined;
  const exact = (name: string, value: unknown, { source = '' }: { source?: string } = {}) => {
    if (name !== 'id' || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
    inexactId ??= source;
    return source;
  };
  // The reviver is slow, so it runs only if the text contains a long ID.
  const json = parseJson(text, /"id"\s*:\s*-?\d{16}/.test(text) ? exact : undefined);
  return { json, inexactId };
}

export type BodyValue<Kind = unknown> = { readonly pointer: string; readonly value: Kind };

// An envelope is a few names deep. Everything deeper is data, and can be endless.
const DEEPEST = 5;
const MOST_PLACES = 2000;

/** Returns the values of a body from the outside in, except those inside lists. */
export function placesIn(body: unknown): BodyValue[] {
  return placesOf(body, (_value): _value is unknown => true);
}

function placesOf<Kind>(body: unknown, is: (value: unknown) => value is Kind): BodyValue<Kind>[] {
  const found: BodyValue<Kind>[] = is(body) ? [{ pointer: '', value: body }] : [];
  const within = isObject(body) ? [{ pointer: '', value: body, depth: 1 }] : [];
  let seen = 1;
  for (const { depth, pointer, value } of within)
    for (const name of Object.keys(value)) {
      if (seen++ >= MOST_PLACES) break;
      const inner = value[name];
      const isInner = isObject(inner) && depth < DEEPEST;
      if (!isInner && !is(inner)) continue;
      const place = pointer + joinPointer([name]);
      if (is(inner)) found.push({ pointer: place, value: inner });
      if (isInner) within.push({ pointer: place, value: inner, depth: depth + 1 });
    }
  return found;
}

/** Returns the lists of objects, including empty lists. */
export function listsIn(body: unknown): BodyValue<readonly RecordValues[]>[] {
  return placesOf(body, (value) => Array.isArray(value) && value.every(isObject));
}

/** Returns the object with an ID that has most fields of the model; the outermost of equals. */
export function findRecord(model: Model, body: unknown): BodyValue<RecordValues> | undefined {
  const objects = placesOf(body, (value): value is RecordValues => isObject(value) && isId(value.id));
  return best(objects, ({ value }) => likeness(model, value));
}

/** Returns the list whose first item has most fields of the model; undefined if all lists are empty. */
export function findRecords(model: Model, body: unknown): BodyValue<readonly RecordValues[]> | undefined {
  const filled = listsIn(body).filter(({ value }) => value.some((item) => isId(item.id)));
  return best(filled, ({ value }) => likeness(model, value[0] ?? {}));
}

/** Returns the first item with the most points; undefined if none has points. */
export function best<Item>(items: readonly Item[], pointsOf: (item: Item) => number): Item | undefined {
  const pointed = items.map((item) => ({ item, points: pointsOf(item) })).filter(({ points }) => points > 0);
  return pointed.toSorted((one, other) => other.points - one.points)[0]?.item;
}

/** Returns the most frequent name, with its first voter. */
export function mostNamed<Vote extends readonly [name: string, voter: unknown]>(
  votes: readonly Vote[],
): Vote | undefined {
  return best(votes, ([name]) => votes.filter(([other]) => other === name).length);
}

/** An ID in a path. IDs are whole numbers, but the suite also understands strings. */
export type Id = number | string;

export function isId(value: unknown): value is Id {
  return Number.isSafeInteger(value) || (typeof value === 'string' && /^[\w-]{1,64}$/.test(value));
}

/** Whether an ID in a path is an integer below 2^53. Greater integers can't be distinguished from their neighbors. */
export function isIntegerId(text: string): boolean {
  return /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text));
}

export function isObject(value: unknown): value is RecordValues {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Returns the ID at the end of a Location header (RFC 9110, 10.2.2). */
export function idInLocation(headers: Readonly<Record<string, string>>): number | undefined {
  const id = /\/(\d+)\/?$/.exec(headers.location ?? '')?.[1];
  return id !== undefined && isIntegerId(id) ? Number(id) : undefined;
}

function likeness({ fields }: Model, record: RecordValues): number {
  return fields.filter(({ name }) => Object.hasOwn(record, name)).length;
}

/** A body without the values of others, and the removed values. */
export type Hidden = { readonly body: string; readonly values: ReadonlySet<string> };

/** Maximum number of values to remove from messages. */
const MOST_VALUES = 2000;
const valuesIn = new WeakMap<Exchange, ReadonlySet<string>>();

/** Redacts the records that the run did not create, except their IDs and the names of their fields. */
export function hideOthers(
  {
    id: asked,
    model = '',
    operation,
  }: Readonly<Partial<Record<'id' | 'model' | 'operation', string | undefined>>>,
  { body, headers, status }: TargetResponse,
  json: unknown,
  { base, models }: Catalogue,
  isOwn: (model: string, id: unknown) => boolean,
): Hidden {
  const values = new Set<string>();
  // A write returns the written record, which is the run's.
  const isRead = operation === 'list' || operation === 'retrieve';
  if ((operation && !isRead) || body.trim() === '') return { body, values };
  const isSuccess = status >= 200 && status < 300;
  if (json === undefined) return { body: isSuccess && isRead ? hideText(body, headers) : body, values };
  let isHidden = false;
  const shown = look(json, false);
  return { body: isHidden ? JSON.stringify(shown) : body, values };

  function look(value: unknown, inList: boolean): unknown {
    if (Array.isArray(value)) return value.map((item) => look(item, true));
    // A list of bare values can be a record without names, or the messages of an error.
    if (!isObject(value)) return inList && isSuccess ? blot(value) : value;
    if (isRecord(value, inList)) return isMine(value, inList) ? value : blot(value);
    return map(value, (member) => look(member, false));
  }

  function isRecord(value: object, inList: boolean): boolean {
    const isLike = () => {
      const names = namesOf(models)(model);
      return Object.keys(value).some((name) => plain(name) !== 'id' && names.has(plain(name)));
    };
    return Object.hasOwn(value, 'id') ? isSuccess || isLike() : isSuccess && (inList || isLike());
  }

  function isMine(value: { readonly id?: unknown }, inList: boolean): boolean {
    return Object.hasOwn(value, 'id')
      ? isOwn(model, value.id)
      : !inList && asked !== undefined && isOwn(model, asked);
  }

  function blot(value: unknown): unknown {
    isHidden = true;
    if (Array.isArray(value)) return value.map(blot);
    if (isObject(value))
      return map(value, (member, name) => (name === 'id' && isId(member) ? member : blot(member)));
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    // Messages name the URLs of requests, which links in records contain.
    const isSecret = text.length >= SHORTEST_SECRET && !text.includes(`${base}/`);
    if (isSecret && values.size < MOST_VALUES) values.add(text);
    return REDACTED;
  }
}

/** Returns the names of a model's fields, or of all fields for an unknown model. */
const namesOf = onceFor((models: Catalogue['models']) => {
  const namesIn = ({ fields }: Model) => fields.map(({ name }) => plain(name));
  const all = new Set([...models.values()].flatMap(namesIn));
  const known = new Map([...models.values()].map((model) => [model.name, new Set(namesIn(model))]));
  return (model: string): ReadonlySet<string> => known.get(model) ?? all;
});

/** Remembers the removed values for the lifetime of the exchange. */
export function noteHidden(exchange: Exchange, { values }: Hidden): void {
  if (values.size > 0) valuesIn.set(exchange, values);
}

/** Forgets the removed values of an exchange that shows a record of the run. */
export function forgetHidden(exchange: Exchange): void {
  valuesIn.delete(exchange);
}

/** Returns a message about exchanges without the values that were removed from them. Keeps those that a response still shows. */
export function hideInText(text: string, exchanges: readonly Exchange[]): string {
  const removed = new Set(exchanges.flatMap((exchange) => [...(valuesIn.get(exchange) ?? [])]));
  const isShown = (value: string) =>
    text.includes(value) && exchanges.some(({ response }) => response.body.includes(JSON.stringify(value)));
  const values = [...removed].filter((value) => !isShown(value));
  return redacting(values)(text);
}

/** Redacts a body that isn't JSON. An HTML page stays, because it shows what responds in place of the service. */
function hideText(body: string, headers: TargetResponse['headers']): string {
  if (/^\s*<(!doctype )?html/i.test(body)) return body;
  return `[redacted: ${body.length} characters that are no JSON, ${headers['content-type']}]`;
}

/** Changes each member and keeps its name. */
function map(value: object, change: (member: unknown, name: string) => unknown): object {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member, name)]));
}

/** Returns a name without case and separators. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}

/** Returns the ID in a link, which can show it within an object. */
export function idIn(link: unknown): unknown {
  return isObject(link) ? link.id : link;
}
