import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { type Duplex, pipeline, Readable } from 'node:stream';
import { UsageError } from '../../spec/files/usage-error.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { Reply } from '../operations/reply.ts';
import {
  type Answer,
  createCors,
  createHostCheck,
  createServer,
  type Headers,
  isProbe,
  type MockRequest,
  type ServedReply,
  STATUS_CODES,
  type WhenDone,
} from './http.ts';

/** Maximum number of bytes to read of a body that is too large. A client reads no response while it writes. */
const MOST_DRAINED = 16 * 1024 * 1024;

export type Served = {
  /** Never rejects. */
  handle(request: MockRequest, whenDone: WhenDone): Promise<Answer>;
  /** Returns the maximum length of a body in bytes. */
  bodyLimit(target: string): number;
  /** It decides which headers the pages of trusted origins can read. */
  readonly profile: Profile;
  /** Writes the response to a request that Node refuses. */
  readonly refuse: Refuse;
};

export type ListenOptions = {
  /** 0 takes a free port. */
  readonly port: number;
  readonly host: string;
  /** Host names that the server accepts, besides loopback and `host`; `*` accepts all. */
  readonly allowHosts?: readonly string[];
  /** Origins whose pages can use the service, in addition to those of this machine. */
  readonly corsOrigins?: readonly string[];
  /** Milliseconds that answers under way have to finish in when the server closes; two seconds when absent. */
  readonly grace?: number;
};

export type Listening = {
  /** Where the service is reached, such as `http://127.0.0.1:4010`. */
  readonly url: string;
  /**
   * Refuses new connections, lets the running requests finish in time, and resolves when all connections are closed.
   * An idle connection stays open for `drain` milliseconds (default 0). Its requests are answered with
   * `Connection: close`.
   */
  close(options?: { readonly drain?: number }): Promise<void>;
};

/** Serves a mock over HTTP. Rejects with UsageError if the port or host is not available. */
export async function listen(service: Served, options: ListenOptions): Promise<Listening> {
  const { allowHosts = [], corsOrigins = [], port, host, grace = 2000 } = options;
  const sockets = new Set<Socket>();
  let closed: Promise<void> | undefined;
  const isOwnHost = createHostCheck(host, allowHosts);
  const isClosing = () => closed !== undefined;
  const serve = createRequestListener(service, { corsOrigins, isOwnHost, isClosing });
  // Node would refuse a request without a Host, and send no body.
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    serve(request, response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  answerClientErrors(server, service.refuse, createCors(service, corsOrigins).headersFor);
  await bind(server, port, host);
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { url: `http://${name}:${address.port}`, close };

  function close({ drain = 0 } = {}): Promise<void> {
    closed ??= new Promise((resolve, reject) => {
      const hangUp = () => {
        server.closeIdleConnections();
        // Node keeps a connection that never sent anything. Browsers open such connections in advance.
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      };
      const timers = [setTimeout(() => server.closeAllConnections(), drain + grace)];
      if (drain > 0) timers.push(setTimeout(hangUp, drain));
      // The `close` of the HTTP server would close connections whose client is about to send a request.
      NetServer.prototype.close.call(server, (error) => {
        for (const timer of timers) clearTimeout(timer);
        if (error) reject(error);
        else resolve();
      });
      if (drain === 0) hangUp();
    });
    return closed;
  }
}

/** Returns a listener that serves a mock from a Node server: its own, or the dev server of an app. */
export function createRequestListener(
  service: Served,
  options: {
    /** Origins whose pages can use the service, in addition to those of this machine. */
    readonly corsOrigins: readonly string[];
    readonly isOwnHost: (host: string) => boolean;
    /** Whether each response closes its connection. */
    readonly isClosing: () => boolean;
  },
): (request: IncomingMessage, response: ServerResponse) => void {
  const { corsOrigins, isClosing, isOwnHost } = options;
  const cors = createCors(service, corsOrigins);
  return (request, response) => {
    serve(request, response).catch(({ message }: Error) => {
      // The response can't be sent, for example because its status is invalid. This must not end the process.
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { 'content-type': 'text/plain' }).end(`The response failed: ${message}\n`);
    });
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { origin } = request.headers;
    const refused = refuseHost(request, isOwnHost);
    if (refused) {
      answerAndClose(response, cors.headersFor(origin), service.refuse(...refused));
      return;
    }
    const preflight = cors.preflight(request);
    if (preflight) {
      response.writeHead(204, preflight).end();
      return;
    }
    const { method = 'GET', url: target = '/', socket } = request;
    let body: Awaited<ReturnType<typeof readBounded>>;
    try {
      body = await readBounded(request, service.bodyLimit(target));
    } catch {
      // The client disconnected during its body.
      response.destroy();
      return;
    }
    const whenDone: WhenDone = (stop) => {
      if (response.destroyed) stop();
      else response.once('close', stop);
    };
    const headers = flatten(request);
    const reply = await service.handle(
      { method, target, headers, body, peer: socket.remoteAddress, corsOrigins },
      whenDone,
    );
    if (reply === 'dropped') {
      // If nothing comes on a reused connection, a browser sends the request again without telling the page. So it gets
      // a byte that begins no response.
      const isBrowser = request.headers['sec-fetch-site'] !== undefined && request.httpVersionMajor === 1;
      if (isBrowser) socket.end('-', () => response.destroy());
      else response.destroy();
      return;
    }
    // The server does not read the rest of a body that is too large.
    const last = request.httpVersionMajor === 1 && (isClosing() || body === 'too-large');
    response.writeHead(reply.status, {
      ...cors.headersFor(origin),
      ...lengthOf(reply, method),
      ...reply.headers,
      ...(last && { connection: 'close' }),
    });
    // If the stream breaks, the connection closes. No response can follow.
    if (reply.body instanceof Readable) pipeline(reply.body, response, () => {});
    else response.end(reply.body);
  }
}

