import type { Catalogue, Model, Operation } from '../../spec/catalogue/catalogue.ts';
import { type Profile, placeIn, profileAt, under } from '../../spec/profile/profile.ts';
import { stringifyForm } from '../../spec/wire/form.ts';
import { valueAt } from '../../spec/wire/json-pointer.ts';
import { pointerFor } from '../../spec/wire/model-place.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Exchange, Lost, NoAnswer, NotSent, type TargetResponse } from '../target/exchange.ts';
import type { Target, TargetRequest } from '../target/target.ts';
import {
  type ApiResponse,
  type Hidden,
  hideOthers,
  isAccepted,
  isGone,
  isId,
  isIntegerId,
  isNoList,
  isObject,
  noteHidden,
  placesIn,
  readAnswer,
  readJson,
} from './answer.ts';

const OPERATION_OF: Readonly<Record<string, Operation>> = {
  'GET all': 'list',
  'GET one': 'retrieve',
  'POST all': 'create',
  'POST one': 'update',
  'DELETE one': 'delete',
};

/** A request with its meaning in section 4. A request that is no operation of section 4 has none. */
export type ApiCall = {
  /** The request to the target, without credentials. */
  readonly request: TargetRequest;
  readonly operation: Operation | undefined;
  /** Undefined if the catalogue does not have the model in the path. */
  readonly model: Model | undefined;
  /** As in the path. */
  readonly id: string | undefined;
  /** The record or the change in the body, in wire form under the profile. */
  readonly sent: RecordValues | undefined;
  readonly profile: Profile;
  /** Whether the run created the record. Reports show no values of other records. */
  isOwn(model: string, id: unknown): boolean;
};

/** Sees every request of a run. */
export type Watcher = {
  /** Called before each request, also before it is repeated after a lost response. If it throws, it isn't sent. */
  before?(call: ApiCall): Promise<void> | void;
  /** Called before a request is repeated: to a service that was away, or after a failure. If it throws, it isn't. */
  again?(call: ApiCall, why: 'away' | 'lost'): Promise<void> | void;
  /** Called with each response, before the caller gets it. */
  answered?(call: ApiCall, answer: ApiResponse): Promise<void> | void;
  /** Called if there is no complete response. A repeated request is a new call. */
  failed?(call: ApiCall, error: unknown): void;
  /** Whether this watcher knows that the run created the record. */
  isOwn?: ApiCall['isOwn'];
};

/** The operations of section 4 in the encoding of a profile; values are in wire form. */
export type ModelApi = {
  retrieve(model: string, id: unknown): Promise<ApiResponse>;
  list(model: string, query?: Readonly<Record<string, string>>): Promise<ApiResponse>;
  create(model: string, body: RecordValues): Promise<ApiResponse>;
  update(model: string, id: unknown, body: RecordValues): Promise<ApiResponse>;
  delete(model: string, id: unknown): Promise<ApiResponse>;
  /** Sends any other request, with the version of the profile; `path` starts after the base of the models. */
  send(request: TargetRequest): Promise<ApiResponse>;
  /** Returns the record of a success, in wire form; undefined if the place of the profile has no object. */
  recordIn(answer: ApiResponse | undefined): RecordValues | undefined;
  /** Does the same for the records of a list. */
  recordsIn(answer: ApiResponse | undefined): readonly RecordValues[] | undefined;
  isOwn(model: string, id: unknown): boolean;
  readonly profile: Profile;
  /** Returns an API under another profile, or under other settings for all models. */
  under(settings: Partial<Profile>): ModelApi;
};

/** Models of an operation that have no response, until it counts as an operation that no model has. */
const MOST_SILENT = 2;

/** The operations of a target, as far as they are known. */
type Usage = {
  /** Those that it accepted with the credentials of the run, such as `create brand`. */
  readonly permitted: Set<string>;
  /** Those that had a response, of any model. */
  readonly answered: Set<Operation>;
  /** The last error of those without a response within the time limit, by operation and model. They aren't sent again. */
  readonly silent: Map<Operation, Map<string, NoAnswer>>;
};
const usages = new WeakMap<Target, Usage>();

