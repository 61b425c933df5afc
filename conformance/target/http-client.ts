import type { LookupAddress } from 'node:dns';
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { type Exchange, LARGEST_BODY, type TargetResponse } from './exchange.ts';
import { pinned } from './place.ts';

export type HttpOptions = {
  /** Maximum number of open connections. Default 8. */
  readonly connections?: number;
  /** Accepts any certificate. */
  readonly insecure?: boolean;
  /** The certificate of the client with its key, and the issuers to trust instead of the usual ones, as PEM. */
  readonly certificates?: { readonly cert?: string; readonly key?: string; readonly ca?: string } | undefined;
  /** Proxies per scheme, and the hosts to reach without one, as in HTTP_PROXY, HTTPS_PROXY, and NO_PROXY. */
  readonly proxy?: { readonly http?: string; readonly https?: string; readonly none?: string };
  /** The addresses to connect to. The host might resolve to others later. */
  readonly addresses?: readonly LookupAddress[] | undefined;
  /** Sends the requests in place of new connections. */
  readonly dispatcher?: { dispatch(options: object, handler: object): boolean; destroy(): Promise<void> };
};

export type Received = Omit<TargetResponse, 'body'> & { readonly bytes: Buffer };

/** Opens connections to one origin. The timeout is in milliseconds; `onFailure` receives each failed connection. */
export function createHttpClient(
  options: HttpOptions,
  origin: string,
  timeout: number,
  onFailure: (error: object, origin: URL) => void,
) {
  const agent = (options.dispatcher as Dispatcher | undefined) ?? createAgent(options, timeout, onFailure);
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
  const names = addresses ? { lookup: pinned(addresses) } : {};
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
function flattenHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = {};
  // A cookie can contain a comma (RFC 9110, 5.3). No header can contain a line break.
  for (const [name, value] of Object.entries(headers))
    flat[name] = Array.isArray(value) ? value.join(name === 'set-cookie' ? '\n' : ', ') : (value ?? '');
  return flat;
}
