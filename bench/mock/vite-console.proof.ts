import { describe, expect, test } from 'vitest';
import { useVite } from '../../testing/adapters/use-vite.ts';
import { NO_BROWSER } from '../../testing/browser.ts';
import { useBrowserConsole } from '../../testing/console/open-console.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';

const directory = useDirectory();
const { serve } = useVite();

/** The files and the API that a page of the console uses. */
const OWN = /^\/(__mock\/|openapi\.(json|yaml)$)/;

describe.skipIf(NO_BROWSER)('the console on the dev server', () => {
  const open = useBrowserConsole();

  test('is below /__mock/, shows the requests of the app, and leaves / to the app', async () => {
    directory.write('index.html', '<!doctype html><title>My app</title><h1>My app</h1>');
    const { origin } = await serve({}, { root: directory.path() });
    await using shown = await open(origin(), { path: '/__mock/' });
    const { page } = shown;
    const asked = new Set<string>();
    page.on('request', (request) => asked.add(request.url().slice(origin().length)));
    await page.getByText('No requests yet').waitFor();

    const app = await page.context().newPage();
    await app.goto(origin());
    expect(await app.title()).toBe('My app');
    await app.evaluate(
      `fetch('/api/model/brand', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"Altura"}' })`,
    );
    const rows = page.locator('.rows .row');
    await expect.poll(() => rows.locator('.path').allTextContents()).toEqual(['/brand']);
    // A page in the background draws once a second.
    await app.close();
    await rows.first().click();
    await page.getByRole('link', { name: /^brand \d+$/ }).click();
    await page.getByRole('heading', { name: /^brand \d+ Altura$/ }).waitFor();
    const record = page.url();
    expect(record).toMatch(`${origin()}/__mock/#/records/brand/`);

    for (const view of ['Requests', 'Records', 'Faults and time', 'Sessions', 'Contract']) {
      await page.getByRole('link', { name: view, exact: true }).click();
      await expect.poll(() => page.locator('#main').textContent()).not.toMatch(/^(Loading…)?$/);
      const links = await page.evaluate<string[]>(
        `[...document.querySelectorAll('a[href]')].map((link) => new URL(link.href).pathname)`,
      );
      expect(links.filter((path) => !OWN.test(path))).toEqual([]);
    }
    await page.goto(record);
    await page.reload();
    await page.getByRole('heading', { name: /^brand \d+ Altura$/ }).waitFor();
    expect([...asked].filter((path) => !OWN.test(path))).toEqual([]);
  });
});
