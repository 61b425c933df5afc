import { execFileSync, spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { UsageError } from '../../spec/files/usage-error.ts';
import { EXPIRED, FOR_LOCALHOST, KEY } from '../../testing/proxies/certificates.ts';
import { endWith, useCommand, WITH_DEFAULTS } from '../../testing/use-command.ts';
import { type CredentialOptions, readCertificates, readCredentials } from './credentials.ts';

const { directory, run, runWith, startRecordingProxy, startService } = useCommand();
const FEW = ['--models', 'brand', '--rule', 'operations.list'];

test('empty variables for credentials are ignored, and errors name the variables', async () => {
  const { url } = await startService();
  // The URL after a flag with one value is no second value of it.
  const args = ['check', '--header', 'X-One: 1234567', url, ...WITH_DEFAULTS, ...FEW];
  const empty = { RECORD_MODEL_BEARER: '', RECORD_MODEL_BASIC: '', RECORD_MODEL_API_KEY: '' };
  const [none, both] = await Promise.all([
    runWith(empty, ...args),
    runWith({ RECORD_MODEL_BEARER: 's3cret', RECORD_MODEL_BASIC: 'me:s3cret' }, ...args),
  ]);
  expect({ code: none.code, stderr: none.stderr }).toMatchObject({ code: 0 });
  expect(both).toMatchObject({
    code: 2,
    stderr:
      'record-model: Credentials are given twice, as RECORD_MODEL_BEARER and RECORD_MODEL_BASIC. Pass only one of them.\n',
  });
});

test('check reads from or writes to another machine with --read-only or --write', async () => {
  const { asked, service, url } = await startService();
  const args = ['check', 'http://service.invalid', ...WITH_DEFAULTS, '--models', 'brand,subscriptionTask'];
  // Where no name is known, the proxy knows it.
  const { code, stdout } = await runWith({ HTTP_PROXY: url }, ...args, '--read-only');
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^READS CONFORMANT \(\d+ of 7 operations and \d+ of 13 fields seen\)/m),
  });
  expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['GET']));
  expect(asked[0]?.path).toMatch(/^http:\/\/service\.invalid\/api\/model\//);

  const written = await runWith({ http_proxy: url }, ...args, '--write');
  expect({ code: written.code, stderr: written.stderr }).toMatchObject({ code: 0 });
  expect(asked.map(({ method }) => method)).toContain('POST');
  expect(await service.count()).toBe(2);
});

test('an invalid proxy URL in the environment is reported with exit code 2 and without a stack', async () => {
  const args = ['check', 'http://service.invalid', '--read-only', ...WITH_DEFAULTS];
  for (const value of ['proxy.example:3128', 'me:s3cret-pw@proxy']) {
    const ended = await runWith({ HTTP_PROXY: value }, ...args);
    expect(ended).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'record-model: The variable HTTP_PROXY is not a proxy URL. Set it to a URL such as http://127.0.0.1:3128.\n',
    });
  }
  const secure = ['check', 'https://service.invalid', '--write', ...WITH_DEFAULTS];
  const small = await runWith({ https_proxy: 'foo' }, ...secure);
  expect(small).toMatchObject(endWith(2, 'The variable https_proxy is not a proxy URL'));
});

const PAIR = `Basic ${Buffer.from('me:pá:ss').toString('base64')}`;

test.each<[string, CredentialOptions, ReturnType<typeof readCredentials>]>([
  ['no options', {}, { headers: {} }],
  ['a token', { bearer: 'abc.def' }, { scheme: 'bearer', headers: { authorization: 'Bearer abc.def' } }],
  ['a pair with a colon', { basic: 'me:pá:ss' }, { scheme: 'basic', headers: { authorization: PAIR } }],
  ['a key', { apiKey: 'X-Api-Key=a=b' }, { scheme: 'apiKey', headers: { 'x-api-key': 'a=b' } }],
  [
    'headers',
    { header: ['X-Tenant: seven', 'X-Empty:', 'X-Colon:a:b'] },
    { headers: { 'x-tenant': 'seven', 'x-empty': '', 'x-colon': 'a:b' } },
  ],
  [
    'a token with headers',
    { bearer: 'abc', header: ['X-Tenant: seven'] },
    { scheme: 'bearer', headers: { authorization: 'Bearer abc', 'x-tenant': 'seven' } },
  ],
])('credentials of %s are converted to headers', (_, options, expected) => {
  expect(readCredentials(options)).toEqual(expected);
});

