/** The adapter in the runner of Playwright, with real Chromium; examples/app is under the default profile. */
import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { browserPath, NO_BROWSER } from '../../testing/browser.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { createMock } from '../mock.ts';

const MODULES = join(import.meta.dirname, '../../node_modules');
const directory = useDirectory();
const PROFILES: Record<string, unknown>[] = [
  { auth: 'bearer', 'response.unset': 'absent', 'request.encoding': 'form' },
  { version: 'header Api-Version', 'response.records': '/data', 'delete.effect': 'remove' },
  { 'list.paging': 'none', 'errors.form': 'empty', 'types.datetime': 'space' },
];

const SPEC = `
import { expect } from '@playwright/test';
import { createMockTest } from '${join(import.meta.dirname, 'playwright.ts')}';
const test = createMockTest();
  test('a page has the session of its worker', async ({ mock, page }) => {
    const ask = () => page.evaluate(async () => {
      const headers = { authorization: 'Bearer x', 'api-version': '2025-10-22' };
      const answer = await fetch('/api/model/brand', { headers });
      return [answer.status, await answer.text()];
    });
    expect(await mock.state(['brand'])).toMatchObject({ brand: [{ id: 7 }] });
    await mock.setState({ brand: [{ id: 1, name: 'Altura' }] });
    await page.goto('/');
    await expect(page.getByRole("navigation", { name: "Views" })).toBeVisible();
    expect(await ask()).toEqual([200, expect.stringContaining('"name":"Altura"')]);
    await mock.fault({ match: { operation: 'listBrand' }, status: 503, times: 1 });
    expect((await ask())[0]).toBe(503);
    expect((await ask())[0]).toBe(200);
    expect(await mock.count({ operation: 'listBrand' })).toBe(3);
  });
  test('one call stops the clocks of the mock and of a page', async ({ freezeTime, mock, page }) => {
    const now = '2030-01-31T10:00:00.000Z';
    await page.goto('/');
    await freezeTime(now);
    expect(await page.evaluate(() => new Date().toISOString())).toBe(now);
    expect((await mock.clock.now()).toISOString()).toBe(now);
  });
  test('the clocks run again in the next test', async ({ mock, page }) => {
    await page.goto('/');
    const times = [await page.evaluate(() => Date.now()), (await mock.clock.now()).getTime()];
    for (const time of times) expect(Math.abs(time - Date.now())).toBeLessThan(60_000);
  });
`;

test.skipIf(NO_BROWSER)('pages of each worker have records of their own, under three profiles', async () => {
  const mocks = await Promise.all(
    PROFILES.map(async (profile) =>
      createMock({ profile, fixtures: { brand: [{ id: 7, name: 'Cierzo' }] } }),
    ),
  );
  try {
    const urls = await Promise.all(mocks.map(async (mock) => (await mock.listen()).url));
    const projects = urls.map((baseURL, number) => ({ name: `profile ${number}`, use: { baseURL } }));
    // The policy of the console lets the test run no script.
    const use = {
      bypassCSP: true,
      launchOptions: { executablePath: browserPath(), args: ['--no-sandbox'] },
    };
    const config = {
      testMatch: '*.spec.ts',
      fullyParallel: true,
      workers: 2,
      reporter: 'list',
      use,
      projects,
    };
    symlinkSync(MODULES, directory.path('node_modules'));
    directory.write('package.json', '{"type":"module"}');
    directory.write('playwright.config.ts', `export default ${JSON.stringify(config)};`);
    directory.write('brands.spec.ts', SPEC);
    const { stdout } = await promisify(execFile)(join(MODULES, '.bin/playwright'), ['test'], {
      cwd: directory.path(),
      env: { ...process.env, VITEST: '' },
    }).catch((error) => error);
    expect(stdout).toMatch(/9 passed/);
    for (const mock of mocks) expect(await mock.count()).toBe(0);
  } finally {
    for (const mock of mocks) await mock.close();
  }
});
