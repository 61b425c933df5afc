import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { problemOf, type Reply } from '../operations/reply.ts';
import { hasTwoHosts } from './hosts.ts';
import { STATUS_CODES } from './node-http.ts';

/** Writes a refusal in the form of the service. */
export type Refuse = (status: number, detail: string) => Reply;

export function refuseAsProblem(status: number, detail: string): Reply {
  const headers = { 'content-type': 'application/problem+json' };
  return { status, headers, body: JSON.stringify(problemOf(status, detail)) };
}

type Explained = readonly [status: number, detail: string];

/** What Node refuses before there is a request, by the code of its error. */
const REFUSALS: Readonly<Record<string, Explained>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are longer than 16 KiB. Send shorter ones.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are longer than 16 KiB. Send shorter ones.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request was not complete in time. Send it again.'],
};
const MALFORMED: Explained = [400, 'The request is malformed. Use HTTP/1.1.'];

/** Answers what is no request for Node, and what expects too much, as the service answers; `cors` by origin. */
export function answerClientErrors(
  server: Server,
  refuse: Refuse,
  cors: (origin: string | undefined) => Reply['headers'],
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Nobody is there to read, or an answer is on its way.
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswered(socket)) socket.destroy();
    else {
      const answer = written(refuse(...(REFUSALS[error.code ?? ''] ?? MALFORMED)), cors(undefined));
      // A peer that keeps its side open would hold up the stop of the server.
      socket.end(answer, () => socket.destroy());
    }
  });
  // An expectation other than 100-continue (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => {
    const { expect, origin } = request.headers;
    const reply = refuse(417, `The header Expect must be 100-continue, but is "${expect}".`);
    answerAndClose({ request, response, cors: cors(origin) }, reply);
  });
}

/** Node notes on a socket the answer that is under way. */
function isAnswered(socket: Duplex & { _httpMessage?: { headersSent: boolean } }): boolean {
  return socket._httpMessage?.headersSent === true;
}

/** An answer for a connection on which there was no request. */
function written({ body, headers, status }: Reply, cors: Reply['headers']): string {
  const length = String(Buffer.byteLength(body));
  const all = Object.entries({ ...cors, ...headers, 'content-length': length, connection: 'close' });
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

type Misdirected = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly refuse: Refuse;
  readonly cors: Reply['headers'];
};

/**
 * Refuses a request by its Host: a page can get this address by a name of its own (DNS rebinding), and would then be
 * let in as if from here; HTTP/1.1 wants one (RFC 9112, 3.2).
 */
export function refuseHost({ cors, refuse, request, response }: Misdirected): void {
  const { host } = request.headers;
  const reply = hasTwoHosts(request)
    ? refuse(400, 'The header Host is there more than once. Send it once.')
    : host === undefined
      ? refuse(400, 'The header Host is missing. HTTP/1.1 requires it.')
      : refuse(
          421,
          `This server does not accept the host ${JSON.stringify(host)}. To allow it, start the server with --allow-host.`,
        );
  answerAndClose({ request, response, cors }, reply);
}

/** Answers without a look at the body. */
function answerAndClose(
  { cors, request, response }: Omit<Misdirected, 'refuse'>,
  { body, headers, status }: Reply,
): void {
  request.resume();
  const length = { 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...cors, ...headers, ...length, connection: 'close' }).end(body);
}
