import type { ContractDocument } from '../../generator/generate.ts';
import type { OpenApiVersion } from '../../generator/version.ts';
import { hasId, METHODS, operationId, templateOf } from '../../spec/binding.ts';
import { type Catalogue, type Model, OPERATIONS, type Operation } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { closest } from '../../spec/files/usage-error.ts';
import { headerIn, type Profile, placeIn, profileAt } from '../../spec/profile/profile.ts';
import type { Violation } from '../engine/violation.ts';
import { type Headers, type MockRequest, splitTarget } from '../http/http.ts';
import type { Refusal, Reply } from './reply.ts';

/** An operation of a model and where the document has it; there is one object of each. */
export type Endpoint = {
  readonly model: Model;
  readonly operation: Operation;
  readonly method: (typeof METHODS)[Operation];
  /** The path as the document writes it, such as `/api/model/warehouse/{id}`. */
  readonly template: string;
};

/** Where a request leads (section 4). */
type Destination =
  /** `id` is undefined for a list or a create, and null when the path has one that no record can have. */
  | { readonly kind: 'operation'; readonly endpoint: Endpoint; readonly id: number | null | undefined }
  | { readonly kind: 'no-operation'; readonly model: Model; readonly allow: readonly string[] }
  | { readonly kind: 'unknown-model'; readonly name: string }
  | { readonly kind: 'outside' };

/** The facts of a request that faults and filters of the request log name. */
export type RequestFacts = {
  readonly method: string;
  readonly path: string;
  readonly model?: string;
  readonly operation?: Operation;
  readonly operationId?: string;
  readonly id?: number | null | undefined;
};

export function describeRequest(route: Router, { method, target }: MockRequest): RequestFacts {
  const [path] = splitTarget(target);
  const found = route(method, path);
  if (found.kind !== 'operation') return { method, path };
  const { model, operation } = found.endpoint;
  const named = operationId(operation, model.name);
  return { method, path, model: model.name, operation, operationId: named, id: found.id };
}

const OUTSIDE: Destination = { kind: 'outside' };

export type Router = ReturnType<typeof createRouter>;

/** Finds the operation of a method and a path by looking it up; Prism's router sorts all 262 for every request. */
export function createRouter(catalogue: Catalogue): (method: string, path: string) => Destination {
  const base = `${catalogue.base}/`;
  const ofCollection = new Map<Model, Map<string, Endpoint>>();
  const ofRecord = new Map<Model, Map<string, Endpoint>>();
  for (const model of catalogue.models.values())
    for (const operation of OPERATIONS.filter((one) => model.operations.includes(one))) {
      const method = METHODS[operation];
      const template = templateOf(catalogue.base, model, operation);
      const all = hasId(operation) ? ofRecord : ofCollection;
      const own = all.get(model) ?? new Map<string, Endpoint>();
      all.set(model, own.set(method.toUpperCase(), { model, operation, method, template }));
    }
  return (method, path) => {
    if (!path.startsWith(base)) return OUTSIDE;
    const slash = path.indexOf('/', base.length);
    const second = slash < 0 ? undefined : path.slice(slash + 1);
    // A slash at the end is no id.
    if (second === '' || second?.includes('/')) return OUTSIDE;
    const name = decodeSegment(path.slice(base.length, slash < 0 ? undefined : slash));
    const model = catalogue.models.get(name);
    if (!model) return { kind: 'unknown-model', name };
    const endpoints = (second === undefined ? ofCollection : ofRecord).get(model);
    const endpoint = endpoints?.get(method === 'HEAD' ? 'GET' : method);
    if (endpoint) return { kind: 'operation', endpoint, id: readId(second) };
    const allow = [...(endpoints?.keys() ?? [])].flatMap((known) =>
      known === 'GET' ? ['GET', 'HEAD'] : known,
    );
    return { kind: 'no-operation', model, allow };
  };
}

function readId(segment: string | undefined): number | null | undefined {
  if (segment === undefined) return undefined;
  const text = decodeSegment(segment);
  const id = Number(text);
  return /^(0|-?[1-9][0-9]*)$/.test(text) && Number.isSafeInteger(id) ? id : null;
}

/** Decodes a segment of a path. Returns a malformed one as it is. */
export function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Why a path or method leads to no operation. */
export function refuseRoute(
  route: Exclude<Destination, { kind: 'operation' }>,
  method: string,
  path: string,
  { catalogue, profile }: Pick<Contract, 'catalogue' | 'profile'>,
): Refusal {
  const models = [...catalogue.models.keys()];
  switch (route.kind) {
    case 'outside':
      return {
        status: 404,
        detail: `The path ${path} does not exist.${hintAt(path, catalogue.base, models)}`,
      };
    case 'unknown-model': {
      const near = closest(route.name, models);
      const hint =
        near === undefined ? ` /openapi.json lists all ${models.length} models.` : ` Did you mean ${near}?`;
      const detail = `There is no model ${route.name}.${hint}`;
      return { status: profile['status.unknownModel'], detail };
    }
    case 'no-operation': {
      const status = profileAt(profile, route.model.name)['status.noOperation'];
      const allow = route.allow.join(', ');
      const detail = `${path} does not support ${method}. Supported methods: ${allow === '' ? 'none' : allow}.`;
      return { status, detail, model: route.model.name, ...(status === 405 ? { headers: { allow } } : {}) };
    }
  }
}

