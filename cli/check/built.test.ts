import { chmodSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { onlyBuilt } from '../../testing/partial-service.ts';
import { useCommand } from '../../testing/use-command.ts';

const { directory, read, readResults, run, startService } = useCommand();
const MODELS = ['--models', 'brand,locker,share', '--rule', 'operations', '--profile', 'default.yaml'];

/** Starts a service with these models, which the test can change. */
async function startPartial(...names: string[]) {
  const built = [...names];
  const { url } = await startService({}, (asked) => onlyBuilt(built)(asked));
  const check = (...args: string[]) => run('check', url, ...MODELS, ...args);
  return { built, check, url };
}

describe('--built', () => {
  test('writes a sorted list with a comment, adds new models, and fails if one vanishes', async () => {
    const { built, check } = await startPartial('share', 'brand');
    expect(await check('--built', 'built.yaml')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^2 MODELS CONFORMANT, 1 not built$/m),
    });
    const first = read('built.yaml');
    expect(first).toMatch(/^# The models that the service has\. .*\n# .*\n- brand\n- share\n$/);
    built.push('locker');
    expect(await check('--built', 'built.yaml')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^CONFORMANT$/m),
    });
    expect(read('built.yaml')).toBe(first.replace('- share', '- locker\n- share'));
    built.splice(0, 1);
    const list = read('built.yaml');
    expect(await check('--built', 'built.yaml', '--json', 'r.json')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^NOT CONFORMANT, 2 of 3 models conform\nshare was built and returns 404 or 501 now\. Fix it, or remove it from built\.yaml\.\n/m,
      ),
    });
    expect(readResults('r.json').built).toEqual({ file: 'built.yaml', vanished: ['share'] });
    expect(read('built.yaml')).toBe(list);
  });

  test('keeps a list without news as it is, with the comments of the user', async () => {
    const { check } = await startPartial('brand', 'share');
    const mine = '# Ours\n- share # soon\n- brand\n';
    directory.write('built.yaml', mine);
    expect((await check('--built', 'built.yaml')).code).toBe(0);
    expect(read('built.yaml')).toBe(mine);
  });

  test('lists no model of which no case passed', async () => {
    const { url } = await startService({}, (asked) =>
      /\/(share|locker)/.test(asked.path) ? { status: 500 } : undefined,
    );
    expect((await run('check', url, ...MODELS, '--built', 'built.yaml')).code).toBe(1);
    expect(read('built.yaml')).toMatch(/\n- brand\n$/);
  });

  test('is needed for exit code 0', async () => {
    const { check } = await startPartial('brand');
    const { code, stdout } = await check();
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^1 MODEL CONFORMANT, 2 not built\n2 models are not built\. To accept this, pass --built FILE, .*\nnot built, so not judged \(each operation returned 404 or 501\): locker, share\n/m,
    );
  });

  test.each([
    ['- brnd\n', 'built.yaml:1: Unknown model "brnd". Did you mean "brand"?'],
    ['- brand\n- brand\n', 'built.yaml:2: brand is listed twice. Remove one of them.'],
    ['brand: 1\n', 'built.yaml:1: Expected a list, but found a mapping.'],
    ['- __proto__\n', 'built.yaml:1: Unknown model "__proto__".'],
    ['- [brand]\n', 'built.yaml:1: Expected a string, but found a list.'],
  ])('refuses %j before the first request', async (text, message) => {
    const { url, asked } = await startService();
    directory.write('built.yaml', text);
    const { code, stderr } = await run('check', url, ...MODELS, '--built', 'built.yaml');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(asked).toEqual([]);
  });

  test.each([
    ['missing/built.yaml', /there is no directory missing\. Create it first\./],
    ['.', /is a directory|not a regular file/],
  ])('refuses the file %s before the first request', async (path, message) => {
    const { url, asked } = await startService();
    const { code, stderr } = await run('check', url, ...MODELS, '--built', path);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
    expect(asked).toEqual([]);
  });

  test('does not succeed if the list can no longer be written at the end', async () => {
    const { url } = await startService({}, () => {
      chmodSync(directory.path(), 0o500);
      return undefined;
    });
    const { code, stderr } = await run('check', url, '--read-only', ...MODELS, '--built', 'built.yaml');
    chmodSync(directory.path(), 0o700);
    // The root user can write everywhere.
    if (process.getuid?.() === 0) return;
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringMatching(/built\.yaml can't be written/),
    });
  });
});

test('each report names the models that are not built', async () => {
  const { check } = await startPartial('brand');
  const files = ['--html', 'r.html', '--markdown', 'r.md', '--junit', 'r.xml', '--sarif', 'r.sarif'];
  expect((await check('--built', 'built.yaml', ...files)).code).toBe(0);
  expect(read('r.html')).toContain('"notBuilt":["locker","share"]');
  expect(read('r.md')).toMatch(
    /^## ✅ 1 MODEL CONFORMANT, 2 not built\n[\s\S]*not built, so not judged .*: locker, share\n/,
  );
  expect(read('r.xml')).toMatch(
    /<testcase classname="run" name="all models are built">\s*<skipped message="not built, .*: locker, share"\/>/,
  );
  const { runs } = JSON.parse(read('r.sarif'));
  expect(runs[0].invocations).toMatchObject([
    {
      executionSuccessful: true,
      toolExecutionNotifications: [
        {
          level: 'note',
          message: { text: expect.stringMatching(/^not built, so not judged .*: locker, share$/) },
        },
      ],
    },
  ]);
});
