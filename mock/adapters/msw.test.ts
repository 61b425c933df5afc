import { setupServer } from 'msw/node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Served, serve } from '../../testing/services/http-server.ts';
import { createMock, type Mock } from '../mock.ts';
import { createHandlers } from './msw.ts';

/** A server at the address of the API; a request to it has left the process. */
const reached: string[] = [];
let api: Served;
let mock: Mock;
beforeEach(async () => {
  reached.length = 0;
  mock = await createMock({ fixtures: { brand: [{ id: 1, name: 'Altura' }] } });
  api = await serve(({ method, url }, response) => {
    reached.push(`${method} ${url}`);
    response.end();
  });
});
afterEach(async () => {
  await mock.close();
  await api.close();
});

test.each(['with its origin', 'with any origin'])(
  'handlers %s let no request of the process reach the API',
  async (which) => {
    const server = setupServer(
      ...createHandlers(mock, which === 'with any origin' ? {} : { origin: `${api.url}/` }),
    );
    server.listen({ onUnhandledFrame: 'error' });
    try {
      for (const [path, status] of [
        ['/api/model/brand?limit=1', 200],
        ['/api/model/brands', 404],
        ['/api/model', 404],
        ['/__mock/', 200],
        ['/__mock/images/brand-1.svg', 200],
      ] as const)
        expect([path, (await fetch(api.url + path)).status]).toEqual([path, status]);
      for (const drop of ['before', 'after'] as const) {
        await mock.fault({ drop, times: 1 });
        await expect(fetch(`${api.url}/api/model/brand`)).rejects.toThrow();
      }
      for (const path of ['/', '/api/models', '/other'])
        await expect(fetch(api.url + path, { method: 'POST', body: '{}' })).rejects.toThrow();
      expect(reached).toEqual([]);
    } finally {
      server.close();
    }
  },
);

test('the handlers ignore requests to other origins', async () => {
  const server = setupServer(...createHandlers(mock, { origin: 'https://api.example.com' }));
  server.listen({ onUnhandledFrame: 'bypass' });
  try {
    expect((await fetch(`${api.url}/api/model/brand`)).status).toBe(200);
    expect([reached, await mock.count()]).toEqual([['GET /api/model/brand'], 0]);
  } finally {
    server.close();
  }
});

test('an invalid origin is rejected', () => {
  expect(() => createHandlers(mock, { origin: 'api.example.com' })).toThrow(
    'origin must be an origin such as https://api.example.com, but is "api.example.com".',
  );
});
