import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXPORT_NAMES } from '../generator/export/export-kinds.ts';
import { KIT } from '../spec/files/kit-file.ts';
import { useCommand } from '../testing/use-command.ts';

const { run } = useCommand();

const VERBS = ['mock', 'check', 'learn', 'clean', 'init', 'generate', 'diff', 'dump', 'load'];

test('without a verb, the help is an error; --version is that of the package', async () => {
  const help = expect.stringContaining('Usage: record-model');
  expect(await run()).toEqual({ code: 2, stdout: '', stderr: help });
  expect(await run('--version')).toEqual({ code: 0, stdout: `${KIT.version}\n`, stderr: '' });
});

/** Values that the parsers of these options accept. */
const VALUES: Readonly<Record<string, string>> = { '--server': 'https://api.example.com' };

test('an option that is given twice is accepted wherever the help says that it is a list or repeatable', async () => {
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
      const { stderr } = await run(...verb, ...output, option, value, option, value, '--xyz');
      expect([verb, stderr]).toEqual([
        verb,
        expect.stringMatching(/^record-model: Unknown option '--xyz'\./),
      ]);
    }
  }
  expect(repeated).toBeGreaterThan(20);
});

test.skipIf(!existsSync('/dev/full'))('an output that can not be written is said, with 3', () => {
  const command = `'${process.execPath}' '${join(import.meta.dirname, '../cli.ts')}' export types --models brand > /dev/full`;
  const { status, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  expect(status).toBe(3);
  expect(stderr).toMatch(/^record-model: Can't write to standard output: ENOSPC[^\n]*\n$/);
});
