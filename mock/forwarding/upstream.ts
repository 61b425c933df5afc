import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Agent, type Dispatcher, EnvHttpProxyAgent, errors } from 'undici';
import { UsageError } from '../../spec/files/usage-error.ts';
import { redactUrl } from '../../spec/redaction.ts';
import {
  type Headers,
  type MockRequest,
  mediaTypeOf,
  type ServedReply,
  splitTarget,
  type WhenDone,
} from '../http/http.ts';
import { problem } from '../operations/reply.ts';

/** A request to an operation or a record of a model, with its whole body. */
export type SentRequest = Omit<MockRequest, 'body'> & { readonly body: Uint8Array | undefined };

/** A response for the client, with its content for the check. */
export type Forwarded = {
  readonly reply: ServedReply;
  /** The headers for Prism: one value each, and no media type that Prism can't read. */
  readonly headers: Headers;
  readonly content: Content;
  /** Why there is no complete response of the service. The mock then responds itself. */
  readonly failure?: string;
};

/** A response whose body is still to come. The names of headers are in lower case. */
type Incoming = ServedReply & { readonly body: Readable };

export type UpstreamOptions = {
  /** A request fails after this many milliseconds without a response, or without a part of it. The default is a minute. */
  readonly timeout?: number | undefined;
  /** Proxies by the names of environment variables: HTTP_PROXY, HTTPS_PROXY, NO_PROXY. */
  readonly proxyEnv?: Readonly<Record<string, string | undefined>> | undefined;
  /** Whether any certificate is accepted. */
  readonly insecure?: boolean | undefined;
};

/** Maximum length of a response that is checked and logged, in bytes. A longer one passes unchecked. */
const LONGEST_CHECKED = 16 * 1024 * 1024;
// Services can send more headers than Node's default limit.
const MOST_HEADERS = 64 * 1024;
/** Safe methods, which can be sent again (RFC 9110, 9.2.1). */
export const SAFE = ['GET', 'HEAD', 'OPTIONS'];

const NOTHING: Content = { kind: 'value', value: undefined };

/** The advice for a user whose service does not respond. */
const WAY =
  'Check the URL that the mock forwards to (--forward), and check that the service runs. To let the mock answer instead, send PATCH /__mock/forward with {"enabled": false}.';

