import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { UsageError } from '../../spec/files/usage-error.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { answerClientErrors, type Refuse, refuseAsProblem, refuseHost } from './client-errors.ts';
import { type Cors, createCurrentCors, createHostCheck, hasTwoHosts } from './hosts.ts';
import type { Answer, Headers, MockRequest, ServedReply, WhenDone } from './http.ts';
import { createServer } from './node-http.ts';

/** How much of a body that is too large is taken off the wire: a client that still writes reads no answer. */
const MOST_DRAINED = 16 * 1024 * 1024;

const NOTHING = Promise.resolve(undefined);

/** Milliseconds in which a browser has sent a request again. */
const SOON = 1000;

const MOST = 1000;

/** What can be listened to: a mock, or a proxy. */
export type Served = {
  /** Never rejects. */
  handle(request: MockRequest, whenDone: WhenDone): Promise<Answer>;
  /** The longest body that is taken, in bytes; it may differ by target. */
  readonly bodyLimit: number | ((target: string) => number);
  /** Whether clients can ask for a target by any host name. */
  readonly isOpen?: (target: string) => boolean;
  /** With a profile, the server lets pages of trusted origins read the responses. Otherwise the service does this itself. */
  readonly profile?: Profile;
  /** Writes what Node refuses before the service sees it; a problem when absent. */
  readonly refuse?: Refuse;
};

export type ListenOptions = {
  /** 0 takes a free port. */
  readonly port: number;
  readonly host: string;
  /** Names beside loopback and `host` that the service may be asked by; `*` stands for all. */
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
   * Takes no more connections, lets the running requests finish in time, and resolves when all connections are closed.
   * One that waits for its next request is kept for `drain` milliseconds, not at all when absent; what is asked meanwhile
   * is answered, with `Connection: close`.
   */
  close(options?: { readonly drain?: number }): Promise<void>;
};

