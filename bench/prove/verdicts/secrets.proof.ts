import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Meddle, useCommand } from '../../../testing/use-command.ts';

const { closing, directory, read, run, runWith, startRecordingProxy, startService } = useCommand();
/** With it nothing is learned. */
const profile = 'default.yaml';

describe('secrets', () => {
  const SECRETS = ['t0ps3cret-b34rer', 't0ps3cret-k3y', 't0ps3cret-h34der', 't0ps3cret-p4ss'];
  const [bearer = '', key = '', header = '', password = ''] = SECRETS;
  const encoded = Buffer.from(`me:${password}`).toString('base64');

  /** Repeats the request in every second response. */
  const echoing: Meddle = ({ headers, method }, index) => {
    const echo = JSON.stringify({ echo: headers });
    return method === 'POST' && index % 2 === 0
      ? { status: 500, headers: { 'x-echo': encodeURI(echo) }, body: echo }
      : undefined;
  };

  test.each<[string, string[], Record<string, string>]>([
    ['by flag', ['--bearer', bearer, '--header', `X-Tenant: ${header}`], {}],
    ['by environment as a pair', [], { RECORD_MODEL_BASIC: `me:${password}` }],
    ['by environment as a key', [], { RECORD_MODEL_API_KEY: `X-Api-Key=${key}` }],
  ])('given %s are sent, and stand in no output and no file', async (_, flags, env) => {
    const { asked, url } = await startService({ defect: 'absent.put-works:brand' }, echoing);
    const files = ['json', 'html', 'junit', 'markdown', 'har', 'write-baseline'];
    const args = ['check', url, '--profile', profile, '--models', 'brand', '--rule', 'operations,absent'];
    const reports = files.flatMap((format) => [`--${format}`, `out.${format}`]);
    const [checked, learned] = await Promise.all([
      runWith(env, ...args, ...flags, ...reports),
      runWith(env, 'learn', url, ...flags, '-o', 'out.profile'),
    ]);
    expect(checked.code).toBe(1);
    const sent = JSON.stringify(asked.map(({ headers }) => headers));
    expect([...SECRETS, encoded].some((secret) => sent.includes(secret))).toBe(true);
    const written = readdirSync(directory.path()).map(read);
    expect(written.length).toBeGreaterThanOrEqual(files.length + 1);
    const all = [checked.stdout, checked.stderr, learned.stdout, learned.stderr, ...written].join('\n');
    expect(all).toContain('[redacted]');
    for (const secret of [...SECRETS, encoded]) expect(all.includes(secret)).toBe(false);
  });
});

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

  test('stand neither in the refusal of a check nor in what learn writes', async () => {
    const challenging = await startRecordingProxy(undefined, ({ headers: { authorization } }) => ({
      status: 401,
      headers: { 'www-authenticate': `Bearer error_description="token ${authorization} is expired"` },
    }));
    const { url } = await startService({}, ({ headers, method }) =>
      method === 'POST' ? { status: 403, body: { error: `not for ${headers.authorization}` } } : undefined,
    );
    closing(challenging);
    const [checked, learned] = await Promise.all([
      run('check', challenging.url, '--bearer', TOKEN),
      run('learn', url, '--bearer', TOKEN, '-o', 'p.yaml'),
    ]);
    expect(checked).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('error_description="token [redacted] is expired"'),
    });
    expect(learned).toMatchObject({ code: 0, stderr: expect.stringContaining('not for [redacted]') });
    expect(read('p.yaml')).toContain('not for [redacted]');
    for (const text of [checked.stderr, learned.stderr, read('p.yaml')]) expect(text).not.toContain(TOKEN);
  });

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

test('a session that the service gives out stands in no report', async () => {
  const session = 's3ss10n-of-a-service';
  const { url } = await startService({ defect: 'absent.put-works:brand' }, ({ method }) =>
    method === 'PUT'
      ? { status: 200, headers: { 'set-cookie': `sid=${session}; Path=/; HttpOnly` }, body: {} }
      : undefined,
  );
  const files = ['json', 'html', 'junit', 'markdown', 'har'];
  const reports = files.flatMap((format) => [`--${format}`, `out.${format}`]);
  const args = ['check', url, '--profile', profile, '--case', 'absent.put:brand', ...reports];
  const { code, stderr, stdout } = await run(...args);
  expect({ code, stderr }).toMatchObject({ code: 1 });
  expect(stdout).toContain('set-cookie: sid=[redacted]; Path=/; HttpOnly');
  const written = readdirSync(directory.path()).map(read);
  expect(written.length).toBeGreaterThanOrEqual(files.length);
  expect([stdout, stderr, ...written].join('\n')).not.toContain(session);
});