/** Forwards requests to one service. Throws UsageError for an invalid address. */
export function createUpstream(address: string, options: UpstreamOptions) {
  const origin = parseAddress(address);
  const base = origin.pathname.replace(/\/+$/, '');
  const url = origin.origin + base;
  const { timeout = 60_000 } = options;
  // The service can close an idle connection just when a request is sent on it. Safe requests are then sent again. Each
  // other request has a new connection, so that none is sent twice.
  const agents = { kept: createAgent(options, timeout, 1), fresh: createAgent(options, timeout, 0) };
  // By its name in Via, the mock recognizes a request that returns to it (RFC 9110, 7.6.3).
  const name = `record-model-${randomBytes(8).toString('hex')}`;
  return { url, forward, close };

  /** Forwards a request. A failed connection is a response, too, so it rejects only because of a bug. */
  async function forward(request: SentRequest, held: boolean, whenDone: WhenDone): Promise<Forwarded> {
    const { via = '' } = request.headers;
    if (via.includes(name))
      return fail(
        508,
        `The forward URL ${redactUrl(url)} leads back to this mock. Set it to the URL of the service.`,
      );
    try {
      const headers = { ...request.headers, via: `${via === '' ? '' : `${via}, `}1.1 ${name}` };
      const incoming = await send({ ...request, headers }, whenDone);
      const passed = [incoming.headers.via ?? [], `1.1 ${name}`].flat().join(', ');
      // Marks a response of another service, so that a client doesn't treat its records as disposable.
      const own = { ...incoming.headers, via: passed, 'record-model-upstream': url };
      const marked = { ...incoming, headers: own };
      return held ? await hold(marked) : stream(marked, NOTHING);
    } catch (error) {
      return explain(error);
    }
  }

  /** Reads the body for the check, unless it is too long. Rejects if it breaks. */
  async function hold(incoming: Incoming): Promise<Forwarded> {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of incoming.body.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length <= LONGEST_CHECKED) continue;
      incoming.body.unshift(Buffer.concat(chunks));
      const detail = `was not checked: it has more than ${LONGEST_CHECKED} bytes`;
      return stream(incoming, { kind: 'unread', detail });
    }
    const body = Buffer.concat(chunks);
    const forwarded = stream(incoming, NOTHING);
    const content = readContent(body, forwarded.headers);
    return { ...forwarded, reply: { ...forwarded.reply, body }, content };
  }

  /**
   * Sends a request unchanged. Resolves with the headers of the response, even of a redirect. Rejects if there is none.
   * The body breaks if the service sends nothing for too long, or if the client disconnects.
   */
  async function send(request: SentRequest, whenDone: WhenDone): Promise<Incoming> {
    if (!SAFE.includes(request.method)) return ask(request, whenDone, agents.fresh);
    return ask(request, whenDone, agents.kept).catch((error: NodeJS.ErrnoException) =>
      RESET.includes(error.code ?? '') ? ask(request, whenDone, agents.fresh) : Promise.reject(error),
    );
  }

  async function ask(
    { method, target, headers, body }: SentRequest,
    whenDone: WhenDone,
    agent: Dispatcher,
  ): Promise<Incoming> {
    const given = new AbortController();
    // Without a connection, nothing else reports the signal.
    const { promise: stopped, reject: stop } = Promise.withResolvers<never>();
    const giveUp = (reason: Error) => {
      given.abort(reason);
      stop(reason);
    };
    stopped.catch(() => {});
    whenDone(() => giveUp(new ClientLeft()));
    const timer = setTimeout(() => giveUp(new IdleTimeout()), timeout);
    const asked = agent.request({
      origin: origin.origin,
      path: base + splitTarget(target).join(''),
      method,
      headers: outgoingHeaders(headers, body),
      body: body ?? null,
      signal: given.signal,
    });
    try {
      const answer = await Promise.race([asked, stopped]);
      // The reader of the body gets the error, but there may be none.
      answer.body.on('error', () => undefined);
      return { status: answer.statusCode, headers: withoutHopByHop(answer.headers), body: answer.body };
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Says why there is no complete response, with the status of a gateway (RFC 9110, 15.6.3 and 15.6.5), or 499 if the
   * client disconnected. Throws other errors.
   */
  function explain(error: unknown): Forwarded {
    const { code, message } = error as NodeJS.ErrnoException;
    const subject = `The service at ${redactUrl(url)}`;
    if (error instanceof ClientLeft)
      return fail(499, 'The client disconnected before the response was complete.');
    if (error instanceof IdleTimeout || code === 'UND_ERR_BODY_TIMEOUT')
      return fail(504, `${subject} sent nothing for ${timeout} ms. ${WAY}`);
    if (code === undefined && !(error instanceof errors.HTTPParserError)) throw error;
    const reason = REASONS[message] ?? REASONS[code ?? ''] ?? message;
    return fail(502, `${subject} did not respond: ${reason}. ${WAY}`);
  }

  function close(): void {
    for (const agent of Object.values(agents)) agent.destroy();
  }
}

/** Returns a response whose body is still to come. */
function stream(reply: Incoming, content: Content): Forwarded {
  const all = Object.entries(reply.headers).map(([name, values]) => [name, [values].flat().join(', ')]);
  const { 'content-type': type, ...others } = Object.fromEntries(all);
  // Prism throws at a media type that it can't read, and reports a missing one.
  const isReadable = type !== undefined && MEDIA_TYPE.test(type);
  return { reply, headers: isReadable ? { ...others, 'content-type': type } : others, content };
}

function fail(status: number, detail: string): Forwarded {
  return { reply: problem(status, detail), headers: {}, content: NOTHING, failure: detail };
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

function createAgent({ insecure, proxyEnv }: UpstreamOptions, bodyTimeout: number, pipelining: 0 | 1) {
  const tls = insecure ? { rejectUnauthorized: false } : {};
  const shared = {
    pipelining,
    maxHeaderSize: MOST_HEADERS,
    // Another timer covers everything until the headers.
    connect: { timeout: 0, ...tls },
    headersTimeout: 0,
    bodyTimeout,
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

function outgoingHeaders(headers: Headers, body: Uint8Array | undefined): Record<string, string> {
  const { host, expect, 'content-length': length, ...kept } = withoutHopByHop(headers);
  if (body) return { ...kept, 'content-length': String(body.byteLength) };
  return length === '0' ? { ...kept, 'content-length': length } : kept;
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
function withoutHopByHop<Value extends string | string[]>(
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

/** The value of a body, or the reason why it is malformed or can't be read. */
type Content =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'malformed' | 'unread'; readonly detail: string };

const JSON_TYPE = /^application\/(json|[\w.!#$&^-]+\+json)$/;
/** A Content-Type header (RFC 9110, 8.3). */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;\s*[\w!#$&^.+-]+=([\w!#$&^.+-]+|"[^"\\]*"))*\s*$/;

/** Reads a body by its headers. Returns the value of JSON, any other body as a string, and undefined for none. */
function readContent(bytes: Uint8Array, headers: Headers): Content {
  if (bytes.byteLength === 0) return NOTHING;
  const { 'content-encoding': coding = 'identity', 'content-type': type } = headers;
  if (coding.toLowerCase() !== 'identity')
    return { kind: 'unread', detail: `was not checked: its content encoding ${coding} is not supported` };
  const isJson = JSON_TYPE.test(mediaTypeOf(type) ?? '');
  if (isJson && !isUtf8(bytes)) return { kind: 'malformed', detail: 'is not valid UTF-8' };
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  if (!isJson) return { kind: 'value', value: text };
  try {
    return { kind: 'value', value: JSON.parse(text) };
  } catch {
    // The message of the error would show the text, which can be a secret.
    return { kind: 'malformed', detail: 'is not valid JSON' };
  }
}
