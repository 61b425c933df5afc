import { afterEach, describe, expect, test } from 'vitest';
import { serve, serveJson, startProxy, stopAll } from '../../testing/proxies/proxies.ts';

afterEach(stopAll);

const RECORD = '/api/model/warehouse/1';

describe('a page served from this machine', () => {
  const origin = 'http://localhost:3000';
  const preflight = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'x-a',
  };

  test('may read answers of a service that says nothing of other origins', async () => {
    const proxy = await startProxy(await serveJson(200, {}));
    const { headers } = await proxy.ask('GET', RECORD, '', { origin });
    expect(headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' });
    expect(headers['access-control-expose-headers']).toContain('sl-violations');
    const asked = await proxy.ask('OPTIONS', RECORD, '', preflight);
    expect(asked).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-methods': 'POST', 'access-control-allow-headers': 'x-a' },
    });
    expect(proxy.exchanges.length).toBe(1);
  });

  test('gets what the service itself says', async () => {
    const own = { 'access-control-allow-origin': 'https://app.example' };
    const proxy = await startProxy(await serve((_request, response) => response.writeHead(200, own).end()));
    for (const answer of [
      await proxy.ask('GET', RECORD, '', { origin }),
      await proxy.ask('OPTIONS', RECORD, '', preflight),
    ])
      expect(answer).toMatchObject({ status: 200, headers: own });
  });

  test('is not one that only looks like it', async () => {
    const proxy = await startProxy(await serveJson(200, {}));
    for (const other of ['https://localhost.example', 'null', 'https://page.example']) {
      const { headers } = await proxy.ask('GET', RECORD, '', { origin: other });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });
});
