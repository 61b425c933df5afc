import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXPORT_NAMES } from '../generator/export/entities.ts';
import { KIT } from '../spec/files/kit-file.ts';
import { useCommand } from '../testing/use-command.ts';

const { directory, run } = useCommand();

const VERBS = ['mock', 'check', 'learn', 'clean', 'init', 'generate', 'diff', 'dump', 'load'];

describe('help', () => {
  test('names the verbs; without a verb it is what a wrong use gets', async () => {
    const [help, nothing, nonsense] = await Promise.all([run('--help'), run(), run('chekc')]);
    for (const verb of ['generate', 'mock', 'learn', 'check']) expect(help.stdout).toContain(verb);
    expect([help.code, nothing.code, nonsense.code]).toEqual([0, 2, 2]);
    expect(nothing.stderr).toContain('Usage: record-model');
    expect(nonsense.stderr).toMatch(/^record-model: Unknown command "chekc"\. Did you mean "check"\?\n$/);
  });
});

test('--version is that of the package', async () => {
  expect(await run('--version')).toEqual({
    code: 0,
    stdout: `${KIT.version}\n`,
    stderr: '',
  });
});

describe('an option that is given twice', () => {
  /** Values that the parsers of these options accept. */
  const VALUES: Readonly<Record<string, string>> = { '--server': 'https://api.example.com' };

  test('is accepted wherever the help says that it is a list or repeatable', async () => {
    let repeated = 0;
    const kinds = EXPORT_NAMES.map((name) => ['export', name]);
    for (const verb of [...VERBS.map((name) => [name]), ...kinds]) {
      const { stdout } = await run(...verb, '--help');
      const output = stdout.includes('--output') ? ['-o', 'out'] : [];
      // An entry of the help is an option and all lines up to the next one.
      for (const [entry, option = ''] of stdout.matchAll(
        /^ {2}(?:-\w, )?(--[\w-]+) (?:(?!\n {2}-|\n\n)[\s\S])*/gm,
      )) {
        if (!/repeatable|separated\s+by\s+commas/.test(entry)) continue;
        repeated++;
        const value = VALUES[option] ?? 'x';
        const { stderr } = await run(...verb, ...output, option, value, option, value, '--nope');
        expect([verb, stderr]).toEqual([
          verb,
          expect.stringMatching(/^record-model: Unknown option --nope\./),
        ]);
      }
    }
    expect(repeated).toBeGreaterThan(20);
  });

  test.each([
    ['check', 'http://127.0.0.1:1', '--seed', '1', '--seed', '2'],
    ['mock', '--defect', 'update.ignores-field', '--defect', 'fields.wrong-type'],
    ['generate', '-o', 'one.json', '--output', 'two.json'],
  ])('is refused where it takes one value: %s', async (...args) => {
    const { code, stderr } = await run(...args);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^record-model: Option --\S+ can be used only once/),
    });
    expect(existsSync(directory.path('two.json'))).toBe(false);
  });
});

test.skipIf(!existsSync('/dev/full'))('an output that can not be written is said, with 3', () => {
  const command = `'${process.execPath}' '${join(import.meta.dirname, '../cli.ts')}' generate > /dev/full`;
  const { status, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  expect(status).toBe(3);
  expect(stderr).toMatch(/^record-model: Can't write to standard output: ENOSPC[^\n]*\n$/);
});