/** Sends the operation with the name. Only a create and an update have a body. */
export function sendOperation(
  api: ModelApi,
  operation: Operation,
  model: string,
  id: unknown,
  body: RecordValues = {},
): Promise<ApiResponse> {
  if (operation === 'list') return api.list(model);
  if (operation === 'create') return api.create(model, body);
  return operation === 'update' ? api.update(model, id, body) : api[operation](model, id);
}

/** Creates the operations for a target. All of them send with `send` of this function. */
export function createApi(options: {
  readonly target: Target;
  readonly catalogue: Catalogue;
  /** Called for each request, because learning extends the profile. */
  readonly profile: () => Profile;
  /** Receives every exchange, so that a case can show its own. */
  readonly record?: ((exchange: Exchange) => void) | undefined;
  readonly watchers?: readonly Watcher[];
}): ModelApi {
  const { catalogue, record, target, watchers = [] } = options;
  const usage = usages.get(target) ?? { permitted: new Set(), answered: new Set(), silent: new Map() };
  usages.set(target, usage);
  return {
    retrieve: (model, id) => send({ method: 'GET', path: pathOf(model, id) }),
    list: (model, query = {}) => send({ method: 'GET', path: pathOf(model), query }),
    create: (model, body) => write(pathOf(model), body),
    update: (model, id, body) => write(pathOf(model, id), body),
    delete: (model, id) => send({ method: 'DELETE', path: pathOf(model, id) }),
    send: (request) => send(request),
    recordIn(answer) {
      if (!answer || !isAccepted(answer)) return undefined;
      const found = valueAt(answer.json, pointerOf(answer, 'response.record'));
      // An object around a record is no record: the profile names the wrong place then.
      const holdsRecord = () => placesIn(found).some(({ value }) => isObject(value) && isId(value.id));
      return isObject(found) && (Object.hasOwn(found, 'id') || !holdsRecord()) ? found : undefined;
    },
    recordsIn(answer) {
      if (!answer || !isAccepted(answer)) return undefined;
      const list = valueAt(answer.json, pointerOf(answer, 'response.records'));
      if (Array.isArray(list)) return list.every(isObject) ? list : undefined;
      // If the place is unknown, the surrounding body is no list in the wrong place.
      const isOpen = options.profile().unknown['response.records'] !== undefined && isObject(list);
      return isNoList(isOpen ? undefined : list, answer) ? [] : undefined;
    },
    isOwn,
    get profile() {
      return options.profile();
    },
    under: (settings) =>
      createApi({
        ...options,
        profile: () => ('except' in settings ? (settings as Profile) : under(options.profile(), settings)),
      }),
  };

  function write(path: string, body: RecordValues): Promise<ApiResponse> {
    const { name } = partsOf({ method: 'POST', path });
    return send({ method: 'POST', path, ...written(body, profileAt(options.profile(), name)) }, body);
  }

  /** Returns why an operation isn't sent; undefined if it is. */
  function silenceOf(operation: Operation, model: string): NoAnswer | undefined {
    const models = usage.silent.get(operation);
    const [first] = models?.values() ?? [];
    const isAll = models && models.size >= MOST_SILENT && !usage.answered.has(operation);
    return models?.get(model) ?? (isAll ? first : undefined);
  }

  function pointerOf({ model = '' }: ApiResponse, setting: 'response.record' | 'response.records'): string {
    return pointerFor(profileAt(options.profile(), model)[setting], model);
  }

  function isOwn(model: string, id: unknown): boolean {
    return watchers.some((watcher) => watcher.isOwn?.(model, id));
  }

  async function send(wanted: TargetRequest, sent?: RecordValues): Promise<ApiResponse> {
    const { id, name, operation } = partsOf(wanted);
    const profile = profileAt(options.profile(), name);
    const place = wanted.without === 'version' ? undefined : placeIn(profile.version);
    const version = place ? { [place.name]: catalogue.version } : {};
    const request = {
      ...wanted,
      path: catalogue.base + wanted.path,
      query: place?.in === 'query' ? { ...version, ...wanted.query } : (wanted.query ?? {}),
      headers: place?.in === 'header' ? { ...version, ...wanted.headers } : (wanted.headers ?? {}),
      shown,
      again,
    };
    const asked = `${wanted.method} ${request.path}`;
    const silence = operation && silenceOf(operation, name);
    if (silence) throw new NotSent(asked, silence);
    const model = catalogue.models.get(name);
    let call: ApiCall = { request, profile, model, id, operation, sent, isOwn };
    let isRepeated = false;
    await begin();
    let exchange: Exchange | undefined;
    let hidden: Hidden | undefined;
    try {
      const response = await target.send(request, (one) => {
        exchange = one;
        if (hidden) noteHidden(one, hidden);
        record?.(one);
      });
      if (!exchange) throw new TypeError('The target recorded no exchange.');
      const answer = {
        ...readAnswer(response, asked, exchange, name),
        isPermitted: () => usage.permitted.has(`${operation} ${name}`),
      };
      if (operation) usage.answered.add(operation);
      if (isAccepted(answer) && operation && wanted.without === undefined)
        usage.permitted.add(`${operation} ${name}`);
      if (isRepeated && operation === 'delete' && isGone(answer))
        throw new Lost(
          `${asked} was sent twice, because the first response was lost; the record is gone`,
          '',
        );
      for (const watcher of watchers) await watcher.answered?.(call, answer);
      return answer;
    } catch (error) {
      for (const watcher of watchers) watcher.failed?.(call, error);
      if (operation && error instanceof NoAnswer && error.silent && !error.gone) {
        const models = usage.silent.get(operation) ?? new Map();
        usage.silent.set(operation, models.set(name, error));
      }
      throw error;
    }

    async function begin(): Promise<void> {
      for (const watcher of watchers) await watcher.before?.(call);
    }

    async function again(lost?: NoAnswer): Promise<void> {
      if (lost) for (const watcher of watchers) watcher.failed?.(call, lost);
      for (const watcher of watchers) await watcher.again?.(call, lost ? 'lost' : 'away');
      if (!lost) return;
      isRepeated = true;
      call = { ...call };
      await begin();
    }

    function shown(response: TargetResponse): string {
      const { json } = readJson(response.body);
      hidden = hideOthers({ id, model: name, operation }, response, json, catalogue, isOwn);
      return hidden.body;
    }
  }
}

