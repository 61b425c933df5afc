/** Pages of other origins can only open the page of the mock, unless the user names their origin. */

import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NO_BROWSER, workerBrowser } from '../../testing/browser.ts';
import { problem, serveMock } from '../../testing/mocks/control.ts';
import { FEW_MODELS } from '../../testing/mocks/mocks.ts';
import { type Served, serve } from '../../testing/services/http-server.ts';

const LIST = '/api/model/warehouse';
const base = { ...FEW_MODELS, fixtures: { warehouse: [{ id: 1, name: 'Central' }] } };
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
  test.each(REQUESTS)('gets a rejection of %s %s, and changes nothing', async (method, path) => {
    const refused = await started.ask(method, path, method === 'POST' ? '{"name":"a"}' : undefined, headers);
    expect(refused).toMatchObject(problem(403, '--cors-origin'));
    expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
    expect((await started.mock.records('warehouse').list()).records).toHaveLength(1);
    expect([await sessions(), await started.mock.count()]).toEqual([['default'], 0]);
  });
});

test('a preflight request of another origin is rejected', async () => {
  const asked = { origin: FOREIGN, 'access-control-request-method': 'DELETE' };
  const refused = await started.ask('OPTIONS', `${LIST}/1`, undefined, asked);
  expect(refused.status).toBe(403);
  expect(refused.headers).not.toHaveProperty('access-control-allow-methods');
});

test('a link on a page of another origin opens the page, of a session that there is too', async () => {
  await started.ask('POST', '/__mock/sessions', { name: 'known' });
  for (const [path, referer] of [['/'], ['/__mock/sessions/known/'], ['/', `${NAMED}/`]] as const) {
    const opened = await started.ask<string>('GET', path, undefined, {
      ...LINK,
      ...(referer && { referer }),
    });
    expect(opened.body).toContain('<title>Mock console</title>');
  }
  await started.ask('DELETE', '/__mock/sessions/known');
});

test.each([
  ['GET', '/__mock/sessions/evil/'],
  ['GET', `/__mock/sessions/evil${LIST}`],
  ['GET', LIST],
  ['POST', '/'],
])('a link on a page of another origin opens only the console, not %s %s', async (method, path) => {
  expect((await started.ask(method, path, undefined, LINK)).status).toBe(403);
  expect(await sessions()).toEqual(['default']);
});

