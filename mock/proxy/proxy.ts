import type { Contract } from '../../spec/contract.ts';
import { redactUrl } from '../../spec/redaction.ts';
import {
  type MockRequest,
  refuseDotSegments,
  type ServedReply,
  splitTarget,
  type WhenDone,
} from '../http/http.ts';
import { problem } from '../operations/reply.ts';
import type { ContractViolation } from '../prism/inspection.ts';
import { createExchangeCheck } from './exchange-check.ts';
import { createForward } from './forward.ts';
import { createUpstream, type UpstreamOptions } from './upstream.ts';

// Prism has the same limit, because many clients and servers accept 8 KiB of headers.
const LONGEST = 8 * 1024 - 100;

const LOCAL = /^https?:\/\/(localhost|[\w.-]+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;

/** A forwarded exchange. */
export type ProxyExchange = {
  readonly method: string;
  /** Without the query, which can contain secrets. */
  readonly path: string;
  /** The `operationId` in the document; absent if the document does not have it. */
  readonly operation?: string;
  /** The status for the client. */
  readonly status: number;
  readonly violations: readonly ContractViolation[];
  /** Why there is no complete response of the service. The status is then that of the proxy. */
  readonly failure?: string;
};

export type ProxyOptions = Contract &
  UpstreamOptions & {
    /** The URL of the service, such as `https://api.example.com`. */
    readonly upstream: string;
    /** Called for each exchange, before the client gets the response. */
    readonly onExchange?: (exchange: ProxyExchange) => void;
    /** Called for each error of the proxy itself. The client gets a 500. */
    readonly onError?: (error: unknown) => void;
    /** Maximum length of a body to check, in bytes; 16 MiB when absent. A longer response passes unchecked. */
    readonly bodyLimit?: number;
  };

const MEBIBYTE = 1024 * 1024;

/**
 * Creates a proxy between a client and a service. It passes on each exchange unchanged, except the headers of the
 * connection, and reports violations of either side in `sl-violations` and to `onExchange`. Prism checks. The kit
 * forwards, because Prism follows redirects, mocks a 501, and rewrites bodies. Throws UsageError for an invalid
 * address.
 */
export async function createProxy(options: ProxyOptions) {
  const { bodyLimit = 16 * MEBIBYTE } = options;
  const upstream = createUpstream(options.upstream, options);
  const forward = createForward(upstream, bodyLimit);
  const check = await createExchangeCheck(options, bodyLimit);
  const underWay = new Set<Promise<ServedReply>>();
  return { handle, bodyLimit, upstream: upstream.url, close };

  function handle(request: MockRequest, whenDone: WhenDone): Promise<ServedReply> {
    const handled = answerAlways(request, whenDone);
    underWay.add(handled);
    return handled.finally(() => underWay.delete(handled));
  }

  /** Waits for the running exchanges, calls `onExchange` for each, and closes the connections to the service. */
  async function close(): Promise<void> {
    await Promise.all(underWay);
    upstream.close();
  }

  async function answerAlways(request: MockRequest, whenDone: WhenDone): Promise<ServedReply> {
    try {
      return openToLocalPages(request, await answer(request, whenDone));
    } catch (error) {
      options.onError?.(error);
      return problem(500, 'The proxy failed because of a bug in the proxy. Please report it.');
    }
  }

  async function answer(request: MockRequest, whenDone: WhenDone): Promise<ServedReply> {
    const wrongPath = refuseDotSegments(request.target);
    if (wrongPath !== undefined) return problem(400, wrongPath);
    // A preflight of a browser is not an operation of the contract.
    if (isPreflight(request)) return (await forward(request, false, whenDone)).reply;
    const { forwarded, operation, violations } = await check(request, (held) =>
      forward(request, held, whenDone),
    );
    const { failure, reply } = forwarded;
    const [path] = splitTarget(request.target);
    options.onExchange?.({
      method: request.method,
      path: redactUrl(path),
      status: reply.status,
      violations,
      ...(operation !== undefined && { operation }),
      ...(failure !== undefined && { failure }),
    });
    const header = formatViolations(violations);
    return header === undefined
      ? reply
      : { ...reply, headers: { ...reply.headers, 'sl-violations': header } };
  }
}

/** Returns the value of the header `sl-violations`, in Prism's form; undefined without violations. */
function formatViolations(violations: readonly ContractViolation[]): string | undefined {
  if (violations.length === 0) return undefined;
  // A header can't contain other characters. In JSON, they can be escaped.
  const value = JSON.stringify(violations).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return value.length > LONGEST ? `Too many violations! ${value.slice(0, LONGEST)}` : value;
}

function isPreflight({ method, headers }: MockRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/**
 * Lets a page from this machine read the response of a service without CORS headers. Such a service may share its
 * origin with the app, but the proxy has another one. Other pages get the headers of the service.
 */
function openToLocalPages(request: MockRequest, reply: ServedReply): ServedReply {
  const { origin } = request.headers;
  if (origin === undefined || !LOCAL.test(origin)) return reply;
  if (reply.headers['access-control-allow-origin'] !== undefined) return reply;
  const open = { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' };
  if (!isPreflight(request)) {
    const exposed = Object.keys(reply.headers).join(', ');
    return {
      ...reply,
      headers: { ...reply.headers, ...open, vary: vary(reply), 'access-control-expose-headers': exposed },
    };
  }
  return {
    status: 204,
    headers: {
      ...open,
      'access-control-allow-methods': request.headers['access-control-request-method'] ?? '',
      'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '',
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    },
    body: '',
  };
}

function vary({ headers }: ServedReply): string {
  return [headers.vary ?? [], 'Origin'].flat().join(', ');
}
