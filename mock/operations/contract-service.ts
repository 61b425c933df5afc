import { type ContractDocument, deferDocument } from '../../generator/generate.ts';
import { withNamedStatuses } from '../../generator/named-statuses.ts';
import type { Contract } from '../../spec/contract.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { splitPointer, valueAt } from '../../spec/wire/json-pointer.ts';
import { pointerFor } from '../../spec/wire/model-place.ts';
import { createRecordCodec } from '../../spec/wire/record-codec.ts';
import type { Engine } from '../engine/engine.ts';
import { type MockRequest, splitTarget } from '../http/http.ts';
import { createPipeline } from '../prism/prism.ts';
import { forbid, type Users } from '../users/users.ts';
import { hasCredentials, unauthorized } from './access.ts';
import { createDraftReader, type ReadDraft } from './body.ts';
import { createDocuments } from './documents.ts';
import { type Call, createOperationHandler } from './operations.ts';
import { createQueryReader } from './query.ts';
import { createReplies, type Refusal, type Replies, type Reply } from './reply.ts';
import { createRouter, type Endpoint, type Route, refuseRoute } from './router.ts';
import { createBodyValidator } from './validators.ts';

/** What a request is answered with: the records and the time of its session, and whether it asks too often. */
export type Backend = {
  readonly engine: Engine;
  exceedsRate(): boolean;
  /** The time of the session, in milliseconds since 1970. */
  time(): number;
};

/** Answers one request to the contract, from the request line to the reply. */
export type AnswerRequest = (request: MockRequest, backend: Backend) => Promise<Reply>;

/** What is compiled of a contract once, whatever sessions and forks there are. */
export type ContractService = {
  /** Made when it is first asked for: most of what is answered needs no document. */
  document(): ContractDocument;
  readonly replies: Replies;
  readonly route: (method: string, path: string) => Route;
  /** `decorate` stands around the reading of bodies. */
  answerWith(decorate?: (inner: ReadDraft) => ReadDraft): AnswerRequest;
};

export async function createContractService(
  contract: Contract,
  bodyLimit: number,
  users?: Users,
): Promise<ContractService> {
  const { catalogue, profile } = contract;
  const document = deferDocument(contract, { servers: ['/'] });
  const codec = createRecordCodec(catalogue, profile);
  const replies = createReplies(catalogue, profile, codec);
  const draftReader = createDraftReader(catalogue, profile, codec, createBodyValidator(document, catalogue));
  const queries = createQueryReader(profile);
  const pipeline = await createPipeline(
    () => withNamedStatuses(document()),
    replies.refusal,
    (example, endpoint) => agreeOnTotal(example, endpoint, profile),
  );
  const route = createRouter(catalogue);
  const documents = createDocuments(document);
  return { document, replies, route, answerWith };

  function answerWith(decorate?: (inner: ReadDraft) => ReadDraft): AnswerRequest {
    const readDraft = decorate?.(draftReader) ?? draftReader;
    const handler = createOperationHandler({ catalogue, profile, queries, readDraft, replies });
    return async ({ body, headers, method, target }, { engine, exceedsRate, time }) => {
      const [path, search] = splitTarget(target);
      const ofDocument = method === 'GET' || method === 'HEAD' ? documents(path) : undefined;
      if (ofDocument) return ofDocument;
      const denied = exceedsRate() ? tooMany(profile) : deny(headers, profile);
      if (denied) return replies.refusal(denied);
      const user = users?.identify(headers, time());
      if (user && 'status' in user) return replies.refusal(user);
      const found = route(method, path);
      if (found.kind !== 'operation') return replies.refusal(refuseRoute(found, method, path, contract));
      const forbidden = user && forbid(user, found.endpoint);
      if (forbidden !== undefined) return replies.refusal({ status: 403, detail: forbidden });
      if (body === 'too-large')
        return replies.refusal({ status: 413, detail: `The body has more than ${bodyLimit} bytes.` });
      const { 'content-encoding': coding = 'identity' } = headers;
      if (coding.toLowerCase() !== 'identity') return replies.refusal(refuseCoding(coding));
      const { endpoint, id } = found;
      const call: Call = { endpoint, id, path, headers, search, body, user: user?.id };
      const input = handler.read(call);
      const { unparsable, violations } = input;
      const isValid = violations.length === 0 && unparsable === undefined;
      const forward = () => handler.run(call, input, engine);
      const reply = await pipeline({ endpoint, path, headers, violations, isValid, forward });
      return input.ignored?.length ? { ...reply, ignored: input.ignored } : reply;
    };
  }
}

/** Coded bodies are not read (RFC 9110, 15.5.16). */
function refuseCoding(coding: string): Refusal {
  const detail = `The content encoding ${coding} is not supported. Send the body without an encoding.`;
  return { status: 415, detail, headers: { 'accept-encoding': 'identity' } };
}

function tooMany(profile: Profile): Refusal {
  const detail = `The rate limit of ${profile['limits.rate']} requests per second is exceeded.`;
  return { status: 429, detail, headers: { 'retry-after': '1' } };
}

/** Which credentials are right, no profile says; who gives users does. */
function deny(headers: MockRequest['headers'], profile: Profile): Refusal | undefined {
  if (hasCredentials(profile, headers)) return undefined;
  const detail = `The credentials are missing or malformed. The service uses the scheme ${profile['auth.scheme']}.`;
  return unauthorized(profile, detail);
}

/**
 * The answer that Prism gives in the place of the service. What it makes up for a list has a total of its own; the
 * records that are shown are all there are.
 */
function agreeOnTotal(reply: Reply, { model, operation }: Endpoint, profile: Profile): Reply {
  const total = profile['response.total'];
  if (operation !== 'list' || reply.status !== 200 || total === 'none') return reply;
  const body: unknown = JSON.parse(reply.body);
  const records = valueAt(body, pointerFor(profile['response.records'], model.name));
  if (!Array.isArray(records)) return reply;
  if (total === 'header') {
    const name = profile['response.totalHeader'].toLowerCase();
    const others = Object.entries(reply.headers).filter(([known]) => known.toLowerCase() !== name);
    return { ...reply, headers: { ...Object.fromEntries(others), [name]: String(records.length) } };
  }
  const names = splitPointer(profile['response.totalPointer']);
  const last = names.pop() ?? '';
  const holder = valueAt(body, names.map((name) => `/${name}`).join(''));
  if (holder !== null && typeof holder === 'object') Object.assign(holder, { [last]: records.length });
  return { ...reply, body: JSON.stringify(body) };
}