test.each<[string, Record<string, string>]>([
  ['on this machine', { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-site' }],
  [
    'on this machine with another host name',
    { referer: 'http://localhost:5173/', 'sec-fetch-site': 'cross-site' },
  ],
  ['on this machine without a referrer', { 'sec-fetch-site': 'same-site' }],
  ['of the same origin', { host: 'mock.lan', origin: 'http://mock.lan', 'sec-fetch-site': 'same-origin' }],
  ['that the user opened', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
  ['with the token', { origin: FOREIGN, authorization: 'Bearer let-me-in' }],
])('a page %s can use the API and create sessions', async (_, headers) => {
  expect((await started.ask('DELETE', `${LIST}/1`, undefined, headers)).status).toBeLessThan(300);
  expect((await started.ask('GET', `/__mock/sessions/own${LIST}`, undefined, headers)).status).toBe(200);
  expect((await started.ask('DELETE', '/__mock/sessions/own')).status).toBe(204);
});

test('a page of a permitted origin can use the API, and existing sessions', async () => {
  const headers = { origin: NAMED, 'sec-fetch-site': 'cross-site' };
  const listed = await started.ask('GET', LIST, undefined, headers);
  expect([listed.status, listed.headers['access-control-allow-origin']]).toEqual([200, NAMED]);
  const own = `/__mock/sessions/own${LIST}`;
  expect(await started.ask('GET', own, undefined, headers)).toMatchObject(
    problem(403, 'POST /__mock/sessions'),
  );
  expect(await sessions()).toEqual(['default']);
  await started.ask('POST', '/__mock/sessions', { name: 'own' });
  expect((await started.ask('GET', own, undefined, headers)).status).toBe(200);
  await started.ask('DELETE', '/__mock/sessions/own');
});

test('a page of a permitted origin needs the token for the control API', async () => {
  const create = (headers: Record<string, string>) =>
    started.ask('POST', '/__mock/sessions', { name: 'own' }, { origin: NAMED, ...headers });
  expect(await create({})).toMatchObject(problem(403, '--control-token'));
  expect(await sessions()).toEqual(['default']);
  expect((await create({ authorization: 'Bearer let-me-in' })).status).toBe(201);
  await started.ask('DELETE', '/__mock/sessions/own');
});

test('a mock in the same process trusts its own pages', async () => {
  const request = new Request(`http://mock.invalid${LIST}`, { headers: { origin: FOREIGN } });
  expect((await started.mock.fetch(request)).status).toBe(200);
});

/** In real Chromium, which does what CORS and the addresses of networks want of it. */
type Asked = {
  readonly method?: string;
  readonly body?: string;
  readonly credentials?: 'include';
  readonly headers?: Record<string, string>;
};

describe.skipIf(NO_BROWSER)('a page', () => {
  let browser: Browser;
  let site: Served;
  beforeAll(async () => {
    browser = await workerBrowser();
    site = await serve((_, response) => response.setHeader('content-type', 'text/html').end('<p>app</p>'));
  });
  afterAll(() => site.close());

  /** Asks as a page does; `blocked` where the browser shows the page nothing. */
  const ask = (page: Page, url: string, options: Asked = {}): Promise<unknown> =>
    page.evaluate(
      ([address, init]) =>
        fetch(address, init as RequestInit).then(
          async (answer) => [answer.status, await answer.text()],
          () => 'blocked',
        ),
      [url, options] as const,
    );

  test('on this machine can use the API and the control API, with credentials and headers', async () => {
    const profile = { auth: 'bearer', version: 'header Api-Version', 'errors.form': 'simple' };
    const headers = { authorization: 'Bearer x', 'api-version': '2025-10-22' };
    await using served = await serveMock({ ...base, profile });
    const page = await browser.newPage();
    await page.goto(site.url.replace('127.0.0.1', 'localhost'));
    const credentials = 'include';
    const list = await ask(page, served.url + LIST, {
      credentials,
      headers: { ...headers, 'x-mock-session': 'a' },
    });
    expect(list).toEqual([200, expect.stringContaining('"name":"Central"')]);
    const put = await ask(page, `${served.url}${LIST}/1`, { method: 'PUT', body: '{}', headers });
    expect(put).toEqual([405, expect.any(String)]);
    expect(await ask(page, `${served.url}/__mock/reset`, { method: 'POST', credentials })).toEqual([204, '']);
    const anonymous = await ask(page, `${served.url}${LIST}/1`, { method: 'DELETE' });
    expect(anonymous).toEqual([401, expect.any(String)]);
    await served.mock.fault({ drop: 'before', times: 1 });
    expect(await ask(page, served.url + LIST, { headers })).toBe('blocked');
    expect(await ask(page, served.url + LIST, { headers })).toEqual(expect.arrayContaining([200]));
    await served.mock.fault({ drop: 'after', times: 1 });
    const json = { ...headers, 'content-type': 'application/json' };
    const once = { method: 'POST', body: '{"name":"once"}', headers: json };
    const created = await ask(page, served.url + LIST, once);
    expect([created, (await served.mock.records('warehouse').list()).records.length]).toEqual(['blocked', 2]);
    await served.mock.fault({ status: 503, times: 1 });
    expect(await ask(page, served.url + LIST, { headers })).toEqual([503, expect.any(String)]);
    expect(await served.mock.session('a').count()).toBe(1);
    await page.close();
  });

  test('of another origin can neither read nor change data, but its links open the console', async () => {
    await using served = await serveMock(base);
    const page = await browser.newPage();
    // The test itself answers this request of Chromium.
    await page.route('http://app.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<p>app</p>' }),
    );
    await page.goto('http://app.example/');
    for (const options of [{}, { credentials: 'include' as const }, { method: 'DELETE' }])
      expect(await ask(page, `${served.url}${LIST}/1`, options)).toBe('blocked');
    await page.evaluate(
      (url) => fetch(url, { mode: 'no-cors' }).catch(() => undefined),
      `${served.url}/__mock/sessions/evil${LIST}`,
    );
    expect([await served.mock.sessions(), await served.mock.count()]).toEqual([['default'], 0]);
    await ask(page, `${served.url}/__mock/reset`, { method: 'POST' });
    expect((await served.mock.records('warehouse').list()).records).toHaveLength(1);
    await served.mock.records('warehouse').create({ name: 'made' });
    await ask(page, `${served.url}/__mock/reset`, { method: 'POST' });
    expect((await served.mock.records('warehouse').list()).records).toHaveLength(2);
    await page.evaluate(`location.assign(${JSON.stringify(served.url)})`);
    await page.waitForURL(`${served.url}/`);
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await page.close();
  });
});
