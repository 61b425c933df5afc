import { Readable, Transform } from 'node:stream';
import { Agent, type Dispatcher, EnvHttpProxyAgent, errors } from 'undici';
import { UsageError } from '../../spec/files/usage-error.ts';
import { redactUrl } from '../../spec/redaction.ts';
import type { WhenDone } from '../http/http.ts';

/** The number of checks per timeout. One more check without progress counts as idle. */
const LOOKS = 2;

export type UpstreamRequest = {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
};

/** A response whose body is still to come. */
export type UpstreamAnswer = {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: Readable;
};

export type UpstreamOptions = {
  /**
   * A request fails after this many milliseconds without a byte, and at most half as many more. The default is a
   * minute.
   */
  readonly timeout?: number;
  /** Proxies by the names of environment variables: HTTP_PROXY, HTTPS_PROXY, NO_PROXY. */
  readonly proxyEnv?: Readonly<Record<string, string | undefined>>;
  /** Whether any certificate is accepted. */
  readonly insecure?: boolean;
};

const MINUTE = 60_000;
// Services can send more headers than Node's default limit.
const MOST_HEADERS = 64 * 1024;
const PIECE = 64 * 1024;
/** Safe methods, which can be sent again (RFC 9110, 9.2.1). */
export const SAFE = ['GET', 'HEAD', 'OPTIONS'];

/** The advice for a user whose service does not respond. */
const WAY =
  'Check the URL that the mock forwards to (--forward), and check that the service runs. To let the mock answer instead, send PATCH /__mock/forward with {"enabled": false}.';

/** Sends requests to one service. Throws UsageError for an invalid address. */
export function createUpstream(address: string, options: UpstreamOptions = {}) {
  const url = parseAddress(address);
  const base = url.pathname.replace(/\/+$/, '');
  const { timeout = MINUTE } = options;
  // The service can close an idle connection just when a request is sent on it. Safe requests are then sent again. Each
  // other request has a new connection, so that none is sent twice.
  const agents = { kept: createAgent(options, 1), fresh: createAgent(options, 0) };
  return { url: url.origin + base, send, explain, close };

  /**
   * Sends a request unchanged. Resolves with the headers of the response, even of a redirect. Rejects if there is none.
   * The body breaks if the service sends nothing for too long, or if the client disconnects.
   */
  async function send(request: UpstreamRequest, whenDone: WhenDone): Promise<UpstreamAnswer> {
    if (!SAFE.includes(request.method)) return ask(request, whenDone, agents.fresh);
    return ask(request, whenDone, agents.kept).catch((error: NodeJS.ErrnoException) =>
      RESET.includes(error.code ?? '') ? ask(request, whenDone, agents.fresh) : Promise.reject(error),
    );
  }

  function ask(
    { method, target, headers, body }: UpstreamRequest,
    whenDone: WhenDone,
    agent: Dispatcher,
  ): Promise<UpstreamAnswer> {
    return new Promise((resolve, reject) => {
      const given = new AbortController();
      const giveUp = (reason: Error) => {
        given.abort(reason);
        // Without a connection, nothing else reports the signal.
        reject(reason);
      };
      let answer: Transform | undefined;
      const isHeldBack = () => (answer?.readableLength ?? 0) > 0;
      const idle = watchIdle(timeout, isHeldBack, () => giveUp(new IdleTimeout()));
      whenDone(() => giveUp(new ClientLeft()));
      const request = {
        origin: url.origin,
        path: base + target,
        method,
        headers: outgoingHeaders(headers, body),
        body: body ? Readable.from(inPieces(body, idle.refresh)) : null,
        signal: given.signal,
      };
      agent
        .stream(request, ({ headers: received, statusCode: status }) => {
          idle.refresh();
          answer = new Transform({
            transform(chunk, _encoding, done) {
              idle.refresh();
              done(null, chunk);
            },
          });
          // The reader of the body gets the error, but there may be none.
          answer.on('error', () => undefined);
          resolve({ status, headers: listed(received), body: answer });
          return answer;
        })
        .catch((error) => {
          reject(error);
          answer?.destroy(error);
        })
        .finally(idle.stop);
    });
  }

  /**
   * Returns why there is no complete response, with the status of a gateway (RFC 9110, 15.6.3 and 15.6.5), or 499 if
   * the client disconnected. Throws other errors.
   */
  function explain(error: unknown): { status: 499 | 502 | 504; detail: string } {
    const { code, message } = error as NodeJS.ErrnoException;
    const subject = `The service at ${redactUrl(url.origin + base)}`;
    if (error instanceof ClientLeft)
      return { status: 499, detail: 'The client disconnected before the response was complete.' };
    if (error instanceof IdleTimeout)
      return { status: 504, detail: `${subject} sent nothing for ${timeout} ms. ${WAY}` };
    if (code === undefined && !(error instanceof errors.HTTPParserError)) throw error;
    const reason = REASONS[message] ?? REASONS[code ?? ''] ?? message;
    return { status: 502, detail: `${subject} did not respond: ${reason}. ${WAY}` };
  }

  function close(): void {
    for (const agent of Object.values(agents)) agent.destroy();
  }
}

