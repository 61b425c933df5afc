import { deferDocument, generateDocument } from '../../generator/generate.ts';
import { withNamedStatuses } from '../../generator/rewrite.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { onceFor } from '../../spec/once-for.ts';
import { type Profile, placeIn, profileAt } from '../../spec/profile/profile.ts';
import { splitPointer, valueAt } from '../../spec/wire/json-pointer.ts';
import { pointerFor } from '../../spec/wire/model-place.ts';
import { createRecordCodec, type RecordValues } from '../../spec/wire/record-codec.ts';
import type { Handle } from '../decoration.ts';
import type { Engine, Invalid, ListQuery, OneRecord, UnknownRecord } from '../engine/engine.ts';
import {
  type Draft,
  describeViolation,
  MOST_VIOLATIONS,
  type ShownViolation,
  showViolations,
  type Violation,
} from '../engine/violation.ts';
import { type Headers, type MockRequest, splitTarget } from '../http/http.ts';
import { createPipeline } from '../prism/prism.ts';
import { forbid, type Users } from '../users/users.ts';
import { createDraftReader, type ReadDraft, readBody } from './body.ts';
import { show } from './messages.ts';
import { createQueryReader } from './query.ts';
import { createReplies, type Refusal, type Replies, type Reply } from './reply.ts';
import {
  createDocuments,
  createRouter,
  createVersionCheck,
  type Endpoint,
  refuseRoute,
  tokenIn,
  unauthorized,
} from './router.ts';

/** The records and the time of a session, and its rate limit. */
type Backend = {
  readonly engine: Engine;
  exceedsRate(): boolean;
  /** The time of the session, in milliseconds since 1970. */
  time(): number;
};

export type ContractService = ReturnType<typeof createContractService>;

/** Maximum number of compiled services for profiles of sessions, because each has a document and validators. */
const MOST_SERVICES = 8;

/** Returns the service for a profile of a session: the one of the start, or one that is compiled on its first use. */
export function createServices(
  start: ContractService,
  { profile: own }: Contract,
  compile: (profile: Profile) => ContractService,
): (profile: Profile) => ContractService {
  const compiled = new Map<string, ContractService>();
  return (profile) => {
    if (profile === own) return start;
    const key = JSON.stringify(profile);
    const service = compiled.get(key) ?? compile(profile);
    // The least recently used one is first.
    compiled.delete(key);
    compiled.set(key, service);
    const [oldest = ''] = compiled.keys();
    if (compiled.size > MOST_SERVICES) compiled.delete(oldest);
    return service;
  };
}