/** Returns the operation, the name of the model, and the ID in the method and path of a request. */
function partsOf({ method, path }: TargetRequest) {
  const [, name = '', id, ...more] = path.split('/').map(decode);
  if (more.length > 0) return { name: '', id: undefined, operation: undefined };
  return { name, id, operation: operationOf(method, id !== undefined) };
}

/** Returns the operation of a method, on all records or on the one in the path. */
export function operationOf(method: string, ofOne: boolean): Operation | undefined {
  return OPERATION_OF[`${method} ${ofOne ? 'one' : 'all'}`];
}

/** Returns a body and its content type in the encoding of a profile. */
export function written(body: RecordValues, profile: Profile): Pick<TargetRequest, 'body' | 'headers'> {
  return profile['request.encoding'] === 'form'
    ? { body: stringifyForm(body), headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

/** Returns the path of a model or record below the base. */
export function pathOf(model: string, id?: unknown): string {
  return `/${encodeURIComponent(model)}${id === undefined ? '' : `/${encodeURIComponent(String(id))}`}`;
}

function decode(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The meaning of a request in section 4. */
export type Meaning = {
  readonly model: Model;
  /** `other` is a method without an operation, such as PUT. */
  readonly operation: Operation | 'other';
  /** The ID in the path; undefined for a list and a create. */
  readonly id?: number | undefined;
  /** The body in wire form; undefined if there is none, or it can't be read. */
  readonly sent?: RecordValues | undefined;
};

/** Returns the meaning of a request; undefined if it names no model of the catalogue, or no integer ID. */
export function meaningOf({ id, model, request, sent: given, ...call }: ApiCall): Meaning | undefined {
  const { operation = 'other' } = call;
  if (!model || (id !== undefined && !isIntegerId(id))) return undefined;
  const body = given ?? readJson(request.body ?? '').json;
  const sent = isObject(body) ? body : undefined;
  return { model, operation, id: id === undefined ? id : Number(id), sent };
}

/** Whether a request can create a record: a create, or an unknown method that a service treats as a create. */
export function mayCreate({ id, request: { method } }: ApiCall): boolean {
  return method === 'PUT' || method === 'PATCH' || (method === 'POST' && id === undefined);
}
