import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, test as anyTest, beforeAll, expect } from 'vitest';
import { NO_BROWSER, openBrowser } from '../../testing/browser.ts';
import {
  bareCase,
  HOSTILE,
  largeResults,
  sampleCase,
  sampleExchange,
  sampleResults,
} from '../../testing/sample-results.ts';
import { SOURCE } from '../../testing/source-facts.ts';
import type { Results } from '../results/results.ts';
import { renderHtml } from './html.ts';

const test = anyTest.skipIf(NO_BROWSER);
let browser: Browser;
const directory = mkdtempSync(join(tmpdir(), 'report-'));

beforeAll(async () => {
  if (!NO_BROWSER) browser = await openBrowser();
});

afterAll(async () => {
  await browser?.close();
  rmSync(directory, { recursive: true });
});

type Opened = { page: Page; problems: string[] };

/** Opens the report of the results; whatever the page complains of or asks for is noted. */
async function open(
  results: Results,
  colorScheme: 'light' | 'dark' = 'light',
  view = '#view=matrix',
): Promise<Opened> {
  const path = join(directory, 'report.html');
  writeFileSync(path, renderHtml(results));
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

test('the matrix has a row a model and is there at once for thousands of cases', async () => {
  const results = largeResults(80);
  const { page, problems } = await open(results);
  expect(results.cases.length).toBeGreaterThan(4000);
  expect(await page.locator('.matrix tbody tr').count()).toBe(SOURCE.totals.models);
  expect(await page.locator('.matrix thead th').allTextContents()).toEqual(
    expect.arrayContaining(['Model', 'operations', 'update', 'all']),
  );
  const took = await page.evaluate('performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd');
  expect(took).toBeLessThan(5000);
  expect(problems).toEqual([]);
});

test('the first screen says what would have to be mended, and leads to the cases', async () => {
  const alike = ['brand', 'share', 'locker'].map((model) =>
    sampleCase({ id: `a.x:${model}.name`, rule: 'a.x', model, found: 'status 200' }),
  );
  const { page, problems } = await open(
    sampleResults({ cases: [...alike, bareCase('b.y:brand', 'pass', 'brand')], tag: 'k3f9' }),
    'light',
    '',
  );
  expect(await page.locator('header').textContent()).toMatch(/Seed1000.*Tagk3f9/);
  const [cause, ...others] = await page.locator('.causes li').all();
  expect(others).toEqual([]);
  const text = (await cause?.textContent()) ?? '';
  for (const part of [
    'fail',
    '3 cases',
    'delete.effect (setting)',
    'is not refused',
    'found status 200',
    'brand, share, locker',
    'curl -i -X POST',
  ])
    expect(text).toContain(part);
  await page.getByRole('button', { name: '3 cases' }).click();
  expect(await page.locator('.case').count()).toBe(3);
  await page.getByRole('button', { name: 'Clear' }).click();
  expect(await page.locator('.case').count()).toBe(4);
  await page.goBack();
  await page.goBack();
  expect(await page.locator('.causes li').count()).toBe(1);
  expect(problems).toEqual([]);
});

test('a run in which all passed begins with the matrix', async () => {
  const { page } = await open(
    sampleResults({ cases: [bareCase('b.y:brand', 'pass', 'brand')] }),
    'light',
    '',
  );
  expect(await page.locator('.matrix tbody tr').count()).toBe(1);
  expect(await page.getByRole('link', { name: 'Causes' }).count()).toBe(0);
});

test('a cell leads to its cases, and Back to the matrix', async () => {
  const { page, problems } = await open(sampleResults());
  const cell = page.getByRole('button', { name: 'warehouse, values: 0 of 1, fail' });
  expect(await cell.textContent()).toBe('✕0/1');
  await cell.click();
  const block = page.locator('details.case');
  expect(await block.count()).toBe(1);
  const text = (await block.textContent()) ?? '';
  for (const part of [
    'values.refused-on-update:warehouse.name=9',
    'a value that is not in the list is not refused',
    'a 4xx status',
    'A select field takes the values of its list. (section 3)',
    'reproduced',
    'POST http://127.0.0.1:4010/api/model/warehouse/7',
    "curl -i -X POST -H 'accept: application/json'",
  ])
    expect(text).toContain(part);
  await page.goBack();
  expect(await page.locator('.matrix tbody tr').count()).toBe(2);
  expect(problems).toEqual([]);
});

test('JSON is spaced out and not changed', async () => {
  const { page } = await open(sampleResults({ cases: [sampleCase()] }));
  await page.getByRole('link', { name: 'Cases' }).click();
  await page.waitForSelector('.sides');
  expect(await page.locator('.sides pre').nth(1).textContent()).toBe(
    '{\n  "name": "it\'s",\n  "big": 12345678901234567890\n}',
  );
});

test('the command line is copied', async () => {
  const { page } = await open(sampleResults({ cases: [sampleCase()] }));
  await page.getByRole('link', { name: 'Cases' }).click();
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^curl -i -X POST .*warehouse\/7/);
});

test('text, model and outcome filter what is shown', async () => {
  const { page, problems } = await open(sampleResults());
  const rows = page.locator('.matrix tbody th');
  await page.getByRole('searchbox').fill('BRAND page');
  expect(await rows.allTextContents()).toEqual(['brand']);
  await page.getByRole('button', { name: 'Clear' }).click();
  expect(await rows.allTextContents()).toEqual(['warehouse', 'brand']);
  await page.getByRole('link', { name: 'Cases' }).click();
  await page.getByLabel('Only one of the models').selectOption('brand');
  const ids = page.locator('.case > summary code');
  expect(await ids.allTextContents()).toEqual([
    'delete.answer:brand',
    'list.shows-record:brand',
    'absent.put:brand',
    'fields.type:brand.name',
    'profile.list.paging:brand',
  ]);
  await page.getByRole('button', { name: /blocked/ }).click();
  expect(await ids.allTextContents()).toEqual(['list.shows-record:brand']);
  expect(await page.getByRole('status').textContent()).toBe('1 of 8 cases, gravest first');
  expect(problems).toEqual([]);
});

