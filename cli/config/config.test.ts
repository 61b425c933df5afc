import { mkdirSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runIn } from '../../testing/command.ts';
import { useCommand } from '../../testing/use-command.ts';

const { directory, readResults, run, runWith, startMock, startService } = useCommand();

/** With this profile nothing is learned, and these cases are few. */
const SMALL = 'profile: default.yaml\nmodels: [brand]\nrule: [operations]\n';

function write(text: string): void {
  directory.write('record-model.yaml', text);
}

describe('the file', () => {
  test('is found upward, has paths relative to it, and is named on standard error', async () => {
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

  test('is the one that --config names, and none with --no-config', async () => {
    const { url } = await startService();
    write('url: http://127.0.0.1:1\n');
    directory.write('other.yaml', `url: ${url}\n${SMALL}`);
    const other = await run('check', '--config', 'other.yaml');
    expect(other).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Using other\.yaml\n/) });
    const none = await run('check', '--no-config');
    expect(none).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^record-model: The argument <base-url> is missing\./),
    });
  });

  test.each(['', 'targets:\nreports:\n'])('can be empty: %j', async (text) => {
    write(text);
    const { code } = await run('check', 'http://127.0.0.1:1', '--profile', 'default.yaml');
    expect(code).toBe(3);
  });

  test('applies to learn, clean, and mock too', async () => {
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
    const mock = await startMock();
    expect(mock.printed).toContain('profile      default.yaml');
  });
});

test('a flag wins over the value of the file', async () => {
  const { url } = await startService();
  write(`url: http://127.0.0.1:1\n${SMALL}reports: { html: r.html, json: file.json }\n`);
  const flags = ['--models', 'locker', '--json', 'flag.json'];
  expect(await run('check', url, ...flags)).toMatchObject({ code: 0 });
  const { cases } = readResults('flag.json');
  expect(new Set(cases.map(({ model }) => model))).toEqual(new Set(['locker']));
  expect(readdirSync(directory.path())).toEqual(expect.arrayContaining(['r.html']));
  expect(readdirSync(directory.path())).not.toContain('file.json');
});

test('a flag wins over keys that contradict it, and over one pin or header', async () => {
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
  `url: http://127.0.0.1:1\n${SMALL}basic: "me:\${UNSET}"\ntargets:\n  staging: { url: ${url}/, bearer: "\${STAGING}", models: [locker], reports: { json: t.json } }\n  here: {}\n`;

test('a target replaces other keys, and is chosen by its name or its URL', async () => {
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

test('a target that does not exist is an error with the names of those that do', async () => {
  write(targets('http://127.0.0.1:2'));
  expect(await run('check', 'production')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'record-model: Unknown target "production" in record-model.yaml. Use "staging" or "here".\n',
  });
  write(SMALL);
  expect((await run('check', 'production')).stderr).toContain('and record-model.yaml has no targets.');
  write('targets: { here: {} }');
  expect((await run('check', 'here')).stderr).toContain('The target "here" in record-model.yaml has no url.');
});

test('credentials of the file are not sent to another URL', async () => {
  const { asked, url } = await startService();
  write(`url: http://127.0.0.1:1\n${SMALL}bearer: \${TOKEN}\nheaders: { X-Tenant: "\${TOKEN}" }\n`);
  const { code, stderr } = await runWith({ TOKEN: 't0ken-of-another' }, 'check', url);
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('The credentials and TLS settings in record-model.yaml are not used'),
  });
  expect(asked.length).toBeGreaterThan(0);
  expect(JSON.stringify(asked.map(({ headers }) => headers))).not.toContain('t0ken-of-another');
});

test('consent to write is never read from the file', async () => {
  const place = /record-model\.yaml:\d+: The file can't allow writes\. Remove "write", and pass --write/;
  for (const text of ['limits: { write: true }', 'targets: { a: { write: true } }']) {
    write(`url: http://192.0.2.1\n${text}\n`);
    expect(await run('check')).toMatchObject({ code: 2, stderr: expect.stringMatching(place) });
  }
  write('url: http://192.0.2.1\n');
  const { code, stderr } = await run('check');
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('Choose one:') });
});

test('consent to write is not needed with read-only in the file', async () => {
  const { asked, url } = await startService();
  write(`url: ${url}\n${SMALL}read-only: true\n`);
  expect(await run('check')).toMatchObject({ code: 0 });
  expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['GET']));
});
