import {
  accessSync,
  constants,
  existsSync,
  globSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createMock } from '../../mock/mock.ts';
import { loadContract } from '../../spec/contract.ts';
import { SETTINGS } from '../../spec/profile/profile.ts';
import { browserPath } from '../browser.ts';
import { useBrowserConsole } from '../console/open-console.ts';
import { patternOf, stepsOf } from '../docs/console-block.ts';
import { readBlocks } from '../docs/markdown.ts';
import { createAt } from '../services/service.ts';
import { useDirectory } from '../temporary-directory.ts';
import { bin, engines, INSTALLED, LEFT, ROOT, run, usePackedPackage, version } from './packed-package.ts';

/** The name of an imported package, without the path in it. */
const IMPORTED = /^(?:import|export|\}) .*from '((?:@[^/']+\/)?[^/'.][^/']*)/gm;
const HOW_TO_BUILD = /Run "npm ci" in the clone, or "npm run prepare"\.\n/;

type Inputs = Readonly<Record<string, string>>;
type Step = { readonly name: string; readonly run: string; readonly env: Inputs; readonly if?: string };

/** The action for GitHub, as action.yml describes it. */
const { inputs: ACTION_INPUTS, runs: ACTION } = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8'));

/** The job for GitLab, as the example describes it. */
const GITLAB_JOB = parse(readFileSync(join(ROOT, 'examples/gitlab/.gitlab-ci.yml'), 'utf8'))['record-model'];

/** Licenses that ask nothing of who uses a package but their notice. */
const PERMISSIVE = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

const { open, test: browserTest } = useBrowserConsole();
const { command, inClone, path, runExample, runProgram, startMock } = usePackedPackage();

test('a build deletes the files of the previous one', () => {
  expect(existsSync(inClone(LEFT))).toBe(false);
});

// npm sets the bit when it links a command; npx does not, where it linked the same folder before.
test('the built command is executable', () => {
  expect(() => accessSync(inClone(bin['record-model']), constants.X_OK)).not.toThrow();
});

