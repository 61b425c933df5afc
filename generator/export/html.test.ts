import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, test as anyTest, beforeAll, expect } from 'vitest';
import { loadContract } from '../../spec/contract.ts';
import { NO_BROWSER, openBrowser } from '../../testing/browser.ts';
import { demo } from '../../testing/demo.ts';
import { SOURCE } from '../../testing/source-facts.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { exportContract } from './export.ts';

const test = anyTest.skipIf(NO_BROWSER);
const directory = useDirectory();
const SWAGGER_UI = join(import.meta.dirname, '../../node_modules/swagger-ui-dist');
const read = (name: string) => readFileSync(join(SWAGGER_UI, name), 'utf8');
const renderer = () => ({ script: read('swagger-ui-bundle.js'), style: read('swagger-ui.css') });
let browser: Browser;

beforeAll(async () => {
  if (!NO_BROWSER) browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
});

test('the page shows every operation with the network off, the first without scrolling', async () => {
  const title = 'Club </script><script>document.title = "taken"</script>';
  const html = await exportContract('html', loadContract(), {
    renderer,
    title,
    records: demo,
  });
  const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (said) => said.type() === 'error' && problems.push(said.text()));
  page.on('request', (asked) => /^(file|data|blob):/.test(asked.url()) || problems.push(asked.url()));
  const url = pathToFileURL(directory.write('page.html', html)).href;
  await page.goto(url);
  const operations = page.locator('.opblock');
  await operations.first().waitFor();
  expect(await page.title()).toBe(`${title} 2025-10-22`);
  const first = await operations.first().boundingBox();
  expect((first?.y ?? Number.NaN) + (first?.height ?? 0)).toBeLessThan(900);
  // It draws only what is in sight.
  await page.setViewportSize({ width: 1280, height: 30_000 });
  await operations.nth(261).waitFor();
  expect(await operations.count()).toBe(SOURCE.totals.operations);
  await operations.nth(1).click();
  const body = page.locator('.opblock-body');
  await body.getByText('Example Value').first().waitFor();
  expect(await body.textContent()).toContain(
    'Creates one stockDelivery record from the fields in the body and returns it.',
  );
  expect(problems).toEqual([]);
  await context.close();
}, 60_000);
