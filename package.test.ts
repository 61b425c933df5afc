import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createMock } from './mock/mock.ts';
import { loadContract } from './spec/contract.ts';
import { SETTINGS } from './spec/profile/profile.ts';
import { browserPath, NO_BROWSER } from './testing/browser.ts';

const ROOT = import.meta.dirname;
const { bin, engines, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const LEFT = join(ROOT, 'dist/left-over.js');
const LOCKFILES = [
  'package-lock.json',
  'testing/consumers/tools/package-lock.json',
  'bench/scale/others/package-lock.json',
];
const run = promisify(execFile);

/** Licences that ask nothing of who uses a package but their notice. */
const PERMISSIVE = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

/** The packages that an install without development brings, by the lockfile. */
function dependencies(): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  return Object.entries<{ dev?: true }>(packages).flatMap(([place, { dev }]) => {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(place) ?? [];
    return name === undefined || dev ? [] : name;
  });
}

function link(name: string, to: string): void {
  mkdirSync(path(join(to, name, '..')), { recursive: true });
  if (existsSync(join(ROOT, 'node_modules', name)))
    symlinkSync(join(ROOT, 'node_modules', name), path(join(to, name)));
}

/** The project of a user, who installed the packed package. */
let directory = '';
const INSTALLED = 'node_modules/record-model-contract';
const path = (name: string) => join(directory, name);
const command = () => path(`${INSTALLED}/${bin['record-model']}`);

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'record-model-'));
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  writeFileSync(LEFT, 'export {};\n');
  execFileSync('npm', ['pack', '--silent', '--pack-destination', directory], { cwd: ROOT, stdio: 'pipe' });
  mkdirSync(path(INSTALLED), { recursive: true });
  const packed = path(`record-model-contract-${version}.tgz`);
  execFileSync('tar', ['-xzf', packed, '--strip=1', '-C', path(INSTALLED)]);
  // What a user has: the packages that it depends on and none of ours; vitest is the user's.
  for (const name of dependencies()) link(name, `${INSTALLED}/node_modules`);
  for (const name of ['.bin', 'vitest', 'msw', 'vite', '@playwright', '@types/node'])
    link(name, 'node_modules');
  writeFileSync(path('package.json'), '{"type":"module","private":true}');
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

const PROGRAM = `
import {
  createMock, createTarget, exportContract, generateDocument, learnProfile, loadContract, runSuite,
} from 'record-model-contract';
import { createMock as again } from 'record-model-contract/mock';
import type { Brand, paths } from 'record-model-contract/types';
import document from 'record-model-contract/openapi.json' with { type: 'json' };
import older from 'record-model-contract/openapi-3.0.json' with { type: 'json' };
import brand from 'record-model-contract/schemas/brand.create.json' with { type: 'json' };
import { readFileSync } from 'node:fs';

const contract = loadContract();
const path: keyof paths = '/api/model/brand';
const name: Brand['name'] = 'a';
const mock = await createMock({ journal: 0 });
const { url } = await mock.listen();
const target = createTarget({ baseUrl: url });
const made: string = (await mock.records('brand').create({ name })).name;
const brands = await mock.records('brand').list();
// Of records without a type every name would be one.
const hasColour: 'colour' extends keyof (typeof brands)[number] ? true : false = false;
await mock.reset();
const learned = await learnProfile({ ...contract, target, write: true });
const selection = { models: ['brand'] };
const yaml = readFileSync(new URL(import.meta.resolve('record-model-contract/openapi.yaml')), 'utf8');
for await (const event of runSuite({ ...contract, target, profileName: 'default', selection }))
  if (event.type === 'end')
    console.log(JSON.stringify({
      counts: event.results.counts, learned: learned.settings.size, same: again === createMock,
      openapi: document.openapi, older: older.openapi, id: brand.$id, yaml: yaml.includes(path),
      types: (await exportContract('types', contract, { selection })).includes('interface Brand'),
      title: made && generateDocument(contract).info.title,
    }));
await target.close();
await mock.close();
`;

