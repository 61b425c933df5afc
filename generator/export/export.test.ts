import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterEach, test as anyTest, describe, expect, it, vi } from 'vitest';
import { loadContract } from '../../spec/contract.ts';
import { NO_BROWSER, workerBrowser } from '../../testing/browser.ts';
import { demo } from '../../testing/demo.ts';
import { coverProfiles } from '../../testing/profile/profile-cover.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { exportContract } from './export.ts';

const contract = loadContract();
/** The default profile, and some that differ much from it. */
const profiles = coverProfiles(contract.catalogue).filter((_, index) => index % 16 === 0);
const options = {
  records: demo,
  selection: { models: ['stockOrder', 'customer', 'subscriptionTask'] },
  renderer: () => ({ script: 'render()', style: 'body {}' }),
};
const textOf = (written: string | ReadonlyMap<string, string>) =>
  typeof written === 'string' ? written : JSON.stringify([...written]);
/** All that the exports are given, as text. */
const given = () =>
  JSON.stringify({ contract, options }, (_, value) => (value instanceof Map ? [...value] : value));

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
const areas = (...names: string[]) => ({ selection: { areas: names } });

const test = anyTest.skipIf(NO_BROWSER);
const directory = useDirectory();
const PACKAGES = join(import.meta.dirname, '../../node_modules');
const read = (name: string) => readFileSync(join(PACKAGES, 'swagger-ui-dist', name), 'utf8');
const renderer = () => ({ script: read('swagger-ui-bundle.js'), style: read('swagger-ui.css') });

describe.each(['types', 'schemas', 'html', 'diagram'] as const)('export %s', (name) => {
  it('writes the same bytes each time, and does not change its arguments', async () => {
    const before = given();
    const first = textOf(await exportContract(name, contract, options));
    expect(first.length).toBeGreaterThan(1000);
    vi.useFakeTimers({ now: new Date('2031-05-05T05:05:05Z'), toFake: ['Date'] });
    vi.spyOn(Math, 'random').mockReturnValue(0.123);
    vi.spyOn(crypto, 'randomUUID').mockReturnValue('0-0-0-0-0');
    expect(textOf(await exportContract(name, loadContract(), options))).toBe(first);
    expect(given()).toBe(before);
  });
});

it('the diagram distinguishes stated and inferred links', async () => {
  const mermaid = await exportContract('diagram', contract, areas('stock'));
  expect(mermaid).toContain('  stockOrder ||--o{ stockOrderLine : "lines"\n');
  expect(mermaid).toContain('  stockOrderLine }o..o| stockOrder : "stockOrder (inferred)"\n');
  expect(mermaid).toContain('    int id PK "ro"\n');
  expect(mermaid).toContain('    StockOrderLine[] lines');
  expect(mermaid).not.toContain('voucher');
});

test('the HTML page shows each operation offline, the first one without scrolling', async () => {
  const title = 'Club </script><script>document.title = "taken"</script>';
  const html = await exportContract('html', loadContract(), { renderer, title, records: demo });
  const context = await (await workerBrowser()).newContext({
    offline: true,
    viewport: { width: 1280, height: 900 },
  });
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
  await page.getByPlaceholder('Filter by tag or path').fill('helpArticle');
  await expect.poll(() => operations.count()).toBe(5);
  await page.getByPlaceholder('Filter by tag or path').fill('stockDelivery');
  await expect.poll(() => operations.first().textContent()).toContain('stockDelivery');
  await operations.nth(1).click();
  const body = page.locator('.opblock-body');
  await body.getByText('Example Value').first().waitFor();
  expect(await body.textContent()).toContain(
    'Creates one stockDelivery record from the fields in the body and returns it.',
  );
  expect(problems).toEqual([]);
  await context.close();
}, 60_000);

describe('the schemas of the contract', async () => {
  const files = await exportContract('schemas', contract);

  it('are one file per model and use, each with a unique ID', () => {
    const { models } = contract.catalogue;
    const written = [...models.values()].filter(({ operations }) => operations.includes('create'));
    expect(files.size).toBe(models.size + 2 * written.length);
    const ids = [...files.values()].map((text) => JSON.parse(text).$id);
    expect(new Set(ids).size).toBe(files.size);
    expect(ids).toContain('urn:record-model-api:2025-10-22:brand:create');
  });

  it('reject what the contract rejects', () => {
    const create = compile(files.get('stockOrder.create.json'));
    const line = { product: 1, grossUnitCost: 10, amount: 2, discount: 0 };
    const order = { status: 0, globalDiscount: 5, lines: [line] };
    expect(create(order)).toBe(true);
    expect(create({ ...order, status: 9 })).toBe(false);
    expect(create({ ...order, color: 'red' })).toBe(false);
    expect(create({ ...order, lines: [{ ...line, amount: 'x' }] })).toBe(false);
    const update = compile(files.get('stockOrder.update.json'));
    expect(update({ lines: [{ ...line, id: 1 }] })).toBe(true);
    expect(update({ lines: [{ ...line, id: null }] })).toBe(false);
  });

  it('compile under profiles that differ much from the default', { timeout: 30_000 }, async () => {
    const selection = { models: ['brand', 'stockOrder', 'voucherType', 'taskComment'] };
    for (const profile of profiles)
      for (const text of (await exportContract('schemas', { ...contract, profile }, { selection })).values())
        expect(compile(text)).toBeTypeOf('function');
  });
});

function compile(text: string | undefined) {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  formats.default(ajv);
  return ajv.compile(JSON.parse(text ?? ''));
}

it('the types compile under each profile, and reject what the contract does not contain', async () => {
  const models = ['brand', 'customer', 'relationship', 'stockOrder', 'taskComment', 'voucherType'];
  const written = profiles.map(async (profile, index) => {
    const text = await exportContract('types', { ...contract, profile }, { selection: { models } });
    return directory.write(`${index}.d.ts`, text);
  });
  const files = await Promise.all(written);
  const head = "import type * as api from './0.d.ts';";
  const wrong = [
    ["export type Path = api.paths['/api/model/brands'];", /brands/],
    ['export const create: api.BrandCreate = {};', /'name' is missing/],
    ['export const status: api.StockOrderStatus = 9;', /'9' is not assignable/],
    ['export const write = (b: api.Brand) => { b.id = 1; };', /read-only/],
    ['export const date = (b: api.Brand) => new Date(b.created);', /No overload matches/],
    ['export const extra = (b: api.Brand) => b.color;', /'color' does not exist/],
  ] as const;
  const program = [head, ...wrong.map(([code]) => code)].join('\n');
  directory.write('client.ts', program);
  const flags = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--noEmit'];
  const module = ['--module', 'nodenext', '--target', 'es2024', '--allowImportingTsExtensions'];
  const said = spawnSync(join(PACKAGES, '.bin/tsc'), [...flags, ...module, 'client.ts', ...files], {
    cwd: directory.path(),
    encoding: 'utf8',
  });
  const errors = said.stdout.split('\n').filter((line) => /^\S/.test(line));
  expect(errors).toEqual(
    wrong.map(([, found], index) =>
      expect.stringMatching(new RegExp(`^client\\.ts\\(${index + 2},.*${found.source}`)),
    ),
  );
});
