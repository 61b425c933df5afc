import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { useCommand } from '../testing/use-command.ts';

const { directory, read, run } = useCommand();

describe('generate', () => {
  const committed = readFileSync(join(import.meta.dirname, '../spec/openapi.yaml'), 'utf8');

  test('writes the document to standard output, or to a file in the form of its ending', async () => {
    const [out, json, file] = await Promise.all([
      run('generate'),
      run('generate', '--format', 'json'),
      run('generate', '-o', 'openapi.json'),
    ]);
    expect(out).toEqual({ code: 0, stdout: committed, stderr: '' });
    expect(JSON.parse(json.stdout)).toEqual(parse(committed));
    expect(file).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(read('openapi.json')).toBe(json.stdout);
  });

  test('speaks the profile that is given', async () => {
    const other = directory.write('p.yaml', 'delete: { effect: remove }\ntypes.currency: string\n');
    const { code, stdout } = await run('generate', '--profile', other);
    expect(code).toBe(0);
    expect(stdout).not.toBe(committed);
    expect(parse(stdout)['x-assumptions'] ?? parse(stdout).info['x-assumptions']).toBeDefined();
  });

  test('says whether a file is current, and does not touch it', async () => {
    directory.write('fresh.yaml', committed);
    directory.write('stale.yaml', `${committed}# by hand\n`);
    const [own, fresh, stale, missing] = await Promise.all([
      run('generate', '--check'),
      run('generate', '--check', '-o', 'fresh.yaml'),
      run('generate', '--check', '-o', 'stale.yaml'),
      run('generate', '--check', '-o', 'none.yaml'),
    ]);
    expect([own.code, fresh.code, stale.code, missing.code]).toEqual([0, 0, 1, 2]);
    expect(own.stderr).toMatch(/spec\/openapi\.yaml is up to date\n$/);
    expect(fresh.stderr).toBe('fresh.yaml is up to date\n');
    expect(stale.stderr).toBe('stale.yaml is out of date. Update it: record-model generate -o stale.yaml\n');
    expect(missing.stderr).toMatch(
      /none\.yaml can't be read\. Write it first: record-model generate -o none\.yaml/,
    );
    expect(read('stale.yaml')).toBe(`${committed}# by hand\n`);
    for (const file of ['old.yaml', 'old.json']) {
      await run('generate', '--openapi', '3.0', '-o', file);
      expect(await run('generate', '--check', '-o', file)).toMatchObject({
        code: 2,
        stderr: `record-model: ${file} is an OpenAPI 3.0 document. To compare it, pass --openapi 3.0.\n`,
      });
      expect((await run('generate', '--check', '--openapi', '3.0', '-o', file)).code).toBe(0);
    }
  });
});

describe('generate --check', () => {
  test('says how to write a stale file anew as it was asked for', async () => {
    directory.write('my profile.yaml', 'delete.effect: remove\n');
    cpSync(join(import.meta.dirname, '../spec/catalogue'), directory.path('own'), { recursive: true });
    mkdirSync(directory.path('out'));
    const contract = ['--profile', 'my profile.yaml', '--catalogue', 'own'];
    const flags = [...contract, '--format', 'json', '-o', 'out/a.yaml'];
    const check = () => run('generate', '--check', ...flags);
    const remedy =
      "record-model generate --profile 'my profile.yaml' --catalogue own --format json -o out/a.yaml\n";
    expect(await check()).toMatchObject({
      code: 2,
      stderr: `record-model: out/a.yaml can't be read. Write it first: ${remedy}`,
    });
    directory.write('out/a.yaml', '{}');
    expect(await check()).toMatchObject({
      code: 1,
      stderr: `out/a.yaml is out of date. Update it: ${remedy}`,
    });
    expect((await run('generate', ...flags)).code).toBe(0);
    expect((await check()).code).toBe(0);
  });

  test.each([
    ['--profile', 'mine'],
    ['--catalogue', 'mine'],
    ['--format', 'json'],
  ])('with %s %s wants the file that is meant', async (...flag) => {
    expect(await run('generate', '--check', ...flag)).toEqual({
      code: 2,
      stdout: '',
      stderr: `record-model: --check with ${flag.join(' ')} needs the file to compare. Pass -o <file>.\n`,
    });
  });
});

test('says where the service is, what it is called, its terms and who answers for it', async () => {
  const servers = ['--server', 'https://a.example/v1', '--server', 'https://b.example'];
  const who = ['--title', 'Club', '--license', 'Apache-2.0', '--contact', 'api@club.example'];
  const { code, stdout } = await run('generate', '--format', 'json', ...servers, ...who);
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
