import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { problem } from '../../testing/mocks/control.ts';
import { told, useForwarding } from '../../testing/mocks/use-forwarding.ts';
import { serve as serveHere } from '../../testing/services/http-server.ts';

const { serve, start, startBefore, startForwarding, startService } = useForwarding();

const BRAND = '/api/model/brand';

describe('forwarding', () => {
  test('sends requests for the named models to the service in all sessions, and serves the others', async () => {
    const service = await startService();
    const { ask, mock } = await start({ url: service.url, models: ['brand'] });
    for (const prefix of ['', '/__mock/sessions/a']) {
      expect((await ask('GET', prefix + BRAND)).body).toMatchObject([{ id: 7, name: 'theirs' }]);
      expect((await ask('GET', `${prefix}${BRAND}/7`)).body).toMatchObject({ name: 'theirs' });
      expect((await ask('GET', `${prefix}${BRAND}/1`)).status).toBe(404);
      expect((await ask('GET', `${prefix}/api/model/warehouse`)).body).toMatchObject([{ name: 'ours' }]);
    }
    expect((await ask('POST', '/api/model/warehouse', { name: 'b' })).status).toBe(201);
    expect(await service.mock.count({ model: 'warehouse' })).toBe(0);
    const [first] = await mock.session('a').requests();
    expect(first).toMatchObject({
      model: 'brand',
      status: 200,
      forwarded: true,
      response: { body: [{ id: 7 }] },
    });
    expect(first).not.toHaveProperty('violations');
    const [other] = await mock.session('a').requests({ model: 'warehouse' });
    expect(other).not.toHaveProperty('forwarded');
    // The name of the session is for the mock only.
    await ask('GET', BRAND, undefined, { 'x-mock-session': 'b' });
    expect((await service.mock.requests()).at(-1)?.request.headers).not.toHaveProperty('x-mock-session');
    expect(await service.mock.sessions()).toEqual(['default']);
  });

  test.each(['POST', 'DELETE'])('rejects %s without the option write', async (method) => {
    const service = await startService();
    const { ask, mock } = await start({ url: service.url, models: ['brand'] });
    const path = method === 'POST' ? BRAND : `${BRAND}/7`;
    expect(await ask(method, path, method === 'POST' ? { name: 'x' } : undefined)).toMatchObject({
      status: 403,
      headers: { 'content-type': 'application/problem+json' },
      body: {
        detail: expect.stringMatching(/forwards brand to http.*only reads.*start the mock with --write/),
      },
    });
    expect(await service.mock.count()).toBe(0);
    const [entry] = await mock.requests();
    expect(entry).toMatchObject({ status: 403, detail: expect.stringContaining('only reads') });
    expect(entry).not.toHaveProperty('forwarded');
  });

  test('does not permit a header to change the method of a read', async () => {
    const service = await startService();
    const { ask } = await start({ url: service.url });
    const override = { 'x-http-method-override': 'DELETE' };
    expect((await ask('GET', `${BRAND}/7`, undefined, override)).status).toBe(403);
    expect((await ask('GET', `${BRAND}/7`, undefined, { 'x-http-method-override': 'get' })).status).toBe(200);
  });

  test('forwards writes with the option write, and marks each response as that of the service', async () => {
    const service = await startService();
    const { ask } = await start({ url: service.url, models: ['brand'], write: true });
    expect((await ask('POST', BRAND, { name: 'new' })).status).toBe(201);
    expect(await service.mock.state(['brand'])).toMatchObject({ brand: [{}, { name: 'new' }] });
    const { headers } = await ask('GET', '/api/model/warehouse');
    expect(headers['record-model-upstream']).toBe(service.url);
    expect((await ask('POST', BRAND, JSON.stringify({ name: 'x'.repeat(2 ** 20) }))).status).toBe(413);
    const reading = await start({ url: service.url, models: ['brand'] });
    expect((await reading.ask('GET', '/api/model/warehouse')).headers).not.toHaveProperty(
      'record-model-upstream',
    );
    expect((await reading.ask('GET', BRAND)).headers['record-model-upstream']).toBe(service.url);
  });

  test('reports the violations of the service, and redacts credentials', async () => {
    const lines: object[] = [];
    const url = await serve((request, response) => {
      const echo = String(request.headers.authorization);
      response.writeHead(200, {
        'content-type': 'application/json',
        'set-cookie': ['a=hunter22', 'b=hunter33'],
      });
      response.end(JSON.stringify({ id: 1, name: 5, note: echo, token: 'hunter44' }));
    });
    const { ask, mock } = await start({ url }, { onExchange: (one) => lines.push(one) });
    const asked = { authorization: 'Bearer secret-of-ana' };
    const { body, headers } = await ask('GET', `${BRAND}/1?apiKey=secret-of-bob`, undefined, asked);
    expect([body, headers['set-cookie']]).toMatchObject([{ note: 'Bearer secret-of-ana' }, { length: 2 }]);
    const [entry] = await mock.requests({ violation: 'response.body.name' });
    expect(entry?.violations).toContainEqual({
      location: 'response.body.name',
      message: 'Response body property name must be string',
    });
    expect(JSON.stringify([entry, lines])).not.toMatch(/secret-of|hunter/);
    expect(lines).toMatchObject([{ forwarded: true, status: 200, violations: expect.any(Array) }]);
  });

  test('applies the CORS rules of the mock to forwarded responses', async () => {
    const { ask } = await startBefore((_, response) => {
      response.writeHead(200, { 'access-control-allow-origin': 'https://evil.example', vary: 'Accept' });
      response.end('[]');
    });
    const own = 'http://localhost:5173';
    expect(await ask('GET', BRAND, undefined, { origin: own })).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': own, vary: 'Accept, Origin' },
    });
  });

  test('does not forward the token of the control API', async () => {
    const seen: unknown[] = [];
    const url = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.end('[]');
    });
    const { ask } = await start({ url }, { control: { token: 'of-the-mock' } });
    await ask('GET', BRAND, undefined, { authorization: 'Bearer of-the-mock' });
    await ask('GET', BRAND, undefined, { authorization: 'Bearer of-the-service' });
    expect(seen).toEqual([undefined, 'Bearer of-the-service']);
  });
});