/** Serves a mock or a proxy over HTTP. Rejects with UsageError when the port or host can't be had. */
export async function listen(service: Served, options: ListenOptions): Promise<Listening> {
  const { allowHosts = [], corsOrigins = [], port, host, grace = 2000 } = options;
  const sockets = new Set<Socket>();
  let closed: Promise<void> | undefined;
  const corsNow = createCurrentCors(service, corsOrigins);
  const isOwnHost = createHostCheck(host, allowHosts);
  const isClosing = () => closed !== undefined;
  const serve = createRequestListener(service, { corsNow, corsOrigins, isOwnHost, isClosing });
  // Node would refuse a request without a Host with no body.
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    serve(request, response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const { refuse = refuseAsProblem } = service;
  answerClientErrors(server, refuse, (origin) => corsNow()?.headersFor(origin) ?? {});
  await bind(server, port, host);
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { url: `http://${name}:${address.port}`, close };

  function close({ drain = 0 } = {}): Promise<void> {
    closed ??= new Promise((resolve, reject) => {
      const hangUp = () => {
        server.closeIdleConnections();
        // One that never sent anything, as browsers open ahead of need, Node takes for one that is about to.
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      };
      const timers = [setTimeout(() => server.closeAllConnections(), drain + grace)];
      if (drain > 0) timers.push(setTimeout(hangUp, drain));
      // That of the HTTP server hangs up on those who are about to ask again.
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

/** Returns a listener that serves a mock or a proxy from a Node server: its own, or the dev server of an app. */
export function createRequestListener(
  service: Served,
  options: {
    /** The CORS headers as they are now; a service that is reloaded can have another profile. */
    readonly corsNow: () => Cors | undefined;
    /** Origins whose pages can use the service, in addition to those of this machine. */
    readonly corsOrigins: readonly string[];
    readonly isOwnHost: (host: string) => boolean;
    /** Whether each response closes its connection. */
    readonly isClosing: () => boolean;
  },
): (request: IncomingMessage, response: ServerResponse) => void {
  const { corsNow, corsOrigins, isClosing, isOwnHost } = options;
  const { refuse = refuseAsProblem } = service;
  const resends = createResends();
  return (request, response) => {
    serve(request, response).catch((error: Error) => giveUp(response, error));
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const cors = corsNow();
    const { host = request.headers[':authority'] as string | undefined, origin } = request.headers;
    const isOpen = service.isOpen?.(request.url ?? '') === true;
    const isRefused = host === undefined ? request.httpVersion !== '1.0' : !isOwnHost(host) && !isOpen;
    if (isRefused || hasTwoHosts(request)) {
      refuseHost({ request, response, refuse, cors: cors?.headersFor(origin) ?? {} });
      return;
    }
    const isReused = resends.isReused(request.socket);
    if (resends.isResent(request, isReused)) {
      response.destroy();
      return;
    }
    const preflight = cors?.preflight(request);
    if (preflight) {
      response.writeHead(204, preflight).end();
      return;
    }
    const { method = 'GET', url: target = '/', socket } = request;
    const { bodyLimit } = service;
    let body: Awaited<ReturnType<typeof readBounded>>;
    try {
      body = await readBounded(request, typeof bodyLimit === 'number' ? bodyLimit : bodyLimit(target));
    } catch {
      // The client went away in the middle of its body.
      response.destroy();
      return;
    }
    const whenDone: WhenDone = (stop) => {
      if (response.destroyed) stop();
      else response.once('close', stop);
    };
    const flat = flatten(request);
    // HTTP/2 has a pseudo-header in its place.
    const headers = flat.host === undefined && host !== undefined ? { ...flat, host } : flat;
    const reply = await service.handle(
      { method, target, headers, body, peer: socket.remoteAddress, corsOrigins },
      whenDone,
    );
    if (reply === 'dropped') {
      resends.dropped(request, isReused);
      response.destroy();
      return;
    }
    // What is left of a body that is too large is not read to its end.
    const last = request.httpVersionMajor === 1 && (isClosing() || body === 'too-large');
    response.writeHead(reply.status, {
      ...cors?.headersFor(origin),
      ...lengthOf(reply, method),
      ...reply.headers,
      ...(last && { connection: 'close' }),
    });
    // A stream that breaks closes the connection; there is nobody left to tell.
    if (isStream(reply.body)) pipeline(reply.body, response, () => {});
    else response.end(reply.body);
  }
}

/** One answer that can't be given, such as a status that Node refuses, must not end the process, and so all others. */
function giveUp(response: ServerResponse, error: Error): void {
  if (response.headersSent) response.destroy();
  else
    response.writeHead(500, { 'content-type': 'text/plain' }).end(`The response failed: ${error.message}\n`);
}

/** No length beside a status that has no body (RFC 9110, 8.6), nor where the body is not sent or not known. */
function lengthOf({ status, body }: ServedReply, method: string): { 'content-length'?: number } {
  if (status === 204 || status === 304 || method === 'HEAD' || isStream(body)) return {};
  return { 'content-length': Buffer.byteLength(body) };
}

function isStream(body: ServedReply['body']): body is Readable {
  return typeof body !== 'string' && !(body instanceof Uint8Array);
}

/**
 * Node joins the headers that stand several times, all but a few that it gives as lists. An HTTP/2 request has
 * `:authority` in place of Host (RFC 9113, 8.3.1).
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

/** Listens. Rejects with UsageError when the port or the host can't be had. */
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

/**
 * Reads a body of at most `limit` bytes; of a longer one nothing is kept. Undefined when there is none. Rejects when
 * the client goes away before the end.
 */
function readBounded(request: IncomingMessage, limit: number): Promise<Uint8Array | 'too-large' | undefined> {
  const announced = Number(request.headers['content-length'] ?? 0);
  // An HTTP/2 request can have a body without saying so in a header.
  const mayHaveBody = request.headers['transfer-encoding'] !== undefined || request.httpVersionMajor > 1;
  if (announced === 0 && !mayHaveBody) return NOTHING;
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
    request.on('end', () => resolve(length > limit ? 'too-large' : join(chunks)));
    request.on('error', reject);
    request.on('close', () => {
      // It comes after every request; an error is dear to make.
      if (!request.complete) reject(new Error('The client disconnected before the request was complete.'));
    });
  });
}

function join(chunks: readonly Buffer[]): Buffer | undefined {
  const [first] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : first;
}

/**
 * Browsers send a request once more, unseen by the page, when a connection that they used before closes without an
 * answer. For the page the two are one: what is sent again after a connection was dropped on purpose is dropped too.
 */
type Resends = {
  /** Whether a connection was used before; to be asked once for each request. */
  isReused(socket: IncomingMessage['socket']): boolean;
  /** To be asked of every request, before anything is done with it. */
  isResent(request: IncomingMessage, isReused: boolean): boolean;
  /** Says that the connection of a request was dropped. */
  dropped(request: IncomingMessage, isReused: boolean): void;
};

function createResends(): Resends {
  const used = new WeakSet<IncomingMessage['socket']>();
  const expected = new Map<string, number>();
  const dropped: Resends['dropped'] = (request, isReused) => {
    if (!isReused || request.headers['sec-fetch-mode'] === undefined) return;
    if (expected.size >= MOST) expected.clear();
    expected.set(keyOf(request), performance.now() + SOON);
  };
  return {
    isReused: (socket) => {
      if (used.has(socket)) return true;
      used.add(socket);
      return false;
    },
    isResent: (request, isReused) => {
      if (expected.size === 0) return false;
      const key = keyOf(request);
      const isResent = (expected.get(key) ?? 0) > performance.now();
      expected.delete(key);
      // On another connection that was used before it is sent once more.
      if (isResent) dropped(request, isReused);
      return isResent;
    },
    dropped,
  };
}

function keyOf({ headers, method, url }: IncomingMessage): string {
  return JSON.stringify([method, url, headers]);
}
