import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProfile } from '../../spec/profile/profile.ts';
import { NO_BROWSER, openBrowser } from '../../testing/browser.ts';
import { catalogue } from '../../testing/checks.ts';
import { serveMock } from '../../testing/mocks/control.ts';
import { SOURCE } from '../../testing/source-facts.ts';

const PROFILES: Record<string, unknown>[] = [
  {},
  { 'errors.form': 'simple', 'response.record': '/data' },
  { 'request.encoding': 'form', 'list.paging': 'page' },
  { 'delete.effect': 'remove', 'types.bool': 'int' },
];
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const WRONG = '<script>alert(1)</script>';

describe.skipIf(NO_BROWSER)('the address of the mock, in a browser,', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  test.each(PROFILES)(
    'shows models, documents, the profile and the last requests, under %j',
    async (settings) => {
      await using served = await serveMock({ profile: createProfile(settings, catalogue) });
      await served.ask('GET', `/api/model/${encodeURIComponent(WRONG)}?token=hunter2`);
      await served.ask('GET', `/api/model/brand?limit=${encodeURIComponent(WRONG)}`);
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on('pageerror', ({ message }) => errors.push(message));
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      await page.goto(served.url);
      const brands = served.mock.records('brand');
      const found = await page.locator('.models li').allTextContents();
      expect(found).toHaveLength(SOURCE.totals.models);
      expect(found).toContain(`brand ${(await brands.list()).length}`);
      expect(await page.locator('section').count()).toBe(SOURCE.totals.areas);
      const text = (await page.locator('body').textContent()) ?? '';
      for (const setting of Object.keys(settings)) expect(text).toContain(`${setting} ${settings[setting]}`);
      expect([await page.locator('tr').count(), text.includes('hunter2')]).toEqual([2, false]);
      expect(errors).toEqual([]);
      await page.getByRole('link', { name: 'brand', exact: true }).click();
      expect(new URL(page.url()).pathname).toBe('/api/model/brand');
      await page.close();
    },
  );

  test('is the page of a session below its prefix', async () => {
    await using served = await serveMock();
    await served.mock.session('one').setState({ brand: [{ id: 1, name: 'a' }] });
    const page = await browser.newPage();
    await page.goto(`${served.url}/__mock/sessions/one/`);
    expect(await page.locator('.models li').allTextContents()).toContain('brand 1');
    await page.getByRole('link', { name: 'brand', exact: true }).click();
    expect(new URL(page.url()).pathname).toBe('/__mock/sessions/one/api/model/brand');
    await page.close();
  });
});

test('the page is for people that the control plane is open to', async () => {
  await using open = await serveMock();
  const seen = [
    await open.ask('GET', '/', undefined, HTML),
    await open.ask('GET', '/', undefined, { ...HTML, origin: 'https://b.example' }),
    await open.ask('GET', '/'),
  ];
  expect(seen.map(({ status }) => status)).toEqual([200, 403, 404]);
  await using closed = await serveMock({ control: false });
  expect((await closed.ask('GET', '/', undefined, HTML)).status).toBe(404);
});
