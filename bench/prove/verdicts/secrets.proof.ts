import { readdirSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { demo } from '../../../testing/demo.ts';
import { startMockService } from '../../../testing/mock-service.ts';
import { FOR_LOCALHOST, KEY } from '../../../testing/proxies/certificates.ts';
import type { Asked, Meddling } from '../../../testing/proxies/recording-proxy.ts';
import { forward } from '../../../testing/services/http-server.ts';
import { useCommand } from '../../../testing/use-command.ts';

const { directory, read, run, startService, closing } = useCommand();
/** With it nothing is learned. */
const profile = 'default.yaml';

/** Answers with a secret in each place that a report can show. */
const LEAKS: readonly Meddling[] = [
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

const TOKEN = 't0ps3cret-b34rer-0f-the-user';

test('secrets that the service repeats are redacted in the journal', async () => {
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

test('secrets that are too short to be redacted in strings lead to a warning', async () => {
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
const FILES = ['json', 'html', 'junit', 'markdown', 'har', 'write-baseline', 'manifest'];

/** Checks a service that breaks the contract, and returns each place of a secret in the outputs and files. */
async function findLeaks(secret: string, ...args: readonly string[]): Promise<string[]> {
  const reports = FILES.flatMap((format) => [`--${format}`, `out.${format}`]);
  const checked = await run('check', ...args, '--profile', profile, ...reports);
  expect(checked.code).toBe(1);
  const github = await run('check', ...args, '--profile', profile, '--github');
  const learned = await run('learn', ...args, '-o', 'out.profile');
  const files = readdirSync(directory.path()).map((name) => [name, read(name)] as const);
  expect(files.length).toBeGreaterThan(FILES.length);
  expect(files.map(([, text]) => text).join('\n')).toContain('[redacted]');
  const outputs = [checked, github, learned].flatMap(({ stderr, stdout }) => [stdout, stderr]);
  const all = [...files, ...outputs.map((text, index) => [`output ${index}`, text] as const)];
  return all.flatMap(([name, text]) => {
    const at = text.indexOf(secret);
    return at < 0 ? [] : [`${name}: ${text.slice(Math.max(0, at - 200), at + 40)}`];
  });
}

test('secrets of the service are redacted in each output and file', async () => {
  const { url } = await startService({}, ({ method }, index) =>
    method === 'POST' ? LEAKS[index % LEAKS.length] : undefined,
  );
  expect(await findLeaks('t0ps3cret-', url, '--models', 'brand,customer,voucher')).toEqual([]);
});

type Reply = { readonly status: number; readonly headers: Record<string, string>; readonly body: string };
type Echo = (reply: Reply, authorization: string, asked: Asked) => Reply;

/** Repeats the credentials as the name of each record. */
const inNames =
  (isRepeated: (asked: Asked) => boolean): Echo =>
  (reply, authorization, asked) => {
    if (reply.body === '' || !isRepeated(asked)) return reply;
    const body = JSON.stringify(JSON.parse(reply.body), (key, value) =>
      key === 'name' && typeof value === 'string' ? authorization : value,
    );
    return { ...reply, body };
  };

test.each<[string, Echo]>([
  ['in a field', inNames(() => true)],
  ['in a field of some responses', inNames(({ method, path }) => method === 'GET' && /\d+$/.test(path))],
  ['in a field of lists', inNames(({ method, path }) => method === 'GET' && /brand(\?|$)/.test(path))],
  [
    'in an error text',
    (reply, authorization, { method }) =>
      method === 'POST' ? { ...reply, status: 422, body: `{"error":"no, ${authorization}"}` } : reply,
  ],
  [
    'in a header',
    (reply, authorization, { method }) => ({
      ...reply,
      status: method === 'DELETE' ? 500 : reply.status,
      headers: { ...reply.headers, 'x-echo': authorization, location: `/?for=${authorization}` },
    }),
  ],
])('credentials that the service repeats %s are redacted in each report', async (_, echo) => {
  const { url } = await startService({ fixtures: demo }, async (asked, _, { perform }) =>
    echo(await perform(asked), asked.headers.authorization ?? '', asked),
  );
  expect(await findLeaks(TOKEN, url, '--models', 'brand', '--bearer', TOKEN)).toEqual([]);
});

const FEW = ['--models', 'brand', '--profile', 'default.yaml'];

/** Serves the demo club with TLS, only to clients with a certificate. */
async function serveDemanding(more: { readonly maxVersion?: 'TLSv1.2' } = {}): Promise<string> {
  const service = closing(await startMockService({ fixtures: demo }));
  const options = { key: KEY, cert: FOR_LOCALHOST, ca: FOR_LOCALHOST, requestCert: true, ...more };
  const server = createServer(options, async (request, response) => {
    const reply = await forward(service.url + request.url, request, await buffer(request));
    response.writeHead(reply.status, reply.headers).end(reply.body);
  });
  await new Promise<void>((ready) => server.listen(0, 'localhost', ready));
  closing({
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  });
  directory.write('cert.pem', FOR_LOCALHOST);
  directory.write('key.pem', KEY);
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

const flags = ['--ca', 'cert.pem', '--cert', 'cert.pem', '--key', 'key.pem'];

test('check, learn, capture, and clean accept a client certificate if the service requires one', async () => {
  const url = await serveDemanding();
  expect(await run('check', url, ...flags, ...FEW)).toMatchObject({ code: 0 });
  const learning = ['--read-only', '-o', 'p.yaml', '--models', 'brand'];
  expect(await run('learn', url, ...flags, ...learning)).toMatchObject({ code: 0 });
  expect(await run('capture', url, ...flags, ...FEW, '-o', 'c.yaml')).toMatchObject({ code: 0 });
  const head = { journal: 1, target: url, tag: 'k3f9', startedAt: '', profile: {} };
  directory.write('left.jsonl', JSON.stringify(head));
  expect(await run('clean', 'left.jsonl', ...flags)).toMatchObject({ code: 0 });
  directory.write('record-model.yaml', `url: ${url}\nca: cert.pem\ncert: cert.pem\nkey: key.pem\n`);
  expect(await run('check', ...FEW)).toMatchObject({ code: 0 });
  directory.write('both.pem', FOR_LOCALHOST + KEY);
  const both = ['--ca', 'cert.pem', '--cert', 'both.pem'];
  expect(await run('check', url, ...both, ...FEW)).toMatchObject({ code: 0 });
});

test('a service that requires a client certificate rejects others, and the message names the flags', async () => {
  // From version 1.3 on, the server ends the handshake first, and then only closes the connection.
  const url = await serveDemanding({ maxVersion: 'TLSv1.2' });
  expect(await run('check', url, '--ca', 'cert.pem', ...FEW)).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/needs one; pass --cert FILE and --key FILE \(\S+\)/),
  });
});
