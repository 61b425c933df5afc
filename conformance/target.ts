import { Agent, EnvHttpProxyAgent, Pool, request } from 'undici';
import { parseBaseUrl } from './base-url.ts';
import { createConcealment, REDACTED, redactUrl } from './concealment.ts';
import { type ConnectionError, codeOf, describeConnection, LARGEST_BODY, NoAnswer } from './no-answer.ts';

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

export type TargetResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** A request with its response, as reports show it: secrets redacted, long bodies cut. */
export type Exchange = {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  readonly response: TargetResponse;
};

export type Target = {
  readonly url: string;
  /** The number of requests sent so far. */
  readonly requests: () => number;
  /** Sends one request; throws NoAnswer when no complete HTTP response comes. */
  send(request: TargetRequest, record: (exchange: Exchange) => void): Promise<TargetResponse>;
  /** A text with the credentials blotted out, for messages that quote the target. */
  readonly conceal?: (text: string) => string;
  close(): Promise<void>;
};

export type TargetOptions = {
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
  /** The greatest number of requests a second; no limit when absent. */
  readonly rate?: number;
  /** Takes any certificate. */
  readonly insecure?: boolean;
  /** Proxies by scheme, and the hosts reached without one, as in HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  readonly proxy?: { readonly http?: string; readonly https?: string; readonly none?: string };
  /** Refuses, as a mistake of the suite, to send anything but GET. */
  readonly readOnly?: boolean;
};

const LONGEST_SHOWN = 4000;
const LONGEST_WAIT = 60;
const TRIES = 5;
/** Rounds over all connections without one answer, after which the target counts as gone. */
const MOST_SILENT = 3;

/** A client for one service. Redirects are not followed: a record interface has none, and credentials stay here. */
export function createTarget(options: TargetOptions): Target {
  const base = parseBaseUrl(options.baseUrl);
  const timeout = options.timeout ?? 10_000;
  const agent = createAgent(options, timeout);
  const pace = createPace(options.rate);
  const conceal = createConcealment(options.credentials);
  let requests = 0;
  let silent = 0;
  return { url: base, requests: () => requests, send, conceal, close };

  /** Nobody waits for an answer any more: not for a connection either that is still being made. */
  function close(): Promise<void> {
    return agent.destroy();
  }

  async function send(wanted: TargetRequest, record: (exchange: Exchange) => void): Promise<TargetResponse> {
    const query = new URLSearchParams(wanted.query).toString();
    const url = base + wanted.path + (query && `?${query}`);
    if (options.readOnly && wanted.method !== 'GET')
      throw new Error(`a read-only run was about to send ${wanted.method} ${wanted.path}`);
    const open = { accept: 'application/json', ...options.headers, ...wanted.headers };
    const secret = wanted.without === 'credentials' ? {} : (options.credentials ?? {});
    for (let tries = 1; ; tries++) {
      const response = await exchange(url, wanted, { ...open, ...secret }).catch((error) => {
        // Asking again is safe only where asking changes nothing; one connection that broke says little.
        if (wanted.method === 'GET' && tries === 1 && error instanceof NoAnswer && error.broken)
          return undefined;
        throw error;
      });
      if (!response) continue;
      const wait = retryAfter(response);
      if (wait !== undefined && tries < TRIES) {
        await new Promise((resume) => setTimeout(resume, wait * 1000));
        continue;
      }
      const redacted = Object.fromEntries(Object.keys(secret).map((name) => [name, REDACTED]));
      record({
        request: {
          method: wanted.method,
          url: redactUrl(url),
          headers: { ...open, ...redacted },
          ...(wanted.body === undefined ? {} : { body: cut(wanted.body) }),
        },
        // A target may repeat what it was sent, in an error above all.
        response: {
          status: response.status,
          headers: options.credentials ? mapValues(response.headers, conceal) : response.headers,
          body: cut(conceal(response.body)),
        },
      });
      return response;
    }
  }

  async function exchange(
    url: string,
    wanted: TargetRequest,
    headers: Record<string, string>,
  ): Promise<TargetResponse> {
    await pace();
    requests++;
    try {
      const answer = await request(url, {
        dispatcher: agent,
        method: wanted.method as 'GET',
        headers,
        body: wanted.body ?? null,
        signal: AbortSignal.timeout(timeout),
      });
      const body = await answer.body.text();
      silent = 0;
      return { status: answer.statusCode, headers: flatten(answer.headers), body };
    } catch (error) {
      const problem = error as ConnectionError;
      silent++;
      const message = `${wanted.method} ${redactUrl(url)}: ${describeConnection(problem, timeout)}`;
      throw new NoAnswer(message, codeOf(problem), silent >= MOST_SILENT * (options.connections ?? 8));
    }
  }
}

function createAgent(
  { connections = 8, insecure, proxy }: TargetOptions,
  timeout: number,
): Agent | EnvHttpProxyAgent {
  const shared = {
    connections,
    headersTimeout: timeout,
    bodyTimeout: timeout,
    maxResponseSize: LARGEST_BODY,
  };
  const tls = insecure ? { rejectUnauthorized: false } : {};
  if (!proxy) return new Agent({ ...shared, connect: { timeout, ...tls } });
  const { http = '', https = '', none = '' } = proxy;
  return new EnvHttpProxyAgent({
    ...shared,
    // Without it, the way through a proxy would be one connection without bounds.
    connectTimeout: timeout,
    factory: (origin, given) => new Pool(origin, { ...shared, ...given }),
    connect: { timeout, ...tls },
    requestTls: tls,
    httpProxy: http,
    httpsProxy: https,
    noProxy: none,
  });
}

/** Resolves when the next request may go out. */
function createPace(rate: number | undefined): () => Promise<void> {
  let free = 0;
  return async () => {
    if (rate === undefined) return;
    const now = Date.now();
    const wait = Math.max(0, free - now);
    free = Math.max(free, now) + 1000 / rate;
    if (wait > 0) await new Promise((resume) => setTimeout(resume, wait));
  };
}

/** Seconds to wait when the target asks for patience (429 or 503 with Retry-After), else undefined. */
function retryAfter({ status, headers }: TargetResponse): number | undefined {
  const header = headers['retry-after'];
  if ((status !== 429 && status !== 503) || header === undefined) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) || seconds > LONGEST_WAIT ? undefined : Math.max(0, seconds);
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    flat[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  return flat;
}

function mapValues(
  values: Readonly<Record<string, string>>,
  change: (value: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

function cut(body: string): string {
  return body.length <= LONGEST_SHOWN ? body : `${body.slice(0, LONGEST_SHOWN)}… (${body.length} characters)`;
}