/** Returns the length of a body; none for a status without a body (RFC 9110, 8.6), and for an unknown body. */
function lengthOf({ status, body }: ServedReply, method: string): { 'content-length'?: number } {
  if (status === 204 || status === 304 || method === 'HEAD' || body instanceof Readable) return {};
  return { 'content-length': Buffer.byteLength(body) };
}

/**
 * Returns headers with one value each. Node joins most repeated headers, and returns lists for a few. An HTTP/2 request
 * has `:authority` instead of Host (RFC 9113, 8.3.1).
 */
function flatten({ headers, httpVersionMajor }: IncomingMessage): Headers {
  if (httpVersionMajor > 1) {
    const plain = Object.entries(headers).filter(([name]) => !name.startsWith(':'));
    const all = plain.map(([name, value]) => [name, [value].flat().join(', ')]);
    return Object.fromEntries([['host', headers[':authority']], ...all]);
  }
  if (headers['set-cookie'] === undefined) return headers as Headers;
  const { 'set-cookie': cookies, ...rest } = headers;
  return { ...(rest as Headers), 'set-cookie': cookies.join(', ') };
}

/** Listens. Rejects with UsageError if the port or the host is not available. */
function bind(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, port, host)));
    server.listen(port, host, resolve);
  });
}

function explain(error: NodeJS.ErrnoException, port: number, host: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new UsageError(`Port ${port} on ${host} is in use. Choose another port with --port.`);
    case 'EACCES':
      return new UsageError(`This user can't open port ${port}. Choose a port above 1023 with --port.`);
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'EAI_AGAIN':
    case 'EINVAL':
    case 'ENOTFOUND':
      return new UsageError(
        `${host} is not an address of this machine. Choose another with --host, such as 127.0.0.1.`,
      );
    default:
      return error;
  }
}

/** Reads a body of at most `limit` bytes. Rejects if the client disconnects before the end. */
function readBounded(request: IncomingMessage, limit: number): Promise<Uint8Array | 'too-large' | undefined> {
  const announced = Number(request.headers['content-length'] ?? 0);
  // An HTTP/2 request can have a body without a header for it.
  const mayHaveBody = request.headers['transfer-encoding'] !== undefined || request.httpVersionMajor > 1;
  if (announced === 0 && !mayHaveBody) return Promise.resolve(undefined);
  if (announced > limit + MOST_DRAINED) return Promise.resolve('too-large');
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.byteLength;
      if (length <= limit) chunks.push(chunk);
      else chunks.length = 0;
      if (length <= limit + MOST_DRAINED) return;
      request.pause();
      resolve('too-large');
    });
    request.on('end', () =>
      resolve(length > limit ? 'too-large' : chunks.length > 1 ? Buffer.concat(chunks) : chunks[0]),
    );
    request.on('error', reject);
    request.on('close', () => {
      // This event follows every request, and creating an error is slow.
      if (!request.complete) reject(new Error('The client disconnected before the request was complete.'));
    });
  });
}

type Refuse = (status: number, detail: string) => Reply;

