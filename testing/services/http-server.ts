import { once } from 'node:events';
import {
  request as ask,
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export type Served = {
  /** Without a slash at the end. */
  readonly url: string;
  /** Ends what is under way too. */
  close(): Promise<void>;
};

/** Serves on this machine, on a free port when none is given. */
export async function serve(listener: RequestListener, port = 0): Promise<Served> {
  const server = createServer(listener);
  await new Promise<void>((ready) => server.listen(port, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** Waits for the start of a service, which closes at the end of the block. */
export async function opened<One extends Served>(starting: Promise<One>): Promise<One & AsyncDisposable> {
  const service = await starting;
  return { ...service, [Symbol.asyncDispose]: () => service.close() };
}

/** A response with its whole body. */
export type Forwarded = {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
};

/** Headers that are about a connection, or that Node adds. */
const OWN = ['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding'];
const ofMessage = (headers: object) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.includes(name)));

/** Sends a request on to a URL. */
export async function forward(
  url: string,
  { headers, method }: Pick<IncomingMessage, 'headers' | 'method'>,
  body: Buffer | string = '',
): Promise<Forwarded> {
  const length = body.length > 0 ? { 'content-length': Buffer.byteLength(body) } : {};
  const asking = ask(url, { method, headers: { ...ofMessage(headers), ...length } });
  // After the response begins, an error ends the response, too.
  asking.on('error', () => {}).end(body);
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  const bytes = await buffer(response);
  return { status: response.statusCode ?? 502, headers: ofMessage(response.headers), body: bytes };
}

/** Sends JSON to a URL: a value, or its text. */
export function sendJson(
  method: string,
  url: string,
  sent: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const body = typeof sent === 'string' ? sent : JSON.stringify(sent);
  return fetch(url, { method, headers: { 'content-type': 'application/json', ...headers }, body });
}
