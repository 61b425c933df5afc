import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { UsageError } from '../../spec/files/usage-error.ts';
import { createRedaction, redactUrl } from '../../spec/redaction.ts';
import {
  type ConnectionError,
  codeOf,
  describeConnection,
  type Exchange,
  LARGEST_BODY,
  NoAnswer,
  showExchange,
  type TargetResponse,
  TooMany,
} from './exchange.ts';
import { type BackoffOptions, createBackoff, createOutage, secondsIn, sleep } from './waits.ts';

const BOUNDS = { maxOutputLength: LARGEST_BODY };
/** Decoders per content coding. The first byte of `deflate` shows whether the service left out the zlib header. */
const DECODERS: Readonly<Record<string, (bytes: Buffer, bounds: typeof BOUNDS) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: (bytes, bounds) => promisify((bytes[0] ?? 0) % 16 === 8 ? inflate : inflateRaw)(bytes, bounds),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};
const UTF8 = new TextDecoder();

/** A write was not sent because a proxy forwards the responses and the user did not allow writes. */
export class Relayed extends NoAnswer {
  override name = 'Relayed';
  constructor(asked: string, how: string) {
    super(
      `${asked} was not sent: the service might hold real data, because ${how}. To allow writes, pass --write`,
      '',
      true,
    );
  }
}

/** A request; the target adds its address, the credentials, and the headers of every request. */
export type TargetRequest = {
  readonly method: string;
  /** Percent-encoded, from the base URL on. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Omits a part of every request, to see how the target responds. */
  readonly without?: 'credentials' | 'version';
  /** Returns the body of the response for exchanges. */
  readonly shown?: (response: TargetResponse) => string;
  /**
   * Called before the request is repeated: to a service that was away, or after `lost`, because a response was lost.
   * Without it, only a GET is repeated after a lost response.
   */
  readonly again?: (lost?: NoAnswer) => Promise<void>;
};

export type Target = {
  readonly url: string;
  /** The number of requests sent so far. */
  readonly requests: () => number;
  /**
   * Sends one request, and repeats it after a lost response. Throws NoAnswer if no complete response comes, or only 429,
   * and Expired if the service refuses the credentials that it accepted before.
   */
  send(request: TargetRequest, record: (exchange: Exchange) => void): Promise<TargetResponse>;
  /** Why the responses look forwarded by a proxy; undefined if they do not. */
  readonly relay?: () => string | undefined;
  /** Remarks on responses that are no failures, such as a content coding that the request did not ask for. */
  readonly oddities?: () => readonly string[];
  /** A text with the credentials redacted, for messages that quote the target. */
  readonly redact?: (text: string) => string;
  close(): Promise<void>;
};

export type TargetOptions = BackoffOptions &
  HttpOptions & {
    /** Where the service is, without the path before the model's name: `http://127.0.0.1:4010`. */
    readonly baseUrl: string;
    /** Headers of every request. */
    readonly headers?: Readonly<Record<string, string>>;
    /** Headers that prove who asks; they stand as `[redacted]` in every exchange. */
    readonly credentials?: Readonly<Record<string, string>>;
    /** Milliseconds until a response has to be complete. Default 10 000. */
    readonly timeout?: number;
    /** Characters of a body that an exchange keeps. Default 4000. */
    readonly longestShown?: number | undefined;
    /** Refuses, as a mistake of the suite, to send anything but GET. */
    readonly readOnly?: boolean;
    /** Allows writes also through a proxy. */
    readonly write?: boolean;
  };

/** If a request names no content coding, the response can use any (RFC 9110, 12.5.3). */
const USUAL_HEADERS = { accept: 'application/json', 'accept-encoding': 'identity' };
/** The target counts as gone when all connections have failed this often in a row, and none had a success before. */
const MOST_FAILURES = 3;
/** Milliseconds before the third try. */
const PAUSE = 250;

