import type { Operation } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { isObject } from '../../spec/files/check-options.ts';
import { parseForm } from '../../spec/wire/form.ts';
import { splitPointer } from '../../spec/wire/json-pointer.ts';
import { pointerFor } from '../../spec/wire/model-place.ts';
import type { Service } from '../decoration.ts';
import { type MockRequest, splitTarget } from '../http/http.ts';
import type { Reply } from '../operations/reply.ts';
import { decodeSegment } from '../operations/router.ts';
import type { At, ChangeResponse } from './defect.ts';

export type Wire = Readonly<Record<string, unknown>>;

/** A request with any method to a path below the base of the models. */
export type Call = {
  readonly method: string;
  /** The name in the path, which can be unknown. */
  readonly name: string;
  /** The part of the path after the name; undefined for a path without an ID. */
  readonly id?: string;
  readonly request: MockRequest;
};

/** Returns the original response, also to another request. */
type Next = (request?: MockRequest) => Promise<Reply>;
type Respond = (call: Call, next: Next, at: At, service: Service) => Promise<Reply>;
/** Operations, the one in the detail of the place, or any method. */
type On = readonly Operation[] | 'detail' | 'any';

/** The operation of each method without and with an ID. */
const OPERATIONS: Readonly<Record<string, readonly [Operation | undefined, Operation]>> = {
  GET: ['list', 'retrieve'],
  POST: ['create', 'update'],
  DELETE: [undefined, 'delete'],
};

/** Replaces responses to requests. */
export function responds(on: On, respond: Respond): ChangeResponse {
  return (inner, at, service) => (request) => {
    const call = callOf(request, at);
    const operation = operationOf(call);
    const isOn =
      on === 'any' || (on === 'detail' ? at.detail === operation : operation && on.includes(operation));
    return call && isOn ? respond(call, (other = request) => inner(other), at, service) : inner(request);
  };
}

/** Returns undefined for a request outside the base of the models. */
export function callOf(request: MockRequest, { catalogue }: Contract): Call | undefined {
  const base = `${catalogue.base}/`;
  const [path] = splitTarget(request.target);
  if (!path.startsWith(base)) return undefined;
  const [name = '', id] = path.slice(base.length).split('/').map(decodeSegment);
  return { method: request.method, name, ...(id === undefined ? {} : { id }), request };
}

/** Returns a server error, for all calls or for some. */
export function breaks(on: On, isSo: (call: Call, at: At) => boolean = () => true): ChangeResponse {
  return responds(on, async (call, next, at, service) => (isSo(call, at) ? broken(service) : next()));
}

/** Changes responses that are a success. */
export function onSuccess(
  on: On,
  change: (reply: Reply, call: Call, at: At, service: Service) => Reply,
): ChangeResponse {
  return responds(on, async (call, next, at, service) => {
    const reply = await next();
    return isSuccess(reply) ? change(reply, call, at, service) : reply;
  });
}

/** Changes the wire form of each record in the responses. */
export function onShown(on: On, alter: (wire: Wire, at: At) => Wire): ChangeResponse {
  return onSuccess(on, (reply, call, at) => {
    const place = at.profile[operationOf(call) === 'list' ? 'response.records' : 'response.record'];
    return onBody(reply, pointerFor(place, at.model.name), (found) => {
      if (Array.isArray(found)) return found.map((item) => alter(item, at));
      return isObject(found) ? alter(found, at) : found;
    });
  });
}

/** Replaces the value at a pointer in the body of a response. */
export function onBody(reply: Reply, pointer: string, change: (found: unknown) => unknown): Reply {
  if (reply.body === '') return reply;
  return { ...reply, body: JSON.stringify(replaceAt(JSON.parse(reply.body), splitPointer(pointer), change)) };
}

function replaceAt(value: unknown, [name, ...rest]: string[], change: (found: unknown) => unknown): unknown {
  if (name === undefined) return change(value);
  return isObject(value) ? { ...value, [name]: replaceAt(value[name], rest, change) } : value;
}

export function operationOf(call: Call | undefined): Operation | undefined {
  const [ofAll, ofOne] = OPERATIONS[call?.method ?? ''] ?? [];
  return call?.id === undefined ? ofAll : ofOne;
}

export function isSuccess({ status }: Reply): boolean {
  return status >= 200 && status < 300;
}

/** Returns the response of a service that failed. */
export function broken({ replies }: Service): Reply {
  return replies.refusal({ status: 500, detail: 'Something went wrong.' });
}

/** Returns the same request to the path of a model, with the query it had. */
export function redirect(
  { catalogue, model }: Pick<At, 'catalogue' | 'model'>,
  { id, request }: Pick<Call, 'id' | 'request'>,
  method = request.method,
): MockRequest {
  const path = `${catalogue.base}/${model.name}${id === undefined ? '' : `/${id}`}`;
  return { ...request, method, target: path + splitTarget(request.target)[1] };
}

export function textOf({ body }: MockRequest): string {
  return body instanceof Uint8Array ? Buffer.from(body).toString() : '';
}

/** Returns the fields in the body of a request, in wire form; none if it can't be read. */
export function sentIn({ request }: Call, { profile }: Contract): Wire {
  try {
    const text = textOf(request);
    const value: unknown = profile['request.encoding'] === 'json' ? JSON.parse(text) : parseForm(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