class IdleTimeout extends Error {}
class ClientLeft extends Error {}

/** The connection was closed before there was an answer. */
const RESET = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];
/** By code, or by message if one code has several reasons. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens there (connection refused)',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name is unknown',
  ERR_ASSERTION: 'its status is not a valid HTTP status from 200 to 599',
  'bad upgrade': 'it switched to another protocol without a request to do so',
  ...Object.fromEntries(
    RESET.map((code) => [code, 'the connection closed before the response was complete']),
  ),
};

/** Creates an agent without timeouts, because undici's timeouts also expire during a pause of this process. */
function createAgent({ insecure, proxyEnv }: UpstreamOptions, pipelining: 0 | 1): Agent | EnvHttpProxyAgent {
  const tls = insecure ? { rejectUnauthorized: false } : {};
  const shared = {
    pipelining,
    maxHeaderSize: MOST_HEADERS,
    connect: { timeout: 0, ...tls },
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (!proxyEnv) return new Agent(shared);
  const env = (name: string) => proxyEnv[name.toLowerCase()] ?? proxyEnv[name] ?? '';
  return new EnvHttpProxyAgent({
    ...shared,
    requestTls: tls,
    httpProxy: env('HTTP_PROXY'),
    httpsProxy: env('HTTPS_PROXY'),
    noProxy: env('NO_PROXY'),
  });
}

/** Yields a body in pieces, and reports each. */
function* inPieces(body: Uint8Array, onPiece: () => void): Generator<Uint8Array> {
  for (let from = 0; from < body.byteLength; from += PIECE) {
    onPiece();
    yield body.subarray(from, from + PIECE);
  }
}

/** Returns each header with all its values. */
function listed(headers: Readonly<Record<string, string | string[] | undefined>>): UpstreamAnswer['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value = []]) => [name, [value].flat()]));
}

function outgoingHeaders(
  headers: UpstreamRequest['headers'],
  body: Uint8Array | undefined,
): Record<string, string> {
  const { host, expect, 'content-length': length, ...kept } = withoutHopByHop(headers);
  if (body) return { ...kept, 'content-length': String(body.byteLength) };
  return length === '0' ? { ...kept, 'content-length': length } : kept;
}

/**
 * Calls `onIdle` once after `timeout` milliseconds without progress, and at most half as many more. A response that
 * waits for a slow client is not idle. After a pause of this process, the timer is late and waiting data is not read
 * yet. So the watch needs several checks in a row without progress.
 */
function watchIdle(timeout: number, isHeldBack: () => boolean, onIdle: () => void) {
  let quiet = 0;
  let looking: NodeJS.Immediate | undefined;
  const timer = setInterval(() => {
    // After a pause, timers run before the waiting data is read.
    looking = setImmediate(look);
  }, timeout / LOOKS);
  return { refresh, stop };

  function refresh(): void {
    quiet = 0;
  }

  function look(): void {
    quiet = isHeldBack() ? 0 : quiet + 1;
    if (quiet <= LOOKS) return;
    stop();
    onIdle();
  }

  function stop(): void {
    clearInterval(timer);
    clearImmediate(looking);
  }
}

/** Reads the address of a service, such as `https://api.example.com/v1`. Throws UsageError if it is invalid. */
function parseAddress(text: string): URL {
  const url = URL.parse(text);
  const isWeb = url !== null && /^https?:$/.test(url.protocol);
  // An invalid address can contain a password, too.
  if (isWeb ? url.username || url.password : text.includes('@'))
    throw new UsageError(
      'The forward URL must not contain a user name or password. Send credentials with each request; the mock forwards them.',
    );
  if (!isWeb)
    throw new UsageError(`The forward URL must be one such as https://api.example.com, but is "${text}".`);
  if (url.search || url.hash)
    throw new UsageError(
      'The forward URL must not contain a query or fragment. Remove ? or # and everything after it.',
    );
  return url;
}

/** Headers that are about one connection and not about the message (RFC 9110, 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** The headers without those of the connection, and without those that it names. Names in small letters. */
export function withoutHopByHop<Value extends string | readonly string[]>(
  headers: Readonly<Record<string, Value | undefined>>,
): Record<string, Value> {
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const dropped = new Set([...HOP_BY_HOP, ...named]);
  // The length stands even where a connection claims it: bodies are framed by it.
  dropped.delete('content-length');
  const kept = Object.entries(headers).filter(
    (entry): entry is [string, Value] => entry[1] !== undefined && !dropped.has(entry[0]),
  );
  return Object.fromEntries(kept);
}
