import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readBlocks } from './docs/markdown.ts';
import { serveMock } from './mocks/control.ts';
import { dependencies, ROOT, run } from './packed-package/packed-package.ts';
import { useDirectory } from './temporary-directory.ts';

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

test('the action reports an unmatched quote', () => {
  expect(() => runCheckStep("--tag 'k3")).toThrow(/unmatched single quote/);
});

/** Runs the step of the action that checks, with a program in place of the kit that prints its arguments. */
function runCheckStep(given: string): string {
  const program = directory.write('node', '#!/bin/sh\nprintf "%s\\n" "$@"\n');
  chmodSync(program, 0o755);
  const script = parse(read('action.yml')).runs.steps[1].run.replace(
    '$GITHUB_ACTION_PATH/node_modules/.bin/node',
    program,
  );
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

// No daemon runs here, so that the image itself is not built.
test('the image runs as the user node, and its health check uses the mock', async () => {
  const dockerfile = read('Dockerfile');
  expect(dockerfile).toMatch(/^USER node$/m);
  const copied = [...dockerfile.matchAll(/^COPY --from=build \/kit\/(\S+)/gm)].map(([, name = '']) => name);
  const shipped = JSON.parse(read('package.json')).files as string[];
  for (const name of shipped)
    expect(copied.some((folder) => name.startsWith(folder.split('/*')[0] ?? ''))).toBe(true);
  expect(copied.filter((name) => name !== 'dist' && !existsSync(join(ROOT, name)))).toEqual([]);
  const [, health = ''] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(dockerfile) ?? [];
  const [, ...words] = JSON.parse(health) as string[];
  expect(health).toContain('/__mock/ready');
  await using mock = await serveMock();
  const at = words.map((word) => word.replace('http://127.0.0.1:4010', mock.url));
  await expect(run(process.execPath, at)).resolves.toBeDefined();
  const none = words.map((word) => word.replace(':4010', ':1'));
  await expect(run(process.execPath, none)).rejects.toMatchObject({ code: 1 });
});

const LOCKFILES = ['package-lock.json', 'testing/consumers/tools/package-lock.json'];

describe.each(LOCKFILES)('the lockfile %s', (name) => {
  const { packages } = JSON.parse(read(name));
  const locked = Object.entries<{ integrity?: string; hasInstallScript?: true }>(packages).slice(1);

  test('has the integrity of each package, including those for other systems', () => {
    expect(locked.length).toBeGreaterThan(100);
    expect(locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
  });

  test('contains no install script that package.json does not allow or deny by name', () => {
    const { allowScripts = {} } = JSON.parse(read(join(dirname(name), 'package.json')));
    const scripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript);
    expect(scripts.map(([place]) => place.split('node_modules/').at(-1)).sort()).toEqual(
      Object.keys(allowScripts).sort(),
    );
  });
});

test('an install adds only the types of OpenAPI to the package, without install scripts', () => {
  const { packages } = JSON.parse(read('package-lock.json'));
  expect(dependencies()).toEqual(['openapi-types']);
  expect(packages['node_modules/openapi-types'].hasInstallScript).toBeUndefined();
});
