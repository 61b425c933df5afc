import { describe, expect, test } from 'vitest';
import { useForwarding } from '../../testing/mocks/use-forwarding.ts';

const BRAND = '/api/model/brand';
const { serve, start } = useForwarding();

describe('a forwarded response', () => {
  test.each(['text/html', 'application/json'])(
    'of type %s runs no script in the origin of the mock',
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

  test('sets no cookie for other paths', async () => {
    const kept = ['a=1', 'b=2; Path=/; HttpOnly', 'c=3; path=/api/model', 'd=4; Path=other'];
    const others = ['e=5; Path=/__mock', 'f=6;path=/api/model/brandy', 'g=7; Path=/api; Path=/console'];
    const url = await serve((_, response) =>
      response.setHeader('set-cookie', [...kept, ...others]).end('[]'),
    );
    const { url: own } = await start({ url });
    expect((await fetch(own + BRAND)).headers.getSetCookie()).toEqual(kept);
    const { url: alone } = await start({
      url: await serve((_, response) => response.setHeader('set-cookie', others).end('[]')),
    });
    expect((await fetch(alone + BRAND)).headers.getSetCookie()).toEqual([]);
  });

  test.each(['https://evil.example', 'null'])(
    'is not for a page of %s, whose requests don’t reach the service',
    async (origin) => {
      const methods: unknown[] = [];
      const url = await serve(({ method }, response) => {
        methods.push(method);
        response.setHeader('access-control-allow-origin', origin).end('[]');
      });
      const { ask } = await start({ url, write: true });
      for (const [method, more] of [
        ['POST', {}],
        ['GET', {}],
        ['OPTIONS', { 'access-control-request-method': 'POST' }],
      ] as const) {
        const { headers, status } = await ask(method, BRAND, undefined, { origin, ...more });
        expect([method, status, headers['access-control-allow-origin']]).toEqual([method, 403, undefined]);
        expect(headers['access-control-allow-credentials']).toBeUndefined();
      }
      expect(methods).toEqual([]);
    },
  );
});
