/** Pages of other origins in real Chromium, which does what CORS and the addresses of networks want of it. */
import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_BROWSER, openBrowser } from '../../testing/browser.ts';
import { serveMock } from '../../testing/mocks/control.ts';
import { few, references } from '../../testing/mocks/mocks.ts';
import { type Served, serve } from '../../testing/services/http-server.ts';

type Asked = {
  readonly method?: string;
  readonly body?: string;
  readonly credentials?: 'include';
  readonly headers?: Record<string, string>;
};

const LIST = '/api/model/warehouse';
const base = { catalogue: few, references, fixtures: { warehouse: [{ id: 1, name: 'Central' }] } };

describe.skipIf(NO_BROWSER)('a page', () => {
  let browser: Browser;
  let site: Served;
  beforeAll(async () => {
    browser = await openBrowser();
    site = await serve((_, response) => response.setHeader('content-type', 'text/html').end('<p>app</p>'));
  });
  afterAll(async () => {
    await site.close();
    await browser.close();
  });

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

  test.each<[Record<string, unknown>, Record<string, string>, string]>([
    [{}, {}, '"name":"Central"'],
    [
      { auth: 'bearer', version: 'header Api-Version', 'response.records': '/data', 'errors.form': 'simple' },
      { authorization: 'Bearer x', 'api-version': '2025-10-22' },
      '{"data":[',
    ],
    [{ auth: 'header X-API-Key', 'errors.form': 'empty' }, { 'x-api-key': 'x' }, '"name":"Central"'],
  ])('of this machine uses the API and the control plane, under %j', async (profile, headers, part) => {
    await using served = await serveMock({ ...base, profile });
    const page = await browser.newPage();
    await page.goto(site.url.replace('127.0.0.1', 'localhost'));
    const credentials = 'include';
    const list = await ask(page, served.url + LIST, {
      credentials,
      headers: { ...headers, 'x-mock-session': 'a' },
    });
    expect(list).toEqual([200, expect.stringContaining(part)]);
    const put = await ask(page, `${served.url}${LIST}/1`, { method: 'PUT', body: '{}', headers });
    expect(put).toEqual([405, expect.any(String)]);
    expect(await ask(page, `${served.url}/__mock/reset`, { method: 'POST', credentials })).toEqual([204, '']);
    await served.mock.fault({ drop: 'before', times: 1 });
    expect(await ask(page, served.url + LIST, { headers })).toBe('blocked');
    expect(await ask(page, served.url + LIST, { headers })).toEqual(expect.arrayContaining([200]));
    await served.mock.fault({ drop: 'after', times: 1 });
    const json = { ...headers, 'content-type': 'application/json' };
    const created = await ask(page, served.url + LIST, {
      method: 'POST',
      body: '{"name":"once"}',
      headers: json,
    });
    expect([created, (await served.mock.records('warehouse').list()).records.length]).toEqual(['blocked', 2]);
    await served.mock.fault({ status: 503, times: 1 });
    expect(await ask(page, served.url + LIST, { headers })).toEqual([503, expect.any(String)]);
    expect(await served.mock.session('a').count()).toBe(1);
    await page.close();
  });

  test('of elsewhere reads and changes nothing, and makes no session; its links open the page', async () => {
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
