import { afterEach, describe, expect, test } from 'vitest';
import { serve, serveJson, startProxy, stopAll } from '../../testing/proxies/proxies.ts';

afterEach(stopAll);

const WAREHOUSE = '/api/model/warehouse';
const RECORD = `${WAREHOUSE}/1`;
const json = { 'content-type': 'application/json' };

describe('an answer that HTTP does not have', () => {
  test.each([
    [
      'a status below all',
      'HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n',
      /The service at http:\/\/127\.0\.0\.1:\d+ did not respond: its status is not a valid HTTP status from 200 to 599\. Check the upstream URL of the proxy, and check that the service runs\./,
    ],
    [
      'another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
      /another protocol/,
    ],
  ])('because it is %s is 502, and the proxy goes on', async (_what, said, why) => {
    const proxy = await startProxy(await serve(({ socket }) => void socket.write(said)));
    // The first is in the document, and held; the second is not.
    for (const path of [RECORD, '/else']) {
      const answer = await proxy.ask('GET', path);
      expect(answer.status).toBe(502);
      expect(JSON.parse(String(answer.body)).detail).toMatch(why);
    }
    expect(proxy.exchanges).toMatchObject([{ failure: expect.any(String) }, { failure: expect.any(String) }]);
  });

  test('but that Node can write is forwarded', async () => {
    const proxy = await startProxy(await serveJson(999, {}));
    expect((await proxy.ask('GET', RECORD)).status).toBe(999);
  });
});

describe('a request that comes back to the proxy', () => {
  test('is refused, so that it goes round once', async () => {
    const others: string[] = [];
    // The service is the one at the address of the proxy.
    const service = await serve(async (request, response) => {
      others.push(String(request.headers.via));
      const { via = '' } = request.headers;
      const answer = await proxy.ask('GET', request.url ?? '/', '', { via: String(via) });
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
    const proxy = await startProxy(service);
    const answer = await proxy.ask('GET', RECORD, '', { via: '1.0 other' });
    expect(answer.status).toBe(508);
    expect(JSON.parse(String(answer.body)).detail).toContain('leads back to this proxy');
    expect(others).toEqual([expect.stringMatching(/^1\.0 other, 1\.1 record-model-[0-9a-f]{16}$/)]);
  });

  test('is not one that went through another proxy of the kind', async () => {
    const near = await startProxy((await startProxy(await serveJson(200, {}))).url);
    expect((await near.ask('GET', '/else')).status).toBe(200);
  });
});

describe('malformed JSON', () => {
  const secret = '{"name": "a",\n "apiKey":hunter2-secret}';

  test('is reported by its place, and nothing of it is shown, whichever side sent it', async () => {
    const url = await serve((request, response) => {
      request.resume();
      response.writeHead(200, json).end(secret);
    });
    const proxy = await startProxy(url);
    const answers = [await proxy.ask('GET', RECORD), await proxy.ask('POST', RECORD, secret, json)];
    const told = proxy.exchanges.flatMap(({ violations }) => violations.map(({ message }) => message));
    expect(told).toEqual([
      'Response body is not valid JSON at line 2, column 11',
      'Request body is not valid JSON at line 2, column 11',
      'Response body is not valid JSON at line 2, column 11',
    ]);
    for (const { headers } of answers) expect(headers['sl-violations']).not.toContain('hunter');
  });
});
