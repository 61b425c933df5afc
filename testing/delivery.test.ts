import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { validateAction, validateWorkflow } from '@action-validator/core';
import { DCLinter } from 'dclint';
import { validate as lintDockerfile } from 'dockerfile-utils';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readBlocks } from './docs/markdown.ts';
import { useDirectory } from './temporary-directory.ts';

const ROOT = join(import.meta.dirname, '..');
const GITLAB = join(ROOT, 'node_modules/gitlab-ci-local/dist/index.js');
const directory = useDirectory();
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

/** Returns the errors of a pipeline under the schema of GitLab. */
async function lintPipeline(text: string): Promise<string> {
  directory.write('.gitlab-ci.yml', text);
  execFileSync('git', ['init', '--quiet'], { cwd: directory.path() });
  return promisify(execFile)(process.execPath, [GITLAB, '--list-json'], { cwd: directory.path() }).then(
    ({ stdout }) => (JSON.parse(stdout)[0].name === 'record-model' ? '' : stdout),
    ({ stderr }) => stderr,
  );
}

/** Returns the messages of the linter, including style. */
function lintComposition(text: string): string[] {
  const path = directory.write('compose.yaml', text);
  const linter = new DCLinter({ rules: {}, quiet: false, debug: false, exclude: [] });
  // Its types are not found the way that Node resolves them.
  const results: { messages: { message: string }[] }[] = linter.lintFiles([path], false);
  return results.flatMap(({ messages }) => messages.map(({ message }) => message));
}

test('the action is in order for the schema of GitHub, which finds a mistake in it', () => {
  const action = read('action.yml');
  expect(validateAction(action)).toEqual({ actionType: 'action', errors: [] });
  expect(validateAction(action.replace('shell: bash', 'shel: bash')).errors).not.toEqual([]);
});

test.each([
  ['', []],
  [' \n', []],
  ['--write\n--models  brand,share\n', ['--write', '--models', 'brand,share']],
  [`--pin 'brand.name="a b"' --tag "k3 f9"`, ['--pin', 'brand.name="a b"', '--tag', 'k3 f9']],
  [
    '--header "X-A: $(id)" --header \'X-B: `id`\' *',
    ['--header', 'X-A: $(id)', '--header', 'X-B: `id`', '*'],
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

test('the workflow in docs/check.md is valid for the schema of GitHub, and passes only inputs of the action', () => {
  const block = readBlocks('docs/check.md').find(
    ({ lines }) => lines[0] === '# .github/workflows/contract.yml',
  );
  const workflow = block?.lines.join('\n') ?? '';
  expect(validateWorkflow(workflow)).toEqual({ actionType: 'workflow', errors: [] });
  expect(validateWorkflow(workflow.replace('runs-on', 'runs-in')).errors).not.toEqual([]);
  const given = Object.keys(parse(workflow).jobs.contract.steps.at(-1).with);
  expect(Object.keys(parse(read('action.yml')).inputs)).toEqual(expect.arrayContaining(given));
});

test('the Dockerfile is in order for a linter, which finds a mistake in it', () => {
  const dockerfile = read('Dockerfile');
  expect(lintDockerfile(dockerfile)).toEqual([]);
  const wrong = dockerfile.replace('USER node', 'USR node').replace('--interval=', '--intervall=');
  expect(lintDockerfile(wrong).map(({ message }) => message)).toEqual([
    'Unknown instruction: USR',
    'Unknown flag: intervall',
  ]);
});

test('the composition is in order for the schema of Compose, which finds a mistake in it', () => {
  const composition = read('compose.yaml');
  expect(lintComposition(composition)).toEqual([]);
  expect(lintComposition(composition.replace('replicas: 2', 'replica: 2'))).toEqual([
    expect.stringContaining('ComposeValidationError'),
  ]);
});

test('the pipeline is in order for the schema of GitLab, which finds a mistake in it', async () => {
  const pipeline = read('examples/gitlab/.gitlab-ci.yml');
  expect(await lintPipeline(pipeline)).toBe('');
  expect(await lintPipeline(pipeline.replace('artifacts:', 'artefacts:'))).toContain(
    'Invalid .gitlab-ci.yml',
  );
});