test('credentials come before other headers, so that learn names the correct one', () => {
  const { headers } = readCredentials({ apiKey: 'X-Api-Key=a', header: ['Api-Version: 1'] });
  expect(Object.keys(headers)).toEqual(['x-api-key', 'api-version']);
});

test('a certificate can come from a pipe, as of a program that prints a secret', () => {
  execFileSync('sh', ['-c', 'mkfifo "$0"', directory.path('pipe')]);
  directory.write('ca.pem', FOR_LOCALHOST);
  spawn('sh', ['-c', 'cat "$0" > "$1"', directory.path('ca.pem'), directory.path('pipe')]);
  expect(readCertificates({ ca: directory.path('pipe') })).toEqual({ ca: FOR_LOCALHOST });
});

test.each<[CredentialOptions, string]>([
  [{ bearer: 's3cret', basic: 'a:s3cret' }, 'Credentials are given twice, as bearer and basic. Pass only'],
  [{ bearer: 's3cret\r\nx-evil: 1' }, '--bearer contains characters that are invalid in a header. Use'],
  [{ basic: 's3cret' }, '--basic must have the form USER:PASSWORD.'],
  [{ apiKey: 'x-s3cret=' }, '--api-key must have the form HEADER-NAME=VALUE.'],
  [{ apiKey: 'x-key=s3crét' }, '--api-key contains characters that are invalid in a header. Use visible'],
  [{ header: ['Content-Length: 5'] }, "--header can't set Content-Length because the client sets it."],
  [{ header: ['a: s3cret\r\nb: c'] }, '--header must have the form "Name: value".'],
  [{ header: ['__proto__: s3cret'] }, '--header must have the form "Name: value".'],
  [{ header: ['a s3cret: b'] }, '--header must have the form "Name: value".'],
])('the invalid credentials %j are rejected, and not repeated', (options, message) => {
  expect(() => readCredentials(options)).toThrow(UsageError);
  expect(() => readCredentials(options)).toThrow(message);
  expect(() => readCredentials(options)).not.toThrow(/s3cr/);
});

test.each<[Parameters<typeof readCertificates>[0], string | RegExp]>([
  [{ key: 'key.pem' }, '--key needs the certificate of the key. Pass it with --cert.'],
  [{ cert: 'cert.pem' }, 'cert.pem contains no key. Pass the key of the certificate with --key.'],
  [
    { ca: 'none.pem' },
    "can't be read because there is no such file or directory. Pass a PEM file with --ca.",
  ],
  [{ ca: 'ca.txt' }, 'is not a PEM file. Pass a file with "-----BEGIN" lines with --ca.'],
  [
    { cert: 'cert.pem', key: 'expired.pem' },
    /^\S*cert\.pem, \S*expired\.pem can't be used because TLS rejects it: .*\. Pass an unencrypted key/,
  ],
])('the invalid certificates %j are rejected with an explanation', (options, message) => {
  const files = { 'cert.pem': FOR_LOCALHOST, 'key.pem': KEY, 'expired.pem': EXPIRED, 'ca.txt': '' };
  for (const [name, text] of Object.entries(files)) directory.write(name, text);
  const paths = Object.entries(options).map(([flag, name]) => [flag, directory.path(name)]);
  expect(() => readCertificates(Object.fromEntries(paths))).toThrow(message);
});

const upstream = 'https://prod.example';

test.each([
  ['check', { via: '1.1 edge' }, 'come through a proxy (via: 1.1 edge)'],
  ['learn', { via: '1.1 edge' }, 'come through a proxy (via: 1.1 edge)'],
  ['check', { 'record-model-upstream': upstream }, `come from ${upstream} through a record-model mock`],
])(
  '%s sends one GET to a service that might hold real data (%j), and names both options',
  async (verb, headers, why) => {
    const { asked, url } = await startRecordingProxy(undefined, () => ({ headers, body: [] }));
    expect(await run(verb, url)).toMatchObject({
      code: 2,
      stderr: `record-model: ${url} might hold real data, because its responses ${why}. Choose one:\n  --read-only  send only GET requests\n  --write      also create, change, and delete records\n`,
    });
    expect(asked.map(({ method }) => method)).toEqual(['GET']);
  },
);
