/** Pages of other origins can only open the page of the mock, unless the user names their origin. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { serveMock } from '../../testing/mocks/control.ts';
import { few, references } from '../../testing/mocks/mocks.ts';

const LIST = '/api/model/warehouse';
const base = { catalogue: few, references, fixtures: { warehouse: [{ id: 1, name: 'Central' }] } };
const NAMED = 'https://app.example';
const FOREIGN = 'https://evil.example';
const started = await serveMock({ ...base, control: { token: 'let-me-in' } }, ['mock.lan'], [NAMED]);
afterAll(() => started.mock.close());
beforeEach(() => started.mock.reset());

/** As browsers send them; the address of the mock on this machine is trustworthy, so they say where a request is from. */
const PAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'fetch with CORS': { origin: FOREIGN, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' },
  'fetch from a sandboxed frame': { origin: 'null' },
  'fetch without CORS': {
    referer: `${FOREIGN}/`,
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'no-cors',
  },
  'an image without a referrer': { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' },
  'an image for an address that is not trustworthy': { referer: `${FOREIGN}/a` },
  'another host of the same site': { host: 'mock.lan', 'sec-fetch-site': 'same-site' },
  'a frame': {
    accept: 'text/html',
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'iframe',
  },
  'a form': {
    origin: FOREIGN,
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  },
};
const LINK = {
  accept: 'text/html,application/xhtml+xml',
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};

const REQUESTS = [
  ['GET', LIST],
  ['POST', LIST],
  ['GET', '/'],
  ['GET', '/__mock/images/a.svg'],
  ['POST', '/__mock/reset'],
  ['GET', `/__mock/sessions/evil${LIST}`],
] as const;

const sessions = () => started.mock.sessions();

describe.each(Object.entries(PAGES))('a page of another origin, with %s', (_, headers) => {
  test.each(REQUESTS)('is refused %s %s, and nothing happens', async (method, path) => {
    const refused = await started.ask(method, path, method === 'POST' ? '{"name":"a"}' : undefined, headers);
    expect(refused).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('--cors-origin') },
    });
    expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
    expect((await started.mock.records('warehouse').list()).records).toHaveLength(1);
    expect([await sessions(), await started.mock.count()]).toEqual([['default'], 0]);
  });
});

test('a preflight of another origin is refused', async () => {
  const asked = { origin: FOREIGN, 'access-control-request-method': 'DELETE' };
  const refused = await started.ask('OPTIONS', `${LIST}/1`, undefined, asked);
  expect(refused.status).toBe(403);
  expect(refused.headers).not.toHaveProperty('access-control-allow-methods');
});

test('a link on a page of another origin opens the page when the origin is named, too', async () => {
  const opened = await started.ask<string>('GET', '/', undefined, { ...LINK, referer: `${NAMED}/` });
  expect(opened.body).toContain('<title>Mock console</title>');
});

test('a link on a page of another origin opens the page, of a session that there is too', async () => {
  await started.ask('POST', '/__mock/sessions', { name: 'known' });
  for (const path of ['/', '/__mock/sessions/known/']) {
    const opened = await started.ask<string>('GET', path, undefined, LINK);
    expect([opened.status, opened.body]).toEqual([
      200,
      expect.stringContaining('<title>Mock console</title>'),
    ]);
  }
  await started.ask('DELETE', '/__mock/sessions/known');
});

test.each([
  ['GET', '/__mock/sessions/evil/'],
  ['GET', `/__mock/sessions/evil${LIST}`],
  ['GET', LIST],
  ['POST', '/'],
])('a link on a page of another origin opens nothing else: %s %s', async (method, path) => {
  expect((await started.ask(method, path, undefined, LINK)).status).toBe(403);
  expect(await sessions()).toEqual(['default']);
});

test.each<[string, Record<string, string>]>([
  ['of this machine', { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-site' }],
  ['of this machine by another name', { referer: 'http://localhost:5173/', 'sec-fetch-site': 'cross-site' }],
  ['of this machine without a referrer', { 'sec-fetch-site': 'same-site' }],
  ['of the same origin', { host: 'mock.lan', origin: 'http://mock.lan', 'sec-fetch-site': 'same-origin' }],
  ['that the user opened', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
  ['that knows the token', { origin: FOREIGN, authorization: 'Bearer let-me-in' }],
])('a page %s uses the API and makes sessions', async (_, headers) => {
  expect((await started.ask('DELETE', `${LIST}/1`, undefined, headers)).status).toBeLessThan(300);
  expect((await started.ask('GET', `/__mock/sessions/own${LIST}`, undefined, headers)).status).toBe(200);
  expect((await started.ask('DELETE', '/__mock/sessions/own')).status).toBe(204);
});

test('a page of an origin that is named uses the API, and sessions that there are', async () => {
  const headers = { origin: NAMED, 'sec-fetch-site': 'cross-site' };
  const listed = await started.ask('GET', LIST, undefined, headers);
  expect([listed.status, listed.headers['access-control-allow-origin']]).toEqual([200, NAMED]);
  const own = `/__mock/sessions/own${LIST}`;
  expect(await started.ask('GET', own, undefined, headers)).toMatchObject({
    status: 403,
    body: { detail: expect.stringContaining('POST /__mock/sessions') },
  });
  expect(await sessions()).toEqual(['default']);
  await started.ask('POST', '/__mock/sessions', { name: 'own' });
  expect((await started.ask('GET', own, undefined, headers)).status).toBe(200);
  await started.ask('DELETE', '/__mock/sessions/own');
});

test('a page of an origin that is named needs the token for the control API', async () => {
  const create = (headers: Record<string, string>) =>
    started.ask('POST', '/__mock/sessions', { name: 'own' }, { origin: NAMED, ...headers });
  expect(await create({})).toMatchObject({
    status: 403,
    body: { detail: expect.stringContaining('--control-token') },
  });
  expect(await sessions()).toEqual(['default']);
  expect((await create({ authorization: 'Bearer let-me-in' })).status).toBe(201);
  await started.ask('DELETE', '/__mock/sessions/own');
});

test('a mock in the same process trusts its own pages', async () => {
  const request = new Request(`http://mock.invalid${LIST}`, { headers: { origin: FOREIGN } });
  expect((await started.mock.fetch(request)).status).toBe(200);
});