/** Compiles a contract once for all sessions and forks. */
export function createContractService(contract: Contract, bodyLimit: number, users?: Users) {
  const { catalogue, profile } = contract;
  // Generated on its first use, because most responses need no document.
  const document = deferDocument(contract, { servers: ['/'] });
  const older = () => generateDocument(contract, { servers: ['/'], openapi: '3.0' });
  const codec = createRecordCodec(catalogue, profile);
  const replies = createReplies(profile, codec);
  const draftReader = createDraftReader(contract);
  const pipeline = createPipeline(
    () => withNamedStatuses(document()),
    replies.refusal,
    (example, endpoint) => agreeOnTotal(example, endpoint, profileAt(profile, endpoint.model.name)),
  );
  const route = createRouter(catalogue);
  const documents = createDocuments({ '3.1': document, '3.0': older });
  const plainHandler = createOperationHandler(contract, draftReader, replies);
  return { document, replies, route, answerWith, checkSent };

  /** Checks a request to an operation that a service answers in place of the mock. */
  function checkSent(
    { body, headers, target }: Pick<OperationCall, 'body' | 'headers'> & Pick<MockRequest, 'target'>,
    endpoint: Endpoint,
    id: number | null | undefined,
  ) {
    const [path, search] = splitTarget(target);
    const call: OperationCall = { endpoint, id, path, headers, search, body, user: undefined };
    const { ignored, unparsable, violations } = plainHandler.read(call);
    const wrong: ShownViolation[] = showViolations(violations);
    if (tokenIn(profile, headers) === undefined)
      wrong.push({ location: 'request', message: missingCredentials(profile) });
    if (id === null) wrong.push({ location: 'request.path.id', message: invalidId(path) });
    // The text after the colon can have a part of the body, such as a secret.
    const [message] = (refuseEncoding(headers) ?? unparsable)?.split(':') ?? [];
    if (message !== undefined) wrong.push({ location: 'request.body', message });
    return { ignored, violations: wrong };
  }

  /** Returns a function that answers requests with the records of a session. `decorate` wraps the reading of bodies. */
  function answerWith(decorate?: (inner: ReadDraft) => ReadDraft): (backend: Backend) => Handle {
    const readDraft = decorate?.(draftReader) ?? draftReader;
    const handler = createOperationHandler(contract, readDraft, replies);
    return (backend) =>
      async ({ body, headers, method, target }) => {
        const { engine, exceedsRate, time } = backend;
        const [path, search] = splitTarget(target);
        const ofDocument = method === 'GET' || method === 'HEAD' ? documents(path) : undefined;
        if (ofDocument) return ofDocument;
        if (exceedsRate()) {
          const detail = `The rate limit of ${profile['limits.rate']} requests per second is exceeded.`;
          return replies.refusal({ status: 429, detail, headers: { 'retry-after': '1' } });
        }
        // Only users decide which credentials are valid.
        if (tokenIn(profile, headers) === undefined) {
          return replies.refusal(unauthorized(profile, missingCredentials(profile)));
        }
        const user = users?.(headers, time());
        if (user && 'status' in user) return replies.refusal(user);
        const found = route(method, path);
        if (found.kind !== 'operation') return replies.refusal(refuseRoute(found, method, path, contract));
        const forbidden = user && forbid(user, found.endpoint);
        if (forbidden !== undefined) return replies.refusal({ status: 403, detail: forbidden });
        if (body === 'too-large')
          return replies.refusal({ status: 413, detail: `The body has more than ${bodyLimit} bytes.` });
        const detail = refuseEncoding(headers);
        // RFC 9110, 15.5.16.
        if (detail !== undefined)
          return replies.refusal({ status: 415, detail, headers: { 'accept-encoding': 'identity' } });
        const { endpoint, id } = found;
        const call: OperationCall = { endpoint, id, path, headers, search, body, user: user?.id };
        const input = handler.read(call);
        const { unparsable, violations } = input;
        const isValid = violations.length === 0 && unparsable === undefined;
        const forward = () => handler.run(call, input, engine);
        const reply = await pipeline({ endpoint, path, headers, violations, isValid, forward });
        return input.ignored?.length ? { ...reply, ignored: input.ignored } : reply;
      };
  }
}

/** Returns an example of Prism with the number of its records as the total. */
function agreeOnTotal(reply: Reply, { model, operation }: Endpoint, profile: Profile): Reply {
  const total = placeIn(profile['response.total']);
  if (operation !== 'list' || reply.status !== 200 || !total) return reply;
  const body: unknown = JSON.parse(reply.body);
  const records = valueAt(body, pointerFor(profile['response.records'], model.name));
  if (!Array.isArray(records)) return reply;
  if (total.in === 'header') {
    const name = total.name.toLowerCase();
    const others = Object.entries(reply.headers).filter(([known]) => known.toLowerCase() !== name);
    return { ...reply, headers: { ...Object.fromEntries(others), [name]: String(records.length) } };
  }
  const names = splitPointer(total.name);
  const last = names.pop() ?? '';
  const holder = valueAt(body, names.map((name) => `/${name}`).join(''));
  if (holder !== null && typeof holder === 'object') Object.assign(holder, { [last]: records.length });
  return { ...reply, body: JSON.stringify(body) };
}

function refuseEncoding({ 'content-encoding': coding = 'identity' }: Headers): string | undefined {
  if (coding.toLowerCase() === 'identity') return undefined;
  return `The content encoding ${coding} is not supported. Send the body without an encoding.`;
}

function missingCredentials({ auth }: Profile): string {
  return `The credentials are missing or malformed. The service uses the scheme ${auth}.`;
}

function invalidId(path: string): string {
  return `The ID in the path must be an integer, but is ${show(path.split('/').at(-1))}.`;
}

type OperationCall = {
  readonly endpoint: Endpoint;
  /** Null if no record can have the ID in the path. */
  readonly id: number | null | undefined;
  readonly path: string;
  readonly headers: Headers;
  /** The query with its question mark, or an empty string. */
  readonly search: string;
  readonly body: Uint8Array | undefined;
  readonly user: number | undefined;
};

