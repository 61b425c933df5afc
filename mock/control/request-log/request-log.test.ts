import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createProfile } from '../../../spec/profile/profile.ts';
import { problem, serveMock } from '../../../testing/mocks/control.ts';
import { catalogue, FEW_MODELS, few } from '../../../testing/mocks/mocks.ts';
import { connectMock } from '../../adapters/remote.ts';
import { createMock, type Exchanged } from '../../mock.ts';

const API = '/api/model';

const started = await serveMock({
  ...FEW_MODELS,
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
  test('contains the operation, the violations, and the ignored fields of each exchange', async () => {
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

  test('keeps the newest exchanges, and none if it is off', async () => {
    for (let n = 0; n < 12; n++) await started.ask('GET', `${API}/warehouse/${n + 1}`);
    expect((await requestLog()).map(({ recordId }) => recordId)).toEqual([8, 9, 10, 11, 12]);
    await started.ask('DELETE', '/__mock/requests');
    expect(await requestLog()).toEqual([]);
    await using off = await serveMock({ ...FEW_MODELS, requestLog: 0 });
    await off.ask('GET', `${API}/warehouse`);
    expect((await off.ask('GET', '/__mock/requests')).body).toEqual({ requests: [] });
  });

  test('keeps 64 KiB of the body of a request or a response', async () => {
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

  test('responds to a wait after the number of matching requests, or with 408 after the timeout', async () => {
    const { ask } = started;
    const waiting = ask('GET', '/__mock/requests?operation=createWarehouse&wait=2&timeout=20000');
    await ask('POST', `${API}/warehouse`, { name: 'a' });
    await ask('POST', `${API}/warehouse`, { name: 'b' });
    expect((await waiting).body.requests).toMatchObject([{ status: 201 }, { status: 201 }]);
    const late = await ask('GET', '/__mock/requests/count?operation=deleteWarehouse&wait=1&timeout=5');
    expect(late).toMatchObject(problem(408, 'Only 0 of 1 requests matched within'));
    const inNode = started.mock.waitFor({ operation: 'listWarehouse' });
    await ask('GET', `${API}/warehouse`);
    expect(await inNode).toMatchObject([{ operation: 'listWarehouse', status: 200 }]);
  });

  test.each([
    ['color=red', /^Unknown parameter "color"\. Use one of 15 names, such as /],
    ['wait=-1', /^wait must be at least 0, but is -1\.$/],
    ['since=fast', /^since must be an integer, but is "fast"\.$/],
  ])('rejects %s with the allowed values', async (query, detail) => {
    const { body, status } = await started.ask('GET', `/__mock/requests?${query}`);
    expect([status, body.detail]).toEqual([422, expect.stringMatching(detail)]);
  });
});

test('an event stream sends the exchanges of its session as they happen', async () => {
  const { body, headers } = await fetch(`${started.url}/__mock/events`);
  expect(headers.get('content-type')).toBe('text/event-stream');
  await started.ask('GET', `${API}/warehouse`, undefined, { 'x-mock-session': 'elsewhere' });
  await started.ask('POST', `${API}/warehouse`, { name: 'a' });
  let events = '';
  for await (const chunk of body ?? []) {
    events += Buffer.from(chunk).toString();
    if (events.includes('"status":201')) break;
  }
  const shown = events.split('\n').filter((line) => line.startsWith('data: '));
  expect(shown.map((line) => JSON.parse(line.slice(6)))).toMatchObject([{ operation: 'createWarehouse' }]);
});

const LIST = '/api/model/warehouse';
const of = (session: string) => ({ 'x-mock-session': session });

async function serveThree() {
  const started = await serveMock({ ...FEW_MODELS, requestLog: 5 });
  for (const session of ['b', 'default', 'a', 'b'])
    await started.ask('GET', LIST, undefined, session === 'default' ? {} : of(session));
  return started;
}

describe('the requests of all sessions', () => {
  test('are listed in order with their sessions, over HTTP, in the process, and remotely', async () => {
    await using started = await serveThree();
    const { requests } = (await started.ask('GET', '/__mock/requests?sessions=all')).body;
    expect(requests?.map(({ session }) => session)).toEqual(['b', 'default', 'a', 'b']);
    const ids = requests?.map(({ id }) => Number(id)) ?? [];
    expect(new Set(ids).size).toBe(4);
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
    const far = connectMock(started.url).session('a');
    for (const session of [started.mock, started.mock.session('a'), far]) {
      expect(await session.requests({}, { sessions: 'all' })).toEqual(requests);
      expect(await session.count({ operation: 'list' }, { sessions: 'all' })).toBe(4);
    }
    expect(await far.requests()).toEqual(requests?.filter(({ session }) => String(session) === 'a'));
  });

  test('are filtered and limited together', async () => {
    await using started = await serveThree();
    await started.ask('GET', `${LIST}/7`, undefined, of('c'));
    const list = async (query: string) =>
      (await started.ask('GET', `/__mock/requests?sessions=all&${query}`)).body.requests?.map(
        ({ session }) => session,
      );
    expect(await list('status=404')).toEqual(['c']);
    expect(await list('limit=2')).toEqual(['b', 'c']);
    expect(await list('operation=listWarehouse&limit=3')).toEqual(['default', 'a', 'b']);
    expect((await started.ask('GET', '/__mock/requests/count?sessions=all&status=200')).body.count).toBe(4);
  });

  test('are limited to the newest thousand, unless a limit is given', async () => {
    await using mock = await createMock({ ...FEW_MODELS, requestLog: 400 });
    for (const session of ['a', 'b', 'c'])
      for (let count = 0; count < 400; count++)
        await mock.session(session).fetch(new Request(`http://mock.invalid${LIST}/${count + 1}`));
    expect(await mock.requests({}, { sessions: 'all' })).toHaveLength(1000);
    expect(await mock.requests({}, { sessions: 'all', limit: 2000 })).toHaveLength(1200);
    expect(await mock.count({}, { sessions: 'all' })).toBe(1200);
  });

  test('end a wait, even if their session is created later', async () => {
    await using started = await serveThree();
    const waiting = started.mock.waitFor({ operation: 'createWarehouse' }, { count: 2, sessions: 'all' });
    for (const session of ['later', 'b']) await started.ask('POST', LIST, { name: 'a' }, of(session));
    expect(await waiting).toMatchObject([{ session: 'later' }, { session: 'b' }]);
  });

  test.each(['requests', 'events'])('are rejected in /%s for a value other than all', async (path) => {
    await using started = await serveMock(FEW_MODELS);
    const { body, status } = await started.ask('GET', `/__mock/${path}?sessions=some`);
    expect([status, body.detail]).toEqual([422, 'sessions must be one of all, but is "some".']);
  });
});

test('an event stream of all sessions includes sessions that are created later, each request once', async () => {
  await using started = await serveMock({ ...FEW_MODELS, requestLog: 0 });
  await started.ask('GET', LIST, undefined, of('before'));
  const { body } = await fetch(`${started.url}/__mock/events?sessions=all`);
  let sessions: string[] = [];
  for (const name of ['before', 'default', 'later'])
    await started.ask('GET', LIST, undefined, name === 'default' ? {} : of(name));
  let text = '';
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString();
    sessions = [...text.matchAll(/"session":"(\w+)"/g)].map(([, name = '']) => name);
    if (sessions.includes('later')) break;
  }
  expect(sessions).toEqual(['before', 'default', 'later']);
});

const SECRET = 'hunter2-secret';

/** An API with a field for a secret: a message about its value quotes it. */
const warehouse = catalogue.models.get('warehouse');
const withPassword = (): typeof few => {
  if (!warehouse) throw new TypeError('The catalogue has no warehouse.');
  const [first] = warehouse.fields.filter(({ name }) => name === 'name');
  if (!first) throw new TypeError('A warehouse has no name.');
  const fields = [...warehouse.fields, { ...first, name: 'apiKey', type: 'int' as const, required: false }];
  return { ...few, models: new Map([...few.models, ['warehouse', { ...warehouse, fields }]]) } as typeof few;
};

describe.each<[string, { query?: string; headers?: Record<string, string>; body?: unknown }]>([
  ['a query', { query: `?api_key=${SECRET}&refreshToken=${SECRET}&a=1` }],
  ['a header with credentials', { headers: { authorization: `Bearer ${SECRET}`, cookie: `a=${SECRET}` } }],
  ['members of a body', { body: { name: 'a', api_key: SECRET, refreshToken: SECRET } }],
  ['a field with a violation that quotes its value', { body: { name: 'a', apiKey: SECRET } }],
  [
    'JSON that exceeds the limit of the request log',
    { body: { password: SECRET, name: 'a'.repeat(70_000) } },
  ],
])('a secret in %s', (_, { body, headers, query = '' }) => {
  test('is redacted in the request log', async () => {
    const seen: Exchanged[] = [];
    await using started = await serveMock({
      ...FEW_MODELS,
      catalogue: withPassword(),
      onExchange: (exchange) => seen.push(exchange),
    });
    await started.ask('POST', LIST + query, body ?? { name: 'a' }, headers);
    await started.ask('POST', LIST + query, { name: 1 }, headers);
    const page = await started.ask('GET', '/', undefined, { accept: 'text/html' });
    const shown = [await started.mock.requests(), seen, page.body].map((one) => JSON.stringify(one));
    for (const text of shown) expect(text).not.toContain(SECRET);
    expect(shown[0]).toContain('redacted');
    expect(await started.mock.count({ body: SECRET })).toBe(0);
  });
});
