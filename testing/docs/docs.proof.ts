import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempDisposableSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileNameOf, patternOf, stepsOf } from './console-block.ts';
import { type Block, PAGES, ROOT, readBlocks } from './markdown.ts';
import { isRun } from './not-run.ts';
import { runPage } from './session.ts';

/** Packages that programs of the pages import in addition to the kit. */
const PACKAGES = ['.bin', '@playwright', '@types', 'msw', 'vite', 'vitest'];

/** The programs of all pages, which are compiled together. */
let programs = '';
beforeAll(() => {
  programs = mkdtempSync(join(tmpdir(), 'record-model-docs-'));
  installKit(programs);
});
afterAll(() => rmSync(programs, { recursive: true }));

describe.concurrent('the commands of', () => {
  test.each(PAGES)('%s print what the page shows', { timeout: 600_000 }, async (file) => {
    using directory = mkdtempDisposableSync(join(tmpdir(), 'record-model-docs-'));
    installKit(directory.path);
    const blocks = readBlocks(file).filter(isRun);
    expect((await runPage(directory.path, blocks)).join('\n\n')).toBe('');
    // A program can import the types that a command of its page has written.
    for (const name of [...blocks.map(fileNameOf), 'api.d.ts'])
      if (name && /[jt]s$/.test(name) && existsSync(join(directory.path, name)))
        copyFileSync(join(directory.path, name), join(programs, name));
  });
});

test('the programs of all pages compile with the package, and a wrong program does not', async () => {
  writeFileSync(
    join(programs, 'wrong.js'),
    "import { createMock } from 'record-model-contract/mock';\nawait createMock({ fixture: 'demo' });\n",
  );
  const names = readdirSync(programs).filter((name) => /\.[jt]s$/.test(name));
  const reported = (await compile(programs, names)).split('\n').filter((line) => /^\S+: error /.test(line));
  expect(reported).toEqual([expect.stringMatching(/^wrong\.js\(2,\d+\): error .*'fixture' does not exist/)]);
});

const inPage = (text: string): Block => ({
  file: 'page.md',
  line: 1,
  language: 'console',
  lines: text.split('\n'),
});
const run = async (text: string) => {
  using directory = mkdtempDisposableSync(join(tmpdir(), 'record-model-docs-'));
  return await runPage(directory.path, [inPage(text)]);
};

test('a session accepts varying output if the page has …', () => {
  expect(patternOf(['a … c', '…', 'd']).test('a b c\nx\ny\nd\n')).toBe(true);
  expect(patternOf(['a … c', '…', 'd']).test('a b c\nd\n')).toBe(true);
  expect(patternOf(['a … c']).test('a\nb c\n')).toBe(false);
  expect(patternOf(['a']).test('a\nb\n')).toBe(false);
  expect(patternOf(['a'], true).test('a\nb\n')).toBe(true);
});

test('a session reports output and exit codes that the page does not show', async () => {
  expect(await run('$ echo a\na\n$ cd /\n$ pwd\n/')).toEqual([]);
  expect(await run('$ echo a\nb')).toEqual(['page.md:2: $ echo a\nprinted:\na\n']);
  expect(await run('$ echo a')).toEqual(['page.md:2: $ echo a\nprinted:\na\n']);
  expect(await run('$ false')).toEqual(['page.md:2: $ false\nexit code 1']);
  expect(await run('$ false\n$ echo $?\n1')).toEqual([]);
  expect(await run('$ true\n$ echo $?\n1')).toEqual(['page.md:3: $ echo $?\nprinted:\n0\n']);
  expect(() => stepsOf(inPage('a'))).toThrow('page.md:1: a console block starts with "$ "');
});

test('a session runs servers on free ports, and shows the ports in the page', async () => {
  const page = '$ npx record-model mock --quiet\nMock of …\n$ curl -s http://127.0.0.1:4010/__mock/health';
  expect(await run(`${page}\n{"status":"ok",…}\n$ echo 127.0.0.1:4010\n127.0.0.1:4010`)).toEqual([]);
  expect(await run('$ npx record-model mock\nNo mock of …')).toEqual([
    expect.stringContaining('Mock of Record Model API 2025-10-22 is running on http://127.0.0.1:4010\n'),
  ]);
});

/** Makes a directory a project with the built kit and other packages installed. */
function installKit(directory: string): void {
  mkdirSync(join(directory, 'node_modules'));
  symlinkSync(ROOT, join(directory, 'node_modules/record-model-contract'));
  for (const one of PACKAGES)
    symlinkSync(join(ROOT, 'node_modules', one), join(directory, 'node_modules', one));
  writeFileSync(join(directory, 'package.json'), '{"type":"module","private":true}');
}

/** Returns what the compiler reports about files in a directory of `installKit`; "" means that they are in order. */
async function compile(directory: string, files: readonly string[]): Promise<string> {
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      allowJs: true,
      checkJs: true,
      lib: ['es2025', 'dom'],
      noUnusedLocals: false,
      types: ['node'],
    },
    files,
    include: [],
  };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config));
  const typescript = join(ROOT, 'node_modules/typescript/bin/tsc');
  return promisify(execFile)(process.execPath, [typescript, '-p', '.'], { cwd: directory }).then(
    () => '',
    ({ stdout }) => stdout,
  );
}
