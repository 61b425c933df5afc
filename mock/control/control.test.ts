import { gzipSync } from 'node:zlib';
import SwaggerParser from '@apidevtools/swagger-parser';
import type { Page } from '@playwright/test';
import type { OpenAPIV3_1 } from 'openapi-types';
import { afterAll, describe, expect, test } from 'vitest';
import { loadContract } from '../../spec/contract.ts';
import { describeContract } from '../../spec/meta/meta.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { NO_BROWSER, workerBrowser } from '../../testing/browser.ts';
import { serveMock } from '../../testing/mocks/control.ts';
import { FEW_MODELS, few } from '../../testing/mocks/mocks.ts';
import { expectTranscript } from '../../testing/transcripts/transcripts.ts';
import { connectMock } from '../adapters/remote.ts';

expectTranscript(import.meta.dirname, 'control');

const started = await serveMock(FEW_MODELS);
afterAll(() => started.mock.close());

test('the control API serves a valid OpenAPI document, which lists the statuses of each endpoint', async () => {
  const { body } = await started.ask<Documented>('GET', '/__mock/openapi.json');
  const { paths } = body;
  await SwaggerParser.validate(structuredClone(body));
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { responses, summary }] of Object.entries(methods)) {
      expect(summary).toMatch(/^[A-Z].*\.$/);
      if (path.endsWith('/events')) continue;
      const sent = ['post', 'put', 'patch'].includes(method) ? {} : undefined;
      const real = path.replace(/\{\w+\}/, 'none');
      const { status } = await started.ask(method.toUpperCase(), real, sent);
      expect([`${method} ${path}`, Object.keys(responses)]).toEqual([
        `${method} ${path}`,
        expect.arrayContaining([String(status)]),
      ]);
    }
});

test.each(['/__mock/live', '/__mock/ready'])(
  '%s is open to all hosts, creates no session, and is not logged',
  async (path) => {
    for (const control of [{ token: 'let-me-in' }, false] as const) {
      await using started = await serveMock({ ...FEW_MODELS, control });
      for (const headers of [
        { host: 'balancer.example' },
        { 'x-forwarded-for': '192.0.2.7', forwarded: 'for=192.0.2.7', via: '1.1 balancer' },
        { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' },
        { 'x-mock-session': 'new' },
      ] as readonly Record<string, string>[]) {
        const { body, status } = await started.ask('GET', path, undefined, headers);
        expect([headers, status, body]).toEqual([headers, 200, { status: 'ok' }]);
        const head = await started.ask('HEAD', `${path}?from=balancer`, undefined, headers);
        expect([headers, head.status]).toEqual([headers, 200]);
      }
      const answer = await started.mock.handle({
        method: 'GET',
        target: path,
        headers: {},
        peer: '192.0.2.7',
      });
      expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
      expect([await started.mock.sessions(), await started.mock.count()]).toEqual([['default'], 0]);
      const statuses = [await started.ask('POST', path), await started.ask('GET', '/__mock/health')];
      expect(statuses.map(({ status }) => status)).toEqual(control === false ? [404, 404] : [405, 200]);
    }
  },
);

type Documented = Pick<OpenAPIV3_1.Document, 'openapi' | 'info'> & {
  readonly paths: Record<string, Record<string, { responses: Record<string, unknown>; summary: string }>>;
};

test('the contract is the same over HTTP, in the process, and remotely', async () => {
  const contract = loadContract();
  const profile = createProfile({ limits: { text: 80 }, 'delete.effect': 'remove' }, contract.catalogue);
  await using served = await serveMock({ profile });
  const facts = JSON.parse(JSON.stringify(describeContract({ ...contract, profile })));
  expect((await served.ask('GET', '/__mock/contract')).body).toEqual(facts);
  expect(await served.mock.session('a').contract()).toEqual(facts);
  expect(await connectMock(served.url).session('a').contract()).toEqual(facts);
  expect(facts.models.brand.fields.at(-1)).toMatchObject({ name: 'name', maxLength: 80 });
  expect(facts.profile.find(({ setting }: { setting: string }) => setting === 'limits.text').value).toBe(80);
});

const FILES = ['docs.js', 'docs.css', 'swagger-ui-bundle.js', 'swagger-ui.css'];

describe.skipIf(NO_BROWSER)('the page of the API documents, in a browser,', () => {
  /** Opens a page, and collects the errors of scripts, violations of the policy, and requests to other hosts. */
  async function open(url: string): Promise<{ readonly page: Page; readonly errors: string[] }> {
    const page = await (await workerBrowser()).newPage();
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

  test('lists the operations, sends requests to its session, and shows the control API', async () => {
    await using served = await serveMock({
      ...FEW_MODELS,
      fixtures: { warehouse: [{ id: 1, name: 'Norte' }] },
    });
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

test('the page of the API documents loads only scripts and styles of the mock, none inline', async () => {
  await using served = await serveMock(FEW_MODELS);
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
    const elsewhere = { via: '1.1 proxy' };
    expect((await served.ask('GET', `/__mock/docs/${name}`, undefined, elsewhere)).status).toBe(403);
  }
  expect((await served.ask('GET', '/__mock/docs/../../package.json')).status).toBe(400);
});

test('the mock console with its script and styles has less than 150 kB when compressed', async () => {
  await using mock = await serveMock();
  const load = async (path: string) => {
    const response = await fetch(new URL(path, mock.url), { headers: { accept: 'text/html' } });
    expect([path, response.status]).toEqual([path, 200]);
    return response.text();
  };
  const page = await load('/');
  const names = [...page.matchAll(/ (?:src|href)="(\.\/[^"]+)"/g)].map(([, name = '']) => name);
  expect(names.map((name) => name.replace(/.*\./, '')).sort()).toEqual(['css', 'js']);
  const files = [page, ...(await Promise.all(names.map(load)))];
  const sizes = files.map((text) => gzipSync(text).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000);
});
