/** Two runs of Playwright on one mock, each with the behavior of every adapter in pages of Chromium. */
import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createMock } from '../../mock/mock.ts';
import { browserPath, NO_BROWSER } from '../browser.ts';
import { useDirectory } from '../temporary-directory.ts';
import { ADAPTED, ADAPTER_BEHAVIOR } from './adapter-behavior.ts';

const ROOT = join(import.meta.dirname, '../..');
const MODULES = join(ROOT, 'node_modules');
const directory = useDirectory();

const SPEC = `
import { expect } from '@playwright/test';
import { ADAPTER_BEHAVIOR, initOf } from '${join(ROOT, 'testing/adapters/adapter-behavior.ts')}';
import { createMockTest } from '${join(ROOT, 'mock/adapters/playwright.ts')}';
const test = createMockTest();
for (const [title, holds] of Object.entries(ADAPTER_BEHAVIOR))
  test(title, async ({ mock, page }) => {
    await page.goto('/');
    await mock.clearRequests();
    const ask = async (path, sent = {}) => {
      const init = initOf(sent);
      // A page can't send these headers.
      if (init.headers.origin === undefined)
        return page.evaluate(async ([address, options]) => {
          const answer = await fetch(address, options);
          return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
        }, [path, init]);
      const answer = await page.request.fetch(path, init);
      return { status: answer.status(), headers: answer.headers(), text: await answer.text() };
    };
    await holds({ ask, mock });
  });
for (const name of ['one', 'two'])
  test('snapshots belong to a worker: ' + name, async ({ mock }) => {
    await mock.setState({ brand: [{ id: 1, name: mock.name }] });
    await mock.snapshot('seeded');
    await mock.reset();
    await mock.restore('seeded');
    expect(await mock.state(['brand'])).toMatchObject({ brand: [{ name: mock.name }] });
  });
`;

test.skipIf(NO_BROWSER)(
  'two Playwright runs on one mock do not conflict, behave like each adapter, and leave no sessions',
  async () => {
    const asked: string[] = [];
    await using mock = await createMock({
      ...ADAPTED,
      onExchange: ({ path, session }) => asked.push(`${session} ${path}`),
    });
    const { url } = await mock.listen();
    const launchOptions = { executablePath: browserPath(), args: ['--no-sandbox'] };
    const use = { baseURL: url, bypassCSP: true, launchOptions };
    const few = { fullyParallel: true, workers: 2, timeout: 120_000 };
    const config = { ...few, testMatch: '*.spec.ts', reporter: 'list', use };
    symlinkSync(MODULES, directory.path('node_modules'));
    directory.write('package.json', '{"type":"module"}');
    directory.write('playwright.config.ts', `export default ${JSON.stringify(config)};`);
    directory.write('adapter.spec.ts', SPEC);
    const run = (output: string) =>
      promisify(execFile)(join(MODULES, '.bin/playwright'), ['test', '--output', output], {
        cwd: directory.path(),
        env: { ...process.env, VITEST: '' },
      }).catch((error) => error);
    const count = Object.keys(ADAPTER_BEHAVIOR).length + 2;
    for (const { stdout } of await Promise.all([run('first'), run('second')]))
      expect(stdout).toMatch(new RegExp(`^ +${count} passed`, 'm'));
    // Each worker of each run has a session.
    const sessions = new Set(asked.map((line) => line.split(' ')[0]));
    expect([...sessions].filter((name) => /^test-[01]-[0-9a-f]{12}$/.test(name ?? ''))).toHaveLength(4);
    // The behavior looks at this one.
    await mock.session('other').delete();
    expect(await mock.sessions()).toEqual(['default']);
  },
);
