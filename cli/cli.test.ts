import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { KIT } from '../spec/files/kit-file.ts';
import { useCommand } from '../testing/use-command.ts';
import { formOf } from './options.ts';
import { addVerbs } from './verbs.ts';

const { run } = useCommand();

test('a command without a verb prints the help as an error, and --version prints the package version', async () => {
  const help = expect.stringContaining('Usage: record-model');
  expect(await run()).toEqual({ code: 2, stdout: '', stderr: help });
  expect(await run('--version')).toEqual({ code: 0, stdout: `${KIT.version}\n`, stderr: '' });
});

test('an option accepts several values if and only if its help says that it is a list or repeatable', () => {
  const program = new Command();
  addVerbs(program);
  const verbs = program.commands.flatMap((verb) => [verb, ...verb.commands]);
  const options = verbs.flatMap((verb) => verb.options.map((option) => ({ verb: verb.name(), option })));
  const lists = options.filter(({ option }) => formOf(option)?.type === 'array');
  const described = options.filter(({ option }) =>
    /repeatable|separated by commas|several/.test(option.description),
  );
  expect(lists.length).toBeGreaterThan(20);
  expect(described).toEqual(lists);
});

test.skipIf(!existsSync('/dev/full'))("an output that can't be written is reported, with exit code 3", () => {
  const command = `'${process.execPath}' '${join(import.meta.dirname, '../cli.ts')}' export types --models brand > /dev/full`;
  const { status, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  expect(status).toBe(3);
  expect(stderr).toMatch(/^record-model: Can't write to standard output: ENOSPC[^\n]*\n$/);
});
