import type { LookupAddress } from 'node:dns';
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { createPatience, type PatienceOptions, secondsIn } from './backoff.ts';
import { parseBaseUrl } from './base-url.ts';
import { type Exchange, flattenHeaders, showExchange, type TargetResponse } from './exchange.ts';
import {
  type ConnectionError,
  codeOf,
  describeConnection,
  LARGEST_BODY,
  NoAnswer,
  TooMany,
} from './no-answer.ts';
import { pinned } from './place.ts';
import { createConcealment, redactUrl } from './redaction.ts';
import { Relayed, relayOf } from './relay.ts';

/** A request as the suite thinks of it; the target adds its address, credentials and version. */
export type TargetRequest = {
  readonly method: string;
  /** From the base URL on, percent-encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Leaves out what every request carries, to see what the target says then. */
  readonly without?: 'credentials' | 'version';
};

export type Target = {
  readonly url: string;
  /** The number of requests sent so far. */
  readonly requests: () => number;
  /** Sends one request; throws NoAnswer when no complete HTTP response comes, or no answer but 429. */
  send(request: TargetRequest, record: (exchange: Exchange) => void): Promise<TargetResponse>;
  /** What says that answers were passed on by something between; undefined while nothing does. */
  readonly relay?: () => string | undefined;
  /** A text with the credentials blotted out, for messages that quote the target. */
  readonly conceal?: (text: string) => string;
  close(): Promise<void>;
};

export type TargetOptions = PatienceOptions & {
  /** Where the service is, without the path before the model's name: `http://127.0.0.1:4010`. */
  readonly baseUrl: string;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that prove who asks; they stand as `[redacted]` in every exchange. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Milliseconds until a response has to be complete. Default 10 000. */
  readonly timeout?: number;
  /** Connections kept open. Default 8. */
  readonly connections?: number;
  /** Takes any certificate. */
  readonly insecure?: boolean;
  /** Proxies by scheme, and the hosts reached without one, as in HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  readonly proxy?: { readonly http?: string; readonly https?: string; readonly none?: string };
  /** Characters of a body that an exchange keeps. Default 4000. */
  readonly longestShown?: number;
  /** Refuses, as a mistake of the suite, to send anything but GET. */
  readonly readOnly?: boolean;
  /** Lets more than GET be sent also where answers were passed on by something between. */
  readonly write?: boolean;
  /** The addresses that are connected to, whatever the host resolves to later. */
  readonly addresses?: readonly LookupAddress[] | undefined;
};

/** Without a word about codings, any of them may be used (RFC 9110, 12.5.3). */
const WANTED = { accept: 'application/json', 'accept-encoding': 'identity' };
/** Rounds over all connections without one answer, after which the target counts as gone. */
const MOST_SILENT = 3;

/** A client for one service. Redirects are not followed: a record interface has none, and credentials stay here. */
export function createTarget(options: TargetOptions): Target {
  const base = parseBaseUrl(options.baseUrl);
  const timeout = options.timeout ?? 10_000;
  const { origin } = new URL(base);
  /** Errors of a connection to a proxy, with its address. */
  const ofProxy = new WeakMap<object, string>();
  const agent = createAgent(options, timeout, (error, { host, origin: to, protocol }) => {
    if (to !== origin) ofProxy.set(error, `${protocol}//${host}`);
  });
  const patience = createPatience(options);
  const credentials = options.credentials ?? {};
  const conceal = Object.keys(credentials).length > 0 ? createConcealment(credentials) : undefined;
  const decoder = new TextDecoder();
  let requests = 0;
  let silent = 0;
  let relay: string | undefined;
  return {
    url: base,
    requests: () => requests,
    send,
    relay: () => relay,
    ...(conceal ? { conceal } : {}),
    close,
  };

  /** Nobody waits for an answer any more: not for a connection either that is still being made. */
  function close(): Promise<void> {
    return agent.destroy();
  }

  async function send(wanted: TargetRequest, record: (exchange: Exchange) => void): Promise<TargetResponse> {
    const { method } = wanted;
    const query = wanted.query ? new URLSearchParams(wanted.query).toString() : '';
    const url = base + wanted.path + (query && `?${query}`);
    if (options.readOnly && method !== 'GET')
      throw new Error(`a read-only run was about to send ${method} ${wanted.path}`);
    if (relay !== undefined && method !== 'GET' && !options.write)
      throw new Relayed(`${method} ${wanted.path}`, relay);
    const secret = wanted.without === 'credentials' ? {} : credentials;
    const headers = { ...WANTED, ...options.headers, ...wanted.headers, ...secret };
    const sent = { method, url, headers, ...(wanted.body === undefined ? {} : { body: wanted.body }) };
    let times = 0;
    const calm = patience.calm();
    if (calm) await calm;
    const response = await patience.insist(method, await ask(), ask);
    const showing = { secret: Object.keys(secret), conceal, longest: options.longestShown };
    record(showExchange({ ...sent, url: showUrl(url) }, response, showing));
    if (response.status !== 429) return response;
    throw new TooMany(`${method} ${showUrl(url)}`, times, secondsIn(response.headers['retry-after']));

    function ask(): Promise<TargetResponse> {
      times++;
      return exchange(sent).catch((error) => {
        // Asking again is safe only where asking changes nothing; one connection that broke says little.
        if (method === 'GET' && error instanceof NoAnswer && error.broken) return exchange(sent);
        throw error;
      });
    }
  }

  /** The base URL is no secret, whatever words it has in common with one. */
  function showUrl(url: string): string {
    return redactUrl(conceal ? base + conceal(url.slice(base.length)) : url);
  }

  async function exchange(sent: Exchange['request']): Promise<TargetResponse> {
    await patience.pace(sent.method);
    requests++;
    try {
      const response = await roundTrip(sent);
      silent = 0;
      relay ??= relayOf(response.headers);
      return response;
    } catch (error) {
      const problem = error as ConnectionError;
      silent++;
      const message = `${sent.method} ${showUrl(sent.url)}: ${describeConnection(problem, timeout, ofProxy.get(problem))}`;
      throw new NoAnswer(message, codeOf(problem), silent >= MOST_SILENT * (options.connections ?? 8));
    }
  }

  /** One request and its whole response, as text; rejects when that is not there in time. */
  function roundTrip({ body, headers, method, url }: Exchange['request']): Promise<TargetResponse> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let late: Error | undefined;
      let control: Dispatcher.DispatchController | undefined;
      let head: Omit<TargetResponse, 'body'>;
      const deadline = setTimeout(() => {
        late = new DOMException('the answer took too long', 'TimeoutError');
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
            resolve({
              ...head,
              body: decoder.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)),
            });
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
  { addresses, connections = 8, insecure, proxy }: TargetOptions,
  timeout: number,
  onFailure: (error: object, origin: URL) => void,
): Agent | EnvHttpProxyAgent {
  const shared = {
    connections,
    headersTimeout: timeout,
    bodyTimeout: timeout,
    maxResponseSize: LARGEST_BODY,
  };
  const tls = insecure ? { rejectUnauthorized: false } : {};
  const names = addresses ? { lookup: pinned(addresses) } : {};
  if (!proxy) return new Agent({ ...shared, connect: { timeout, ...names, ...tls } });
  const { http = '', https = '', none = '' } = proxy;
  const createPool = (origin: string | URL, given: object): Pool =>
    new Pool(origin, { ...shared, ...given }).on('connectionError', (_origin, _targets, error) =>
      onFailure(error, new URL(origin)),
    );
  return new EnvHttpProxyAgent({
    ...shared,
    // Without it, the way through a proxy would be one connection without bounds.
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
