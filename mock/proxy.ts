import { STATUS_CODES } from 'node:http';
import type { Readable } from 'node:stream';
import { generateDocument } from '../generator/generate.ts';
import { operationId } from '../generator/names.ts';
import type { Catalogue, Model, Operation } from '../spec/catalogue.ts';
import type { Profile } from '../spec/profile.ts';
import type { References } from '../spec/references.ts';
import { type ContractViolation, createInspect, type InspectedAnswer, type InspectedRequest } from './contract.ts';
import { endToEnd } from './end-to-end.ts';
import { isPreflight, openToLocalPages } from './local-pages.ts';
import { type MockRequest, splitTarget } from './mock-request.ts';
import { type Content, isMediaType, mediaTypeOf, readContent, readUpTo } from './passing-content.ts';
import { createRouter } from './router.ts';
import { createSentBodyReader } from './sent-body.ts';
import type { Served, ServedReply } from './server.ts';
import { formatViolations } from './sl-violations.ts';
import { createUpstream, type UpstreamOptions } from './upstream.ts';

/** One exchange that passed by. */
export type ProxyExchange = {
  readonly method: string;
  /** Without the query, which may hold secrets. */
  readonly path: string;
  /** The `operationId` in the document; absent for what is not in it. */
  readonly operation?: string;
  /** As the client got it. */
  readonly status: number;
  readonly violations: readonly ContractViolation[];
  /** Why the service gave no complete answer; the status is then the proxy's own. */
  readonly failure?: string;
};

export type ProxyOptions = UpstreamOptions & {
  readonly catalogue: Catalogue;
  readonly profile: Profile;
  readonly references: References;
  /** Where the service is, such as `https://api.example.com`. */
  readonly upstream: string;
  /** Told of every exchange, before its answer is passed on. */
  readonly onExchange?: (exchange: ProxyExchange) => void;
  /** Told of mistakes in the proxy itself, each of which is answered with 500. */
  readonly onError?: (error: unknown) => void;
  /** The longest body that is held for a check, in bytes; 16 MiB when absent. Longer answers pass unchecked. */
  readonly bodyLimit?: number;
};

export type ContractProxy = Pick<Served, 'handle' | 'bodyLimit'> & {
  /** The address that requests are passed on to, without its last slash. */
  readonly upstream: string;
  /** Closes the connections to the service. */
  close(): void;
};

type Passed = InspectedAnswer & {
  readonly reply: ServedReply;
  readonly content: Content;
  readonly failure?: string;
};

type Found = { readonly model: Model; readonly operation: Operation; readonly template: string };

const MEBIBYTE = 1024 * 1024;
const METHODS = { retrieve: 'get', list: 'get', create: 'post', update: 'post', delete: 'delete' } as const;

/**
 * Stands between a client and a service: passes every exchange on unchanged, but for headers of the connection, and
 * says in `sl-violations` and to `onExchange` where either side breaks the contract. Throws UsageError when
 * the address of the service is none.
 */
export async function createProxy(options: ProxyOptions): Promise<ContractProxy> {
  const { catalogue, profile, references, bodyLimit = 16 * MEBIBYTE } = options;
  const upstream = createUpstream(options.upstream, options);
  const inspect = await createInspect(generateDocument(catalogue, profile, references));
  const route = createRouter(catalogue);
  const readSentBody = createSentBodyReader(catalogue, profile);
  return { handle, bodyLimit, upstream: upstream.url, close: upstream.close };

  async function handle(request: MockRequest): Promise<ServedReply> {
    try {
      return openToLocalPages(request, await answer(request));
    } catch (error) {
      options.onError?.(error);
      return problem(500, 'The proxy failed; this is a mistake in the proxy.');
    }
  }

  async function answer(request: MockRequest): Promise<ServedReply> {
    // What a browser asks beforehand is no operation.
    if (isPreflight(request)) return (await passOn(request, undefined)).reply;
    const { method, target } = request;
    const [path] = splitTarget(target);
    const found = find(method, path);
    const { passed, violations } = await check(request, found);
    const { reply, failure } = passed;
    options.onExchange?.({
      ...{ method, path, status: reply.status, violations },
      ...(found ? { operation: operationId(found.operation, found.model.name) } : {}),
      ...(failure === undefined ? {} : { failure }),
    });
    const header = formatViolations(violations);
    return header === undefined ? reply : { ...reply, headers: { ...reply.headers, 'sl-violations': header } };
  }

  async function check(
    request: MockRequest,
    found: Found | undefined,
  ): Promise<{ passed: Passed; violations: ContractViolation[] }> {
    const { method, headers, target } = request;
    const [path, search] = splitTarget(target);
    const bytes = request.body === 'too-large' ? undefined : request.body;
    const content = await readContent(bytes, headers, bodyLimit);
    const sent = prepare(content, headers, found);
    const inspected: InspectedRequest = {
      ...(found ? { operation: { method: METHODS[found.operation], template: found.template } } : {}),
      ...{ path, query: readQuery(search), headers: sent.headers, body: sent.body },
    };
    const { answer: passed, violations } = await inspect(inspected, () => passOn(request, found));
    // What the proxy says in the place of the service is no fault of the service.
    const ofService = violations.filter(({ location }) => !(passed.failure && location[0] === 'response'));
    const own = [...sent.violations, ...(found ? unreadable('request', content) : [])];
    if (!found) return { passed, violations: ofService };
    return {
      passed,
      violations: [
        ...withoutBodyOf('request', content.kind !== 'value' || sent.violations.some(isOfWholeBody), ofService).filter(
          // An answer to HEAD has no body (RFC 9110, 9.3.2).
          ({ location: [side, part] }) =>
            !(side === 'response' && part === 'body' && (method === 'HEAD' || passed.content.kind !== 'value')),
        ),
        ...own,
        ...unreadable('response', passed.content),
      ],
    };
  }
}
