/**
 * Runs the built command and tests of the mock on the Node that runs this file, as `npm run older-node` does on Node 22:
 * those of its engine and files, or all with `--all`. The command is unpacked in a folder without
 * other packages.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProgram } from './start-program.ts';

const ROOT = join(import.meta.dirname, '..');
const directory = mkdtempSync(join(tmpdir(), 'record-model-'));
const COMMAND = join(directory, 'package/dist/cli.js');
/** The tests of the code that depends most on the Node version. */
const CORE = ['mock/engine', 'mock/store/sqlite'];
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');
execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', directory], { cwd: ROOT });
const [packed = ''] = globSync('*.tgz', { cwd: directory });
execFileSync('tar', ['-xzf', join(directory, packed), '-C', directory]);
// Node 22 has no `await using`.
const servers: AsyncDisposable[] = [];
try {
  const kept = await start('mock', '--data', join(directory, 'records.sqlite'));
  const url = await start('mock', '--forward', kept, '--write');
  for (const words of [
    ['generate', '--check'],
    ['generate', '--openapi', '3.0', '-o', 'openapi.json'],
    ['export', 'types', '-o', 'api.d.ts'],
    ['export', 'schemas', '-o', 'schemas'],
    ['export', 'html', '-o', 'page.html'],
    ['export', 'diagram', '-o', 'models.mmd'],
    ['diff', 'openapi.json', 'openapi.json'],
    ['learn', kept, '-o', 'profile.yaml'],
    ['check', url, '--write', '--profile', 'profile.yaml', '--models', 'stockOrder', '--json', 'r.json'],
  ]) {
    execFileSync(process.execPath, [COMMAND, ...words], { cwd: directory, stdio: 'pipe' });
    done(...words.slice(0, 2));
  }
  const parts = process.argv.includes('--all') ? ['mock'] : CORE;
  execFileSync(process.execPath, [VITEST, 'run', ...parts, '--coverage.enabled=false'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  done('tests of the mock');
} finally {
  for (const server of servers) await server[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
}

/** Starts a server and returns its URL. */
async function start(...words: string[]): Promise<string> {
  const all = [COMMAND, ...words, '--port', '0'];
  const ready = /is running on (http:\/\/\S+?:\d+)/;
  const server = await startProgram(process.execPath, all, ready, { cwd: directory });
  servers.push(server);
  return server.url;
}

function done(...words: string[]): void {
  process.stdout.write(`${process.version} ${words.join(' ')}: done\n`);
}
