import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { patternOf, stepsOf } from '../docs/console-block.ts';
import { readBlocks } from '../docs/markdown.ts';
import { useDirectory } from '../temporary-directory.ts';
import { ROOT, run, type usePackedPackage, version } from './packed-package.ts';

type Inputs = Readonly<Record<string, string>>;
type Step = { readonly name: string; readonly run: string; readonly env: Inputs; readonly if?: string };

/** The action for GitHub, as action.yml describes it. */
const { inputs: ACTION_INPUTS, runs: ACTION } = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8'));

/** The job for GitLab, as the example describes it. */
const GITLAB_JOB = parse(readFileSync(join(ROOT, 'examples/gitlab/.gitlab-ci.yml'), 'utf8'))['record-model'];

/** Describes the files that run the package elsewhere, and its installation. */
export function describeDelivery({ inClone, path, startMock }: ReturnType<typeof usePackedPackage>) {
  describe('what runs it elsewhere', () => {
    // npm would install into a project around the directory.
    const directory = useDirectory();

    test('the action checks a service, and writes the reports and the step summary', async () => {
      using mock = await startMock();
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

    test('the README installs the package in an empty directory, where the GitLab job has its consent', async () => {
      const packed = path(`record-model-contract-${version}.tgz`);
      const { stdout, shown } = await installAsReadme(directory.path(), packed);
      expect(stdout).toMatch(patternOf(shown));

      using mock = await startMock();
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
  });
}

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