describe('the package', () => {
  test('serves the mock, checks it, writes the HTML report, and runs in Vitest', async () => {
    await using mock = await startMock();
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

  test('has no scripts, and packing does not change package.json', () => {
    const installed = JSON.parse(readFileSync(path(`${INSTALLED}/package.json`), 'utf8'));
    expect(['scripts', 'devDependencies'].filter((name) => name in installed)).toEqual([]);
    expect(readFileSync(inClone('package.json'), 'utf8')).toBe(
      readFileSync(join(ROOT, 'package.json'), 'utf8'),
    );
  });

  test('contains no files that only tests and proofs use', () => {
    const shipped = globSync('**/*', { cwd: path(INSTALLED), exclude: ['node_modules'] });
    expect(shipped).toContain('dist/cli.js');
    // --defect is for users too.
    expect(shipped.some((name) => /^dist\/chunks\/defects-.*\.js$/.test(name))).toBe(true);
    const alien = /(^|\/)(testing|bench|coverage)\/|\.test\.|\.grit$|(?<!\.d)\.ts$/;
    expect(shipped.filter((name) => alien.test(name))).toEqual([]);
  });

  test('loads the same contract, document, and records as the source', async () => {
    const built = await import(path(`${INSTALLED}/dist/index.js`));
    expect(built.loadContract()).toEqual(loadContract());
    expect((await built.createMock()).document).toEqual((await createMock()).document);
    expect(await (await built.createMock()).state()).toEqual(await (await createMock()).state());
  });

  test('contains the license of each bundled package, all of which are permissive', () => {
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

  test('contains a bill of materials with each bundled or copied package once', () => {
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

  test('passes generate --check with its document', async () => {
    const { stderr } = await run(command(), ['generate', '--check']);
    expect(stderr).toContain('is up to date');
  });

  test('exports the contract as functions, types, documents, and schemas', async () => {
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

  test('reports the required version on an older Node', async () => {
    const older = `data:text/javascript,Object.defineProperty(process,'version',{value:'v20.20.2'})`;
    const ended = run(process.execPath, ['--import', older, command(), '--help']);
    await expect(ended).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: `record-model: needs Node ${engines.node.replace('>=', '')} or newer; this is v20.20.2\n`,
    });
  });
});

// npm would install into a project around the directory.
const directory = useDirectory();

test('the GitHub action checks a service, and writes the reports and the step summary', async () => {
  await using mock = await startMock();
  const inputs = { url: mock.url, profile: '', arguments: '', reports: 'out/all', artifact: '' };
  expect(Object.keys(inputs)).toEqual(Object.keys(ACTION_INPUTS));
  const keep = ACTION.steps.at(-1).with;
  // The name of an artifact has no slash; a directory can have one.
  expect(keep.name).toContain('inputs.artifact ');
  expect(keep.path).toContain('inputs.reports ');
  expect(ACTION_INPUTS.artifact.default).toMatch(/^[\w-]+$/);
  const runStep = (name: string, changed = {}) =>
    runActionStep(inClone(''), path(), name, { ...inputs, ...changed }, path('step.md'));

  const words = '--models brand\n--read-only\n--level stated\n';
  const { stdout } = await runStep('Check the service', { arguments: words });
  expect(stdout).toContain('READS CONFORMANT');
  for (const name of ['report.html', 'junit.xml', 'results.json'])
    expect(existsSync(path(`out/all/${name}`))).toBe(true);
  await runStep('Write the step summary');

  // After a check that fails, GitHub still runs the steps that say so.
  const always = ACTION.steps.filter((step: { if?: string }) => step.if === 'always()');
  expect(always).toEqual(ACTION.steps.slice(-2));
  const failing = { arguments: '--models brand --read-only --min-coverage 90', reports: 'failed' };
  await expect(runStep('Check the service', failing)).rejects.toMatchObject({ code: 1 });
  await runStep('Write the step summary', failing);
  await runStep('Write the step summary', { reports: 'none' });
  expect(readFileSync(path('step.md'), 'utf8').match(/^## .*/gm)).toEqual([
    expect.stringContaining('READS CONFORMANT'),
    expect.stringContaining('CONFORMANT'),
  ]);
}, 60_000);

test('the README installs the package, and the GitLab job checks with its consent to writes', async () => {
  const packed = path(`record-model-contract-${version}.tgz`);
  const { stdout, shown } = await installAsReadme(directory.path(), packed);
  expect(stdout).toMatch(patternOf(shown));

  await using mock = await startMock();
  const project = directory.path('my-app');
  expect((await runGitlabCheck(project, mock.url)).stdout).toContain('READS CONFORMANT');
  for (const name of GITLAB_JOB.artifacts.paths) expect(existsSync(join(project, name))).toBe(true);
  // An HTTP proxy has to look this name up. With consent, the check tries to reach the proxy, where nothing listens.
  const elsewhere = 'http://service.invalid';
  for (const access of ['--read-only', '--write'])
    await expect(runGitlabCheck(project, elsewhere, access)).rejects.toMatchObject({ code: 3 });
  const without = runGitlabCheck(project, elsewhere, '--models=brand');
  await expect(without).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('might hold real data'),
  });
}, 120_000);

const writeReport = (url: string) =>
  run(command(), ['check', url, '--models', 'brand', '--html', path('page.html')], { cwd: path() });

browserTest('the console shows a request and its record, and the HTML report shows its matrix', async () => {
  await using mock = await startMock();
  const { id } = await createAt(mock.url, 'brand', { name: 'Altura' });
  await using shown = await open(mock.url);
  const { page } = shown;
  await page.locator('.rows .row').first().click();
  await page.getByRole('link', { name: `brand ${id}` }).click();
  await page.getByRole('heading', { name: `brand ${id} Altura` }).waitFor();
  await writeReport(mock.url);
  await page.goto(`${pathToFileURL(path('page.html'))}#view=matrix`);
  await expect.poll(() => page.locator('.matrix tbody tr').count()).toBe(1);
});

test('without the built pages, the mock and check report how to build them', async () => {
  await using mock = await startMock();
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

/** Below those that systems give out, so that nothing takes it by chance. */
const PORT = 20_000 + (process.pid % 10_000);

test('the example of the tutorial passes in Vitest', async () => {
  expect(await runExample('app', 'vitest', ['run'])).toMatch(/Tests .*3 passed/);
});

test('the example of MSW passes in Vitest', async () => {
  expect(await runExample('msw', 'vitest', ['run'])).toMatch(/Tests .*3 passed/);
});

browserTest('the example of the tutorial passes in Playwright', async () => {
  const env = { CHROMIUM: browserPath(), PORT: String(PORT) };
  expect(await runExample('app', 'playwright', ['test'], env)).toMatch(/3 passed/);
});

/** Runs a step of the action of a clone in a directory, with the inputs that GitHub would insert. */
function runActionStep(clone: string, cwd: string, name: string, inputs: Inputs, summary: string) {
  const step: Step | undefined = ACTION.steps.find((one: Step) => one.name === name);
  if (!step) throw new Error(`action.yml has no step "${name}"`);
  const env = Object.entries(step.env).map(([key, value]) => [
    key,
    value.replace(/\$\{\{ inputs\.(\w+) \}\}/, (_, input) => inputs[input] ?? ''),
  ]);
  const places = { GITHUB_ACTION_PATH: clone, GITHUB_STEP_SUMMARY: summary };
  const options = { cwd, env: { ...process.env, ...Object.fromEntries(env), ...places } };
  return run('bash', ['-eo', 'pipefail', '-c', step.run], options);
}

/** Runs the check of the GitLab job in a directory with the package installed. */
function runGitlabCheck(cwd: string, url: string, access = GITLAB_JOB.variables.RECORD_MODEL_ACCESS) {
  const [install, check] = GITLAB_JOB.script;
  if (install !== 'npm ci') throw new Error(`the job starts with "${install}"; expected npm ci`);
  const job = { RECORD_MODEL_URL: url, RECORD_MODEL_ACCESS: access };
  const env = { ...process.env, ...job, http_proxy: 'http://127.0.0.1:9' };
  return run('bash', ['-e', '-c', check], { cwd, env });
}

/**
 * Runs the commands of README that install the package, in an empty directory. The clone and its build are those of
 * this repository, packed before. Returns the output, and the lines that README shows.
 */
async function installAsReadme(directory: string, packed: string) {
  const block = readBlocks('README.md').find(({ lines }) => lines[0]?.startsWith('$ git clone '));
  if (!block) throw new Error('README.md has no block that clones and installs');
  const steps = stepsOf(block);
  const commands = [
    `git() { mkdir record-model-contract && cp '${packed}' record-model-contract; }`,
    'npm() { case "$*" in ci|pack) echo "$1";; *) command npm "$@" --prefer-offline --no-audit;; esac; }',
    ...steps.map(({ command }) => command),
  ];
  // Without the variables that npm sets for its scripts, which belong to this repository.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
  const { stdout } = await run('bash', ['-e', '-c', commands.join('\n')], { cwd: directory, env });
  return { stdout, shown: steps.flatMap(({ shown }) => shown) };
}

/** Returns the packages that the pages import. Vite bundles them. */
function importedByPages(): string[] {
  const exclude = ['**/*.test.ts', 'web/vite.config.ts'];
  const sources = globSync('web/**/*.{ts,tsx}', { cwd: ROOT, exclude });
  const names = sources.flatMap((name) =>
    [...readFileSync(join(ROOT, name), 'utf8').matchAll(IMPORTED)].map(([, imported = '']) => imported),
  );
  expect(names).toContain('preact');
  return [...new Set(names)];
}