/** The mock of the installed package, with its address. */
async function startMock(): Promise<[ChildProcess, string]> {
  const mock = spawn(command(), ['mock', '--port', '0'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const url = await new Promise<string>((found, lost) => {
    mock.on('exit', () => lost(new Error('the mock ended')));
    for (const stream of [mock.stdout, mock.stderr])
      createInterface(stream).on('line', (line) => {
        const [address] = /http:\/\/\S+?:\d+/.exec(line) ?? [];
        if (address) found(address);
      });
  });
  return [mock, url];
}

describe('a build', () => {
  test('leaves nothing of the one before', () => {
    expect(existsSync(LEFT)).toBe(false);
  });

  // npm sets the bit when it links a command; npx does not, where it linked the same folder before.
  test('can be run as a command by itself', () => {
    expect(() => accessSync(join(ROOT, bin['record-model']), constants.X_OK)).not.toThrow();
  });
});

describe('the package', () => {
  test('serves the mock, checks it, writes the page of results, and runs in the vitest of a user', async () => {
    const [mock, url] = await startMock();
    try {
      const check = ['check', url, '--models', 'brand', '--html', path('results.html')];
      const { stdout } = await run(command(), check, { cwd: directory });
      expect(stdout).toContain('CONFORMANT');
      expect(readFileSync(path('results.html'), 'utf8')).toContain('<style>');

      writeFileSync(
        path('contract.test.js'),
        `import { describeConformance } from 'record-model-contract/vitest';
         describeConformance({ baseUrl: '${url}', selection: { models: ['brand'] } });`,
      );
      const vitest = await run(join(ROOT, 'node_modules/.bin/vitest'), ['run'], { cwd: directory });
      expect(vitest.stdout).toMatch(/Tests .*\d+ passed/);
    } finally {
      mock.kill();
    }
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

  test('brings the licence of each package that is bundled into it, and none asks more than its notice', () => {
    const licences = readFileSync(path(`${INSTALLED}/dist/LICENCES.txt`), 'utf8');
    const bundled = [...licences.matchAll(/^(\S+) \d+\.\d+\.\d+\S* \((.*)\)$/gm)];
    const names = bundled.map(([, name]) => name);
    expect(names).toEqual(
      expect.arrayContaining(['@stoplight/prism-http', 'ajv', 'commander', 'undici', 'yaml']),
    );
    expect(names.length).toBeGreaterThan(100);
    expect(bundled.filter(([, , licence = '']) => !PERMISSIVE.includes(licence))).toEqual([]);
  });

  test('checks the document it brings', async () => {
    const { stderr } = await run(command(), ['generate', '--check']);
    expect(stderr).toContain('is up to date');
  });

  test('brings the contract as functions, types, documents and schemas', async () => {
    writeFileSync(path('program.ts'), PROGRAM);
    const flags = ['--strict', '--module', 'nodenext', '--target', 'es2024', '--resolveJsonModule'];
    const typescript = join(ROOT, 'node_modules/typescript/bin/tsc');
    const compile = [typescript, ...flags, '--types', 'node', '--noEmit', 'program.ts'];
    await run(process.execPath, compile, { cwd: directory }).catch(({ stdout }) => {
      throw new Error(stdout);
    });
    const { stdout } = await run(process.execPath, ['program.ts'], { cwd: directory });
    expect(JSON.parse(stdout)).toEqual({
      counts: expect.objectContaining({ fail: 0, error: 0, blocked: 0 }),
      learned: SETTINGS.length,
      same: true,
      openapi: '3.1.0',
      older: '3.0.3',
      id: 'urn:record-model-api:2025-10-22:brand:create',
      yaml: true,
      types: true,
      title: 'Record Model API',
    });
  }, 60_000);

  test('is in order for publint, and its types for every way to find them that ES modules have', async () => {
    const { messages } = await publint({ pkgDir: path(INSTALLED), pack: false, strict: true });
    expect(messages).toEqual([]);
    const packed = new Uint8Array(readFileSync(path(`record-model-contract-${version}.tgz`)));
    // YAML has no types.
    const result = await checkPackage(createPackageFromTarballData(packed), {
      excludeEntrypoints: ['./openapi.yaml'],
    });
    const problems = ('problems' in result ? result.problems : []).filter(
      (one) => !('resolutionKind' in one) || ['node16-esm', 'bundler'].includes(one.resolutionKind),
    );
    expect(problems).toEqual([]);
    expect(result.types).toBeTruthy();
  }, 60_000);

  test('says on an older Node what needs a newer one, and runs the rest', async () => {
    const as = (version: string) =>
      `data:text/javascript,Object.defineProperty(process,'version',{value:'${version}'})`;
    const start = (version: string, ...words: string[]) =>
      run(process.execPath, ['--import', as(version), command(), ...words]);
    for (const verb of [['mock'], ['proxy', 'http://127.0.0.1:1']])
      await expect(start('v22.19.0', ...verb)).rejects.toMatchObject({
        code: 2,
        stdout: '',
        stderr: `record-model: ${verb[0]} needs Node 24.18.0 or newer, for Prism; this is v22.19.0. generate, export, diff, check, learn and clean run on it\n`,
      });
    expect((await start('v22.19.0', 'generate', '--check')).stderr).toContain('is up to date');
  });

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

describe('what runs it elsewhere', () => {
  test('the action checks a service and writes the reports', async () => {
    const { inputs, runs } = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8'));
    const check = runs.steps.find((step: { name: string }) => step.name === 'Check the service');
    const [mock, url] = await startMock();
    try {
      const words = '--models brand\n--read-only\n--level stated\n';
      const given = { url, profile: '', arguments: words, reports: 'out/all', artifact: '' };
      expect(Object.keys(given)).toEqual(Object.keys(inputs));
      const keep = runs.steps.at(-1).with;
      // The name of an artifact has no slash; a directory may have.
      expect(keep.name).toContain('inputs.artifact ');
      expect(keep.path).toContain('inputs.reports ');
      expect(inputs.artifact.default).toMatch(/^[\w-]+$/);
      const env = Object.fromEntries(
        Object.entries<string>(check.env).map(([name, value]) => [
          name,
          value.replace(/\$\{\{ inputs\.(\w+) \}\}/, (_, input) => given[input as keyof typeof given]),
        ]),
      );
      const { stdout } = await run('bash', ['-eo', 'pipefail', '-c', check.run], {
        cwd: directory,
        env: { ...process.env, ...env, GITHUB_ACTION_PATH: ROOT },
      });
      expect(stdout).toContain('READS CONFORMANT');
      for (const name of ['report.html', 'junit.xml', 'report.sarif', 'results.json'])
        expect(existsSync(path(`out/all/${name}`))).toBe(true);
    } finally {
      mock.kill();
    }
  }, 60_000);

  // No daemon runs here, so that the image itself is not built.
  test('the image runs as nobody special, and its health is that of the mock', async () => {
    const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
    expect(dockerfile).toMatch(/^USER node$/m);
    const copied = [...dockerfile.matchAll(/^COPY --from=build \/kit\/(\S+)/gm)].map(([, name = '']) => name);
    const shipped = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).files as string[];
    for (const name of shipped.filter((file) => !file.includes('results.schema')))
      expect(copied.some((folder) => name.startsWith(folder.split('/*')[0] ?? ''))).toBe(true);
    const [, health = ''] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    const [, ...words] = JSON.parse(health) as string[];
    const [mock, url] = await startMock();
    try {
      const at = words.map((word) => word.replace('http://127.0.0.1:4010', url));
      await expect(run(process.execPath, at)).resolves.toBeDefined();
    } finally {
      mock.kill();
    }
    const none = words.map((word) => word.replace(':4010', ':1'));
    await expect(run(process.execPath, none)).rejects.toMatchObject({ code: 1 });
  });
});

describe.each(LOCKFILES)('the lockfile %s', (name) => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
  const locked = Object.entries<{ integrity?: string; hasInstallScript?: true }>(packages).slice(1);

  test('has the integrity of every package, those for other systems too', () => {
    expect(locked.length).toBeGreaterThan(100);
    expect(locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
  });

  test('brings no install script that package.json does not allow or deny by name', () => {
    const { allowScripts = {} } = JSON.parse(readFileSync(join(ROOT, dirname(name), 'package.json'), 'utf8'));
    const scripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript);
    expect(scripts.map(([place]) => place.split('node_modules/').at(-1)).sort()).toEqual(
      Object.keys(allowScripts).sort(),
    );
  });
});

test('an install brings the types of OpenAPI beside the package, and no install script', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  expect(dependencies()).toEqual(['openapi-types']);
  expect(packages['node_modules/openapi-types'].hasInstallScript).toBeUndefined();
});

/** Below those that systems give out, so that nothing takes it by chance. */
const PORT = 20_000 + (process.pid % 10_000);

describe('the example', () => {
  /** Runs a tool in a copy of an example, with the package installed. */
  async function runIn(example: string, tool: string, args: string[], env: Record<string, string> = {}) {
    cpSync(join(ROOT, 'examples', example), path(example), { recursive: true });
    const options = { cwd: path(example), env: { ...process.env, VITEST: '', ...env } };
    return (await run(join(ROOT, 'node_modules/.bin', tool), args, options)).stdout;
  }

  test('of Vitest gives each test records of its own', async () => {
    expect(await runIn('vitest', 'vitest', ['run'])).toMatch(/Tests .*4 passed/);
  });

  test('of MSW answers the real address of the API', async () => {
    expect(await runIn('msw', 'vitest', ['run'])).toMatch(/Tests .*2 passed/);
  });

  test.skipIf(NO_BROWSER)('of Playwright and Vite shows pages over the mock', async () => {
    const env = { CHROMIUM: browserPath(), PORT: String(PORT) };
    expect(await runIn('playwright', 'playwright', ['test'], env)).toMatch(/3 passed/);
  });
});
