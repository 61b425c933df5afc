import { request as askPlainly, Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { request as askSecurely, Agent as HttpsAgent } from 'node:https';
import { UsageError } from '../../spec/files/usage-error.ts';
import { withoutHopByHop } from '../http/hop-by-hop.ts';
import { watchIdle } from '../http/idle-timeout.ts';
import type { WhenDone } from '../http/server.ts';

export type UpstreamRequest = {
  readonly method: string;
  /** Path and query, as they stood in the request line. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
};

export type UpstreamOptions = {
  /** Milliseconds of silence, and half as many again, until a request counts as failed; a minute when absent. */
  readonly timeout?: number;
  /** Proxies by the names of environment variables: HTTP_PROXY, HTTPS_PROXY, NO_PROXY. */
  readonly proxyEnv?: Readonly<Record<string, string | undefined>>;
  /** Takes any certificate. */
  readonly insecure?: boolean;
};

/** The service that requests are passed on to, and no other. */
export type Upstream = {
  readonly url: string;
  /**
   * Sends a request as it is; the answer begins with its headers, and breaks when the service falls silent. Redirects
   * are answers. Rejects when there is none. A request that is done with on the other side is given up.
   */
  send(request: UpstreamRequest, whenDone: WhenDone): Promise<IncomingMessage>;
  /**
   * In words and as a status of a gateway (RFC 9110, 15.6.3 and 15.6.5), why no complete answer came; 499 where the
   * client did not wait for it. Throws what is no fault of a connection.
   */
  explain(error: unknown): { readonly status: 499 | 502 | 504; readonly detail: string };
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

  async function send(request: UpstreamRequest, whenDone: WhenDone): Promise<IncomingMessage> {
    if (!SAFE.includes(request.method)) return ask(request, whenDone, agents.fresh);
    return ask(request, whenDone, agents.kept).catch((error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' ? ask(request, whenDone, agents.fresh) : Promise.reject(error),
    );
  }

  function ask(
    { method, target, headers, body }: UpstreamRequest,
    whenDone: WhenDone,
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
      let incoming: IncomingMessage | undefined;
      const giveUp = (reason: Error) => {
        reject(reason);
        (incoming ?? outgoing).destroy(reason);
      };
      // A proxy of the environment may leave it at that: there is no connection before it says yes.
      const connecting = setTimeout(() => giveUp(new IdleTimeout()), timeout);
      outgoing.on('close', () => clearTimeout(connecting));
      outgoing.on('socket', (socket) => {
        clearTimeout(connecting);
        const isHeldBack = () => (incoming?.readableLength ?? 0) > 0;
        const stopWatching = watchIdle(socket, timeout, isHeldBack, () => giveUp(new IdleTimeout()));
        // A kept connection is let go once all of the answer is there.
        outgoing.on('close', stopWatching);
      });
      outgoing.on('response', (answer) => {
        incoming = answer;
        const { statusCode = 0 } = answer;
        if (statusCode < 200) giveUp(new NoAnswer(`its status is ${statusCode}; expected one from 200`));
        else resolve(answer);
      });
      outgoing.on('upgrade', (_answer, socket) => {
        // Nobody else listens to it any more.
        socket.destroy();
        reject(new NoAnswer('it changed to another protocol, and was not asked to'));
      });
      outgoing.on('error', reject);
      outgoing.end(body);
      whenDone(() => giveUp(new ClientLeft()));
    });
  }

  function explain(error: unknown): { status: 499 | 502 | 504; detail: string } {
    const { code, message } = error as NodeJS.ErrnoException;
    const way = 'Check the address that the proxy was started with, and that the service runs.';
    const subject = `The service at ${url.origin}`;
    if (error instanceof ClientLeft)
      return { status: 499, detail: 'The client left before the answer was complete.' };
    if (error instanceof IdleTimeout)
      return { status: 504, detail: `${subject} has been silent for ${timeout} ms. ${way}` };
    if (code === undefined) throw error;
    return { status: 502, detail: `${subject} gave no answer: ${REASONS[code] ?? message}. ${way}` };
  }

  function close(): void {
    agents.kept.destroy();
    agents.fresh.destroy();
  }
}

class IdleTimeout extends Error {}
class ClientLeft extends Error {}
class NoAnswer extends Error {
  readonly code = 'NO_ANSWER';
}

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
  const { host, expect, 'content-length': length, ...kept } = withoutHopByHop(headers);
  if (body) return { ...kept, 'content-length': String(body.byteLength) };
  return length === '0' ? { ...kept, 'content-length': length } : kept;
}

function readAddress(text: string): URL {
  const url = URL.parse(text);
  const isWeb = url !== null && /^https?:$/.test(url.protocol);
  // What can't be read as an address may hold a password all the same.
  if (isWeb ? url.username || url.password : text.includes('@'))
    throw new UsageError(
      'the upstream holds a user name or password; expected none: the proxy passes on the credentials of each request',
    );
  if (!isWeb)
    throw new UsageError(`the upstream is "${text}"; expected an address such as https://api.example.com`);
  if (url.search || url.hash)
    throw new UsageError('the upstream holds a query or fragment; expected an address without ? and #');
  return url;
}
