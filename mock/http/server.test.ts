import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { useClosing } from '../../testing/closing.ts';
import { startMock } from '../../testing/mocks/mocks.ts';
import { sendJson } from '../../testing/services/http-server.ts';
import { answerClientErrors, listen, type Served } from './server.ts';

const closing = useClosing();
const HERE = { port: 0, host: '127.0.0.1' };
const WAREHOUSE = '/api/model/warehouse';

/** Starts a mock that accepts bodies of at most 1000 bytes, and returns its URL. */
async function serve(settings: Record<string, unknown> = {}): Promise<string> {
  const { mock } = await startMock(settings, { bodyLimit: 1000 });
  return closing(await listen(mock, HERE)).url;
}

test('a 204 response has no body and no content length', async () => {
  const url = (await serve({ 'status.deleted': 204 })) + WAREHOUSE;
  await sendJson('POST', url, { name: 'a' });
  const response = await fetch(`${url}/1`, { method: 'DELETE' });
  expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
    204,
    null,
    '',
  ]);
});

test.each([
  ['with a content length', 2_000_000, {}],
  ['without a content length', 2_000_000, { 'transfer-encoding': 'chunked' }],
  ['with an excessive content length', 20_000_000_000, { 'content-length': '20000000000' }],
])('the server rejects a body that is too large, %s', async (_how, size, headers) => {
  const url = await serve();
  const status = await post(url + WAREHOUSE, 'a'.repeat(Math.min(size, 2_000_000)), headers);
  expect(status).toBe(413);
  expect(await (await fetch(url + WAREHOUSE)).json()).toEqual([]);
});

test.each<[string, Served['handle']]>([
  ['an invalid status', async () => ({ status: 99, headers: {}, body: '' })],
  ['an invalid header', async () => ({ status: 200, headers: { 'x-a': 'a\nb' }, body: '' })],
  ['an exception', () => Promise.reject(new Error('a fault'))],
])('%s in a response leads to a 500, and the server continues', async (_what, handle) => {
  const { mock } = await startMock();
  const server = closing(await listen({ ...mock, handle }, HERE));
  for (let index = 0; index < 2; index++) expect((await fetch(server.url)).status).toBe(500);
});

test('the OpenAPI document is served as JSON and YAML, without credentials', async () => {
  const { mock } = await startMock({ auth: 'bearer' });
  const get = (target: string) => mock.answer({ method: 'GET', target, headers: {} });
  const asJson = await get('/openapi.json');
  expect(asJson.headers['content-type']).toBe('application/json');
  expect(JSON.parse(asJson.body)).toEqual(mock.document);
  const asYaml = await get('/openapi.yaml');
  expect(asYaml.headers['content-type']).toBe('application/yaml');
  expect(asYaml.body).toContain('openapi: 3.1.0');
  expect(await get('/openapi.yaml?x')).toBe(asYaml);
  const older = JSON.parse((await get('/openapi-3.0.json')).body);
  expect(older).toMatchObject({ openapi: '3.0.3', servers: [{ url: '/' }] });
  expect(Object.keys(older.paths)).toEqual(Object.keys(mock.document.paths));
  expect((await mock.answer({ method: 'POST', target: '/openapi.json', headers: {} })).status).toBe(401);
});

/** The status of a POST; node's own client, because fetch sets the headers of a body itself. */
function post(url: string, body: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      { method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
      (response) => {
        response.resume();
        resolve(response.statusCode);
        request.destroy();
      },
    );
    request.on('error', reject);
    if ('content-length' in headers) request.write(body);
    else request.end(body);
  });
}

describe('a request that Node rejects', () => {
  const LONG = 'x'.repeat(20_000);
  const request = (...headers: string[]) => ['GET / HTTP/1.1', ...headers, '', ''].join('\r\n');
  const last = (...headers: string[]) => request(...headers, 'connection: close');
  const CHUNKED = request('host: localhost', 'transfer-encoding: chunked').replace('GET', 'POST');

  test.each([
    ['is not HTTP', 'nonsense\r\n\r\n', 400],
    ['has excessive headers', request('host: localhost', `x: ${LONG}`), 431],
    ['has excessive chunk extensions', `${CHUNKED}1;${LONG}\r\n`, 413],
    ['names two hosts', last('host: localhost', 'HOST: evil.example'), 400],
    ['names no host', last(), 400],
    ['names another host', last('host: evil.example'), 421],
    ['has an unknown Expect header', last('host: localhost', 'expect: 200-ok'), 417],
  ])('because it %s gets a response in the error form of the profile', async (_, sent, status) => {
    for (const [form, key] of [
      ['problem', 'detail'],
      ['simple', 'error'],
    ] as const) {
      const { port } = new URL(await serve({ 'errors.form': form }));
      const answer = await say(port, sent);
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(head.toLowerCase()).toContain('vary: origin');
      expect(JSON.parse(body)).toMatchObject({ [key]: expect.stringMatching(/\.$/) });
    }
  });

  test('because it is too slow gets a 408 in the error form of the profile', async () => {
    const { mock } = await startMock({ 'errors.form': 'simple' });
    const server = createServer({ requestTimeout: 50, headersTimeout: 50, connectionsCheckingInterval: 20 });
    answerClientErrors(server, mock.refuse, () => ({ 'access-control-allow-origin': '*' }));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    closing({ close: async () => void server.close() });
    const { port } = server.address() as AddressInfo;
    const answer = await say(port, 'GET / HTTP/1.1\r\nhost: loc');
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\naccess-control-allow-origin: \*/);
    expect(answer).toMatch(/{"error":"The request was not complete in time\. Send it again\."}$/);
  });

  test('because its body is compressed gets a 415', async () => {
    const answer = await sendJson('POST', (await serve()) + WAREHOUSE, {}, { 'content-encoding': 'gzip' });
    expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, 'identity']);
    expect(await answer.json()).toMatchObject({
      detail: 'The content encoding gzip is not supported. Send the body without an encoding.',
    });
  });
});

