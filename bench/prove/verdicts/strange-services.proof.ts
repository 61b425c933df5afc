import { describe, expect, it } from 'vitest';
import { DEFAULT_PROFILE } from '../../../spec/profile/profile.ts';
import { catalogue, observe } from '../../../testing/profile/learning.ts';
import { useStrangeService } from '../../../testing/profile/strange-service.ts';

const { learn, mockBehind } = useStrangeService();

describe('a service that is none of this interface', () => {
  it('is not written to when it answers HTML, and gets a warning', async () => {
    const html = { headers: { 'content-type': 'text/html' }, body: '<h1>It works!</h1>' };
    const { learned, sent } = await learn(() => html, { write: true });
    expect(learned.warning).toContain(
      'GET /api/model/voucherPrice returned 200 with text/html that is not JSON',
    );
    expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(learned.settings.get('response.records')).toMatchObject({ kind: 'unknown' });
    expect(learned.profile).toEqual(DEFAULT_PROFILE);
  });

  it('is asked for credentials where it forbids everything', async () => {
    const { learned } = await learn(() => ({ status: 403, body: { error: 'no' } }));
    expect(learned.warning).toMatch(
      /GET \/api\/model\/voucherPrice returned 403: \{"error":"no"\}; pass credentials that can read \(--bearer, --basic, or --api-key\)/,
    );
  });

  it('does no harm with deep, large and odd JSON', async () => {
    const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
    const odd = `{"__proto__":{"data":[{"id":1}]},"constructor":[{"id":"1"}],"deep":${deep},"many":[${'{},'.repeat(50_000)}{}]}`;
    const { found } = await learn(() => ({ body: odd }));
    expect(found('auth')).toBe('none');
    expect(({} as Record<string, unknown>).data).toBeUndefined();
  });

  it('makes settings unknown when it breaks on every write', async () => {
    const baseUrl = await mockBehind((_, request, response) => {
      if (request.method === 'GET') return false;
      response.writeHead(500).end('{"error":"out of order"}');
      return true;
    });
    const { learned, sent } = await observe({ baseUrl }, { selected: undefined });
    expect(sent.filter(({ method }) => method !== 'GET').length).toBeLessThan(10);
    expect(learned.settings.get('request.encoding')).toMatchObject({
      kind: 'unknown',
      reason: expect.stringContaining('no record could be created: POST /api/model/lockerType returned'),
    });
    expect(learned.settings.get('types.currency')).toMatchObject({ kind: 'found', value: 'number' });
    expect(learned.settings.get('delete.effect')).toMatchObject({ kind: 'unknown' });
  });

  it('has removed what it makes of a body that is none', async () => {
    const baseUrl = await mockBehind((_, request, response) => {
      if (request.headers['content-type'] !== 'text/plain') return false;
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":777}');
      return true;
    });
    const { sent } = await observe({ baseUrl });
    const made = sent.find(({ headers }) => headers?.['content-type'] === 'text/plain');
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toContain(`DELETE ${made?.path}/777`);
  });

  it('names what could not be removed', async () => {
    const baseUrl = await mockBehind((_, request, response) => {
      if (request.method !== 'DELETE') return false;
      response.writeHead(403).end();
      return true;
    });
    const { learned } = await observe({ baseUrl });
    expect(learned.leftovers.length).toBeGreaterThan(5);
    expect(learned.leftovers).toContain('brand/6');
    expect(learned.settings.get('delete.effect')).toMatchObject({ kind: 'unknown' });
  });
});

describe('a service whose lists have another order each time', () => {
  it('has nothing of their order and their parts learned', async () => {
    let turn = 0;
    const baseUrl = await mockBehind((mock, request, response) => {
      const { method, url = '' } = request;
      if (method !== 'GET' || /\/model\/\w+\/./.test(url)) return false;
      void mock.fetch(new Request(`http://mock${url}`)).then(async (reply) => {
        const shown: unknown = await reply.json();
        const records = Array.isArray(shown) ? shown : [];
        const moved = turn++ % Math.max(1, records.length);
        response.writeHead(reply.status, Object.fromEntries(reply.headers));
        response.end(
          JSON.stringify(records.length > 0 ? [...records.slice(moved), ...records.slice(0, moved)] : shown),
        );
      });
      return true;
    });
    const { learned } = await observe({ baseUrl });
    for (const setting of ['list.paging', 'list.sort'] as const)
      expect(learned.settings.get(setting)).toEqual({
        kind: 'unknown',
        reason: expect.stringMatching(/^the order of the list of crmContact changes between requests$/),
      });
    expect(learned.leftovers).toEqual([]);
  });
});

describe('a service whose deletes say yes and do nothing', () => {
  it('has its leftovers named, and no effect of a delete', async () => {
    const baseUrl = await mockBehind((_, request, response) => {
      if (request.method !== 'DELETE') return false;
      response.writeHead(204).end();
      return true;
    });
    const { learned } = await observe({ baseUrl });
    expect(learned.leftovers.length).toBeGreaterThan(5);
    expect(learned.settings.get('status.deleted')).toMatchObject({ kind: 'found', value: 204 });
    expect(learned.settings.get('delete.effect')).toMatchObject({
      kind: 'unknown',
      reason: 'a delete returned 204 but did not change the record',
    });
  });
});

describe('a service that says the same to whatever is asked', () => {
  it.each([
    [null],
    [{ user: null, ok: true }],
    [{ count: 0 }],
    [{ error: null, data: { id: 1, name: 'x' } }],
  ])('is written nothing to where that may be an empty list: %j', async (body) => {
    const { learned, sent } = await learn(() => ({ body }), { write: true });
    expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(learned.warning).toBe('no list succeeded');
  });

  it('is learned where it refuses a model that it does not have', async () => {
    const known = (url: URL) => catalogue.models.has(url.pathname.split('/')[3] ?? '');
    const { learned } = await learn((url) => (known(url) ? { body: null } : { status: 404 }));
    expect(learned.warning).toBe(undefined);
  });
});
