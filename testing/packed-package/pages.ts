import { globSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { NO_BROWSER } from '../browser.ts';
import { useBrowserConsole } from '../console/open-console.ts';
import { INSTALLED, ROOT, run, type usePackedPackage } from './packed-package.ts';

/** The name of an imported package, without the path in it. */
const IMPORTED = /^(?:import|export|\}) .*from '((?:@[^/']+\/)?[^/'.][^/']*)/gm;
const HOW_TO_BUILD = /Run "npm ci" in the clone, or "npm run prepare"\.\n/;

/** Describes the pages that the package contains: the console and the HTML report. */
export function describePages({ command, path, startMock }: ReturnType<typeof usePackedPackage>) {
  const writeReport = (url: string) =>
    run(command(), ['check', url, '--models', 'brand', '--html', path('page.html')], { cwd: path() });

  describe.skipIf(NO_BROWSER)('the pages, in a browser,', () => {
    const open = useBrowserConsole();

    test('the console shows a request and its record, and the HTML report shows its matrix', async () => {
      using mock = await startMock();
      const headers = { 'content-type': 'application/json' };
      const body = '{"name":"Altura"}';
      const created = await fetch(`${mock.url}/api/model/brand`, { method: 'POST', headers, body });
      const { id } = (await created.json()) as { id: number };
      await using shown = await open(mock.url);
      const { page } = shown;
      await page.locator('.rows .row').first().click();
      await page.getByRole('link', { name: `brand ${id}` }).click();
      await page.getByRole('heading', { name: `brand ${id} Altura` }).waitFor();
      await writeReport(mock.url);
      await page.goto(`${pathToFileURL(path('page.html'))}#view=matrix`);
      await expect.poll(() => page.locator('.matrix tbody tr').count()).toBe(1);
    });
  });

  test('without the built pages, the mock and the check report how to build them', async () => {
    using mock = await startMock();
    const [built, away] = [path(`${INSTALLED}/dist/web`), path('web')];
    renameSync(built, away);
    try {
      const page = await fetch(mock.url, { headers: { accept: 'text/html' } });
      expect([page.status, await page.text()]).toEqual([503, expect.stringMatching(HOW_TO_BUILD)]);
      await expect(writeReport(mock.url)).rejects.toMatchObject({
        code: 3,
        stderr: expect.stringMatching(HOW_TO_BUILD),
      });
    } finally {
      renameSync(away, built);
    }
  });
}

/** Returns the packages that the pages import. Vite bundles them. */
export function importedByPages(): string[] {
  const exclude = ['**/*.test.ts', 'web/vite.config.ts'];
  const sources = globSync('web/**/*.{ts,tsx}', { cwd: ROOT, exclude });
  const names = sources.flatMap((name) =>
    [...readFileSync(join(ROOT, name), 'utf8').matchAll(IMPORTED)].map(([, imported = '']) => imported),
  );
  expect(names).toContain('preact');
  return [...new Set(names)];
}
