import { request as send } from 'node:http';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createProfile } from '../../../spec/profile/profile.ts';
import { serveMock } from '../../../testing/mocks/control.ts';
import { catalogue, few, references } from '../../../testing/mocks/mocks.ts';

const base = { catalogue: few, references };
const API = '/api/model';

const started = await serveMock({
  ...base,
  fixtures: new Map(),
  requestLog: 5,
  profile: createProfile(
    { 'request.readonlyFields': 'ignore', 'request.unknownFields': 'ignore' },
    catalogue,
  ),
});
afterAll(() => started.mock.close());
beforeEach(() => started.mock.reset());

const requestLog = async (query = '') =>
  (await started.ask<{ requests: { id: number; recordId?: number }[] }>('GET', `/__mock/requests${query}`))
    .body.requests;

describe('the request log', () => {
  test('says of each exchange what it was, what was wrong and what was ignored', async () => {
    const { ask } = started;
    const made = await ask('POST', `${API}/warehouse`, { name: 'a', created: 'x', color: 'red' });
    expect(made.status).toBe(201);
    await ask('POST', `${API}/warehouse`, { name: 5 });
    await ask('GET', `${API}/warehouse/7?a=1`);
    await ask('GET', '/else');
    expect(await requestLog()).toMatchObject([
      {
        id: 1,
        method: 'POST',
        path: `${API}/warehouse`,
        model: 'warehouse',
        status: 201,
        operation: 'createWarehouse',
        recordId: made.body.id,
        ignored: ['/created', '/color'],
        request: { body: { name: 'a', created: 'x', color: 'red' } },
        response: { body: { name: 'a' } },
      },
      { status: 422, violations: [{ pointer: '/name', message: 'must be a string, but is 5' }] },
      { operation: 'getWarehouse', recordId: 7, status: 404, request: { query: '?a=1' } },
      { method: 'GET', path: '/else', status: 404 },
    ]);
  });

  test.each([
    ['method=post', [1, 2]],
    ['operation=createWarehouse', [1, 2]],
    ['status=422', [2]],
    ['recordId=7', [3]],
    ['id=2', [2]],
    ['body=Altura', [1]],
    ['body=hunter2', []],
    ['violation=name', [2]],
    ['violation=', [2]],
    ['fault=1', [3]],
    ['fault=', [3]],
    ['since=2', [3]],
    ['since=0&limit=2', [2, 3]],
    ['limit=0', []],
  ])('is filtered by %s', async (query, ids) => {
    const { ask, mock } = started;
    await ask('POST', `${API}/warehouse`, { name: 'Altura', token: 'hunter2' });
    await ask('POST', `${API}/warehouse`, {});
    await mock.fault({ status: 404, times: 1 });
    await ask('GET', `${API}/warehouse/7`);
    // A reset does not start the IDs again, so that a client can tell new exchanges from old ones.
    const [first = 0] = (await requestLog()).map(({ id }) => id);
    const own = query.replace(
      /\b(since|until|id)=([12])$/,
      (_, name, id) => `${name}=${first - 1 + Number(id)}`,
    );
    const found = (await requestLog(`?${own}`)).map(({ id }) => id - first + 1);
    expect(found).toEqual(ids);
    if (!query.includes('limit'))
      expect((await ask('GET', `/__mock/requests/count?${own}`)).body).toEqual({ count: ids.length });
  });

  test('keeps the newest, and none when it is off', async () => {
    for (let n = 0; n < 12; n++) await started.ask('GET', `${API}/warehouse/${n + 1}`);
    expect((await requestLog()).map(({ recordId }) => recordId)).toEqual([8, 9, 10, 11, 12]);
    await started.ask('DELETE', '/__mock/requests');
    expect(await requestLog()).toEqual([]);
    await using off = await serveMock({ ...base, fixtures: new Map(), requestLog: 0 });
    await off.ask('GET', `${API}/warehouse`);
    expect((await off.ask('GET', '/__mock/requests')).body).toEqual({ requests: [] });
  });

  test('keeps 64 KiB of a body, sent or answered', async () => {
    const comments = 'x'.repeat(100_000);
    await started.ask('POST', `${API}/warehouse`, { name: 'a', comments });
    await started.ask('GET', `${API}/warehouse`);
    const { requests } = (await started.ask('GET', '/__mock/requests')).body;
    const bodies = requests?.map(({ request, response }) => [request?.body, response?.body]);
    expect(bodies).toEqual([
      [expect.any(String), expect.any(String)],
      [undefined, expect.any(String)],
    ]);
    for (const body of bodies?.flat() ?? []) if (body) expect(String(body)).toHaveLength(64 * 1024);
  });

  test('answers once so many were asked, and 408 when they do not come', async () => {
    const { ask } = started;
    const waiting = ask('GET', '/__mock/requests?operation=createWarehouse&wait=2&timeout=20000');
    await ask('POST', `${API}/warehouse`, { name: 'a' });
    await ask('POST', `${API}/warehouse`, { name: 'b' });
    expect((await waiting).body.requests).toMatchObject([{ status: 201 }, { status: 201 }]);
    const late = await ask('GET', '/__mock/requests/count?operation=deleteWarehouse&wait=1&timeout=5');
    expect(late).toMatchObject({
      status: 408,
      body: { detail: expect.stringContaining('Only 0 of 1 requests matched within') },
    });
    const inNode = started.mock.waitFor({ operation: 'listWarehouse' });
    await ask('GET', `${API}/warehouse`);
    expect(await inNode).toMatchObject([{ operation: 'listWarehouse', status: 200 }]);
  });

  test.each([
    ['color=red', /^Unknown parameter "color"\. Use one of 15 names, such as /],
    ['wait=-1', /^wait must be at least 0, but is -1\.$/],
    ['since=fast', /^since must be an integer, but is "fast"\.$/],
  ])('refuses %s, and says what is legal', async (query, detail) => {
    const { body, status } = await started.ask('GET', `/__mock/requests?${query}`);
    expect([status, body.detail]).toEqual([422, expect.stringMatching(detail)]);
  });
});

test('exchanges come as events while they happen, to those of the session', async () => {
  const { hostname, port } = new URL(started.url);
  const events = await new Promise<string>((resolve, reject) => {
    const asking = send({ hostname, port, path: '/__mock/events', agent: false }, async (response) => {
      expect(response.headers['content-type']).toBe('text/event-stream');
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
        if (!text.includes('"status":201')) return;
        asking.destroy();
        resolve(text);
      });
      response.on('error', () => undefined);
      await started.ask('GET', `${API}/warehouse`, undefined, { 'x-mock-session': 'elsewhere' });
      await started.ask('POST', `${API}/warehouse`, { name: 'a' });
    });
    asking.on('error', reject).end();
  });
  const shown = events.split('\n').filter((line) => line.startsWith('data: '));
  expect(shown.map((line) => JSON.parse(line.slice(6)))).toMatchObject([{ operation: 'createWarehouse' }]);
});
