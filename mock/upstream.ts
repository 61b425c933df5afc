import { request as askPlainly, Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { request as askSecurely, Agent as HttpsAgent } from 'node:https';
import { UsageError } from '../spec/usage-error.ts';
import { endToEnd } from './end-to-end.ts';

export type UpstreamRequest = {
  readonly method: string;
  /** Path and query, as they stood in the request line. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
};

export type UpstreamOptions = {
  /** Milliseconds of silence until a request counts as failed; a minute when absent. */
  readonly timeout?: number;
  /** Proxies by the names of environment variables: HTTP_PROXY, HTTPS_PROXY, NO_PROXY. */
  readonly proxyEnv?: Readonly<Record<string, string | undefined>>;
  /** Takes any certificate. */
  readonly insecure?: boolean;
};

/** The service that requests are passed on to, and no other. */
export type Upstream = {
  readonly url: string;
  /** Sends a request as it is; the answer begins with its headers. Redirects are answers. Rejects when there is none. */
  send(request: UpstreamRequest): Promise<IncomingMessage>;
  /**
   * In words and as a status of a gateway (RFC 9110, 15.6.3 and 15.6.5), why no complete answer came. Throws what is no
   * fault of a connection.
   */
  explain(error: unknown): { readonly status: 502 | 504; readonly detail: string };
  close(): void;
};

const MINUTE = 60_000;
// Services may send more headers than Node takes on its own.
const MOST_HEADERS = 64 * 1024;
/** Asking again changes nothing (RFC 9110, 9.2.1). */
const SAFE = ['GET', 'HEAD', 'OPTIONS'];

/** Throws UsageError for what is no address of a service. */
export function createUpstream(address: string, options: UpstreamOptions = {}): Upstream {
  const url = readAddress(address);
  const base = url.pathname.replace(/\/+$/, '');
  const { timeout = MINUTE, insecure = false } = options;
  const secure = url.protocol === 'https:';
  const proxies = options.proxyEnv ? { proxyEnv: { ...options.proxyEnv } } : {};
  const createAgent = (keepAlive: boolean) =>
    secure ? new HttpsAgent({ keepAlive, ...proxies }) : new HttpAgent({ keepAlive, ...proxies });
  // A connection kept open may be closed by the other side just when a request is sent on it. One that is safe is
  // sent again; the others each have a connection of their own, so that none is ever sent twice.
  const agents = { kept: createAgent(true), fresh: createAgent(false) };
  return { url: url.origin + base, send, explain, close };

  async function send(request: UpstreamRequest): Promise<IncomingMessage> {
    if (!SAFE.includes(request.method)) return ask(request, agents.fresh);
    return ask(request, agents.kept).catch((error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' ? ask(request, agents.fresh) : Promise.reject(error),
    );
  }

  function ask(
    { method, target, headers, body }: UpstreamRequest,
    agent: HttpAgent,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const outgoing = (secure ? askSecurely : askPlainly)({
        protocol: url.protocol,
        hostname: url.hostname.replace(/^\[|\]$/g, ''),
        port: url.port,
        method,
        path: base + target,
        headers: { ...outgoingHeaders(headers, body), host: url.host },
        agent,
        maxHeaderSize: MOST_HEADERS,
        ...(insecure ? { rejectUnauthorized: false } : {}),
      });
      outgoing.setTimeout(timeout, () => outgoing.destroy(new Silence()));
      outgoing.on('response', resolve);
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  function explain(error: unknown): { status: 502 | 504; detail: string } {
    const { code, message } = error as NodeJS.ErrnoException;
    const way = 'Check the address that the proxy was started with, and that the service runs.';
    const subject = `The service at ${url.origin}`;
    if (error instanceof Silence)
      return { status: 504, detail: `${subject} has been silent for ${timeout} ms. ${way}` };
    if (code === undefined) throw error;
    return { status: 502, detail: `${subject} gave no answer: ${REASONS[code] ?? message}. ${way}` };
  }

  function close(): void {
    agents.kept.destroy();
    agents.fresh.destroy();
  }
}

class Silence extends Error {}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there (connection refused)',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'there is no such host',
  ECONNRESET: 'the connection was closed before the answer was complete',
};

function outgoingHeaders(
  headers: UpstreamRequest['headers'],
  body: Uint8Array | undefined,
): Record<string, string> {
  const { host, expect, 'content-length': length, ...kept } = endToEnd(headers);
  if (body) return { ...kept, 'content-length': String(body.byteLength) };
  return length === '0' ? { ...kept, 'content-length': length } : kept;
}

function readAddress(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`the upstream is "${text}"; expected an address such as https://api.example.com`);
  if (url.username || url.password)
    throw new UsageError(
      'the upstream holds a user name or password; expected none: the proxy passes on the credentials of each request',
    );
  if (url.search || url.hash)
    throw new UsageError(`the upstream is "${text}"; expected an address without ? and #`);
  return url;
}