test('an unreachable service leads to a 502 that names its URL and what to do', async () => {
  const closed = await serveHere(() => {});
  await closed.close();
  const url = `${closed.url}/v1`;
  const { ask, mock } = await start({ url });
  const { body, status } = await ask('GET', BRAND);
  const detail = `The service at ${url} did not respond: no server listens there (connection refused). Check the URL that the mock forwards to (--forward), and check that the service runs. To let the mock answer instead, send PATCH /__mock/forward with {"enabled": false}.`;
  expect([status, body]).toMatchObject([502, { title: 'Bad Gateway', detail }]);
  expect(await mock.requests()).toMatchObject([{ status: 502, detail, forwarded: true }]);
  await mock.setForward({ enabled: false });
  expect((await ask('GET', BRAND)).body).toMatchObject([{ name: 'ours' }]);
});

test('a request that the service sends back to the mock is rejected', async () => {
  const { ask } = await startBefore(async (request, response) => {
    const { body, status } = await ask('GET', request.url ?? '', undefined, {
      via: String(request.headers.via),
    });
    response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body));
  });
  expect(await ask('GET', BRAND)).toMatchObject(
    problem(508, /^The forward URL http.* leads back to this mock\./),
  );
});

test('faults and delays apply to forwarded requests', async () => {
  const service = await startService();
  const { ask, mock } = await start({ url: service.url, models: ['brand'] }, { latency: 1 });
  await mock.fault({ match: { model: 'brand' }, status: 503, times: 1 });
  expect((await ask('GET', BRAND)).status).toBe(503);
  expect(await service.mock.count()).toBe(0);
  await mock.clearFaults();
  await mock.fault({ match: { operation: 'listBrand' }, delay: 2, times: 1 });
  expect((await ask('GET', BRAND)).status).toBe(200);
  await mock.clearFaults();
  for (const drop of ['before', 'after', 'mid-body'] as const) {
    await mock.fault({ drop, times: 1 });
    await expect(ask('GET', BRAND)).rejects.toThrow();
  }
  expect(await service.mock.count()).toBe(3);
  await mock.fault({ bytesPerSecond: 1_000_000, times: 1 });
  expect((await ask('GET', BRAND)).body).toMatchObject([{ id: 7 }]);
  const log = (await mock.requests()).map(({ fault, forwarded }) => [fault, forwarded]);
  expect(log.slice(0, 3)).toEqual([
    ['1', undefined],
    ['2', true],
    ['3', undefined],
  ]);
});

