import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { splitPointer } from '../../spec/wire/json-pointer.ts';
import { pointerFor } from '../../spec/wire/model-place.ts';
import { combineDecorations, type Decoration, type Service } from '../decoration.ts';
import { type MockRequest, splitTarget } from '../http/http.ts';
import type { Reply } from '../operations/reply.ts';

/** A request with any method to a path of a model. */
export type Call = {
  readonly method: string;
  /** The name in the path, which need not be a model's. */
  readonly name: string;
  /** The part of the path after the name; undefined for a path without an ID. */
  readonly id?: string;
  readonly request: MockRequest;
};

type Answer = (request?: MockRequest) => Promise<Reply>;

/** Replaces answers to requests below the base of the models; `inner` gives the original answer. */
export function onRequest(
  contract: Contract,
  answer: (call: Call, inner: Answer, service: Service) => Promise<Reply>,
): Decoration {
  return {
    handle: (inner, service) => (request) => {
      const call = callOf(request, contract);
      return call ? answer(call, (other = request) => inner(other), service) : inner(request);
    },
  };
}

/** Undefined for a request outside the base of the models. */
function callOf(request: MockRequest, { catalogue }: Contract): Call | undefined {
  const base = `${catalogue.base}/`;
  const [path] = splitTarget(request.target);
  if (!path.startsWith(base)) return undefined;
  const [name = '', id] = path.slice(base.length).split('/').map(decode);
  return { method: request.method, name, ...(id === undefined ? {} : { id }), request };
}

/** Combines decorations that each change requests of one model. A request passes only through those of its model. */
export function routeByModel(all: readonly Decoration[], contract: Contract): Decoration {
  const byModel = [...Map.groupBy(all, ({ model }) => model)];
  const ofModels = byModel.map(([model, some]) => [model, combineDecorations(some)] as const);
  return {
    ...combineDecorations(all),
    handle: (inner, service) => {
      const routes = new Map(ofModels.map(([model, one]) => [model, one.handle?.(inner, service)]));
      return (request) => (routes.get(callOf(request, contract)?.name) ?? inner)(request);
    },
  };
}

/** Replaces answers of some operations of one model. */
export function onOperation(
  model: Model,
  operations: readonly string[],
  contract: Contract,
  answer: (call: Call, inner: Answer, service: Service) => Promise<Reply>,
): Decoration {
  const decoration = onRequest(contract, (call, inner, service) => {
    const operation = call.name === model.name ? operationOf(call) : undefined;
    return operation && operations.includes(operation) ? answer(call, inner, service) : inner();
  });
  return { ...decoration, model: model.name };
}

/** The service breaks where some operations of a model are asked for in a certain way. */
export function breaking(
  model: Model,
  operations: readonly string[],
  contract: Contract,
  isSo: (call: Call) => boolean = () => true,
): Decoration {
  return onOperation(model, operations, contract, async (call, inner, service) =>
    isSo(call) ? broken(service) : inner(),
  );
}

/** Replaces the answers of some operations of a model that are a success. */
export function onSuccess(
  model: Model,
  operations: readonly string[],
  contract: Contract,
  change: (reply: Reply, call: Call, service: Service) => Reply,
): Decoration {
  return onOperation(model, operations, contract, async (call, inner, service) => {
    const reply = await inner();
    return isSuccess(reply) ? change(reply, call, service) : reply;
  });
}

/** Changes the wire form of records in the answers of some operations of a model. */
export function onShown(
  model: Model,
  operations: readonly string[],
  contract: Contract,
  alter: (wire: Wire) => Wire,
): Decoration {
  const { profile } = contract;
  return onSuccess(model, operations, contract, (reply, call) => {
    if (reply.body === '') return reply;
    const many = operationOf(call) === 'list';
    const place = splitPointer(
      pointerFor(profile[many ? 'response.records' : 'response.record'], model.name),
    );
    const body = replaceAt(JSON.parse(reply.body), place, (found) =>
      Array.isArray(found) ? found.map((item) => alter(item as Wire)) : isWire(found) ? alter(found) : found,
    );
    return { ...reply, body: JSON.stringify(body) };
  });
}

export type Wire = Readonly<Record<string, unknown>>;

export function operationOf({ id, method }: Call): Operation | undefined {
  const one = id !== undefined;
  switch (method) {
    case 'GET':
      return one ? 'retrieve' : 'list';
    case 'POST':
      return one ? 'update' : 'create';
    case 'DELETE':
      return one ? 'delete' : undefined;
    default:
      return undefined;
  }
}

export function isSuccess({ status }: Reply): boolean {
  return status >= 200 && status < 300;
}

/** The answer of a service that failed. */
export function broken({ replies }: Service): Reply {
  return replies.refusal({ status: 500, detail: 'Something went wrong.' });
}

/** The same request to another path, with the query it had. */
export function redirect(request: MockRequest, path: string, method = request.method): MockRequest {
  return { ...request, method, target: path + splitTarget(request.target)[1] };
}

/** The body of a request as text. */
export function textOf({ body }: MockRequest): string {
  return body instanceof Uint8Array ? Buffer.from(body).toString() : '';
}

export function replaceAt(
  value: unknown,
  [name, ...rest]: string[],
  change: (found: unknown) => unknown,
): unknown {
  if (name === undefined) return change(value);
  if (!isWire(value)) return value;
  return { ...value, [name]: replaceAt(value[name], rest, change) };
}

function isWire(value: unknown): value is Wire {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
