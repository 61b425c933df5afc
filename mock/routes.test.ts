import { expect, test } from 'vitest';
import { createMock, type MockOptions } from './mock.ts';
import type { Routes } from './routes.ts';

const LOGIN: Routes = {
  async 'POST /api/login'(request, { mock }) {
    const { user } = (await request.json()) as { user: string };
    const [known] = Object.values(await mock.state(['brand'])).flat();
    const headers = new Headers([
      ['set-cookie', 'id=1; HttpOnly'],
      ['set-cookie', 'csrf=2'],
    ]);
    return Response.json({ user, known: known?.name }, { status: 201, headers });
  },
  'GET /api/files/{name}': (_, { values }) =>
    new Response(new Uint8Array([0xff, 0, 0xfe, values.name?.length ?? 0])),
  'GET /api/broken': () => {
    throw new Error('no user');
  },
  'GET /api/none': () => undefined as never,
};

const login = (user: string) => ({ method: 'POST', body: JSON.stringify({ user }) });

test('a custom route responds in the session of the request', async () => {
  await using mock = await createMock({ fixtures: { brand: [{ id: 1, name: 'a' }] }, routes: LOGIN });
  const { url } = await mock.listen();
  const session = mock.session('one');
  await session.setState({ brand: [{ id: 1, name: 'b' }] });
  for (const [address, known] of [
    [url, 'a'],
    [`${url}/__mock/sessions/one`, 'b'],
  ]) {
    const response = await fetch(`${address}/api/login`, login('ana'));
    expect([response.status, await response.json()]).toEqual([201, { user: 'ana', known }]);
    expect(response.headers.getSetCookie()).toEqual(['id=1; HttpOnly', 'csrf=2']);
  }
  const file = await fetch(`${url}/api/files/a%20b`);
  expect(Buffer.from(await file.arrayBuffer())).toEqual(Buffer.from([0xff, 0, 0xfe, 3]));
  expect((await fetch(`${url}/api/login`)).status).toBe(404);
  expect((await mock.fetch(new Request('http://app.example/api/login', login('x')))).status).toBe(201);
});

test('requests to a custom route are logged without secrets, and faults apply to them', async () => {
  await using mock = await createMock({ routes: LOGIN });
  const ask = (path: string, init = {}) => mock.fetch(new Request(`http://localhost${path}`, init));
  await mock.fault({ match: { path: '/api/login' }, status: 503, times: 1 });
  expect((await ask('/api/login', login('ana'))).status).toBe(503);
  expect((await ask('/api/login', login('ana'))).status).toBe(201);
  expect(await mock.requests({ path: '/api/login' })).toMatchObject([
    { status: 503, fault: expect.any(String) },
    { status: 201, request: { body: { user: 'ana' } }, response: { body: { user: 'ana' } } },
  ]);
  expect(JSON.stringify(await mock.requests())).not.toContain('csrf=2');
});

test('the exception of a custom route is reported, and a body that is too long is rejected', async () => {
  await using mock = await createMock({ routes: LOGIN, bodyLimit: 100 });
  const ask = async (path: string, init = {}) => {
    const response = await mock.fetch(new Request(`http://localhost${path}`, init));
    return [response.status, ((await response.json()) as { detail: string }).detail];
  };
  expect(await ask('/api/broken')).toEqual([500, 'The route "GET /api/broken" failed: no user']);
  expect(await ask('/api/none')).toEqual([500, 'The route "GET /api/none" returned no Response.']);
  expect((await ask('/api/login', { method: 'POST', body: '{' }))[0]).toBe(500);
  expect((await ask('/api/login', login('x'.repeat(200))))[0]).toBe(413);
});

test.each([
  ['/api/login', /^Invalid route "\/api\/login"\. Use a method and a path: "POST \/api\/login"\.$/],
  ['post /api/login', /^Invalid route /],
  ['GET /api/a?b=1', /^Invalid route /],
  ['GET /api/model/brand', /is a path of the mock\. Use another path, or a fault\.$/],
  ['GET /__mock/own', /is a path of the mock/],
])('the invalid route %j is rejected', async (key, message) => {
  const options: MockOptions = { routes: { [key]: () => new Response() } };
  await expect(createMock(options)).rejects.toThrow(message);
});
