import { request as send } from 'node:http';
import { describe, expect, test } from 'vitest';
import { told, useForwarding, WAREHOUSE_1 } from '../../testing/mocks/use-forwarding.ts';
import { useTarget } from '../../testing/proxies/use-target.ts';

const { serve, serveJson, start, startForwarding } = useForwarding();

const BRAND = '/api/model/brand';

test.each(['text/html', 'application/json'])(
  "a forwarded response of type %s can't run scripts in the origin of the mock",
  async (type) => {
    const url = await serve((_, response) => {
      response.setHeader('content-security-policy', "default-src 'none'");
      response.setHeader('clear-site-data', '"*"');
      response.writeHead(200, { 'content-type': type }).end('<script>fetch("/__mock/state")</script>');
    });
    const { url: own } = await start({ url });
    const { headers } = await fetch(own + BRAND);
    expect(headers.get('content-security-policy')).toBe("default-src 'none', sandbox");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('clear-site-data')).toBeNull();
  },
);

test("a forwarded response can't set cookies for other paths", async () => {
  const kept = ['a=1', 'b=2; Path=/; HttpOnly', 'c=3; path=/api/model', 'd=4; Path=other'];
  const others = ['e=5; Path=/__mock', 'f=6;path=/api/model/brandy', 'g=7; Path=/api; Path=/console'];
  const url = await serve((_, response) => response.setHeader('set-cookie', [...kept, ...others]).end('[]'));
  const { url: own } = await start({ url });
  expect((await fetch(own + BRAND)).headers.getSetCookie()).toEqual(kept);
  const { url: alone } = await start({
    url: await serve((_, response) => response.setHeader('set-cookie', others).end('[]')),
  });
  expect((await fetch(alone + BRAND)).headers.getSetCookie()).toEqual([]);
});

const WAREHOUSE = '/api/model/warehouse';
const json = { 'content-type': 'application/json' };
const RECORD = `${WAREHOUSE}/1`;

describe('a response that violates the contract', () => {
  const { name: _, ...nameless } = WAREHOUSE_1;
  test.each([
    [
      'a wrong type',
      200,
      { ...WAREHOUSE_1, id: '1' },
      'response.body.id: Response body property id must be integer',
    ],
    ['a missing field', 200, nameless, "response.body: Response body must have required property 'name'"],
    ['an undocumented success', 203, WAREHOUSE_1, 'response: Unable to match the returned status code'],
  ])('is forwarded and reported: %s', async (_what, status, body, violation) => {
    const mock = await startForwarding(await serveJson(status, body));
    const answer = await mock.ask('GET', `${WAREHOUSE}/1`);
    expect([answer.status, JSON.parse(String(answer.body))]).toEqual([status, body]);
    expect(told(mock)).toEqual([expect.stringContaining(violation)]);
  });

  test.each([
    ['of an invalid media type', { 'content-type': 'text/html; x' }, '<p>', 'The received media type ""'],
    ['malformed JSON', json, '{"id":', 'Response body is not valid JSON'],
    ['JSON that is not UTF-8', json, Buffer.from([0x22, 0xff, 0x22]), 'Response body is not valid UTF-8'],
  ])('is reported when it is %s', async (_what, headers, body, message) => {
    const mock = await startForwarding(
      await serve((_request, response) => response.writeHead(200, headers).end(body)),
    );
    const answer = await mock.ask('GET', `${WAREHOUSE}/1`);
    expect(answer.body).toEqual(Buffer.from(body));
    expect(told(mock)[0]).toContain(message);
  });
});

test.each([
  [
    'an invalid status',
    'HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n',
    /The service at http:\/\/127\.0\.0\.1:\d+ did not respond: its status is not a valid HTTP status from 200 to 599\. Check the URL that the mock forwards to/,
  ],
  [
    'another protocol',
    'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    /another protocol/,
  ],
  ['closed before it begins', '', /did not respond/],
  ['closed in its middle', 'HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{', /did not respond/],
])('an answer that is %s is 502, and the mock goes on', async (_what, said, why) => {
  const mock = await startForwarding(await serve(({ socket }) => void socket.end(said)));
  // The first is in the document, and held; the second is not, and what comes of an answer passes at once.
  const methods = said.endsWith('{') ? ['GET'] : ['GET', 'PUT'];
  for (const method of methods) {
    const answer = await mock.ask(method, RECORD);
    expect(answer.status).toBe(502);
    expect(JSON.parse(String(answer.body)).detail).toMatch(why);
  }
  expect(mock.exchanges.map(({ detail }) => detail)).toEqual(methods.map(() => expect.stringMatching(why)));
});

const secret = '{"name": "a",\n "apiKey":hunter2-secret}';

test('malformed JSON of a client or a service is reported by its position, without its content', async () => {
  const url = await serve((request, response) => {
    request.resume();
    response.writeHead(200, json).end(secret);
  });
  const mock = await startForwarding(url);
  for (const method of ['GET', 'POST']) await mock.ask(method, RECORD, method === 'GET' ? '' : secret, json);
  const told = mock.exchanges.flatMap(({ violations }) => violations.map(({ message }) => message));
  expect(told).toEqual([
    'Response body is not valid JSON',
    'The body is not valid JSON',
    'Response body is not valid JSON',
  ]);
  expect(JSON.stringify(mock.exchanges)).not.toContain('hunter');
});

const { listenRaw } = useTarget();

describe('a service that stops sending', () => {
  const begins = () =>
    serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '50' }).write('{');
    });

  test('in the middle of what is forwarded at once ends the answer there', async () => {
    const mock = await startForwarding(await begins(), {}, { timeout: 1000 });
    await expect(mock.ask('PUT', RECORD)).rejects.toThrow(/aborted|closed|hang up/);
  });

  test.each([
    ['before an answer', () => serve(() => undefined), {}],
    ['in the middle of an answer', begins, {}],
    [
      'because what stands on the way to it does',
      async () => 'https://service.invalid',
      // The environment names a mock, which takes connections and says nothing.
      async () => ({ proxyEnv: { https_proxy: await listenRaw(() => {}) } }),
    ],
  ])('%s is 504', async (_when, startSilent, more) => {
    const options = typeof more === 'function' ? await more() : more;
    const mock = await startForwarding(await startSilent(), {}, { timeout: 30, ...options });
    const answer = await mock.ask('GET', RECORD);
    expect(answer.status).toBe(504);
    expect(String(answer.body)).toContain('sent nothing for 30 ms. Check the URL that the mock forwards to');
    expect(mock.exchanges).toMatchObject([{ detail: expect.stringContaining('sent nothing for 30 ms') }]);
  });

  test('because the client reads slowly is not a timeout', async () => {
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
  ['while the response is buffered', 'GET', 499],
  ['while the response is streamed', 'PUT', 200],
])('a client that disconnects %s ends the request to the service', async (_when, method, status) => {
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

test('connections to the service are reused for later requests', async () => {
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
