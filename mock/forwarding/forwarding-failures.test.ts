import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { useForwarding } from '../../testing/mocks/use-forwarding.ts';

const BRAND = '/api/model/brand';
const { serve, start, startBefore, startService } = useForwarding();

describe('a service that does not answer', () => {
  test('is a 502 that names its URL and the way out', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}/v1?`.slice(0, -1);
    closed.close();
    const { ask, mock } = await start({ url });
    const { body, status } = await ask('GET', BRAND);
    const detail = `The service at ${url} did not respond: no server listens there (connection refused). Check the URL that the mock forwards to (--forward), and check that the service runs. To let the mock answer instead, send PATCH /__mock/forward with {"enabled": false}.`;
    expect([status, body]).toMatchObject([502, { title: 'Bad Gateway', detail }]);
    expect(await mock.requests()).toMatchObject([{ status: 502, detail, forwarded: true }]);
    await mock.setForward({ enabled: false });
    expect((await ask('GET', BRAND)).body).toMatchObject([{ name: 'ours' }]);
  });

  test('loses its request when the client goes away', async () => {
    const [asked, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const url = await serve((request) => {
      request.socket.on('close', () => left.resolve());
      asked.resolve();
    });
    const { mock, url: own } = await start({ url });
    const stop = new AbortController();
    const request = fetch(own + BRAND, { signal: stop.signal }).catch(() => {});
    await asked.promise;
    stop.abort();
    await Promise.all([left.promise, request]);
    expect(await mock.waitFor({ status: 499 })).toMatchObject([{ forwarded: true }]);
  });
});

test('a request that comes back to the mock is refused', async () => {
  const { ask } = await startBefore(async (request, response) => {
    const { body, status } = await ask('GET', request.url ?? '', undefined, {
      via: String(request.headers.via),
    });
    response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body));
  });
  expect(await ask('GET', BRAND)).toMatchObject({
    status: 508,
    body: { detail: expect.stringMatching(/^The forward URL http.* leads back to this mock\./) },
  });
});

describe('faults', () => {
  test('and delays apply to forwarded requests', async () => {
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

  test('apply to a body that is too long to be held', async () => {
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
});
