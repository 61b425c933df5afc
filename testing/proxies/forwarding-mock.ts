import { type IncomingMessage, type RequestListener, request as send } from 'node:http';
import type { Exchanged } from '../../mock/control/request-log/request-log-view.ts';
import type { ForwardOptions } from '../../mock/forwarding/forwarding.ts';
import { listen } from '../../mock/http/server.ts';
import { createMock } from '../../mock/mock.ts';
import { few, references, startMock } from '../mocks/mocks.ts';
import { serve as serveHere } from '../services/http-server.ts';

export type Answered = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
};

export type ForwardingMock = {
  readonly url: string;
  readonly exchanges: Exchanged[];
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
export function told({ exchanges }: ForwardingMock): string[] {
  return exchanges.flatMap(({ violations }) =>
    violations.map(({ message, ...at }) => `${Object.values(at)}: ${message}`),
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

/** Starts a mock that forwards to another mock with the same profile, or with the settings `spoken`. */
export async function startBeforeMock(
  settings: Record<string, unknown> = {},
  spoken = settings,
): Promise<ForwardingMock> {
  const { mock } = await startMock(spoken);
  const server = await listen(mock, { port: 0, host: '127.0.0.1' });
  stops.push(server.close);
  return startForwarding(server.url, settings);
}

/** Starts a mock that forwards all models, with writes. */
export async function startForwarding(
  url: string,
  profile: Record<string, unknown> = {},
  options: Partial<ForwardOptions> = {},
): Promise<ForwardingMock> {
  const exchanges: Exchanged[] = [];
  const mock = await createMock({
    catalogue: few,
    references,
    profile,
    forward: { url, write: true, ...options },
    onExchange: (exchange) => exchanges.push(exchange),
    onError: (error) => {
      throw error;
    },
  });
  const server = await listen(mock, { port: 0, host: '127.0.0.1' });
  stops.push(async () => {
    await server.close();
    await mock.close();
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
          const { headers: answered, statusCode: status = 0 } = response;
          resolve({ status, headers: answered, body: Buffer.concat(chunks) });
        });
      },
    );
    asking.on('error', reject);
    // With a text node would write the headers in the encoding of the text.
    asking.end(Buffer.from(body));
  });
}
