import { type ContractDocument, generateDocument } from '../generator/generate.ts';
import { METHODS, templateOf } from '../spec/binding.ts';
import type { Contract } from '../spec/contract.ts';
import type { Profile } from '../spec/profile/profile.ts';
import { createRecordCodec } from '../spec/wire/record-codec.ts';
import type { Decoration, Handle } from './decoration.ts';
import { createEngine } from './engine/engine.ts';
import { findFamilies } from './engine/line-relations.ts';
import { fetchFrom } from './http/fetch.ts';
import { type MockRequest, splitTarget } from './http/mock-request.ts';
import { type Access, createAccess } from './operations/access.ts';
import { createDocuments } from './operations/documents.ts';
import { createDraftReader } from './operations/draft.ts';
import { type Answering, type Call, createAnswering } from './operations/operations.ts';
import { createQueryReader } from './operations/query.ts';
import { createReplies, type Replies, type Reply } from './operations/reply.ts';
import { createRouter, refuseRoute } from './operations/router.ts';
import { compileBodies } from './operations/validators.ts';
import { createContract } from './prism/prism.ts';
import type { Fixtures } from './seed/read-seeds.ts';
import { seedStore } from './seed/seed.ts';
import { createMemoryStore } from './store/memory.ts';
import type { Store } from './store/store.ts';

export type MockOptions = Contract & {
  /** Records to begin with, by model, in the form of the default profile; none when absent. */
  readonly fixtures?: Fixtures;
  /** The time of the service; the system's when absent. */
  readonly clock?: () => Date;
  /** The longest body that is taken, in bytes; 1 MiB when absent. */
  readonly bodyLimit?: number;
  /** Told of mistakes in the mock itself, each of which is answered with 500. */
  readonly onError?: (error: unknown) => void;
  /** What stands around the layers of the mock, such as a defect (`defects.ts`). */
  readonly decoration?: Decoration;
};

export type Mock = {
  /** Answers a request without a port. */
  fetch(request: Request): Promise<Response>;
  /** The same without the objects of the Fetch standard, which cost more than all the rest. Never rejects. */
  readonly handle: Handle;
  readonly document: ContractDocument;
  readonly counts: { readonly models: number; readonly operations: number; readonly records: number };
  readonly profile: Profile;
  readonly bodyLimit: number;
  /** The same service once more: with the records this one began with, and the given decoration or none. */
  fork(decoration?: Decoration): Promise<Mock>;
};

/** Forks share one contract: each call says who answers it. */
type AnsweredCall = Call & { readonly answering: Answering };

const MEBIBYTE = 1024 * 1024;

/**
 * Makes a service of the catalogue that speaks the profile and keeps its records in memory. Throws UsageError for
 * fixtures that do not fit the catalogue.
 */
export async function createMock(options: MockOptions): Promise<Mock> {
  const { catalogue, profile, references, clock = () => new Date(), bodyLimit = MEBIBYTE } = options;
  const document = generateDocument(options);
  const codec = createRecordCodec(catalogue, profile);
  const families = findFamilies(catalogue, references);
  const store = createMemoryStore(families.links());
  const seeding = { catalogue, profile, families, store, clock };
  const records = await seedStore(options.fixtures ?? new Map(), seeding);
  const beginning = store.copy();
  const queries = createQueryReader(profile);
  const validators = compileBodies(document, catalogue);
  const contract = await createContract<AnsweredCall>({
    document,
    check: (call) => call.answering.check(call),
    forward: (call) => call.answering.forward(call),
  });
  const route = createRouter(catalogue);
  const documents = createDocuments(document);
  const models = [...catalogue.models.values()];
  const operations = models.reduce((sum, model) => sum + model.operations.length, 0);
  const counts = { models: models.length, operations, records };
  return assemble(store, options.decoration);

  async function fork(decoration?: Decoration): Promise<Mock> {
    return assemble(beginning.copy(), decoration);
  }

  function assemble(ownStore: Store, decoration: Decoration = {}): Mock {
    const access = createAccess(profile, catalogue.version, clock);
    const replies = createReplies(catalogue, profile, codec);
    const draftReader = createDraftReader(catalogue, profile, codec, validators);
    const readDraft = decoration.readDraft?.(draftReader) ?? draftReader;
    const plainEngine = createEngine({ catalogue, profile, references, store: ownStore, clock });
    const engine = decoration.engine?.(plainEngine) ?? plainEngine;
    const answering = createAnswering({ catalogue, profile, access, queries, readDraft, engine, replies });
    const plainHandle: Handle = async (request) => {
      try {
        const reply = await answer(request, access, replies, answering);
        return request.method === 'HEAD' ? withoutBody(reply) : reply;
      } catch (error) {
        options.onError?.(error);
        return replies.refusal({ status: 500, detail: 'The mock failed; this is a mistake in the mock.' });
      }
    };
    const handle = decoration.handle?.(plainHandle, { engine, replies }) ?? plainHandle;
    return {
      fetch: (request) => fetchFrom(handle, request, bodyLimit),
      ...{ handle, document, counts, profile, bodyLimit, fork },
    };
  }

  async function answer(
    { method, target, headers, body }: MockRequest,
    access: Access,
    replies: Replies,
    answering: Answering,
  ): Promise<Reply> {
    const [path, search] = splitTarget(target);
    const ofDocument = method === 'GET' || method === 'HEAD' ? documents(path) : undefined;
    if (ofDocument) return ofDocument;
    if (access.exceedsRate())
      return replies.refusal({
        status: 429,
        detail: `There were more than ${profile['limits.rate']} requests in this second.`,
        headers: { 'retry-after': '1' },
      });
    const challenge = access.challenge(headers);
    if (challenge !== undefined)
      return replies.refusal({
        status: 401,
        detail: `The credentials are missing or can't be read; expected ${profile['auth.scheme']}.`,
        headers: { 'www-authenticate': challenge },
      });
    const found = route(method, path);
    if (found.kind !== 'operation') return replies.refusal(refuseRoute(found, method, path, profile));
    if (body === 'too-large')
      return replies.refusal({ status: 413, detail: `The body is longer than ${bodyLimit} bytes.` });
    const { model, operation, id } = found;
    const answered = await contract.answer({
      method: METHODS[operation],
      path,
      template: templateOf(catalogue.base, model, operation),
      headers,
      call: { model, operation, id, headers, search, body, answering },
    });
    if ('status' in answered) return answered;
    return replies.refusal({ status: answered.refused, detail: answered.detail });
  }
}

/** What a HEAD answers: everything but the body (RFC 9110, 9.3.2). */
function withoutBody(reply: Reply): Reply {
  const length = String(Buffer.byteLength(reply.body));
  return { ...reply, headers: { ...reply.headers, 'content-length': length }, body: '' };
}
