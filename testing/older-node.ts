/**
 * Runs the built command on the Node that runs this file, as `npm run older-node` does on Node 22: every verb that needs
 * no Prism has to do its work, unpacked alone, with no other package beside it. The mock it asks runs on the Node of
 * the clone.
 */
import { execFileSync, spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const directory = mkdtempSync(join(tmpdir(), 'record-model-'));
const COMMAND = join(directory, 'package/dist/cli.js');
execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', directory], { cwd: ROOT });
execFileSync('tar', [
  '-xzf',
  join(directory, globSync('*.tgz', { cwd: directory })[0] ?? ''),
  '-C',
  directory,
]);
const mock = spawn(join(ROOT, 'node_modules/.bin/node'), [COMMAND, 'mock', '--port', '0']);
try {
  const url = await new Promise<string>((found, lost) => {
    let said = '';
    mock.once('exit', () => lost(new Error(`the mock ended: ${said}`)));
    mock.stderr.on('data', (text) => {
      said += text;
      const [address] = /http:\/\/\S+?:\d+/.exec(said) ?? [];
      if (address) found(address);
    });
  });
  for (const words of [
    ['generate', '--check'],
    ['generate', '--openapi', '3.0', '-o', 'openapi.json'],
    ['export', 'types', '-o', 'api.d.ts'],
    ['export', 'schemas', '-o', 'schemas'],
    ['export', 'postman', '-o', 'collection.json'],
    ['export', 'html', '-o', 'page.html'],
    ['export', 'diagram', '-o', 'models.svg'],
    ['diff', 'openapi.json', 'openapi.json'],
    ['learn', url, '-o', 'profile.yaml'],
    ['check', url, '--profile', 'profile.yaml', '--models', 'brand,stockOrder', '--json', 'results.json'],
  ]) {
    execFileSync(process.execPath, [COMMAND, ...words], {
      cwd: directory,
      stdio: 'pipe',
    });
    process.stdout.write(`${process.version} ${words.slice(0, 2).join(' ')}: done\n`);
  }
} finally {
  mock.kill();
  rmSync(directory, { recursive: true });
}
