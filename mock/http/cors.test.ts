import { describe, expect, test } from 'vitest';
import { startMock } from '../../testing/mocks/mocks.ts';
import { useServer } from '../../testing/mocks/use-server.ts';
import { listen } from './server.ts';

const { closing, serve } = useServer();

describe('a page of this machine, or of an origin that the user named,', () => {
  test('is answered what it may do', async () => {
    const origin = 'http://localhost:5173';
    const response = await fetch(`${await serve()}/api/model/warehouse`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE');
    expect(response.headers.get('access-control-allow-headers')).toBe('authorization,content-type');
  });

  test('may send credentials, unlike a page of any other origin', async () => {
    const { mock } = await startMock();
    const server = closing(
      await listen(mock, {
        port: 0,
        host: '127.0.0.1',
        corsOrigins: ['https://App.example/'],
      }),
    );
    const origins = [
      'http://localhost:5173',
      'http://127.0.0.1:3000',
      'https://app.example',
      'https://b.example',
    ];
    const asked = await Promise.all(
      [...origins, 'http://localhost.b.example'].map(async (origin) => {
        const { headers } = await fetch(`${server.url}/api/model/warehouse`, { headers: { origin } });
        const ahead = await fetch(`${server.url}/api/model/warehouse`, {
          method: 'OPTIONS',
          headers: {
            origin,
            'access-control-request-method': 'PUT',
            'access-control-request-private-network': 'true',
          },
        });
        expect(headers.get('vary')).toBe('Origin');
        const names = ['access-control-allow-origin', 'access-control-allow-credentials'];
        const said = [headers, ahead.headers].map((one) => names.map((name) => one.get(name)).join(' '));
        expect(said[0]).toBe(said[1]);
        return `${ahead.status} ${said[0]} ${ahead.headers.get('access-control-allow-private-network')}`;
      }),
    );
    expect(asked).toEqual([
      ...origins.slice(0, 3).map((origin) => `204 ${origin} true true`),
      '403   null',
      '403   null',
    ]);
  });

  test('may read every answer, errors too, and the headers it needs', async () => {
    const url = await serve({ 'response.totalHeader': 'X-Total' });
    for (const path of ['/api/model/warehouse', '/nope', '/openapi.json']) {
      const origin = 'http://localhost:5173';
      const { headers } = await fetch(url + path, { headers: { origin } });
      expect(headers.get('access-control-allow-origin')).toBe(origin);
      expect(headers.get('access-control-expose-headers')).toBe(
        'Allow, Location, Retry-After, WWW-Authenticate, X-Total',
      );
    }
  });
});
