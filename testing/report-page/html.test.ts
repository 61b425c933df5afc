import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from '@playwright/test';
import { afterAll, afterEach, test as anyTest, expect } from 'vitest';
import { renderHtml } from '../../conformance/report/html.ts';
import type { Results } from '../../conformance/results/results.ts';
import { findProblems, NO_BROWSER, workerBrowser } from '../browser.ts';
import { resultOf } from '../checks.ts';
import {
  BIDI,
  BIDI_SHOWN,
  hostileResults,
  largeResults,
  sampleCase,
  sampleExchange,
  sampleResults,
} from '../sample-results.ts';
import { SOURCE } from '../source-facts.ts';

const test = anyTest.skipIf(NO_BROWSER);
const directory = mkdtempSync(join(tmpdir(), 'report-'));
/** The pages of a test, and their errors and requests. */
const pages: Page[] = [];
const problems: string[] = [];
afterEach(async () => {
  for (const page of pages.splice(0)) await page.context().close();
  expect(problems.splice(0)).toEqual([]);
});
afterAll(() => rmSync(directory, { recursive: true }));

test('the matrix has one row per model, and creates no elements for thousands of cases', async () => {
  const results = largeResults(80);
  expect(results.cases.length).toBeGreaterThan(4000);
  const page = await open(results);
  expect(await page.locator('.matrix tbody tr').count()).toBe(SOURCE.totals.models);
  expect(await page.locator('.matrix thead th').allTextContents()).toEqual(
    expect.arrayContaining(['Model', 'operations', 'update', 'all']),
  );
  expect(await page.locator('*').count()).toBeLessThan(results.cases.length);
});

test('the first screen shows what to fix, with links to the cases', async () => {
  const cases = ['brand', 'share', 'locker'].map((model) =>
    sampleCase({ id: `a.x:${model}.name`, rule: 'a.x', model, found: 'status 200' }),
  );
  cases.push(resultOf('b.y:brand'));
  const page = await open(sampleResults({ cases, tag: 'k3f9' }), { view: '' });
  expect(await page.locator('header').textContent()).toMatch(/Seed1000.*Tagk3f9/);
  const [cause, ...others] = await page.locator('.causes li').all();
  expect(others).toEqual([]);
  for (const part of [
    'fail',
    '3 cases on 3 models',
    'delete.effect (setting)',
    'is not refused',
    'brand, share, locker',
    'record-model check http://127.0.0.1:4010 --case ',
  ])
    expect(await cause?.textContent()).toContain(part);
  expect(await cause?.locator('.sides > div').allTextContents()).toEqual([
    'Expecteda 4xx status',
    'Foundstatus 200',
  ]);
  await page.getByRole('button', { name: '3 cases on 3 models' }).click();
  expect(await page.locator('.case').count()).toBe(3);
  expect(await page.locator('.case[open] .pair > div').count()).toBe(2);
  await page.getByRole('button', { name: 'Clear' }).click();
  expect(await page.locator('.case').count()).toBe(4);
  await page.goBack();
  await page.goBack();
  expect(await page.locator('.causes li').count()).toBe(1);
});

test('a run in which all passed begins with the matrix', async () => {
  const passed = sampleResults({ cases: [resultOf('b.y:brand')] });
  const page = await open(passed, { view: '' });
  expect(await page.locator('.matrix tbody tr').count()).toBe(1);
  expect(await page.getByRole('link', { name: 'Causes' }).count()).toBe(0);
});

test('a cell of the matrix opens its cases, and Back returns to the matrix', async () => {
  const page = await open(sampleResults());
  const cell = page.getByRole('button', { name: 'warehouse, values: 0/1, fail' });
  expect(await cell.textContent()).toBe('0/1');
  await cell.click();
  const block = page.locator('details.case');
  expect(await block.count()).toBe(1);
  for (const part of [
    'values.refused-on-update:warehouse.name=9',
    'a value that is not in the list is not refused',
    'a 4xx status',
    'Section 3: A select field takes the values of its list.',
    'reproduced',
    'POST http://127.0.0.1:4010/api/model/warehouse',
    "curl -i -X POST -H 'accept: application/json'",
  ])
    expect(await block.textContent()).toContain(part);
  await page.goBack();
  expect(await page.locator('.matrix tbody tr').count()).toBe(2);
});

test('JSON is formatted without changing values, and the command can be copied', async () => {
  const page = await openCases(sampleResults({ cases: [sampleCase()] }));
  await page.waitForSelector('.exchange .sides');
  expect(await page.locator('.exchange .sides pre').nth(1).textContent()).toBe(
    '{\n  "name": "it\'s",\n  "big": 12345678901234567890\n}',
  );
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^curl -i -X POST .*warehouse/);
});

test('the view has filters by text, model, and outcome, and Skip to the results keeps them', async () => {
  const page = await open(sampleResults());
  const rows = page.locator('.matrix tbody th');
  await page.getByRole('searchbox').fill('BRAND page');
  expect(await rows.allTextContents()).toEqual(['brand']);
  await page.getByRole('button', { name: 'Clear' }).click();
  expect(await rows.allTextContents()).toEqual(['warehouse', 'brand']);
  await page.getByRole('link', { name: 'Cases' }).click();
  await page.getByLabel('Filter by model', { exact: true }).selectOption('brand');
  const ids = page.locator('.case > summary code');
  expect(await ids.allTextContents()).toEqual([
    'delete.answer:brand',
    'list.shows-record:brand',
    'absent.put:brand',
    'fields.type:brand.name',
    'profile.list.paging:brand',
  ]);
  const address = page.url();
  await page.getByRole('button', { name: 'Skip to the results' }).press('Enter');
  expect(page.url()).toBe(address);
  expect(await page.evaluate('document.activeElement.id')).toBe('view');
  await page.getByRole('button', { name: /blocked/ }).click();
  expect(await ids.allTextContents()).toEqual(['list.shows-record:brand']);
  expect(await page.getByRole('status').textContent()).toBe('1 of 8 cases, most severe first');
});

