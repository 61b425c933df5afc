import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useCommand } from '../testing/use-command.ts';

const { directory, read, run } = useCommand();
const committed = readFileSync(join(import.meta.dirname, '../spec/openapi.yaml'), 'utf8');

test('generate writes the document to standard output, or to a file in the form of its ending', async () => {
  expect(await run('generate')).toEqual({ code: 0, stdout: committed, stderr: '' });
  expect(await run('generate', '-o', 'openapi.json')).toEqual({ code: 0, stdout: '', stderr: '' });
  const document = JSON.parse(read('openapi.json'));
  expect(document.openapi).toMatch(/^3\.1\./);
  expect(Object.keys(document.paths)).toEqual(committed.match(/(?<=^ {2})\/[^:]+/gm));
});

test('generate says where the service is, its name, its terms, and its contact', async () => {
  const servers = ['--server', 'https://a.example/v1', '--server', 'https://b.example'];
  const who = ['--title', 'Club', '--license', 'Apache-2.0', '--contact', 'api@club.example'];
  const flags = ['--format', 'json', '--models', 'brand'];
  const { code, stdout } = await run('generate', ...flags, ...servers, ...who);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    servers: [{ url: 'https://a.example/v1' }, { url: 'https://b.example' }],
    info: {
      title: 'Club',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      contact: { email: 'api@club.example' },
    },
  });
});

test('generate --check says whether a file is current and how to write it, and does not touch it', async () => {
  const own = await run('generate', '--check');
  expect(own).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/spec\/openapi\.yaml is up to date\n$/),
  });
  directory.write('my profile.yaml', 'delete.effect: remove\n');
  cpSync(join(import.meta.dirname, '../spec/catalogue'), directory.path('own'), { recursive: true });
  mkdirSync(directory.path('out'));
  const contract = ['--profile', 'my profile.yaml', '--catalogue', 'own', '--models', 'brand'];
  const flags = [...contract, '--format', 'json', '-o', 'out/a.yaml'];
  const remedy =
    "record-model generate --profile 'my profile.yaml' --catalogue own --models brand --format json -o out/a.yaml\n";
  expect(await run('generate', '--check', ...flags)).toMatchObject({
    code: 2,
    stderr: `record-model: out/a.yaml can't be read. Write it first: ${remedy}`,
  });
  directory.write('out/a.yaml', '{}');
  expect(await run('generate', '--check', ...flags)).toMatchObject({
    code: 1,
    stderr: `out/a.yaml is out of date. Update it: ${remedy}`,
  });
  expect(read('out/a.yaml')).toBe('{}');
  expect((await run('generate', ...flags)).code).toBe(0);
  expect(await run('generate', '--check', ...flags)).toMatchObject({
    code: 0,
    stderr: 'out/a.yaml is up to date\n',
  });

  const older = ['--models', 'brand', '-o', 'old.json'];
  await run('generate', '--openapi', '3.0', ...older);
  expect(await run('generate', '--check', ...older)).toMatchObject({
    code: 2,
    stderr: 'record-model: old.json is an OpenAPI 3.0 document. To compare it, pass --openapi 3.0.\n',
  });
  expect((await run('generate', '--check', '--openapi', '3.0', ...older)).code).toBe(0);
});
