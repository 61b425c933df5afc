import { chownSync, mkdirSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runIn } from '../../testing/command.ts';
import { endWith, useCommand, WITH_DEFAULTS } from '../../testing/use-command.ts';

const { directory, readResults, run, runWith, startMock, startService } = useCommand();

/** With this profile nothing is learned, and these cases are few. */
const SMALL = 'profile: default.yaml\nmodels: [brand]\nrule: [operations]\n';

function write(text: string): void {
  directory.write('record-model.yaml', text);
}

describe('the configuration file', () => {
  test('is found in a parent directory, has paths relative to it, and is named on standard error', async () => {
    const { url } = await startService();
    write(`url: ${url}\n${SMALL}reports: { json: out/results.json }\nlimits: { rate: 1000 }\n`);
    for (const name of ['a', 'a/b', 'out']) mkdirSync(directory.path(name));
    const { code, stderr } = await runIn(directory.path('a/b'), ['check']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr.split('\n')[0]).toBe('Using ../../record-model.yaml');
    const { cases, profile, target } = readResults('out/results.json');
    expect({ name: profile.name, target }).toEqual({ name: 'default.yaml', target: url });
    expect(new Set(cases.map(({ model }) => model))).toEqual(new Set(['brand']));
  });

  test('can be chosen with --config, and ignored with --no-config', async () => {
    const { url } = await startService();
    write('url: http://127.0.0.1:1\n');
    directory.write('other.yaml', `url: ${url}\n${SMALL}`);
    const other = await run('check', '--config', 'other.yaml');
    expect(other).toMatchObject(endWith(0, /^Using other\.yaml\n/));
    const none = await run('check', '--no-config');
    expect(none).toMatchObject(endWith(2, /^record-model: The argument <base-url> is missing\./));
  });

  test.each(['', 'targets:\nreports:\n'])('can be empty: %j', async (text) => {
    write(text);
    const { code } = await run('check', 'http://127.0.0.1:1', ...WITH_DEFAULTS);
    expect(code).toBe(3);
  });

  test('applies to learn, clean, and mock', async () => {
    const { asked, url } = await startService();
    write(`url: ${url}\nprofile: default.yaml\nbearer: \${TOKEN}\nmodels: [brand]\n`);
    const env = { TOKEN: 't0ken-of-the-service' };
    expect(await runWith(env, 'learn', '-o', 'learned.yaml')).toMatchObject({ code: 0 });
    const head = { journal: 1, target: url, tag: 'abcd', startedAt: '2025-10-22T09:30:00Z', profile: {} };
    directory.write('left-abcd.jsonl', `${JSON.stringify(head)}\n`);
    const before = asked.length;
    expect(await runWith(env, 'clean', 'left-abcd.jsonl')).toMatchObject({ code: 0 });
    expect(asked.length).toBeGreaterThan(before);
    // To learn whether the service needs credentials, one request has none.
    for (const { headers } of [...asked.slice(0, 1), ...asked.slice(before)])
      expect(headers.authorization).toBe(`Bearer ${env.TOKEN}`);
    const mock = await startMock('--fixtures', 'none');
    expect(mock.printed).toContain('profile      default.yaml');
  });
});

test('is overridden by a flag', async () => {
  const { url } = await startService();
  write(`url: http://127.0.0.1:1\n${SMALL}reports: { html: r.html, json: file.json }\n`);
  const flags = ['--models', 'locker', '--json', 'flag.json'];
  expect(await run('check', url, ...flags)).toMatchObject({ code: 0 });
  const { cases } = readResults('flag.json');
  expect(new Set(cases.map(({ model }) => model))).toEqual(new Set(['locker']));
  expect(readdirSync(directory.path())).toEqual(expect.arrayContaining(['r.html']));
  expect(readdirSync(directory.path())).not.toContain('file.json');
});

test('is overridden by contradicting flags, and by a flag for one pin or header', async () => {
  const { asked, url } = await startService();
  const lines = [
    'read-only: true',
    `basic: "me:\${UNSET}"`,
    'pins: { brand.name: a, locker.name: b }',
    `headers: { X-One: "\${ONE}", x-two: "\${TWO}" }`,
  ];
  write(`url: ${url}\n${SMALL}${lines.join('\n')}\n`);
  const who = ['--bearer', 't0ken-of-flag', '--header', 'X-Two: two-of-flag'];
  const flags = ['--write', ...who, '--pin', 'brand.name=c'];
  const { code, stderr } = await runWith({ ONE: 'one-of-file', TWO: 'two-of-file' }, 'check', ...flags);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const created = asked.find(({ method, path }) => method === 'POST' && path.endsWith('/brand'));
  expect(created?.headers).toMatchObject({
    authorization: 'Bearer t0ken-of-flag',
    'x-one': 'one-of-file',
    'x-two': 'two-of-flag',
  });
  expect(created?.body).toContain('"c"');
});

const targets = (url: string) =>
  `url: http://127.0.0.1:1\n${SMALL}basic: "me:\${UNSET}"\nheaders: { X-Team: "\${UNSET}" }\ntargets:\n  staging: { url: ${url}/, bearer: "\${STAGING}", headers: { x-team: "\${STAGING}" }, models: [locker], reports: { json: t.json } }\n  here: {}\n`;