test('a long list of cases is shown in parts', async () => {
  const cases = Array.from({ length: 450 }, (_, index) => resultOf(`a.x:brand=${index}`));
  const page = await openCases(sampleResults({ cases }));
  await page.getByRole('button', { name: 'Show 200 more of 250' }).click();
  await page.getByRole('button', { name: 'Show 50 more of 50' }).click();
  expect(await page.locator('.case').count()).toBe(450);
});

test('arrow keys move in the matrix, which is a single Tab stop', async () => {
  const page = await open(largeResults(16));
  await page.locator('.matrix button[tabindex="0"]').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  const label = await page.evaluate('document.activeElement.getAttribute("aria-label")');
  expect(label).toMatch(/^bookingDrawItem, operations: /);
  expect(await page.locator('.matrix button[tabindex="0"]').count()).toBe(1);
  await page.keyboard.press('Enter');
  expect(await page.locator('.case').count()).toBe(2);
});

test('the theme follows the system until the reader selects one', async () => {
  const page = await open(sampleResults(), { colorScheme: 'dark' });
  const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const dark = await background();
  await page.getByRole('button', { name: 'Use light colors' }).click();
  const light = await background();
  expect([dark, light]).toEqual(['rgb(14, 18, 23)', 'rgb(245, 246, 248)']);
  await page.getByRole('button', { name: 'Use dark colors' }).click();
  expect(await background()).toBe(dark);
});

test('requirements and coverage have their own views, and a statement opens its cases', async () => {
  const leftovers = Array.from({ length: 100 }, (_, index) => `warehouse/${index}`);
  const page = await open(sampleResults({ leftovers }));
  expect(await page.locator('.notice', { hasText: 'warehouse/99' }).textContent()).not.toContain('more');
  await page.getByRole('link', { name: 'Coverage' }).click();
  expect(await page.locator('#view h2').allTextContents()).toEqual([
    '1 of 2 operations',
    '1 of 1 fields',
    '0 of 1 values',
  ]);
  expect(await page.locator('#view').textContent()).toContain('a valid brand could not be made');
  await page.getByRole('link', { name: 'Requirements' }).click();
  expect(await page.locator('#view tbody .badge').allTextContents()).toEqual([
    '✕ broken',
    '– not tested',
    '✓ held',
  ]);
  await page.getByRole('button', { name: 'value-list' }).click();
  expect(await page.locator('.case').count()).toBe(4);
});

test('responses of a service are shown as text in each view', async () => {
  const page = await open(hostileResults());
  for (const view of ['Causes', 'Matrix', 'Cases', 'Requirements', 'Coverage']) {
    await page.getByRole('link', { name: view }).click();
    expect(await page.locator('#view').textContent()).toContain('<img src="http://127.0.0.1:1/x"');
    expect(await page.locator('body img, main style').count()).toBe(0);
  }
});

test('no text changes the direction of the page or its source', async () => {
  const results = sampleResults({
    cases: [sampleCase({ message: `abc ${BIDI} cba`, exchanges: [sampleExchange(`{"name":"${BIDI}"}`)] })],
    target: `http://127.0.0.1/${BIDI}`,
  });
  expect(renderHtml(results)).not.toMatch(/\p{Bidi_Control}/u);
  const page = await openCases(results);
  const text = await page.locator('body').textContent();
  expect(text).not.toMatch(/\p{Bidi_Control}/u);
  expect(text).toContain(`abc ${BIDI_SHOWN} cba`);
  expect(text).toContain(`"name": "${BIDI_SHOWN}"`);
});

test('each view passes axe, in light and dark', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await open(sampleResults(), { colorScheme });
    for (const view of ['Causes', 'Matrix', 'Cases', 'Requirements', 'Coverage']) {
      await page.getByRole('link', { name: view }).click();
      expect([view, ...(await findProblems(page))]).toEqual([view]);
    }
  }
});

/** Opens the report in a browser, and notes its errors and requests. */
async function open(
  results: Results,
  { colorScheme = 'light', view = '#view=matrix' }: { colorScheme?: 'light' | 'dark'; view?: string } = {},
): Promise<Page> {
  const path = join(directory, 'report.html');
  writeFileSync(path, renderHtml(results));
  const permissions = ['clipboard-read', 'clipboard-write'];
  const page = await (await workerBrowser()).newPage({ colorScheme, permissions });
  pages.push(page);
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('dialog', (dialog) => problems.push(`dialog ${dialog.message()}`));
  page.on('request', (request) => {
    if (request.url() !== pathToFileURL(path).href) problems.push(`request ${request.url()}`);
  });
  await page.goto(pathToFileURL(path).href + view);
  return page;
}

/** The same, at the list of the cases. */
async function openCases(results: Results): Promise<Page> {
  const page = await open(results);
  await page.getByRole('link', { name: 'Cases' }).click();
  return page;
}
