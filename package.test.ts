import { execFile, execFileSync, spawn } from 'node:child_process';
import {
  accessSync,
  constants,
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
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = import.meta.dirname;
const { bin, engines, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const LEFT = join(ROOT, 'dist/left-over.js');
const run = promisify(execFile);

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
  symlinkSync(join(ROOT, 'node_modules'), path(`${INSTALLED}/node_modules`));
  symlinkSync(join(ROOT, 'node_modules/vitest'), path('node_modules/vitest'));
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

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
    const mock = spawn(command(), ['mock', '--port', '0'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    try {
      const url = await new Promise<string>((found, lost) => {
        mock.on('exit', () => lost(new Error('the mock ended')));
        for (const stream of [mock.stdout, mock.stderr])
          createInterface(stream).on('line', (line) => {
            const [address] = /http:\/\/\S+?:\d+/.exec(line) ?? [];
            if (address) found(address);
          });
      });

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
    expect(shipped).toContain('dist/mock/defects/defects.js');
    const alien = /(^|\/)(testing|bench|coverage)\/|\.test\.|\.grit$|(?<!\.d)\.ts$/;
    expect(shipped.filter((name) => alien.test(name))).toEqual([]);
  });

  test('checks the document it brings', async () => {
    const { stderr } = await run(command(), ['generate', '--check']);
    expect(stderr).toContain('is up to date');
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
