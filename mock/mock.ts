import { type ContractDocument, generateDocument } from '../generator/generate.ts';
import type { Contract } from '../spec/contract.ts';
import type { Profile } from '../spec/profile/profile.ts';
import { createRecordCodec } from '../spec/wire/record-codec.ts';
import type { Decoration, Handle } from './decoration.ts';
import { createEngine } from './engine/engine.ts';
import { readSemantics } from './engine/unit-of-work.ts';
import { fetchFrom } from './http/fetch.ts';
import { type MockRequest, splitTarget } from './http/mock-request.ts';
import { challengeOf, createRateLimit } from './operations/access.ts';
import { createDocuments } from './operations/documents.ts';
import { createDraftReader } from './operations/draft.ts';
import { type Call, createOperationHandler } from './operations/operations.ts';
import { createQueryReader } from './operations/query.ts';
import { createReplies, type Refusal, type Reply } from './operations/reply.ts';
import { createRouter, refuseRoute } from './operations/router.ts';
import { compileBodies } from './operations/validators.ts';
import { createPipeline } from './prism/prism.ts';
import type { Fixtures } from './seed/read-seeds.ts';
import { seedStore } from './seed/seed.ts';
import { createMemoryStore } from './store/memory.ts';
import type { SessionRecords } from './store/store.ts';

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

const MEBIBYTE = 1024 * 1024;

/**
 * Makes a service of the catalogue that speaks the profile and keeps its records in memory. Throws UsageError for
 * fixtures that do not fit the catalogue.
 */
export async function createMock(options: MockOptions): Promise<Mock> {
  const { catalogue, profile, clock = () => new Date(), bodyLimit = MEBIBYTE } = options;
  const document = generateDocument(options);
  const codec = createRecordCodec(catalogue, profile);
  const semantics = readSemantics(options);
  const store = createMemoryStore(semantics.relations.links());
  const seeding = { catalogue, semantics, records: store, clock };
  const records = await seedStore(options.fixtures ?? new Map(), seeding);
  const beginning = store.copy();
  const queries = createQueryReader(profile);
  const draftReader = createDraftReader(catalogue, profile, codec, compileBodies(document, catalogue));
  const replies = createReplies(catalogue, profile, codec);
  const pipeline = await createPipeline(document, replies.refusal);
  const route = createRouter(catalogue);
  const documents = createDocuments(document);
  const models = [...catalogue.models.values()];
  const operations = models.reduce((sum, model) => sum + model.operations.length, 0);
  const counts = { models: models.length, operations, records };
  return assemble(store, options.decoration);

  async function fork(decoration?: Decoration): Promise<Mock> {
    return assemble(beginning.copy(), decoration);
  }

  function assemble(own: SessionRecords, decoration: Decoration = {}): Mock {
    const exceedsRate = createRateLimit(profile['limits.rate'], clock);
    const readDraft = decoration.readDraft?.(draftReader) ?? draftReader;
    const plainEngine = createEngine({ semantics, records: own, clock });
    const engine = decoration.engine?.(plainEngine) ?? plainEngine;
    const handler = createOperationHandler({ catalogue, profile, queries, readDraft, replies });
    const answerAlways: Handle = async (request) => {
      try {
        const reply = await answer(request);
        return request.method === 'HEAD' ? withoutBody(reply) : reply;
      } catch (error) {
        options.onError?.(error);
        return replies.refusal({ status: 500, detail: 'The mock failed; this is a mistake in the mock.' });
      }
    };
    const handle = decoration.handle?.(answerAlways, { engine, replies }) ?? answerAlways;
    return {
      fetch: (request) => fetchFrom(handle, request, bodyLimit),
      ...{ handle, document, counts, profile, bodyLimit, fork },
    };

    async function answer({ method, target, headers, body }: MockRequest): Promise<Reply> {
      const [path, search] = splitTarget(target);
      const ofDocument = method === 'GET' || method === 'HEAD' ? documents(path) : undefined;
      if (ofDocument) return ofDocument;
      const denied = deny(headers);
      if (denied) return replies.refusal(denied);
      const found = route(method, path);
      if (found.kind !== 'operation') return replies.refusal(refuseRoute(found, method, path, profile));
      if (body === 'too-large')
        return replies.refusal({ status: 413, detail: `The body is longer than ${bodyLimit} bytes.` });
      const { endpoint, id } = found;
      const call: Call = { endpoint, id, headers, search, body };
      const input = handler.read(call);
      const { unparsable, violations } = input;
      const isValid = violations.length === 0 && unparsable === undefined;
      const forward = () => handler.run(call, input, engine);
      return pipeline({ endpoint, path, headers, violations, isValid, forward });
    }

    function deny(headers: MockRequest['headers']): Refusal | undefined {
      if (exceedsRate()) {
        const detail = `There were more than ${profile['limits.rate']} requests in this second.`;
        return { status: 429, detail, headers: { 'retry-after': '1' } };
      }
      const challenge = challengeOf(profile, headers);
      if (challenge === undefined) return undefined;
      const detail = `The credentials are missing or can't be read; expected ${profile['auth.scheme']}.`;
      return { status: 401, detail, headers: { 'www-authenticate': challenge } };
    }
  }
}

/** What a HEAD answers: everything but the body (RFC 9110, 9.3.2). */
function withoutBody(reply: Reply): Reply {
  const length = String(Buffer.byteLength(reply.body));
  return { ...reply, headers: { ...reply.headers, 'content-length': length }, body: '' };
}
