import { type IncomingMessage, type RequestListener, request as send } from 'node:http';
import { listen } from '../../mock/http/server.ts';
import { createProxy, type ProxyExchange, type ProxyOptions } from '../../mock/proxy/proxy.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { catalogue, few, references, startMock } from '../mocks/mocks.ts';
import { serve as serveHere } from '../services/http-server.ts';

export type Answered = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** The violations in the header `sl-violations`. */
  readonly said: readonly { location: string[]; severity: string; message: string }[];
};

export type StartedProxy = {
  readonly url: string;
  readonly exchanges: ProxyExchange[];
  /** Sends a request as it is; node's own client follows nothing and adds nothing. */
  ask(
    method: string,
    path: string,
    body?: string | Buffer,
    headers?: Record<string, string>,
  ): Promise<Answered>;
};

/** A valid warehouse with ID 1. */
export const WAREHOUSE_1 = {
  id: 1,
  created: '2025-10-22T09:30:00Z',
  createUser: 1,
  updated: '2025-10-22T09:30:00Z',
  updateUser: 1,
  deleted: false,
  name: 'a',
  comments: null,
};

/** Returns one line for each reported violation. */
export function told({ exchanges }: StartedProxy): string[] {
  return exchanges.flatMap(({ violations }) =>
    violations.map(({ location, message, severity }) => `${severity} ${location.join('.')}: ${message}`),
  );
}

const stops: (() => Promise<unknown>)[] = [];

/** Stops all that tests have started, the last first. */
export async function stopAll(): Promise<void> {
  for (const stop of stops.splice(0).toReversed()) await stop();
}

/** Starts a service with a listener, and returns its URL. */
export async function serve(answer: RequestListener): Promise<string> {
  const { close, url } = await serveHere(answer);
  stops.push(close);
  return url;
}

/** A service that always answers the same JSON. */
export function serveJson(status: number, body: unknown): Promise<string> {
  return serve((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
}

/** Starts a proxy in front of a mock with the same profile, or with the settings `spoken`. */
export async function startBeforeMock(
  settings: Record<string, unknown> = {},
  spoken = settings,
): Promise<StartedProxy> {
  const { mock } = await startMock(spoken);
  const server = await listen(mock, { port: 0, host: '127.0.0.1' });
  stops.push(server.close);
  return startProxy(server.url, settings);
}

export async function startProxy(
  upstream: string,
  settings: Record<string, unknown> = {},
  options: Partial<ProxyOptions> = {},
): Promise<StartedProxy> {
  const exchanges: ProxyExchange[] = [];
  const proxy = await createProxy({
    catalogue: few,
    profile: createProfile(settings, catalogue),
    references,
    upstream,
    onExchange: (exchange) => exchanges.push(exchange),
    onError: (error) => {
      throw error;
    },
    ...options,
  });
  const server = await listen(proxy, { port: 0, host: '127.0.0.1' });
  stops.push(async () => {
    await server.close();
    await proxy.close();
  });
  return { url: server.url, exchanges, ask: (...asked) => askOnce(server.url, ...asked) };
}

function askOnce(
  url: string,
  method: string,
  path: string,
  body: string | Buffer = '',
  headers: Record<string, string> = {},
): Promise<Answered> {
  const { hostname, port } = new URL(url);
  const length = body.length > 0 ? { 'content-length': String(Buffer.byteLength(body)) } : {};
  return new Promise((resolve, reject) => {
    const asking = send(
      { hostname, port, method, path, headers: { ...length, ...headers }, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const said = JSON.parse(String(response.headers['sl-violations'] ?? '[]'));
          const { headers: answered, statusCode: status = 0 } = response;
          resolve({ status, headers: answered, body: Buffer.concat(chunks), said });
        });
      },
    );
    asking.on('error', reject);
    // With a text node would write the headers in the encoding of the text.
    asking.end(Buffer.from(body));
  });
}