/** A client for one service. Redirects are not followed: a record interface has none, and credentials stay here. */
export function createTarget(options: TargetOptions): Target {
  const base = parseBaseUrl(options.baseUrl);
  const timeout = options.timeout ?? 10_000;
  const { origin } = new URL(base);
  /** Errors of connections to a proxy, with the proxy's address. */
  const ofProxy = new WeakMap<object, string>();
  const client = createHttpClient(options, origin, timeout, (error, { host, origin: to, protocol }) => {
    if (to !== origin) ofProxy.set(error, `${protocol}//${host}`);
  });
  const backoff = createBackoff(options);
  const outage = createOutage(options);
  const usual = { ...USUAL_HEADERS, ...options.headers };
  const credentials = options.credentials ?? {};
  const redact = Object.keys(credentials).length > 0 ? createRedaction(credentials) : undefined;
  let requests = 0;
  let failures = 0;
  /** Requests that were sent again after a lost response. */
  let repeated = 0;
  let relay: string | undefined;
  /** The codings of responses, although no request asks for one. */
  const codings = new Set<string>();
  return {
    url: base,
    requests: () => requests,
    send,
    relay: () => relay,
    oddities,
    ...(redact ? { redact } : {}),
    /** Closes all connections, also those that are still being opened. */
    close: () => client.close(),
  };

  function oddities(): string[] {
    const named = [...codings].join(', ');
    const coded = `responses have content-encoding ${named}, although requests ask for identity (RFC 9110, 12.5.3)`;
    const lost = `${repeated} request${repeated === 1 ? ' was' : 's were'} sent again, because the response was lost`;
    return [...(codings.size > 0 ? [coded] : []), ...(repeated > 0 ? [lost] : [])];
  }

  async function send(wanted: TargetRequest, record: (exchange: Exchange) => void): Promise<TargetResponse> {
    const { method } = wanted;
    const query = String(new URLSearchParams(wanted.query));
    const url = base + wanted.path + (query && `?${query}`);
    if (options.readOnly && method !== 'GET')
      throw new Error(
        `A read-only run tried to send ${method} ${wanted.path}. This is a bug; please report it.`,
      );
    outage.needAccess();
    if (relay !== undefined && method !== 'GET' && !options.write)
      throw new Relayed(`${method} ${wanted.path}`, relay);
    const secret = wanted.without === 'credentials' ? {} : credentials;
    const headers = { ...usual, ...wanted.headers, ...secret };
    const sent = { method, url, headers, ...(wanted.body === undefined ? {} : { body: wanted.body }) };
    let times = 0;
    await backoff.clear();
    const asked = `${method} ${showUrl(url)}`;
    const first = await ask();
    const last = backoff.asksForPause(first) ? await waitFor(first) : first;
    if (wanted.without !== 'credentials') await outage.noteAccess(last, requests);
    if (method === 'GET' && last.status < 300 && wanted.without === undefined)
      outage.note(wanted.path, () => exchange(sent));
    const response = last !== first && first.status !== 429 ? { ...last, again: true as const } : last;
    show(wanted.shown ? { ...response, body: wanted.shown(response) } : response);
    if (response.status !== 429) return response;
    throw new TooMany(asked, times, secondsIn(response.headers['retry-after']));

    function show(response: TargetResponse): Exchange {
      const request = { ...sent, url: showUrl(url) };
      const shown = showExchange(request, response, Object.keys(secret), redact, options.longestShown);
      record(shown);
      return shown;
    }

    async function waitFor(first: TargetResponse): Promise<TargetResponse> {
      const stayed = await backoff.retry(method, first, ask);
      return outage.sit(stayed, asked, async () => {
        await wanted.again?.();
        return ask();
      });
    }

    async function ask(): Promise<TargetResponse> {
      for (let tries = 1; ; tries++) {
        times++;
        try {
          return await exchange(sent);
        } catch (error) {
          if (!(error instanceof NoAnswer)) throw error;
          if (tries >= error.tries || (method !== 'GET' && !wanted.again)) {
            error.gone ||= (await outage.isGone()) ?? failures >= MOST_FAILURES * (options.connections ?? 8);
            const why = error.message.replace(`${asked}: `, '');
            error.exchange = show({ status: 0, headers: {}, body: '', error: why });
            throw error;
          }
          repeated++;
          if (tries > 1) await sleep(PAUSE);
          await wanted.again?.(error);
        }
      }
    }
  }

  /** Redacts credentials in a URL, except in the base URL, which is no secret. */
  function showUrl(url: string): string {
    return redactUrl(redact ? base + redact(url.slice(base.length)) : url);
  }

  async function exchange(sent: Exchange['request']): Promise<TargetResponse> {
    await backoff.pace(sent.method);
    requests++;
    try {
      const { bytes, headers, status } = await client.send(sent);
      const { body, coding } = await readBody(bytes, headers['content-encoding']);
      if (coding !== undefined) codings.add(coding);
      failures = 0;
      relay ??= relayOf(headers);
      return { status, headers, body };
    } catch (error) {
      failures++;
      const problem = error as ConnectionError;
      const why = describeConnection(problem, timeout, ofProxy.get(problem));
      throw new NoAnswer(`${sent.method} ${showUrl(sent.url)}: ${why}`, codeOf(problem));
    }
  }
}