/** Returns the path that an unknown path might mean: with the base, or without a slash at the end. */
function hintAt(path: string, base: string, models: readonly string[]): string {
  const names = path.split('/').map(decodeSegment).filter(Boolean);
  const at = names.findIndex((name) => models.includes(name));
  if (at < 0) return ` Models are at ${base}/<model>.`;
  return ` Did you mean ${[base, ...names.slice(at, at + 2)].join('/')}?`;
}

/** Returns a function that checks the version label of a request (`version`). */
export function createVersionCheck(
  profile: Profile,
  version: string,
): (headers: Headers, search: string) => readonly Violation[] {
  const place = placeIn(profile.version);
  if (!place) return () => NO_VIOLATIONS;
  const { name } = place;
  return (headers, search) => {
    const found = place.in === 'header' ? headers[name.toLowerCase()] : new URLSearchParams(search).get(name);
    if (found === version) return NO_VIOLATIONS;
    const problem = found === undefined || found === null ? 'is missing' : `is ${JSON.stringify(found)}`;
    const message = `must be the version label ${version} in the ${place.in}, but ${problem}`;
    return [{ pointer: '', parameter: name, message }];
  };
}

const NO_VIOLATIONS: readonly Violation[] = [];

/** Returns the token of a request (`name:password` for basic); undefined if missing or malformed. */
export function tokenIn(profile: Profile, headers: Headers): string | undefined {
  const { authorization = '' } = headers;
  switch (profile.auth) {
    case 'none':
      return '';
    case 'bearer':
      return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1];
    case 'basic': {
      const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1] ?? '';
      const pair = Buffer.from(encoded, 'base64').toString();
      return pair.indexOf(':') > 0 ? pair : undefined;
    }
    default:
      return headers[headerIn(profile.auth)?.toLowerCase() ?? '']?.trim() || undefined;
  }
}

/** The answer to a request without credentials that are good for anything, with its challenge (RFC 9110, 11.6.1). */
export function unauthorized(profile: Profile, detail: string, error?: 'invalid_token'): Refusal {
  const challenges: Readonly<Record<string, string>> = {
    // RFC 6750, 3.1.
    bearer: error ? `Bearer error="${error}"` : 'Bearer',
    basic: 'Basic realm="record-model", charset="UTF-8"',
  };
  const challenge = challenges[profile.auth] ?? `ApiKey header="${headerIn(profile.auth)}"`;
  return { status: 401, detail, headers: { 'www-authenticate': challenge } };
}

/** Whether a request is more than `limits.rate` allows, in fixed windows of one second; counts it. */
export function createRateLimit(limit: Profile['limits.rate'], clock: () => Date): () => boolean {
  if (limit === 'none') return () => false;
  let [second, count] = [Number.NaN, 0];
  return () => {
    const now = Math.floor(clock().getTime() / 1000);
    count = now === second ? count + 1 : 1;
    second = now;
    return count > limit;
  };
}

const PLACES = {
  '/openapi.json': ['3.1', 'json', 'application/json'],
  // RFC 9512.
  '/openapi.yaml': ['3.1', 'yaml', 'application/yaml'],
  '/openapi-3.0.json': ['3.0', 'json', 'application/json'],
} as const;

export const DOCUMENT_PATHS = Object.keys(PLACES);

export function isDocumentPath(path: string): path is keyof typeof PLACES {
  return Object.hasOwn(PLACES, path);
}

/** Returns a function that serves the document by path; undefined for other paths. Writes it on its first use. */
export function createDocuments(
  documents: Readonly<Record<OpenApiVersion, () => ContractDocument>>,
): (path: string) => Promise<Reply> | undefined {
  const written = new Map<string, Promise<Reply>>();
  return (path) => {
    if (!isDocumentPath(path)) return undefined;
    const reply = written.get(path) ?? write(path);
    written.set(path, reply);
    return reply;
  };

  async function write(path: keyof typeof PLACES): Promise<Reply> {
    const { serializeDocument } = await import('../../generator/serialize.ts');
    const [version, format, type] = PLACES[path];
    const body = serializeDocument(documents[version](), format);
    return { status: 200, headers: { 'content-type': type }, body };
  }
}