test('faults apply to a response that is too long to be buffered', async () => {
  const { ask, mock } = await startBefore((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify('x'.repeat(17 * 2 ** 20)));
  });
  expect((await ask('GET', BRAND)).body).toHaveLength(17 * 2 ** 20);
  await mock.fault({ drop: 'mid-body', times: 1 });
  await expect(ask('GET', BRAND)).rejects.toThrow();
  const [entry] = await mock.requests();
  expect(entry).toMatchObject({
    forwarded: true,
    violations: [{ location: 'response.body', message: expect.stringContaining('was not checked') }],
  });
});

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

test('a request reaches the service unchanged, with its credentials and the host of the service', async () => {
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
    'accept-encoding': 'gzip, br',
    'proxy-authorization': 'Basic x',
  });
  expect(seen).toEqual([
    {
      method: 'POST',
      url: `/base${RECORD}?a=%20&b=1+2&b`,
      body,
      headers: {
        ...json,
        'accept-encoding': 'identity',
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

test.each<[string, number, string, Record<string, string>]>([
  ['a page of another origin', 403, RECORD, { origin: 'https://evil.example' }],
  ['a host that is not local', 421, RECORD, { host: 'evil.localhost' }],
  ['a path that could leave the base path', 400, '/api/model/../../__mock/reset', {}],
])(
  'a request for %s is rejected with %i, and does not reach the service',
  async (_, status, path, headers) => {
    const { seen, url } = await serveAndKeep();
    const mock = await startForwarding(`${url}/v1`);
    for (const method of ['GET', 'POST', 'OPTIONS'])
      expect([method, (await mock.ask(method, path, '', headers)).status]).toEqual([method, status]);
    expect(seen).toEqual([]);
  },
);

test('a request with an absolute URL of another host is sent to the service', async () => {
  const { seen, url } = await serveAndKeep();
  const mock = await startForwarding(url);
  expect((await mock.ask('GET', `http://other.example${RECORD}`)).status).toBe(200);
  expect(seen).toMatchObject([{ headers: { host: new URL(url).host } }]);
});

describe('a forwarded response', () => {
  test.each([
    [302, { location: 'http://elsewhere.example/x' }],
    [501, { ...json, 'x-a': 'b' }],
    [401, { 'www-authenticate': 'Bearer' }],
  ])('keeps the status %i and its headers', async (status, headers) => {
    const mock = await startForwarding(
      await serve((_request, response) => response.writeHead(status, headers).end()),
    );
    const answer = await mock.ask('GET', RECORD);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject(headers);
  });

  test('names the service and the proxies that it came through', async () => {
    const url = await serve((_request, response) => response.writeHead(200, { via: '1.1 edge' }).end());
    const { headers } = await (await startForwarding(`${url}/base/`)).ask('GET', RECORD);
    expect(headers).toMatchObject({
      via: expect.stringMatching(/^1\.1 edge, 1\.1 record-model-[0-9a-f]{16}$/),
      'record-model-upstream': `${url}/base`,
    });
  });

  test('keeps each byte, compressed or not, and repeated headers', async () => {
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
    expect(told(mock)).toContainEqual(expect.stringContaining('content encoding gzip is not supported'));
  });

  test('without an end is sent immediately if there is nothing to check', async () => {
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
