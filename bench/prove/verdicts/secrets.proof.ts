import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Meddle, useCommand } from '../../../testing/use-command.ts';

const { directory, read, run, startService } = useCommand();
/** With it nothing is learned. */
const profile = 'default.yaml';

/** Answers with a secret in each place that a report can show. */
const LEAKS: readonly ReturnType<Meddle>[] = [
  { status: 500, body: { api_key: 't0ps3cret-1', session: { refreshToken: 't0ps3cret-2' } } },
  { status: 500, body: { errors: [{ clientSecret: 't0ps3cret-3', password: ['t0ps3cret-4'] }] } },
  { status: 500, headers: { 'x-auth': 't0ps3cret-5', 'set-cookie': 'sid=t0ps3cret-6' }, body: {} },
  {
    status: 500,
    headers: { 'content-type': 'application/json' },
    body: '{"password": "t0ps3cret-7", "name": ',
  },
  { status: 500, headers: { 'content-type': 'text/plain' }, body: 'access_token=t0ps3cret-8&name=x' },
  { status: 302, headers: { location: '/signin?token=t0ps3cret-9' }, body: {} },
  {
    status: 500,
    headers: { link: '<https://me:t0ps3cret-0@db.example/x>' },
    body: 'postgres://me:t0ps3cret-a@db/x',
  },
];

test('secrets of the service stand in no output and no file', async () => {
  const { url } = await startService({}, ({ method }, index) =>
    method === 'POST' ? LEAKS[index % LEAKS.length] : undefined,
  );
  const files = ['json', 'html', 'junit', 'markdown', 'har', 'write-baseline'];
  const args = ['check', url, '--profile', profile, '--models', 'brand,customer,voucher'];
  const checked = await run(...args, ...files.flatMap((format) => [`--${format}`, `out.${format}`]));
  expect(checked.code).toBe(1);
  const written = Object.fromEntries(readdirSync(directory.path()).map((name) => [name, read(name)]));
  const found = Object.entries({ ...written, stdout: checked.stdout, stderr: checked.stderr }).flatMap(
    ([name, text]) => [...new Set(text.match(/.{0,40}t0ps3cret-.{0,9}/g))].map((part) => `${name}: ${part}`),
  );
  expect(found).toEqual([]);
  expect(Object.values(written).join('\n')).toContain('[redacted]');
});

describe('secrets that the service repeats', () => {
  const TOKEN = 't0ps3cret-b34rer';

  test('stand in no journal of what was made and could not be removed', async () => {
    const { url } = await startService({}, ({ headers, method, path }) => {
      if (method === 'DELETE') return { status: 403 };
      if (method !== 'POST' || !path.endsWith('/brand')) return undefined;
      return {
        status: 201,
        body: { id: 900, name: 'x', lines: [{ comments: [`from ${headers.authorization}`] }] },
      };
    });
    const args = ['--profile', profile, '--models', 'brand', '--rule', 'create', '--tag', 'abcd'];
    await run('check', url, '--bearer', TOKEN, ...args);
    const journal = read('record-model-leftovers-abcd.jsonl');
    expect(journal).toContain('[redacted]');
    expect(journal).not.toContain(TOKEN);
  });

  test('are said to stay in texts where they are too short to be found there', async () => {
    const { url } = await startService();
    const args = ['check', url, '--profile', profile, '--models', 'brand', '--rule', 'operations.list'];
    const [short, long] = await Promise.all([
      run(...args, '--bearer', 'abc', '--header', 'X-Tenant: 7', '--header', 'Cookie: lang=es; sid=0123456'),
      run(...args, '--bearer', TOKEN),
    ]);
    const warning = (name: string) =>
      `Warning: the secret in the header ${name} has fewer than 6 characters. Reports redact it in`;
    expect(short.stderr).toContain(warning('authorization'));
    expect(short.stderr).toContain(warning('x-tenant'));
    expect(short.stderr).not.toContain(warning('cookie'));
    expect(long.stderr).not.toContain('fewer than');
  });
});
