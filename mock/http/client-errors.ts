import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Reply } from '../operations/reply.ts';
import { hasTwoHosts, STATUS_CODES } from './http.ts';

/** Writes a refusal in the form of the service. */
export type Refuse = (status: number, detail: string) => Reply;

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
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // The client is gone, or a response is being sent.
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswered(socket)) socket.destroy();
    else {
      const answer = written(refuse(...(REFUSALS[error.code ?? ''] ?? MALFORMED)), cors(undefined));
      // A client that keeps its side open would delay the stop of the server.
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

/** Whether Node is sending a response on a socket. */
function isAnswered(socket: Duplex & { _httpMessage?: { headersSent: boolean } }): boolean {
  return socket._httpMessage?.headersSent === true;
}

/** Returns the text of a response on a connection without a valid request. */
function written({ body, headers, status }: Reply, cors: Reply['headers']): string {
  const length = String(Buffer.byteLength(body));
  const all = Object.entries({ ...cors, ...headers, 'content-length': length, connection: 'close' });
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

/** A request to refuse, with the CORS headers of the response. */
type Refused = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly cors: Reply['headers'];
};

/**
 * Refuses a request without a valid Host (RFC 9112, 3.2). With DNS rebinding, a page reaches this address by another
 * name, and would otherwise count as a page of this machine.
 */
export function refuseHost(refused: Refused, refuse: Refuse): void {
  const { request } = refused;
  const { host } = request.headers;
  const reply = hasTwoHosts(request)
    ? refuse(400, 'The header Host is there more than once. Send it once.')
    : host === undefined
      ? refuse(400, 'The header Host is missing. HTTP/1.1 requires it.')
      : refuse(
          421,
          `This server does not accept the host ${JSON.stringify(host)}. To allow it, start the server with --allow-host.`,
        );
  answerAndClose(refused, reply);
}

/** Answers without reading the body. */
function answerAndClose({ cors, request, response }: Refused, { body, headers, status }: Reply): void {
  request.resume();
  const length = { 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...cors, ...headers, ...length, connection: 'close' }).end(body);
}
