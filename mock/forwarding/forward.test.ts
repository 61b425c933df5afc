import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { serve, startForwarding, stopAll, told } from '../../testing/proxies/forwarding-mock.ts';

afterEach(stopAll);

const RECORD = '/api/model/warehouse/1';
const json = { 'content-type': 'application/json' };

/** A service that keeps what it is asked. */
async function serveAndKeep(): Promise<{ url: string; seen: object[] }> {
  const seen: object[] = [];
  const url = await serve(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { headers, method, url: target } = request;
    seen.push({ method, url: target, headers, body });
    response.end();
  });
  return { url, seen };
}

describe('a request', () => {
  test('reaches the service as it was sent, with its credentials, for its host', async () => {
    const { seen, url } = await serveAndKeep();
    const mock = await startForwarding(`${url}/base/`);
    const body = '{ "name" :\t1.0e0, "á": null }';
    await mock.ask('POST', `${RECORD}?a=%20&b=1+2&b`, body, {
      ...json,
      authorization: 'Bearer x',
      cookie: 'a=b; c=d',
      'x-own': 'ü',
      prefer: 'code=404',
      connection: 'close, x-hop',
      'x-hop': '1',
      te: 'trailers',
      'proxy-authorization': 'Basic x',
    });
    expect(seen).toEqual([
      {
        method: 'POST',
        url: `/base${RECORD}?a=%20&b=1+2&b`,
        body,
        headers: {
          ...json,
          authorization: 'Bearer x',
          cookie: 'a=b; c=d',
          'x-own': 'ü',
          prefer: 'code=404',
          'content-length': String(Buffer.byteLength(body)),
          host: new URL(url).host,
          connection: 'close',
          via: expect.stringMatching(/^1\.1 record-model-/),
        },
      },
    ]);
  });

  test.each(['evil.localhost'])(
    'for %s is none for this machine, and does not reach the service',
    async (host) => {
      const { seen, url } = await serveAndKeep();
      const mock = await startForwarding(url);
      const refused = await mock.ask('GET', RECORD, undefined, { host });
      expect(refused.status).toBe(421);
      expect(JSON.parse(String(refused.body)).detail).toMatch(
        `"${host}". To allow it, start the server with --allow-host`,
      );
      expect(seen).toEqual([]);
    },
  );

  test.each([`http://other.example${RECORD}`])(
    'for another host stays with the service: %s',
    async (target) => {
      const { seen, url } = await serveAndKeep();
      const mock = await startForwarding(url);
      expect((await mock.ask('GET', target)).status).toBe(200);
      expect(seen).toMatchObject([{ headers: { host: new URL(url).host } }]);
    },
  );
});

describe('an answer', () => {
  test.each([
    [302, { location: 'http://elsewhere.example/x' }],
    [501, { ...json, 'x-a': 'b' }],
    [401, { 'www-authenticate': 'Bearer' }],
  ])('of status %i is forwarded', async (status, headers) => {
    const mock = await startForwarding(
      await serve((_request, response) => response.writeHead(status, headers).end()),
    );
    const answer = await mock.ask('GET', RECORD);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject(headers);
  });

  test('says where it comes from, behind who passed it on before', async () => {
    const url = await serve((_request, response) => response.writeHead(200, { via: '1.1 edge' }).end());
    const { headers } = await (await startForwarding(`${url}/base/`)).ask('GET', RECORD);
    expect(headers).toMatchObject({
      via: expect.stringMatching(/^1\.1 edge, 1\.1 record-model-[0-9a-f]{16}$/),
      'record-model-upstream': `${url}/base`,
    });
  });

  test('keeps every byte, compressed or not, and headers that stand several times', async () => {
    const body = gzipSync('{"id": 1.0}');
    const mock = await startForwarding(
      await serve((_request, response) =>
        response
          .writeHead(200, { ...json, 'content-encoding': 'gzip', 'set-cookie': ['a=1', 'b=2'], date: 'then' })
          .end(body),
      ),
    );
    const answer = await mock.ask('GET', RECORD);
    expect(answer.body).toEqual(body);
    expect(answer.headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'], date: 'then' });
    expect(told(mock)).toContainEqual(expect.stringContaining("'name'"));
  });

  test('that has no end begins at once where there is nothing to check', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    });
    const mock = await startForwarding(url);
    const response = await fetch(mock.url + RECORD, { method: 'PUT' });
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 1\n\n');
    await reader?.cancel();
  });
});
