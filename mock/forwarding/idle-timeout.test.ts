import { request as send } from 'node:http';
import { describe, expect, test } from 'vitest';
import { useForwarding } from '../../testing/mocks/use-forwarding.ts';
import { useTarget } from '../../testing/proxies/use-target.ts';

const { serve, startForwarding } = useForwarding();
const { listenRaw } = useTarget();

const RECORD = '/api/model/warehouse/1';
const json = { 'content-type': 'application/json' };

describe('a service that falls silent', () => {
  const begins = () =>
    serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '50' }).write('{');
    });

  test('in the middle of an answer is 504', async () => {
    const mock = await startForwarding(await begins(), {}, { timeout: 30 });
    const answer = await mock.ask('GET', RECORD);
    expect(answer.status).toBe(504);
    expect(mock.exchanges).toMatchObject([{ detail: expect.stringContaining('sent nothing for 30 ms') }]);
  });

  test('in the middle of what is forwarded at once ends the answer there', async () => {
    const mock = await startForwarding(await begins(), {}, { timeout: 1000 });
    await expect(mock.ask('PUT', RECORD)).rejects.toThrow(/aborted|closed|hang up/);
  });

  test('because what stands on the way to it does, is 504 too', async () => {
    // The environment names a mock, which takes connections and says nothing.
    const proxyEnv = { https_proxy: await listenRaw(() => {}) };
    const mock = await startForwarding('https://service.invalid', {}, { timeout: 30, proxyEnv });
    expect((await mock.ask('GET', RECORD)).status).toBe(504);
  });

  test('because the client reads slowly is not silent', async () => {
    // More than the buffers on the way can hold.
    const body = Buffer.alloc(32 * 1024 * 1024);
    const timeout = 1200;
    const mock = await startForwarding(
      await serve((_request, response) => void response.end(body)),
      {},
      { timeout },
    );
    const length = await new Promise<number>((resolve, reject) => {
      send(mock.url + RECORD, { method: 'PUT', agent: false }, (response) => {
        let read = 0;
        setTimeout(() => response.on('data', (chunk) => (read += chunk.length)), 2.5 * timeout);
        response.on('end', () => resolve(read)).on('error', reject);
      }).end();
    });
    expect(length).toBe(body.length);
  });
});

test.each([
  ['while the answer is held', 'GET', 499],
  ['while the answer passes', 'PUT', 200],
])('a client that goes away %s ends the request to the service', async (_when, method, status) => {
  const [asked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const url = await serve((_request, response) => {
    response.on('close', ended.resolve);
    response.writeHead(200, { 'content-length': '50' }).write('{', () => asked.resolve());
  });
  const mock = await startForwarding(url);
  const client = send(mock.url + RECORD, { method, agent: false }).on('error', () => undefined);
  client.end();
  await asked.promise;
  client.destroy();
  await ended.promise;
  await expect.poll(() => mock.exchanges).toMatchObject([{ forwarded: true, status }]);
});

test('a client that goes away leaves a connection that others use as it is', async () => {
  let connections = 0;
  const url = await serve(({ socket }, response) => {
    if (socket.listenerCount('counted') === 0) connections++;
    socket.on('counted', () => undefined);
    response.end('{}');
  });
  const mock = await startForwarding(url);
  for (let index = 0; index < 5; index++) await mock.ask('GET', RECORD);
  expect(connections).toBe(1);
});

test.each([
  ['before it begins', ''],
  ['in its middle', 'HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{'],
])('without an answer %s, because the connection closes, it is 502', async (_when, said) => {
  const mock = await startForwarding(await serve(({ socket }) => void socket.end(said)));
  const answer = await mock.ask('POST', RECORD, '{}', json);
  expect(answer.status).toBe(502);
  expect(mock.exchanges).toMatchObject([{ detail: expect.any(String), violations: [] }]);
});

test('without an answer for long it is 504', async () => {
  const mock = await startForwarding(await serve(() => undefined), {}, { timeout: 30 });
  const answer = await mock.ask('GET', RECORD);
  expect(answer.status).toBe(504);
  expect(String(answer.body)).toContain('sent nothing for 30 ms. Check the URL that the mock forwards to');
});

test('without an answer nothing but a safe request is sent again', async () => {
  const asked: string[] = [];
  const url = await serve(({ method = '', socket }, response) => {
    asked.push(method);
    if (asked.length === 1) response.end();
    else socket.destroy();
  });
  const mock = await startForwarding(url);
  await mock.ask('GET', RECORD);
  expect((await mock.ask('POST', RECORD, '{}', json)).status).toBe(502);
  expect((await mock.ask('GET', RECORD)).status).toBe(502);
  expect(asked).toEqual(['GET', 'POST', 'GET', 'GET']);
});
