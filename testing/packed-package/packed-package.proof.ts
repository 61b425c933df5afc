import { accessSync, constants, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createMock } from '../../mock/mock.ts';
import { loadContract } from '../../spec/contract.ts';
import { SETTINGS } from '../../spec/profile/profile.ts';
import { browserPath, NO_BROWSER } from '../browser.ts';
import { describeDelivery } from './delivery.ts';
import { bin, engines, INSTALLED, LEFT, ROOT, run, usePackedPackage } from './packed-package.ts';
import { describePages, importedByPages } from './pages.ts';

/** Licenses that ask nothing of who uses a package but their notice. */
const PERMISSIVE = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

const packed = usePackedPackage();
const { command, inClone, path, runExample, runProgram, startMock } = packed;

describe('a build', () => {
  test('leaves nothing of the one before', () => {
    expect(existsSync(inClone(LEFT))).toBe(false);
  });

  // npm sets the bit when it links a command; npx does not, where it linked the same folder before.
  test('can be run as a command by itself', () => {
    expect(() => accessSync(inClone(bin['record-model']), constants.X_OK)).not.toThrow();
  });
});

describe('the package', () => {
  test('serves the mock, checks it, writes the page of results, and runs in the vitest of a user', async () => {
    using mock = await startMock();
    const { url } = mock;
    const check = ['check', url, '--models', 'brand', '--html', path('results.html')];
    const { stdout } = await run(command(), check, { cwd: path() });
    expect(stdout).toContain('CONFORMANT');
    for (const name of ['docs', 'docs/docs.js', 'docs/docs.css', 'docs/swagger-ui-bundle.js'])
      expect((await fetch(`${url}/__mock/${name}`)).status).toBe(200);
    expect(readFileSync(path('results.html'), 'utf8')).toContain('<style>');

    writeFileSync(
      path('contract.test.js'),
      `import { describeConformance } from 'record-model-contract/vitest';
       describeConformance({ baseUrl: '${url}', selection: { models: ['brand'] } });`,
    );
    const vitest = await run(join(ROOT, 'node_modules/.bin/vitest'), ['run'], { cwd: path() });
    expect(vitest.stdout).toMatch(/Tests .*\d+ passed/);
  });

  test('has no scripts, of which npm would warn, and packing it leaves package.json as it was', () => {
    const installed = JSON.parse(readFileSync(path(`${INSTALLED}/package.json`), 'utf8'));
    expect(['scripts', 'devDependencies'].filter((name) => name in installed)).toEqual([]);
    expect(readFileSync(inClone('package.json'), 'utf8')).toBe(
      readFileSync(join(ROOT, 'package.json'), 'utf8'),
    );
  });

  test('has nothing in it that only tests and proofs use', () => {
    const shipped = globSync('**/*', { cwd: path(INSTALLED), exclude: ['node_modules'] });
    expect(shipped).toContain('dist/cli.js');
    // --defect is for users too.
    expect(shipped.some((name) => /^dist\/chunks\/defects-.*\.js$/.test(name))).toBe(true);
    const alien = /(^|\/)(testing|bench|coverage)\/|\.test\.|\.grit$|(?<!\.d)\.ts$/;
    expect(shipped.filter((name) => alien.test(name))).toEqual([]);
  });

  test('reads what it was built with as the source reads its YAML', async () => {
    const built = await import(path(`${INSTALLED}/dist/index.js`));
    expect(built.loadContract()).toEqual(loadContract());
    expect((await built.createMock()).document).toEqual((await createMock()).document);
    expect(await (await built.createMock()).state()).toEqual(await (await createMock()).state());
  });

  test('brings the license of each package that is bundled into it, and none asks more than its notice', () => {
    const licenses = readFileSync(path(`${INSTALLED}/dist/LICENSES.txt`), 'utf8');
    const bundled = [...licenses.matchAll(/^(\S+) \d+\.\d+\.\d+\S* \((.*)\)$/gm)];
    const names = bundled.map(([, name]) => name);
    expect(names).toEqual(
      expect.arrayContaining(['@stoplight/prism-http', 'ajv', 'commander', 'undici', 'yaml']),
    );
    expect(names).toEqual(expect.arrayContaining(importedByPages()));
    expect(names.length).toBeGreaterThan(100);
    expect(bundled.filter(([, , license = '']) => !PERMISSIVE.includes(license))).toEqual([]);
  });

  test('brings a bill of materials with each package that is bundled or copied into it, each once', () => {
    const licenses = readFileSync(path(`${INSTALLED}/dist/LICENSES.txt`), 'utf8');
    const bundled = [...licenses.matchAll(/^(\S+) (\d+\.\d+\.\d+\S*) \(.*\)$/gm)];
    const { bomFormat, components, dependencies, metadata } = JSON.parse(
      readFileSync(path(`${INSTALLED}/dist/sbom.cdx.json`), 'utf8'),
    );
    expect(bomFormat).toBe('CycloneDX');
    const urls = components.map(({ purl }: { purl: string }) => purl);
    for (const [, name = '', version] of bundled)
      expect(urls).toContain(`pkg:npm/${name.replace('@', '%40')}@${version}`);
    expect(urls.filter((url: string) => url.startsWith('pkg:npm/swagger-ui-dist@'))).toHaveLength(1);
    expect(new Set(urls).size).toBe(urls.length);
    expect(dependencies).toEqual([{ ref: metadata.component['bom-ref'], dependsOn: urls }]);
    // Two versions of a package are often an old one with a known weakness.
    const lodash = urls.filter((url: string) => url.startsWith('pkg:npm/lodash@'));
    expect(lodash).toEqual([expect.not.stringMatching(/@4\.1[0-7]\./)]);
  });

  test('checks the document it brings', async () => {
    const { stderr } = await run(command(), ['generate', '--check']);
    expect(stderr).toContain('is up to date');
  });

  test('brings the contract as functions, types, documents and schemas', async () => {
    expect(JSON.parse(await runProgram())).toEqual({
      counts: expect.objectContaining({ fail: 0, error: 0, blocked: 0 }),
      learned: SETTINGS.length,
      same: true,
      openapi: '3.1.0',
      older: '3.0.3',
      id: 'urn:record-model-api:2025-10-22:brand:create',
      yaml: true,
      types: true,
      meta: ['Manual', 4, true, false, 'unitPrice', 'name'],
      title: 'Record Model API',
    });
  }, 60_000);

  test('says which Node it needs where that is older', async () => {
    const older = `data:text/javascript,Object.defineProperty(process,'version',{value:'v20.20.2'})`;
    const ended = run(process.execPath, ['--import', older, command(), '--help']);
    await expect(ended).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: `record-model: needs Node ${engines.node.replace('>=', '')} or newer; this is v20.20.2\n`,
    });
  });
});

describeDelivery(packed);
describePages(packed);

/** Below those that systems give out, so that nothing takes it by chance. */
const PORT = 20_000 + (process.pid % 10_000);

describe('the example', () => {
  test('of the tutorial is tested by Vitest', async () => {
    expect(await runExample('app', 'vitest', ['run'])).toMatch(/Tests .*3 passed/);
  });

  test('of MSW answers the real address of the API', async () => {
    expect(await runExample('msw', 'vitest', ['run'])).toMatch(/Tests .*3 passed/);
  });

  test.skipIf(NO_BROWSER)('of the tutorial shows pages over the mock', async () => {
    const env = { CHROMIUM: browserPath(), PORT: String(PORT) };
    expect(await runExample('app', 'playwright', ['test'], env)).toMatch(/3 passed/);
  });
});
