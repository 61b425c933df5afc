/** The code that the console copies, run by the programs that it is for. */
import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { useVite } from '../adapters/use-vite.ts';
import { browserPath } from '../browser.ts';
import { type StartedMock, serveMock } from '../mocks/control.ts';
import { useDirectory } from '../temporary-directory.ts';
import { useBrowserConsole } from './open-console.ts';

const { open, test } = useBrowserConsole();

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);
/** The files and the API of the mock that a page of the console uses. The other paths are those of the app. */
const OWN = /^\/(__mock\/|openapi\.(json|yaml)$)/;

const directory = useDirectory();
const { serve } = useVite();

/** Returns what a button copies for the newest request. */
async function copy(mock: StartedMock, button: string): Promise<string> {
  await using shown = await open(mock.url);
  await shown.page.locator('.rows .row').first().click();
  await shown.page.getByRole('button', { name: button, exact: true }).click();
  await shown.page.getByRole('button', { name: 'Copied' }).waitFor();
  return await shown.copied();
}

/** Writes code that imports the package, as a file that imports its source. */
function write(name: string, code: string): void {
  const from = (entry: string) => `'${join(ROOT, 'mock/adapters', `${entry}.ts`)}'`;
  directory.write(
    name,
    code.replaceAll(/'record-model-contract\/mock\/(\w+)'/g, (_, entry) => from(entry)),
  );
}

test('the copied curl command repeats the request, even in a session', async () => {
  await using mock = await serveMock();
  const body = { name: 'it\'s $HOME `x` \\ "q"' };
  await mock.ask('POST', '/__mock/sessions/one/api/model/brand', body);
  await run('sh', ['-c', await copy(mock, 'curl')]);
  const { records } = await mock.mock.session('one').records('brand').list();
  const names = records.map(({ name }) => name);
  expect(names.filter((name) => name === body.name)).toHaveLength(2);
});

test('the copied Vitest code passes, with the fault of the request', async () => {
  await using mock = await serveMock();
  await mock.mock.fault({ match: { operation: 'createCrmContact' }, status: 503, times: 1 });
  await mock.ask('POST', '/api/model/brand', { name: 'Altura' });
  symlinkSync(join(ROOT, 'node_modules'), directory.path('node_modules'));
  write('copied.test.js', await copy(mock, 'Vitest'));
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const { stdout } = await run(
    process.execPath,
    [vitest, 'run', '--no-color', '--testTimeout=60000', '--root', directory.path()],
    {
      env: { ...process.env, VITEST: '', NODE_ENV: '' },
    },
  ).catch((error) => error);
  expect(stdout).toMatch(/Tests {2}1 passed/);
});

// As a new frontend developer does it: from "the save fails with 503 and my app shows it" to a test of it.
test('the console creates a fault and a Playwright test of the app, and uses only its own paths', async () => {
  const { origin } = await serve({}, { root: join(ROOT, 'examples/app') });
  await using shown = await open(origin(), { path: '/__mock/', view: '/faults' });
  const { page } = shown;
  const asked = new Set<string>();
  page.on('request', (request) => asked.add(request.url().slice(origin().length)));
  await page.getByLabel('Operation').fill('createCrmContact');
  await page.getByLabel('Requests').selectOption('times');
  await page.getByRole('button', { name: 'Add this fault' }).click();
  await page.getByText('503 for createCrmContact, once').first().waitFor();
  const app = await page.context().newPage();
  await app.goto(origin());
  await app.getByLabel('Name').fill('Altura');
  await app.getByRole('button', { name: 'Add' }).click();
  await expect.poll(() => app.getByRole('status').textContent()).toContain('Fault 1');
  await page.getByRole('link', { name: 'Requests' }).click();
  await page.locator('.rows .row').filter({ hasText: 'fault 1' }).click();
  await page.getByRole('button', { name: 'Playwright' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const code = await shown.copied();
  const steps =
    "await page.getByLabel('Name').fill('Altura'); await page.getByRole('button', { name: 'Add' }).click();";
  const check = "await expect(page.getByRole('status')).toContainText('Fault');";
  write(
    'copied.spec.js',
    code
      .replace(/\/\/ Replace this line with the clicks.*/, steps)
      .replace(/\/\/ Replace this line with a check.*/, check),
  );
  const use = {
    baseURL: origin(),
    launchOptions: { executablePath: browserPath(), args: ['--no-sandbox'] },
  };
  symlinkSync(join(ROOT, 'node_modules'), directory.path('node_modules'));
  directory.write('package.json', '{"type":"module"}');
  directory.write('playwright.config.js', `export default ${JSON.stringify({ reporter: 'list', use })};`);
  const { stdout } = await run(join(ROOT, 'node_modules/.bin/playwright'), ['test'], {
    cwd: directory.path(),
    env: { ...process.env, VITEST: '' },
  }).catch((error) => error);
  expect(stdout).toMatch(/1 passed/);

  for (const view of ['Records', 'Faults and time', 'Sessions', 'Contract', 'Requests']) {
    await page.getByRole('link', { name: view, exact: true }).click();
    await expect.poll(() => page.locator('#main').textContent()).not.toMatch(/^(Loading…)?$/);
    const links = await page.evaluate<string[]>(
      `[...document.querySelectorAll('a[href]')].map((link) => new URL(link.href).pathname)`,
    );
    expect(links.filter((path) => !OWN.test(path))).toEqual([]);
  }
  await page.reload();
  await page.locator('.rows .row').first().waitFor();
  expect([...asked].filter((path) => !OWN.test(path))).toEqual([]);
});
