import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KIT } from '../conformance/report/kit.ts';
import { run } from '../testing/command.ts';
import { useDirectory } from '../testing/temporary-directory.ts';

const directory = useDirectory();

test('--version is that of the package', async () => {
  expect(await run(directory.path(), '--version')).toEqual({
    code: 0,
    stdout: `${KIT.version}\n`,
    stderr: '',
  });
});

describe('an option that is given twice', () => {
  test('counts twice where it takes a list', async () => {
    const { code, stderr } = await run(
      directory.path(),
      ...['check', 'http://127.0.0.1:1', '--models', 'nothing', '--models', 'brand'],
    );
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing') });
  });

  test.each([
    ['check', 'http://127.0.0.1:1', '--seed', '1', '--seed', '2'],
    ['mock', '--defect', 'update.ignores-field', '--defect', 'fields.wrong-type'],
    ['generate', '-o', 'one.json', '--output', 'two.json'],
  ])('is refused where it takes one value: %s', async (...args) => {
    const { code, stderr } = await run(directory.path(), ...args);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: .* is given again/),
    });
    expect(existsSync(directory.path('two.json'))).toBe(false);
  });
});

test.skipIf(!existsSync('/dev/full'))('an output that can not be written is said, with 3', () => {
  const command = `'${process.execPath}' '${join(import.meta.dirname, '../cli.ts')}' generate > /dev/full`;
  const { status, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  expect(status).toBe(3);
  expect(stderr).toMatch(/^record-model: standard output can't be written: ENOSPC[^\n]*\n$/);
});
