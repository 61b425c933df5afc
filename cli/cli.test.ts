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
  test('of each verb names its options, and goes to standard output', async () => {
    const options: Record<string, string[]> = {
      generate: ['--output', '--format', '--check', '--profile', '--catalogue'],
      mock: ['--port', '--host', '--fixtures', '--profile', '--catalogue'],
      learn: [
        '[base-url]',
        '--output',
        '--read-only',
        '--write',
        '--bearer',
        '--basic',
        '--api-key',
        '--header',
      ],
      check: [
        '--profile',
        '--catalogue',
        '--models',
        '--area',
        '--rule',
        '--level',
        '--case',
        '--read-only',
        '--write',
        '--fail-fast',
        '--explore',
        '--max-time',
        '--min-coverage',
        '--list-rules',
        '--baseline',
        '--write-baseline',
        '--bindings',
        '--manifest',
        '--seed',
        '--timeout',
        '--rate',
        '--list-delay',
        '--concurrency',
        '--insecure',
        '--json',
        '--junit',
        '--markdown',
        '--html',
        '--har',
        '--bearer',
        '--basic',
        '--api-key',
        '--header',
      ],
    };
    const helps = await Promise.all(Object.keys(options).map((verb) => run(verb, '--help')));
    for (const [index, names] of Object.values(options).entries()) {
      expect(helps[index]).toMatchObject({ code: 0, stderr: '' });
      for (const name of names) expect(helps[index]?.stdout).toContain(name);
    }
  });

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

  test('pins both values', async () => {
    const pins = ['--pin', 'brand.name=Altura', '--pin', 'share.number=1234'];
    expect(await run('check', 'http://127.0.0.1:1', ...pins)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^record-model: --pin: share\.number has an invalid value: 1234 .* To send a string, quote it: --pin 'share\.number="1234"'$/m,
      ),
    });
    const quoted = ['--pin', 'brand.name=Altura', '--pin', 'share.number="1234"'];
    // Both are read: the next step is the service, where nothing listens.
    expect(await run('check', 'http://127.0.0.1:1', ...quoted)).toMatchObject({ code: 3 });
  });

  test('counts twice where it takes a list', async () => {
    const { code, stderr } = await run(
      'check',
      'http://127.0.0.1:1',
      '--models',
      'nothing',
      '--models',
      'brand',
    );
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing') });
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
