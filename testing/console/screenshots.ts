/** Takes the screenshots of the README and the guides: `npm run screenshots`. */
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from '@playwright/test';
import { decorateWith, parseDefect } from '../../mock/defects/defects.ts';
import { createMock } from '../../mock/mock.ts';
import { openBrowser } from '../browser.ts';
import { contract } from '../checks.ts';
import { runIn } from '../command.ts';
import { demo } from '../demo.ts';

const IMAGES = join(import.meta.dirname, '../../docs/images');
const WIDE = { width: 1280, height: 760 };

/** The views of the console, with the part of the address after `#`. */
const VIEWS = [
  { name: 'console-requests', view: '/requests/default/4', scheme: 'light' },
  { name: 'console-records', view: '/records/customer/1', scheme: 'light' },
  { name: 'console-faults', view: '/faults', scheme: 'dark' },
] as const;

await using browser = await openBrowser();
await using mock = await createMock({ fixtures: demo, now: '2025-10-22T09:30:00Z' });
const { url } = await mock.listen();
await sendRequests(url);
for (const { name, scheme, view } of VIEWS) await shoot(`${url}/#${view}`, name, scheme);
await shootReport();

/** Sends a few requests, some of which fail. */
async function sendRequests(address: string): Promise<void> {
  const post = (path: string, body: object) =>
    fetch(address + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await mock.fault({ match: { operation: 'createVoucher' }, status: 503, times: 1 });
  await mock.fault({ match: { model: 'customer' }, delay: 300, every: 3 });
  await fetch(`${address}/api/model/customer?limit=5`);
  await post('/api/model/brand', { name: 'Altura' });
  await fetch(`${address}/api/model/customer/1`);
  await post('/api/model/locker', { name: 'A1', status: 7, created: '2025-10-22T09:30:00Z' });
  await post('/api/model/voucher', { customer: 1, type: 1 });
  await fetch(`${address}/__mock/sessions/worker-1/api/model/brand`);
  await fetch(`${address}/api/model/customer`);
}

async function shoot(address: string, name: string, scheme: 'light' | 'dark'): Promise<void> {
  const page = await browser.newPage({ viewport: WIDE, colorScheme: scheme });
  await page.goto(address);
  await page.locator('#main h2, #main article').first().waitFor();
  await save(page, name);
}

async function save(page: Page, name: string): Promise<void> {
  writeFileSync(join(IMAGES, `${name}.png`), await page.screenshot());
  await page.close();
  console.log(`docs/images/${name}.png`);
}

/** Checks a mock with a defect, and shows its report. */
async function shootReport(): Promise<void> {
  const placed = parseDefect('update.ignores-field:customer.email', contract);
  await using faulty = await createMock({
    ...contract,
    fixtures: demo,
    decoration: decorateWith(placed, contract),
  });
  const { url: service } = await faulty.listen();
  using directory = mkdtempDisposableSync(join(tmpdir(), 'report-'));
  const file = join(directory.path, 'report.html');
  await runIn(process.cwd(), ['check', service, '--no-config', '--models', 'customer', '--html', file]);
  const page = await browser.newPage({ viewport: WIDE });
  await page.goto(pathToFileURL(file).href);
  await page.locator('.causes li').first().waitFor();
  await save(page, 'report');
}