test('a long list of cases is shown in parts', async () => {
  const cases = Array.from({ length: 450 }, (_, index) => bareCase(`a.x:brand=${index}`, 'pass', 'brand'));
  const { page } = await open(sampleResults({ cases }));
  await page.getByRole('link', { name: 'Cases' }).click();
  await page.getByRole('button', { name: 'Show 200 more of 250' }).click();
  await page.getByRole('button', { name: 'Show 50 more of 50' }).click();
  expect(await page.locator('.case').count()).toBe(450);
});

test('arrow keys walk the matrix, which is one stop of the Tab key', async () => {
  const { page } = await open(largeResults(16));
  await page.locator('.matrix button[tabindex="0"]').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  const label = () => page.evaluate('document.activeElement.getAttribute("aria-label")');
  expect(await label()).toMatch(/^bookingDrawItem, operations: /);
  expect(await page.locator('.matrix button[tabindex="0"]').count()).toBe(1);
  await page.keyboard.press('Enter');
  expect(await page.locator('.case').count()).toBe(2);
});

test('skipping to the results keeps what is shown', async () => {
  const { page, problems } = await open(sampleResults());
  await page.getByRole('link', { name: 'Cases' }).click();
  await page.getByLabel('Only one of the models').selectOption('brand');
  const address = page.url();
  await page.getByRole('link', { name: 'Skip to the results' }).focus();
  await page.keyboard.press('Enter');
  expect(page.url()).toBe(address);
  expect(await page.locator('.case').count()).toBe(5);
  expect(await page.evaluate('document.activeElement.id')).toBe('view');
  expect(problems).toEqual([]);
});

test('light and dark follow the system until the reader chooses', async () => {
  const { page, problems } = await open(sampleResults(), 'dark');
  const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const dark = await background();
  await page.getByRole('button', { name: 'Show in light colours' }).click();
  const light = await background();
  expect([dark, light]).toEqual(['rgb(14, 18, 23)', 'rgb(245, 246, 248)']);
  await page.getByRole('button', { name: 'Show in dark colours' }).click();
  expect(await background()).toBe(dark);
  expect(problems).toEqual([]);
});

test('statements and coverage have a view each, and a statement leads to its cases', async () => {
  const { page, problems } = await open(sampleResults());
  await page.getByRole('link', { name: 'Coverage' }).click();
  expect(await page.locator('#view h2').allTextContents()).toEqual([
    '1 of 2 operations',
    '1 of 1 fields',
    '0 of 1 values',
  ]);
  expect(await page.locator('#view').textContent()).toContain('a valid brand could not be made');
  await page.getByRole('link', { name: 'Requirements' }).click();
  const states = await page.locator('#view tbody .badge').allTextContents();
  expect(states).toEqual(['✕ broken', '– not tested', '✓ held']);
  await page.getByRole('button', { name: 'value-list' }).click();
  expect(await page.locator('.case').count()).toBe(8);
  expect(problems).toEqual([]);
});

test('what a service answers stays text wherever it is shown', async () => {
  const hostile = `${HOSTILE}<img src="http://127.0.0.1:1/x" onerror="alert(2)"><style>*{display:none}</style>`;
  const result = sampleCase({
    id: `x.y:${hostile}`,
    rule: `${hostile}.z`,
    title: hostile,
    model: hostile,
    message: hostile,
    expected: hostile,
    found: hostile,
    requirement: hostile,
    exchanges: [sampleExchange(hostile)],
  });
  const results = sampleResults({
    target: hostile,
    catalogue: { title: hostile, version: hostile, models: 1 },
    staleBaseline: [hostile],
    expiredBaseline: [hostile],
    leftovers: [hostile],
    requirements: [{ id: hostile, section: hostile, says: hostile, state: 'broken', why: hostile }],
    coverage: { operations: [{ name: hostile, exercised: false, why: hostile }], fields: [], values: [] },
    cases: [result],
  });
  const { page, problems } = await open(results);
  for (const view of ['Causes', 'Matrix', 'Cases', 'Requirements', 'Coverage']) {
    await page.getByRole('link', { name: view }).click();
    expect(await page.locator('#view').textContent()).toContain('<img src="http://127.0.0.1:1/x"');
    expect(await page.locator('body img, main style').count()).toBe(0);
  }
  expect(problems).toEqual([]);
});

test('what would turn text around is shown as a sign', async () => {
  const results = sampleResults({ cases: [sampleCase({ message: 'abc \u202e cba' })] });
  const { page } = await open(results);
  await page.getByRole('link', { name: 'Cases' }).click();
  expect(await page.locator('#view').textContent()).toContain('abc \\u202e cba');
});

test('a page keeps within what a browser opens easily, and says what it left out', () => {
  const exchanges = Array.from({ length: 40 }, () => sampleExchange('x'.repeat(4000)));
  const cases = Array.from({ length: 1000 }, (_, index) => sampleCase({ id: `a.x:${index}`, exchanges }));
  const html = renderHtml(sampleResults({ cases }));
  expect(html.length).toBeLessThan(2_000_000);
  expect(html).toContain('"left":28');
});
