import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_BROWSER, openBrowser } from '../../../testing/browser.ts';
import { serveMock } from '../../../testing/mocks/control.ts';
import { few, references } from '../../../testing/mocks/mocks.ts';

const base = { catalogue: few, references, fixtures: { warehouse: [{ id: 1, name: 'Norte' }] } };
const FILES = ['docs.js', 'docs.css', 'swagger-ui-bundle.js', 'swagger-ui.css'];

describe.skipIf(NO_BROWSER)('the page of the documents, in a browser,', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  /** Opens a page, and collects the errors of scripts, violations of the policy, and requests to other hosts. */
  async function open(url: string): Promise<{ readonly page: Page; readonly errors: string[] }> {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol !== 'data:' && origin !== new URL(url).origin) errors.push(request.url());
    });
    await page.goto(url);
    return { page, errors };
  }

  test('lists the operations, sends requests to the mock and the session of its address, and has the control API', async () => {
    await using served = await serveMock(base);
    const { errors, page } = await open(`${served.url}/__mock/sessions/a/__mock/docs`);
    const operations = page.locator('.opblock');
    const models = [...few.models.values()];
    await expect
      .poll(() => operations.count(), { timeout: 20_000 })
      .toBe(models.flatMap((model) => model.operations).length);
    expect(await page.title()).toContain(few.title);

    const operation = page.locator('#operations-warehouse-listWarehouse');
    await operation.getByRole('button').first().click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    await expect.poll(() => operation.locator('.live-responses-table').textContent()).toContain('Norte');
    expect(await served.mock.session('a').count({ operation: 'listWarehouse' })).toBe(1);
    expect(await served.mock.count()).toBe(0);

    await page.getByRole('link', { name: 'Control API' }).click();
    const { paths } = (await served.ask('GET', '/__mock/openapi.json')).body;
    const described = Object.values(paths ?? {}).flatMap((item) => Object.keys(item)).length;
    await expect.poll(() => operations.count(), { timeout: 20_000 }).toBe(described);
    expect(await page.locator('[aria-current=page]').textContent()).toBe('Control API');
    expect(errors).toEqual([]);
    await page.close();
  });
});

test('the page runs only files of the mock, and none of its own text', async () => {
  await using served = await serveMock(base);
  const { body, headers, status } = await served.ask<string>('GET', '/__mock/docs');
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  const policy = headers['content-security-policy'] ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
  expect(policy).not.toContain('unsafe');
  expect(body).not.toMatch(/<script(?! src="docs\/)|<style|style=|\son\w+=/);
  for (const name of FILES) {
    const file = await served.ask<string>('GET', `/__mock/docs/${name}`);
    expect([file.status, file.headers['content-type']]).toEqual([
      200,
      expect.stringMatching(name.endsWith('.js') ? /^text\/javascript/ : /^text\/css/),
    ]);
    expect(body.includes(`"docs/${name}"`)).toBe(true);
  }
  const wrong = await served.ask('GET', '/__mock/docs?document=other');
  expect([wrong.status, wrong.body.detail]).toEqual([422, expect.stringContaining('contract')]);
  expect((await served.ask('GET', '/__mock/docs/../../package.json')).status).toBe(400);
  expect((await served.ask('GET', '/__mock/docs/package.json')).status).toBe(404);
});

test('the page and its files are for clients that can use the control API', async () => {
  await using served = await serveMock(base);
  await using closed = await serveMock({ ...base, control: false });
  for (const path of ['/__mock/docs', ...FILES.map((name) => `/__mock/docs/${name}`)]) {
    const other = { origin: 'https://elsewhere.example' };
    expect((await served.ask('GET', path, undefined, other)).status).toBe(403);
    expect((await served.ask('GET', path, undefined, { via: '1.1 proxy' })).status).toBe(403);
    expect((await closed.ask('GET', path)).status).toBe(404);
  }
});
