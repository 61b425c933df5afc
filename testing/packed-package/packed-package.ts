import { execFile, execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { startProgram } from '../start-program.ts';
import { PROGRAM } from './program.ts';

/** Milliseconds for npm to pack on a busy machine. */
const LONGEST_PACK = 300_000;
export const ROOT = join(import.meta.dirname, '../..');
export const { bin, engines, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
/** The location of the package in the project of a user. */
export const INSTALLED = 'node_modules/record-model-contract';
/** A file that a build deletes. */
export const LEFT = 'dist/left-over.js';
export const run = promisify(execFile);

/** The packages that an install without development brings, by the lockfile. */
export function dependencies(): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  return Object.entries<{ dev?: true }>(packages).flatMap(([place, { dev }]) => {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(place) ?? [];
    return name === undefined || dev ? [] : name;
  });
}

/**
 * Copies the project into a new directory, with a file that an earlier build left. A build deletes `dist`, whose
 * pages other tests use at the same time.
 */
function cloneProject(): string {
  const clone = mkdtempSync(join(tmpdir(), 'record-model-clone-'));
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  for (const name of listed.split('\0'))
    if (name !== '' && existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(clone, name));
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  mkdirSync(join(clone, 'dist'));
  writeFileSync(join(clone, LEFT), 'export {};\n');
  return clone;
}

/** The project of a user, who installed the packed package: packed once for a file of tests. */
export function usePackedPackage() {
  let [clone, directory] = ['', ''];
  const path = (name = '') => join(directory, name);
  const command = () => path(`${INSTALLED}/${bin['record-model']}`);

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'record-model-'));
    clone = cloneProject();
    execFileSync('npm', ['pack', '--silent', '--pack-destination', directory], { cwd: clone, stdio: 'pipe' });
    mkdirSync(path(INSTALLED), { recursive: true });
    const packed = path(`record-model-contract-${version}.tgz`);
    execFileSync('tar', ['-xzf', packed, '--strip=1', '-C', path(INSTALLED)]);
    // The packages of a user: those that the kit depends on, and vitest.
    for (const name of dependencies()) link(name, `${INSTALLED}/node_modules`);
    for (const name of ['.bin', 'vitest', 'msw', 'vite', '@playwright', '@types/node'])
      link(name, 'node_modules');
    writeFileSync(path('package.json'), '{"type":"module","private":true}');
  }, LONGEST_PACK);
  afterAll(() => {
    for (const one of [clone, directory]) rmSync(one, { recursive: true, force: true });
  });
  return { inClone: (name: string) => join(clone, name), path, command, runExample, runProgram, startMock };

  function link(name: string, to: string): void {
    mkdirSync(path(join(to, name, '..')), { recursive: true });
    if (existsSync(join(ROOT, 'node_modules', name)))
      symlinkSync(join(ROOT, 'node_modules', name), path(join(to, name)));
  }

  /** The mock of the installed package, with its address. */
  function startMock(): Promise<AsyncDisposable & { readonly url: string }> {
    return startProgram(command(), ['mock', '--port', '0'], /(http:\/\/\S+?:\d+)/);
  }

  /** Compiles the program of a user and runs it; gives what it printed. */
  async function runProgram(): Promise<string> {
    writeFileSync(path('program.ts'), PROGRAM);
    const flags = ['--strict', '--module', 'nodenext', '--target', 'es2024', '--resolveJsonModule'];
    const typescript = join(ROOT, 'node_modules/typescript/bin/tsc');
    const compile = [typescript, ...flags, '--types', 'node', '--noEmit', 'program.ts'];
    await run(process.execPath, compile, { cwd: directory }).catch(({ stdout }) => {
      throw new Error(stdout);
    });
    return (await run(process.execPath, ['program.ts'], { cwd: directory })).stdout;
  }

  /** Runs a tool in a copy of an example, with the package installed. */
  async function runExample(example: string, tool: string, args: string[], env: Record<string, string> = {}) {
    cpSync(join(ROOT, 'examples', example), path(example), { recursive: true });
    const options = { cwd: path(example), env: { ...process.env, VITEST: '', ...env } };
    return (await run(join(ROOT, 'node_modules/.bin', tool), args, options)).stdout;
  }
}
