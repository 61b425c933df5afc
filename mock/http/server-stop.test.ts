import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { startMock } from '../../testing/mocks/mocks.ts';
import { createMock } from '../mock.ts';
import { listen, type Served } from './server.ts';

/** Resolves when a connection is closed, in order or not. */
function closingOf(socket: Socket): Promise<void> {
  socket.on('error', () => undefined);
  return new Promise((resolve) => socket.on('close', () => resolve()));
}

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

  test('closes connections that wait for nothing', async () => {
    const { mock } = await startMock();
    const server = await listen(mock, { port: 0, host: '127.0.0.1' });
    await (await fetch(`${server.url}/api/model/warehouse`)).text();
    await expect(server.close()).resolves.toBeUndefined();
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

  test('leaves nothing to do for the mock that is closed next', async () => {
    const mock = await createMock();
    const server = await mock.listen();
    await server.close();
    await expect(mock.close()).resolves.toBeUndefined();
  });

  test('does not wait for connections that have sent nothing', async () => {
    const { mock } = await startMock();
    // Whoever waited for the grace to pass would wait longer than a test may take.
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
    const endless: Served = { bodyLimit: 0, handle: async () => ({ status: 200, headers: {}, body }) };
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
