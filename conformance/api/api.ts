import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { stringifyForm } from '../../spec/wire/form.ts';
import { valueAt } from '../../spec/wire/json-pointer.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Exchange, TargetResponse } from '../target/exchange.ts';
import type { Target, TargetRequest } from '../target/target.ts';
import { isErrorInside } from './error-form.ts';
import { isId, isObject, placesIn } from './places.ts';

/** A response with what its body means. */
export type Answer = TargetResponse & {
  /** `GET /api/model/brand/3`, for messages. */
  readonly asked: string;
  /** The body as JSON; undefined when it is none. */
  readonly json: unknown;
  /** The first id in it that a number of JavaScript can't hold; in `json` such ids are texts, digit by digit. */
  readonly inexactId?: string;
  /** The status calls it a success, and the body is an error. */
  readonly saysNo?: true;
  /** For reports. */
  readonly exchange?: Exchange;
};

/** The operations of section 4 in the encoding of a profile; values are in wire form. */
export type Api = {
  retrieve(model: string, id: unknown): Promise<Answer>;
  list(model: string, query?: Readonly<Record<string, string>>): Promise<Answer>;
  create(model: string, body: RecordValues): Promise<Answer>;
  update(model: string, id: unknown, body: RecordValues): Promise<Answer>;
  delete(model: string, id: unknown): Promise<Answer>;
  /** Any other request, with the version the profile asks for; `path` starts behind the base of the models. */
  send(request: TargetRequest): Promise<Answer>;
  /** The record of an answer with one, in wire form; undefined when there is no object in its place. */
  recordIn(answer: Answer): RecordValues | undefined;
  /** The records of an answer with many; undefined when there is no list of objects in its place. */
  recordsIn(answer: Answer): readonly RecordValues[] | undefined;
};

/** Every exchange is handed to `record`, so that a case can show its own. */
export function createApi(
  target: Target,
  catalogue: Catalogue,
  profile: Profile,
  record: (exchange: Exchange) => void,
): Api {
  const version = { [profile['version.name']]: catalogue.version };
  return {
    retrieve: (model, id) => send({ method: 'GET', path: pathOf(model, id) }),
    list: (model, query = {}) => send({ method: 'GET', path: pathOf(model), query }),
    create: (model, body) => send({ method: 'POST', path: pathOf(model), ...written(body, profile) }),
    update: (model, id, body) => send({ method: 'POST', path: pathOf(model, id), ...written(body, profile) }),
    delete: (model, id) => send({ method: 'DELETE', path: pathOf(model, id) }),
    send,
    recordIn(answer) {
      const found = asRecord(valueAt(answer.json, profile['response.record']));
      // An object around a record is no record: its place is another one than the profile says.
      return found && !Object.hasOwn(found, 'id') && holdsRecord(found) ? undefined : found;
    },
    recordsIn(answer) {
      const list = valueAt(answer.json, profile['response.records']);
      if (!Array.isArray(list)) return undefined;
      const records = list.map(asRecord);
      return records.every((item) => item !== undefined) ? records : undefined;
    },
  };

  async function send(wanted: TargetRequest): Promise<Answer> {
    const path = catalogue.base + wanted.path;
    const place = wanted.without === 'version' ? 'none' : profile['version.in'];
    let exchange: Exchange | undefined;
    const response = await target.send(
      {
        ...wanted,
        path,
        query: { ...(place === 'query' ? version : {}), ...wanted.query },
        headers: { ...(place === 'header' ? version : {}), ...wanted.headers },
      },
      (sent) => {
        exchange = sent;
        record(sent);
      },
    );
    const asked = `${wanted.method} ${path}`;
    const answer = { ...response, asked, ...readJson(response.body), ...(exchange ? { exchange } : {}) };
    return isErrorInside(answer) ? { ...answer, saysNo: true } : answer;
  }
}

/** A body in the encoding of a profile. */
export function written(body: RecordValues, profile: Profile): Pick<TargetRequest, 'body' | 'headers'> {
  return profile['request.encoding'] === 'form'
    ? { body: stringifyForm(body), headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

/** The answer says yes. */
export function isAccepted({ saysNo, status }: Pick<Answer, 'saysNo' | 'status'>): boolean {
  return status >= 200 && status < 300 && !saysNo;
}

/** The answer says no, by its status or by its body; a 5xx says that something broke, which is never a no. */
export function isRefused({ saysNo, status }: Pick<Answer, 'saysNo' | 'status'>): boolean {
  return saysNo === true || (status >= 400 && status < 500);
}

/** Why a body could not be read, where its coding is the reason: none was asked for (RFC 9110, 12.5.3). */
export function codingOf({ headers }: Pick<Answer, 'headers'>): string {
  const coding = headers['content-encoding'] ?? 'identity';
  return /^\s*(identity)?\s*$/i.test(coding) ? '' : ` (content-encoding ${coding}, not asked for)`;
}

/** The path of a model or record behind the base. */
export function pathOf(model: string, id?: unknown): string {
  return `/${encodeURIComponent(model)}${id === undefined ? '' : `/${encodeURIComponent(String(id))}`}`;
}

function holdsRecord(found: RecordValues): boolean {
  return placesIn(found).some(({ value }) => isObject(value) && isId(value.id));
}

function asRecord(value: unknown): RecordValues | undefined {
  return isObject(value) ? value : undefined;
}

/** An id that is rounded is the id of another record: a delete would hit that one. */
function readJson(text: string): Pick<Answer, 'json' | 'inexactId'> {
  let inexactId: string | undefined;
  const exact = (name: string, value: unknown, { source = '' }: { source?: string } = {}) => {
    if (name !== 'id' || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
    inexactId ??= source;
    return source;
  };
  try {
    // To look at every member takes its time; most answers have no number so long.
    const json: unknown = /\d{16}/.test(text) ? JSON.parse(text, exact) : JSON.parse(text);
    return { json, ...(inexactId === undefined ? {} : { inexactId }) };
  } catch {
    return { json: undefined };
  }
}
