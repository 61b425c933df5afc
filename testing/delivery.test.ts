import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readBlocks } from './docs/markdown.ts';
import { useDirectory } from './temporary-directory.ts';

const ROOT = join(import.meta.dirname, '..');
const directory = useDirectory();
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

test.each([
  [' \n', []],
  [
    `--models  brand\n--pin 'brand.name="a b"' "X-A: $(id)" 'X-B: \`id\`' *`,
    ['--models', 'brand', '--pin', 'brand.name="a b"', 'X-A: $(id)', 'X-B: `id`', '*'],
  ],
])('the action splits its arguments at spaces, except in quotes: %j', (given, words) => {
  const printed = runCheckStep(given).split('\n');
  expect(printed.slice(printed.indexOf('--markdown') + 2, -1)).toEqual(words);
});

test('the action reports a quote that never ends', () => {
  expect(() => runCheckStep("--tag 'k3")).toThrow(/unmatched single quote/);
});

/** Runs the step of the action that checks, with a program in place of the kit that prints its arguments. */
function runCheckStep(given: string): string {
  const program = directory.write('node', '#!/bin/sh\nprintf "%s\\n" "$@"\n');
  chmodSync(program, 0o755);
  const { run } = parse(read('action.yml')).runs.steps[1];
  const script = run.replace('$GITHUB_ACTION_PATH/node_modules/.bin/node', program);
  const env = { PATH: process.env.PATH, REPORTS: directory.path('reports'), URL: 'u', ARGUMENTS: given };
  return execFileSync('bash', ['-eo', 'pipefail', '-c', script], { env, encoding: 'utf8', stdio: 'pipe' });
}

test('the workflow in docs/how-to/check-in-ci.md passes only inputs of the action', () => {
  const block = readBlocks('docs/how-to/check-in-ci.md').find(
    ({ lines }) => lines[0] === '# .github/workflows/contract.yml',
  );
  const given = Object.keys(parse(block?.lines.join('\n') ?? '').jobs.contract.steps.at(-1).with);
  expect(Object.keys(parse(read('action.yml')).inputs)).toEqual(expect.arrayContaining(given));
});
