import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../testing/command.ts';
import { useDirectory } from '../testing/temporary-directory.ts';

const directory = useDirectory();

describe('generate --check', () => {
  test('says how to write a stale file anew as it was asked for', async () => {
    directory.write('my profile.yaml', 'delete.effect: remove\n');
    cpSync(join(import.meta.dirname, '../spec/catalogue'), directory.path('own'), { recursive: true });
    mkdirSync(directory.path('out'));
    const contract = ['--profile', 'my profile.yaml', '--catalogue', 'own'];
    const flags = [...contract, '--format', 'json', '-o', 'out/a.yaml'];
    const check = () => run(directory.path(), 'generate', '--check', ...flags);
    const remedy =
      "record-model generate --profile 'my profile.yaml' --catalogue own --format json -o out/a.yaml\n";
    expect(await check()).toMatchObject({
      code: 2,
      stderr: `record-model: out/a.yaml can't be read; write it first with: ${remedy}`,
    });
    directory.write('out/a.yaml', '{}');
    expect(await check()).toMatchObject({
      code: 1,
      stderr: `out/a.yaml is stale; write it anew with: ${remedy}`,
    });
    expect((await run(directory.path(), 'generate', ...flags)).code).toBe(0);
    expect((await check()).code).toBe(0);
  });

  test.each([
    ['--profile', 'mine'],
    ['--catalogue', 'mine'],
    ['--format', 'json'],
  ])('with %s %s wants the file that is meant', async (...flag) => {
    expect(await run(directory.path(), 'generate', '--check', ...flag)).toEqual({
      code: 2,
      stdout: '',
      stderr: `record-model: the document of this package is YAML, of its own catalogue and the default profile; expected -o <file> beside --check and ${flag.join(' ')}\n`,
    });
  });
});
