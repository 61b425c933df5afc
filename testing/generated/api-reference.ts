/**
 * Writes `docs/reference/javascript/` from the declarations of what programs import, with typedoc; `--check` says whether it is current.
 * typedoc is installed on first use, because it needs an older TypeScript than the kit.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const API = join(ROOT, 'docs/reference/javascript');
const TOOLS = ['typedoc@0.28.20', 'typedoc-plugin-markdown@4.14.1', 'typescript@6.0'];
const isCheck = process.argv.includes('--check');

const out = isCheck ? mkdtempSync(join(tmpdir(), 'record-model-')) : API;
const packages = TOOLS.map((name) => `--package=${name}`);
const command = `typedoc --options docs/typedoc.json --logLevel Error --out "${out}"`;
execFileSync('npx', ['--yes', ...packages, '-c', command], {
  cwd: ROOT,
  stdio: ['ignore', 'ignore', 'inherit'],
});
if (isCheck) {
  const isCurrent = JSON.stringify(read(out)) === JSON.stringify(read(API));
  rmSync(out, { recursive: true });
  process.stdout.write(
    `docs/reference/javascript is ${isCurrent ? 'up to date' : 'stale; npm run api-reference writes it'}\n`,
  );
  process.exitCode = isCurrent ? 0 : 1;
}

function read(directory: string): string[][] {
  const names = globSync('*.md', { cwd: directory }).toSorted();
  return names.map((name) => [name, readFileSync(join(directory, name), 'utf8')]);
}
