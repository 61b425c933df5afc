import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, test } from 'vitest';
import type { Results } from '../../conformance/results/results.ts';
import { NO_BROWSER, openBrowser } from '../browser.ts';

type Opened = { page: Page; problems: string[] };

/** A browser for all tests of a file; gives a way to open reports in it. */
export function useReportPage(render: (results: Results) => string) {
  let browser: Browser;
  const directory = mkdtempSync(join(tmpdir(), 'report-'));

  beforeAll(async () => {
    if (!NO_BROWSER) browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(directory, { recursive: true });
  });
  return { open, openCases, test: test.skipIf(NO_BROWSER) };

  /** Opens the report in a browser, and collects its errors and requests. */
  async function open(
    results: Results,
    { colorScheme = 'light', view = '#view=matrix' }: { colorScheme?: 'light' | 'dark'; view?: string } = {},
  ): Promise<Opened> {
    const path = join(directory, 'report.html');
    writeFileSync(path, render(results));
    const context = await browser.newContext({
      colorScheme,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('dialog', (dialog) => problems.push(`dialog ${dialog.message()}`));
    page.on('request', (request) => {
      if (request.url() !== pathToFileURL(path).href) problems.push(`request ${request.url()}`);
    });
    await page.goto(pathToFileURL(path).href + view);
    return { page, problems };
  }

  /** The same, at the list of the cases. */
  async function openCases(results: Results): Promise<Opened> {
    const opened = await open(results);
    await opened.page.getByRole('link', { name: 'Cases' }).click();
    return opened;
  }
}