/** Decodes a body. Returns the bytes as they are if the coding is unknown or wrong. Throws if the body is too large. */
async function readBody(
  bytes: Buffer,
  given = '',
): Promise<{ readonly body: string; readonly coding?: string }> {
  const coding = given.trim().toLowerCase();
  if (coding === '' || coding === 'identity' || bytes.length === 0) return { body: UTF8.decode(bytes) };
  try {
    return { body: UTF8.decode((await DECODERS[coding]?.(bytes, BOUNDS)) ?? bytes), coding };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE')
      return { body: UTF8.decode(bytes), coding };
    throw Object.assign(new Error('The body is too large.'), { code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' });
  }
}

/** Returns why a response looks forwarded (RFC 9110, 7.6.3): the service behind a proxy can be on another machine. */
function relayOf(headers: Readonly<Record<string, string>>): string | undefined {
  // A mock that forwards names the service behind it in this header.
  const { 'record-model-upstream': upstream, via } = headers;
  if (upstream !== undefined) return `its responses come from ${upstream} through a record-model mock`;
  return via === undefined ? undefined : `its responses come through a proxy (via: ${via})`;
}

/** Returns the base URL without its last slash. Throws UsageError if it is invalid or holds credentials. */
export function parseBaseUrl(text: string): string {
  const found = URL.parse(text);
  const url = found && /^https?:$/.test(found.protocol) ? found : undefined;
  // This check comes first so that no later message repeats a secret. A password with a slash is not a valid URL.
  if (url ? url.username || url.password : text.includes('@'))
    throw new UsageError(
      'The base URL contains a user name or password. Pass --basic USER:PASSWORD instead.',
    );
  if (/[?#]/.test(text))
    throw new UsageError(
      'The base URL contains a query or fragment. Remove it, and pass keys with --header or --api-key.',
    );
  if (!url)
    throw new UsageError(
      `"${text}" is not a base URL. Pass one that starts with http:// or https://, such as http://127.0.0.1:4010.`,
    );
  return url.origin + url.pathname.replace(/\/+$/, '');
}

type HttpOptions = {
  /** Maximum number of open connections. Default 8. */
  readonly connections?: number;
  readonly insecure?: boolean;
  /** The certificate of the client with its key, and the issuers to trust instead of the usual ones, as PEM. */
  readonly certificates?: { readonly cert?: string; readonly key?: string; readonly ca?: string } | undefined;
  /** Proxies per scheme, and the hosts to reach without one, as in HTTP_PROXY, HTTPS_PROXY, and NO_PROXY. */
  readonly proxy?: { readonly http?: string; readonly https?: string; readonly none?: string } | undefined;
  /** The addresses to connect to. The host might resolve to others later. */
  readonly addresses?: readonly LookupAddress[] | undefined;
};

type Received = Omit<TargetResponse, 'body'> & { readonly bytes: Buffer };

/** Opens connections to one origin. The timeout is in milliseconds; `onFailure` receives each failed connection. */
function createHttpClient(
  options: HttpOptions,
  origin: string,
  timeout: number,
  onFailure: (error: object, origin: URL) => void,
) {
  const agent = createAgent(options, timeout, onFailure);
  return { send, close: () => agent.destroy() };

  /** Sends one request and returns its complete response; rejects after the timeout. */
  function send({ body, headers, method, url }: Exchange['request']): Promise<Received> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let late: Error | undefined;
      let control: Dispatcher.DispatchController | undefined;
      let head: Omit<Received, 'bytes'>;
      const deadline = setTimeout(() => {
        late = new DOMException('The response took too long.', 'TimeoutError');
        control?.abort(late);
        reject(late);
      }, timeout);
      agent.dispatch(
        { origin, path: url.slice(origin.length), method, headers, body: body ?? null },
        {
          onRequestStart(controller) {
            control = controller;
            if (late) controller.abort(late);
          },
          onResponseStart(_, status, received) {
            head = { status, headers: flattenHeaders(received) };
          },
          onResponseData: (_, chunk) => void chunks.push(chunk),
          onResponseEnd() {
            clearTimeout(deadline);
            const [only] = chunks;
            resolve({ ...head, bytes: only && chunks.length === 1 ? only : Buffer.concat(chunks) });
          },
          onResponseError(_, error) {
            clearTimeout(deadline);
            reject(error);
          },
        },
      );
    });
  }
}

function createAgent(
  { addresses, certificates, connections = 8, insecure, proxy }: HttpOptions,
  timeout: number,
  onFailure: (error: object, origin: URL) => void,
): Agent | EnvHttpProxyAgent {
  const shared = {
    connections,
    // Each request has its own deadline. These timers would be set and moved several times per request.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: LARGEST_BODY,
  };
  const tls = { ...certificates, ...(insecure ? { rejectUnauthorized: false } : {}) };
  // A name can't lead elsewhere later.
  const lookup: LookupFunction = (_host, _options, callback) => callback(null, [...(addresses ?? [])]);
  const names = addresses ? { lookup } : {};
  if (!proxy) return new Agent({ ...shared, connect: { timeout, ...names, ...tls } });
  const { http = '', https = '', none = '' } = proxy;
  const createPool = (origin: string | URL, given: object): Pool =>
    new Pool(origin, { ...shared, ...given }).on('connectionError', (_origin, _targets, error) =>
      onFailure(error, new URL(origin)),
    );
  return new EnvHttpProxyAgent({
    ...shared,
    // Without it, undici opens a single connection to the proxy, without a deadline.
    connectTimeout: timeout,
    factory: createPool,
    clientFactory: createPool,
    connect: { timeout, ...tls },
    requestTls: tls,
    httpProxy: http,
    httpsProxy: https,
    noProxy: none,
  });
}

/** Returns headers as strings, with repeated headers joined. */
function flattenHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  // A cookie can contain a comma (RFC 9110, 5.3). No header can contain a line break.
  for (const [name, value = ''] of Object.entries(headers))
    flat[name] = [value].flat().join(name === 'set-cookie' ? '\n' : ', ');
  return flat;
}