type Input = {
  readonly violations: readonly Violation[];
  readonly values?: RecordValues;
  readonly query?: ListQuery;
  readonly ignored?: readonly string[] | undefined;
  readonly unparsable?: string;
};

/** Converts requests to canonical values for the engine, and results to responses. */
function createOperationHandler(
  { catalogue, profile: whole }: Contract,
  readDraft: ReadDraft,
  replies: Replies,
) {
  const queries = onceFor(createQueryReader);
  const profileOf = onceFor((model: Model) => profileAt(whole, model.name));
  const refuseVersion = createVersionCheck(whole, catalogue.version);
  return { read, run };

  function read({ endpoint: { model, operation }, headers, search, body }: OperationCall): Input {
    const profile = profileOf(model);
    const ofVersion = refuseVersion(headers, search);
    if (operation === 'list') {
      const { query, violations } = queries(profile).readList(model, search);
      return { query, violations: [...ofVersion, ...violations] };
    }
    const outside = search === '' ? ofVersion : [...ofVersion, ...queries(profile).refuse(search)];
    if (operation !== 'create' && operation !== 'update') return { violations: outside };
    const sent = readBody(body, headers['content-type'], profile['request.encoding']);
    if (typeof sent === 'string') return { violations: outside, unparsable: sent };
    const { ignored, values, violations } = readDraft(model, operation, sent);
    return { ignored, values, violations: outside.length === 0 ? violations : [...outside, ...violations] };
  }

  async function run(call: OperationCall, input: Input, engine: Engine): Promise<Reply> {
    const { model, operation } = call.endpoint;
    const profile = profileOf(model);
    const { unparsable: detail, violations, values = {}, query = {} } = input;
    if (detail !== undefined)
      return replies.refusal({ status: profile['status.unparsable'], detail, model: model.name });
    switch (operation) {
      case 'list': {
        if (violations.length > 0) return refuse(call, { kind: 'invalid', violations });
        const withTotal = profile['response.total'] !== 'none';
        const { records, total } = await engine(model).list({ ...query, withTotal });
        return replies.records(model, records, total);
      }
      case 'create': {
        const result = await engine(model).create({ values, violations, user: call.user });
        if (result.kind !== 'record') return refuse(call, result);
        const location = `${catalogue.base}/${model.name}/${result.record.id}`;
        return replies.record(profile['status.created'], model, result.record, { location });
      }
      default: {
        const result = await runOnRecord(call, { values, violations, user: call.user }, engine);
        if (result.kind !== 'record') return refuse(call, result);
        if (operation === 'delete') return replies.deleted(model, result.record);
        if (operation === 'retrieve') return replies.retrieved(model, result.record);
        return replies.record(profile['status.updated'], model, result.record);
      }
    }
  }

  function refuse({ endpoint: { model }, id, path }: OperationCall, result: UnknownRecord | Invalid): Reply {
    const profile = profileOf(model);
    const refusal = (refused: Refusal) => replies.refusal({ ...refused, model: model.name });
    if (result.kind === 'unknown-record') {
      const detail = result.deleted
        ? `The ${model.name} record with the ID ${id} is deleted.`
        : typeof id === 'number'
          ? `There is no ${model.name} record with the ID ${id}.`
          : invalidId(path);
      return refusal({ status: profile['status.unknownRecord'], detail });
    }
    const violations = result.violations.slice(0, MOST_VIOLATIONS);
    const sentences = violations
      .map(describeViolation)
      .map((text) => (text.endsWith('?') ? text : `${text}.`));
    const all = sentences.join(' ');
    const detail = all.length > 500 ? `${all.slice(0, 500)}…` : all;
    return refusal({ status: profile['status.invalid'], detail, violations });
  }
}

/** Runs an operation on a record. Reports an unknown record before any other violation. */
async function runOnRecord(
  { endpoint: { model, operation }, id }: OperationCall,
  draft: Draft,
  engine: Engine,
): Promise<OneRecord | UnknownRecord | Invalid> {
  if (typeof id !== 'number') return { kind: 'unknown-record' };
  if (operation === 'update') return engine(model).update(id, draft);
  const { user, violations } = draft;
  if (operation === 'delete' && violations.length === 0) return engine(model).delete(id, user);
  const found = await engine(model).retrieve(id);
  return found.kind === 'record' && violations.length > 0 ? { kind: 'invalid', violations } : found;
}
