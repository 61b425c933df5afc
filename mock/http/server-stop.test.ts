import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { startMock } from '../../testing/mocks/mocks.ts';
import { listen, type Served } from './server.ts';

const CROWD = 1000;
const HOST = 'Host: 127.0.0.1\r\n';
const ASKED = `GET /api/model/warehouse HTTP/1.1\r\n${HOST}\r\n`;
/** Each leaves its request in another way; none of them is ever finished. */
const BREAKS = [
  '',
  'GET /api/mod',
  `POST /api/model/warehouse HTTP/1.1\r\n${HOST}Content-Length: 900\r\nContent-Type: application/json\r\n\r\n{"na`,
  `POST /api/model/warehouse HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n5\r\n{"nam`,
];

describe('stopping', () => {
  test('lets the request that is running finish, and takes no more', async () => {
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
    const server = await listen(slow, { port: 0, host: '127.0.0.1' });
    const answer = fetch(`${server.url}/api/model/warehouse`);
    await arriving.promise;
    const closed = server.close();
    held.resolve();
    expect((await answer).status).toBe(200);
    await closed;
    await expect(fetch(server.url)).rejects.toThrow();
  });

  test('answers who asks again on a connection that is kept, once more, and closes it in order', async () => {
    const { mock } = await startMock();
    const server = await listen(mock, { port: 0, host: '127.0.0.1', grace: 600_000 });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const ask = async () => {
      socket.write('GET /api/model/warehouse HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
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

  test('does not wait for connections that have sent nothing', async () => {
    const { mock } = await startMock();
    // The grace is longer than the timeout of a test.
    const server = await listen(mock, { port: 0, host: '127.0.0.1', grace: 600_000 });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const gone = closingOf(socket);
    await once(socket, 'connect');
    // One that came later is answered, so that the first is known to the server.
    await (await fetch(`${server.url}/api/model/warehouse`)).text();
    await server.close();
    await gone;
  });

  test('does not wait for a peer that was refused and keeps its side open', async () => {
    const { mock } = await startMock();
    const server = await listen(mock, { port: 0, host: '127.0.0.1', grace: 600_000 });
    const { port } = new URL(server.url);
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true }, () =>
      socket.write('no request\r\n\r\n'),
    );
    try {
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toContain('HTTP/1.1 400');
      await server.close();
    } finally {
      socket.destroy();
    }
  });

  test('waits no longer than its grace for an answer without an end', async () => {
    const body = new Readable({ read: () => undefined });
    body.push('an end never comes');
    const { mock } = await startMock();
    const endless: Served = { ...mock, handle: async () => ({ status: 200, headers: {}, body }) };
    const server = await listen(endless, { port: 0, host: '127.0.0.1', grace: 20 });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () =>
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\nGET'),
    );
    const gone = closingOf(socket);
    // The answer has begun.
    await once(socket, 'data');
    await server.close();
    await gone;
  });
});

test('a thousand connections with slow, broken and pipelined requests keep nobody from an answer', async () => {
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
  expect((await fetch(`${server.url}/api/model/warehouse`)).status).toBe(200);

  const pipelined = connect(port, '127.0.0.1');
  pipelined.write(ASKED.repeat(50));
  expect(await countAnswers(pipelined, 50)).toBe(50);
  pipelined.destroy();

  for (const socket of sockets) socket.destroy();
  await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')));
  const { headers, status } = await fetch(`${server.url}/api/model/warehouse`);
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