/** Writes bytes to a port, and returns what comes until the connection closes. */
function say(port: number | string, bytes: string): Promise<string> {
  const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes));
  return text(socket);
}

const CROWD = 1000;
const HOST = 'Host: 127.0.0.1\r\n';
const ASKED = `GET ${WAREHOUSE} HTTP/1.1\r\n${HOST}\r\n`;
/** Each leaves its request in another way; none of them is ever finished. */
const BREAKS = [
  '',
  'GET /api/mod',
  `POST /api/model/warehouse HTTP/1.1\r\n${HOST}Content-Length: 900\r\nContent-Type: application/json\r\n\r\n{"na`,
  `POST /api/model/warehouse HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n5\r\n{"nam`,
];

/** Starts a server whose grace is longer than the timeout of a test, and connects to it. */
async function begin(grace = 600_000, change: Partial<Served> = {}) {
  const { mock } = await startMock();
  const server = await listen({ ...mock, ...change }, { ...HERE, grace });
  const port = Number(new URL(server.url).port);
  return { server, open: (more = {}) => connect({ port, host: '127.0.0.1', ...more }) };
}

describe('a server that stops', () => {
  test('lets running requests finish, and accepts no more', async () => {
    const { mock } = await startMock();
    const [held, arriving] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: Served = {
      ...mock,
      handle: async (request) => {
        arriving.resolve();
        await held.promise;
        return mock.handle(request);
      },
    };
    const server = await listen(slow, HERE);
    const answer = fetch(server.url + WAREHOUSE);
    await arriving.promise;
    const closed = server.close();
    held.resolve();
    expect((await answer).status).toBe(200);
    await closed;
    await expect(fetch(server.url)).rejects.toThrow();
  });

  test('responds once more on an open connection, then closes it in order', async () => {
    const { open, server } = await begin();
    const socket = open();
    const ask = async () => {
      socket.write(ASKED);
      return String((await once(socket, 'data'))[0]);
    };
    expect(await ask()).toMatch(/^HTTP\/1\.1 200 OK(?!.*connection: close)/is);
    const closed = server.close({ drain: 600_000 });
    const ended = once(socket, 'end');
    expect(await ask()).toMatch(/^HTTP\/1\.1 200 OK.*connection: close/is);
    await ended;
    socket.destroy();
    await closed;
  });

  test('does not wait for connections without a request', async () => {
    const { open, server } = await begin();
    const socket = open();
    const gone = closingOf(socket);
    await once(socket, 'connect');
    // One that came later is answered, so that the first is known to the server.
    await (await fetch(server.url + WAREHOUSE)).text();
    await server.close();
    await gone;
  });

  test('does not wait for a rejected client that keeps its side open', async () => {
    const { open, server } = await begin();
    const socket = open({ allowHalfOpen: true });
    socket.write('no request\r\n\r\n');
    try {
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toContain('HTTP/1.1 400');
      await server.close();
    } finally {
      socket.destroy();
    }
  });

  test('waits no longer than its grace period for an endless response', async () => {
    const body = new Readable({ read: () => undefined });
    body.push('an end never comes');
    const { open, server } = await begin(20, { handle: async () => ({ status: 200, headers: {}, body }) });
    const socket = open();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\nGET');
    const gone = closingOf(socket);
    // The answer has begun.
    await once(socket, 'data');
    await server.close();
    await gone;
  });
});

test('a thousand slow or broken connections do not prevent other responses', async () => {
  const { mock } = await startMock();
  const open = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length;
  const before = open();
  const server = await mock.listen();
  const port = Number(new URL(server.url).port);
  const sockets = Array.from({ length: CROWD }, (_, index) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write(BREAKS[index % BREAKS.length] ?? '');
    return socket;
  });
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  expect((await fetch(server.url + WAREHOUSE)).status).toBe(200);

  const pipelined = connect(port, '127.0.0.1');
  pipelined.write(ASKED.repeat(50));
  expect(await countAnswers(pipelined, 50)).toBe(50);
  pipelined.destroy();

  for (const socket of sockets) socket.destroy();
  await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')));
  const { headers, status } = await fetch(server.url + WAREHOUSE);
  expect([status, headers.get('x-total-count')]).toEqual([200, '0']);
  await mock.close();
  // Those of the clients of fetch close a moment later.
  await expect.poll(open, { timeout: 30_000 }).toBeLessThanOrEqual(before);
});

/** Resolves when a connection is closed, in order or not. */
function closingOf(socket: Socket): Promise<void> {
  socket.on('error', () => undefined);
  return new Promise((resolve) => socket.on('close', () => resolve()));
}

async function countAnswers(socket: Socket, wanted: number): Promise<number> {
  let read = '';
  for await (const part of socket) {
    read += part;
    const count = read.split('HTTP/1.1 200 OK').length - 1;
    if (count >= wanted) return count;
  }
  return 0;
}
