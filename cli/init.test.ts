import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { runIn } from '../testing/command.ts';
import { useCommand, WITH_DEFAULTS } from '../testing/use-command.ts';

const { directory, read, run, runWith, startService } = useCommand();

test('init writes a file that check can use, and names the next command', async () => {
  const { url } = await startService();
  expect(await run('init', url)).toEqual({
    code: 0,
    stdout: '',
    stderr: 'Wrote record-model.yaml. Next, check the service: record-model check\n',
  });
  const flags = [...WITH_DEFAULTS, '--models', 'brand', '--rule', 'operations'];
  expect(await run('check', ...flags)).toMatchObject({ code: 0, stdout: expect.stringContaining(url) });
});

test('init never changes an existing file', async () => {
  directory.write('record-model.yaml', '# mine\n');
  expect(await run('init')).toEqual({
    code: 2,
    stdout: '',
    stderr:
      "record-model: record-model.yaml can't be written because it exists already. Edit it, or delete it first.\n",
  });
  expect(read('record-model.yaml')).toBe('# mine\n');
});

test('each example in the comments of the file is valid', async () => {
  await run('init', 'http://127.0.0.1:1');
  const text = read('record-model.yaml');
  const written = text.replaceAll(/^# (?=[a-z]+:( [^A-Z]|$)| )/gm, '');
  expect(written).toMatch(/^targets:\n {2}staging:\n {4}url: /m);
  directory.write('record-model.yaml', written);
  for (const name of ['profile', 'bindings']) directory.write(`${name}.yaml`, '{}\n');
  directory.write('known.yaml', '[]\n');
  const { stderr } = await runWith({ STAGING_TOKEN: 't0ken-of-staging' }, 'check', 'staging', '--dry-run');
  expect(stderr).toMatch(/^Using record-model\.yaml, target staging\nNothing was sent\./);
});

test('init names the schema of the package, in this or a parent directory', async () => {
  const head = async (name: string) => {
    await runIn(directory.path(name), ['init']);
    return read(join(name, 'record-model.yaml')).split('\n')[0];
  };
  const inPackage = 'node_modules/record-model-contract/spec/schemas/config.schema.json';
  for (const name of ['a', 'a/b', 'c']) mkdirSync(directory.path(name));
  mkdirSync(dirname(directory.path(`a/${inPackage}`)), { recursive: true });
  writeFileSync(directory.path(`a/${inPackage}`), '{}');
  expect(await head('a')).toBe(`# yaml-language-server: $schema=./${inPackage}`);
  expect(await head('a/b')).toBe(`# yaml-language-server: $schema=../${inPackage}`);
  expect(await head('c')).toBe(`# yaml-language-server: $schema=./${inPackage}`);
});
