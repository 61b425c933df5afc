import type { IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { useForwarding } from '../../testing/mocks/use-forwarding.ts';

const BRAND = '/api/model/brand';
const { serve, start, startBefore, startService } = useForwarding();

describe('forwarding', () => {
  test('lets the service answer the named models, in all sessions, and the mock all others', async () => {
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

  test.each(['POST', 'DELETE'])('rejects %s without the right to write', async (method) => {
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

  test('does not let a header change the method of a read', async () => {
    const service = await startService();
    const { ask } = await start({ url: service.url });
    const override = { 'x-http-method-override': 'DELETE' };
    expect((await ask('GET', `${BRAND}/7`, undefined, override)).status).toBe(403);
    expect((await ask('GET', `${BRAND}/7`, undefined, { 'x-http-method-override': 'get' })).status).toBe(200);
  });

  test('passes writes on with the right to write, and marks all responses as those of a service', async () => {
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

  test('reports the violations of the service, redacts credentials, and passes them on', async () => {
    const seen: IncomingMessage[] = [];
    const lines: object[] = [];
    const url = await serve((request, response) => {
      seen.push(request);
      const echo = String(request.headers.authorization);
      response.writeHead(200, {
        'content-type': 'application/json',
        'set-cookie': ['a=hunter22', 'b=hunter33'],
      });
      response.end(JSON.stringify({ id: 1, name: 5, note: echo, token: 'hunter44' }));
    });
    const { ask, mock } = await start({ url }, { onExchange: (one) => lines.push(one) });
    const asked = {
      authorization: 'Bearer secret-of-ana',
      connection: 'x-own',
      'x-own': '1',
      te: 'trailers',
    };
    const { body, headers } = await ask('GET', `${BRAND}/1?apiKey=secret-of-bob`, undefined, asked);
    expect([body, headers['set-cookie']]).toMatchObject([{ note: 'Bearer secret-of-ana' }, { length: 2 }]);
    expect(seen[0]?.headers).toMatchObject({
      authorization: 'Bearer secret-of-ana',
      via: expect.any(String),
    });
    expect(seen[0]?.headers).not.toHaveProperty('x-own');
    const [entry] = await mock.requests({ violation: 'response.body.name' });
    expect(entry?.violations).toContainEqual({
      location: 'response.body.name',
      message: 'Response body property name must be string',
    });
    expect(JSON.stringify([entry, lines])).not.toMatch(/secret-of|hunter/);
    expect(lines).toMatchObject([{ forwarded: true, status: 200, violations: expect.any(Array) }]);
  });

  test('logs the text of an encoded response, and lets nobody in the process get one', async () => {
    const records = JSON.stringify([{ id: 1 }]);
    const { mock, url } = await startBefore((request, response) => {
      const isEncoded = request.headers['accept-encoding'] === 'gzip';
      const headers = {
        'content-type': 'application/json',
        ...(isEncoded && { 'content-encoding': 'gzip' }),
      };
      response.writeHead(200, headers).end(isEncoded ? gzipSync(records) : records);
    });
    const sent = { 'accept-encoding': 'gzip' };
    const far = await fetch(url + BRAND, { headers: sent });
    expect([far.headers.get('content-encoding'), await far.json()]).toEqual(['gzip', [{ id: 1 }]]);
    const here = await mock.fetch(new Request(`http://app.example${BRAND}`, { headers: sent }));
    expect(await here.json()).toEqual([{ id: 1 }]);
    for (const { response } of await mock.requests()) expect(response.body).toEqual([{ id: 1 }]);
  });

  test('keeps the rules for pages of other origins', async () => {
    const { ask } = await startBefore((_, response) => {
      response.writeHead(200, { 'access-control-allow-origin': 'https://evil.example', vary: 'Accept' });
      response.end('[]');
    });
    const own = 'http://localhost:5173';
    const { headers, status } = await ask('GET', BRAND, undefined, { origin: own });
    expect([status, headers['access-control-allow-origin'], headers.vary]).toEqual([
      200,
      own,
      'Accept, Origin',
    ]);
    const other = await ask('GET', BRAND, undefined, { origin: 'https://evil.example' });
    expect([other.status, other.headers['access-control-allow-origin']]).toEqual([403, undefined]);
  });

  test('does not pass on the token of the control API', async () => {
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