/** The responses to the errors of Node for an invalid request, by their code. */
const REFUSALS: Readonly<Record<string, Parameters<Refuse>>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are longer than 16 KiB. Send shorter ones.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are longer than 16 KiB. Send shorter ones.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request was not complete in time. Send it again.'],
};
const MALFORMED: Parameters<Refuse> = [400, 'The request is malformed. Use HTTP/1.1.'];

/** Answers invalid requests, and unknown expectations, in the form of the service; `cors` by origin. */
export function answerClientErrors(
  server: Server,
  refuse: Refuse,
  cors: (origin: string | undefined) => Reply['headers'],
): void {
  server.on(
    'clientError',
    (error: NodeJS.ErrnoException, socket: Duplex & { _httpMessage?: { headersSent: boolean } }) => {
      // The client is gone, or a response is being sent.
      if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent)
        socket.destroy();
      else {
        const answer = written(refuse(...(REFUSALS[error.code ?? ''] ?? MALFORMED)), cors(undefined));
        // A client that keeps its side open would delay the stop of the server.
        socket.end(answer, () => socket.destroy());
      }
    },
  );
  // An expectation other than 100-continue (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => {
    const { expect, origin } = request.headers;
    const reply = refuse(417, `The header Expect must be 100-continue, but is "${expect}".`);
    answerAndClose(response, cors(origin), reply);
  });
}

/** Returns the text of a response on a connection without a valid request. */
function written({ body, headers, status }: Reply, cors: Reply['headers']): string {
  const length = String(Buffer.byteLength(body));
  const all = Object.entries({ ...cors, ...headers, 'content-length': length, connection: 'close' });
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

/**
 * Returns why a request without a valid Host is refused (RFC 9112, 3.2). With DNS rebinding, a page reaches this address
 * by another name, and would otherwise count as a page of this machine.
 */
function refuseHost(
  request: IncomingMessage,
  isOwnHost: (host: string) => boolean,
): Parameters<Refuse> | undefined {
  const { host = request.headers[':authority'] as string | undefined } = request.headers;
  if (hasTwoHosts(request)) return [400, 'The header Host is there more than once. Send it once.'];
  if (host === undefined && request.httpVersion !== '1.0')
    return [400, 'The header Host is missing. HTTP/1.1 requires it.'];
  if (host === undefined || isOwnHost(host) || isProbe(request.url ?? '')) return undefined;
  const way = 'To allow it, start the server with --allow-host.';
  return [421, `This server does not accept the host ${JSON.stringify(host)}. ${way}`];
}

/** Whether a request has several Host headers: Node takes the first one, a proxy before it might take the last. */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts += 1;
  return hosts > 1;
}

/** Answers without reading the body. */
function answerAndClose(
  response: ServerResponse,
  cors: Reply['headers'],
  { body, headers, status }: Reply,
): void {
  response.req.resume();
  const length = { 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...cors, ...headers, ...length, connection: 'close' }).end(body);
}

/** Returns a `fetch` that the service handles. It rejects if the connection is dropped. */
export function createFetch(service: Served): (request: Request) => Promise<Response> {
  const { bodyLimit, handle } = service;
  const cors = createCors(service, []);
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const target = pathname + search;
    const { method } = request;
    const headers = Object.fromEntries(request.headers);
    const preflight = cors.preflight({ method, headers });
    if (preflight) return new Response(null, { status: 204, headers: preflight });
    const bytes = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined;
    const body = bytes && bytes.byteLength > bodyLimit(target) ? 'too-large' : bytes;
    const answer = await handle({ method, target, headers, body }, (stop) =>
      request.signal.addEventListener('abort', stop),
    );
    if (answer === 'dropped')
      throw new TypeError('fetch failed', { cause: new Error('A fault of the mock closed the connection.') });
    const all = Object.entries({ ...cors.headersFor(headers.origin), ...answer.headers });
    const listed = all.flatMap(([name, values]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    );
    return new Response(bodyOf(answer), { status: answer.status, headers: listed });
  };
}

/** The Fetch standard allows no body with them. */
const WITHOUT_BODY = [204, 205, 304];

function bodyOf({ body, status }: ServedReply): ReadableStream | Uint8Array<ArrayBuffer> | string | null {
  // An empty string would get a media type, and the standard forbids it with some statuses.
  if (body === '' || WITHOUT_BODY.includes(status)) return null;
  if (body instanceof Readable) return Readable.toWeb(body) as ReadableStream;
  return typeof body === 'string' ? body : new Uint8Array(body);
}