test('can have a target that replaces other keys, and is chosen by its name or its URL', async () => {
  const { asked, url } = await startService();
  write(targets(url));
  for (const base of ['staging', url]) {
    const { code, stderr } = await runWith({ STAGING: 't0ken-of-staging' }, 'check', base);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toMatch(/^Using record-model\.yaml, target staging\n/);
  }
  expect(new Set(readResults('t.json').cases.map(({ model }) => model))).toEqual(new Set(['locker']));
  for (const { headers } of asked) expect(headers.authorization).toBe('Bearer t0ken-of-staging');
});

test('gives no credentials to another URL', async () => {
  const { asked, url } = await startService();
  write(`url: http://127.0.0.1:1\n${SMALL}bearer: \${TOKEN}\nheaders: { X-Tenant: "\${TOKEN}" }\n`);
  const { code, stderr } = await runWith({ TOKEN: 't0ken-of-another' }, 'check', url);
  expect({ code, stderr }).toMatchObject(
    endWith(0, 'The credentials and TLS settings in record-model.yaml are not used'),
  );
  expect(asked.length).toBeGreaterThan(0);
  expect(JSON.stringify(asked.map(({ headers }) => headers))).not.toContain('t0ken-of-another');
});

test('needs no consent to writes if it contains read-only', async () => {
  const { asked, url } = await startService();
  write(`url: ${url}\n${SMALL}read-only: true\n`);
  expect(await run('check')).toMatchObject({ code: 0 });
  expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['GET']));
});

/** Runs a check with a file, and returns the lines of standard error. */
async function mistakesIn(text: string, ...args: readonly string[]): Promise<string[]> {
  directory.write('record-model.yaml', text);
  const { code, stderr, stdout } = await run('check', ...args);
  expect({ code, stderr, stdout }).toMatchObject({ code: 2, stdout: '' });
  return stderr.trimEnd().replace('record-model: ', '').replaceAll('record-model.yaml:', '').split('\n');
}

const SECRET = 't0ps3cret';

test.each([
  `bearer: ${SECRET}`,
  `bearer: "${SECRET}\${NAME}"`,
  `api-key: X-Api-Key=${SECRET}`,
  `headers: { Authorization: Bearer ${SECRET} }`,
  `headers: ["Authorization: ${SECRET}"]`,
  `targets: { a: { bearer: ${SECRET} } }`,
  `url: http://me:${SECRET}@127.0.0.1`,
  `limits: { bearer: ${SECRET} }`,
])('a secret in the configuration file is rejected and not printed: %s', async (line) => {
  const found = await mistakesIn(`${line}\n`, 'http://127.0.0.1:1');
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(/^1: /);
  expect(found[0]).not.toContain(SECRET);
});

test('a secret is not printed if the value of its variable is invalid', async () => {
  directory.write('record-model.yaml', `url: http://127.0.0.1:1\nlimits: { rate: "\${RATE}" }\n`);
  const { code, stderr } = await runWith({ RATE: SECRET }, 'check');
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `record-model: record-model.yaml:2: Invalid value "\${RATE}" for rate. Pass a whole number from 1 to 100000.\n`,
  });
  expect((await runWith({ RATE: '' }, 'check')).stderr).toContain('yaml:2: The variable RATE is not set.');
});

test.each([
  ['a large one', `# ${'x'.repeat(70_000)}\n`, /too large: it has 70003 bytes, and the limit is 65536/],
  ['an alias of itself', 'targets: &a { b: *a }\n', /contains itself/],
  ['__proto__', '__proto__: { url: http://127.0.0.1:1 }\n', /Unknown key "__proto__"/],
  ['__proto__ in a mapping', 'limits: { __proto__: { rate: 1 } }\n', /Unknown key "__proto__"/],
  ['a target __proto__', 'targets: { __proto__: {} }\n', /The name "__proto__" is invalid/],
  ['900 unknown keys', Array.from({ length: 900 }, (_, key) => `k${key}:\n`).join(''), /more mistakes/],
  ['duplicate keys', 'url: http://a\nurl: http://b\n', /Map keys must be unique/],
])('a hostile configuration file is rejected: %s', async (_, text, message) => {
  const found = await mistakesIn(text);
  expect(found.join('\n')).toMatch(message);
  expect(found.join('\n')).not.toMatch(/\n\s+at /);
});

// Only root can give a file to another user.
test.skipIf(process.getuid?.() !== 0)(
  'a configuration file of another user is rejected unless --config names it',
  async () => {
    const path = directory.write('record-model.yaml', 'url: http://127.0.0.1:1\nprofile: default.yaml\n');
    mkdirSync(directory.path('mine'));
    chownSync(path, 12_345, 12_345);
    const mine = directory.path('mine');
    const refused = await runIn(mine, ['check']);
    expect(refused).toMatchObject(
      endWith(2, /^record-model: \.\.\/record-model\.yaml belongs to another user, .* --config/),
    );
    expect(await runIn(mine, ['check', '--config', '../record-model.yaml'])).toMatchObject({ code: 3 });
    // In a container, root often works in the directory of a user.
    chownSync(mine, 12_345, 12_345);
    expect(await runIn(mine, ['check'])).toMatchObject({ code: 3 });
  },
);
