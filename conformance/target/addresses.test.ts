import type { LookupAddress } from 'node:dns';
import { expect, test } from 'vitest';
import { UsageError } from '../../spec/files/usage-error.ts';
import { check } from '../../testing/checks.ts';
import { useService } from '../../testing/mock-service.ts';
import { BRAND, NEW_BRAND, useTarget } from '../../testing/proxies/use-target.ts';
import { Unreachable } from '../run.ts';
import { locate, noAddress } from './place.ts';
import { createTarget, Relayed } from './target.ts';

const { listen, target, closing, recorder } = useTarget();
const { start } = useService();

const v4 = (address: string): LookupAddress => ({ address, family: 4 });
const v6 = (address: string): LookupAddress => ({ address, family: 6 });

test.each([
  ['http://127.0.0.1:4010', true],
  ['http://127.1', true],
  ['https://[::1]:8443', true],
  ['http://[::ffff:127.0.0.1]', true],
  ['http://0.0.0.0', false],
  ['http://10.0.0.1', false],
  ['http://[::ffff:10.0.0.1]', false],
])('whether the address %s is local: %s', async (url, isHere) => {
  const resolve = () => Promise.reject(new Error('no name is looked up'));
  expect(await locate(url, resolve)).toMatchObject({ isHere, addresses: [expect.any(Object)] });
});

test.each<[host: string, addresses: LookupAddress[], isHere: boolean]>([
  ['localhost', [v6('::1'), v4('127.0.0.1')], true],
  ['prod.localhost', [v4('10.0.0.7')], false],
  ['localhost', [v4('127.0.0.1'), v4('10.0.0.7')], false],
  ['127.0.0.1.example.com', [v4('93.184.216.34')], false],
  ['nobody.example.com', [], false],
])(
  'whether the name %s is local, by the addresses it resolves to, %j: %s',
  async (host, addresses, isHere) => {
    expect(await locate(`http://${host}:4010`, async () => addresses)).toEqual({ isHere, addresses });
  },
);

test("a name that can't be resolved is not local", async () => {
  const failure = 'ENOTFOUND';
  const resolve = () => Promise.reject(Object.assign(new Error(), { code: failure }));
  const place = await locate('http://service.invalid', resolve);
  expect(place).toEqual({ isHere: false, addresses: [], failure });
});

test('an unknown host is a usage error, but a DNS server without a response is not', () => {
  const unknown = noAddress('https://api.exmaple.com/v1', 'ENOTFOUND');
  expect(unknown).toBeInstanceOf(UsageError);
  expect(unknown.message).toMatch(/^The host "api\.exmaple\.com" does not exist/);
  const silent = noAddress('https://api.example.com', 'EAI_AGAIN');
  expect(silent).toMatchObject({ name: 'NoAnswer', gone: true });
});

test('a target keeps the address that its name was resolved to first', async () => {
  const { port } = new URL(await listen((_, response) => response.end('[]')));
  const { send } = target(`http://service.invalid:${port}`, { addresses: [v4('127.0.0.1')] });
  expect(await send(BRAND)).toMatchObject({ status: 200, body: '[]' });
});

test.each([
  ['https://api.example.com/v1///', 'https://api.example.com/v1'],
  ['HTTP://API.Example.com:80/Tenant', 'http://api.example.com/Tenant'],
  ['http://example.com/@tenant', 'http://example.com/@tenant'],
])('the base URL %s is normalized to %s', (given, taken) => {
  expect(closing(createTarget({ baseUrl: given })).url).toBe(taken);
});

test.each(['', '127.0.0.1:4010', 'localhost:4010', 'ftp://example.com', 'http://a b', '//host'])(
  'the invalid base URL "%s" is rejected with an example',
  (baseUrl) => {
    expect(() => createTarget({ baseUrl })).toThrow(UsageError);
    expect(() => createTarget({ baseUrl })).toThrow(
      `"${baseUrl}" is not a base URL. Pass one that starts with http:// or https://, such as http://127.0.0.1:4010.`,
    );
  },
);

test.each([
  ['a password', 'http://me:s3cr3t@example.com', /contains a user name or password\. Pass --basic/],
  ['a user name that looks like a local address', 'http://127.0.0.1@example.com', /user name or password/],
  ['a password and no scheme', 'me:s3cr3t@example.com', /user name or password/],
  ['a password with a slash, and no scheme', 'me:s3/cr3t@example.com', /user name or password/],
  ['a password after one slash', 'http:/me:s3cr3t@example.com', /user name or password/],
  ['a password and another scheme', 'ftp://me:s3/cr3t@example.com', /user name or password/],
  ['a query', 'http://example.com/api?token=s3cr3t', /contains a query or fragment\. Remove it/],
  ['a fragment', 'http://example.com/#s3cr3t', /contains a query or fragment\. Remove it/],
])('a base URL with %s is rejected, and the message does not repeat it', (_, baseUrl, message) => {
  expect(() => createTarget({ baseUrl })).toThrow(UsageError);
  expect(() => createTarget({ baseUrl })).toThrow(message);
  expect(() => createTarget({ baseUrl })).not.toThrow(/s3|cr3t/);
});

test.each([
  [
    { via: '1.1 edge.example' },
    /POST \/api\/model\/brand was not sent: the service might hold real data, because its responses come through a proxy \(via: 1\.1 edge\.example\)\. To allow writes, pass --write$/,
  ],
  [
    { 'record-model-upstream': 'https://prod.example' },
    /its responses come from https:\/\/prod\.example through a record-model mock/,
  ],
])('after a response with the headers %j, only GET requests are sent', async (headers, message) => {
  const { asked, url } = await recorder((_, index) => ({ headers: index >= 2 ? headers : {} }));
  const client = closing(createTarget({ baseUrl: url }));
  await client.send(NEW_BRAND, () => {});
  await client.send(BRAND, () => {});
  expect(client.relay?.()).toBeUndefined();
  await client.send(BRAND, () => {});
  const refused = client.send(NEW_BRAND, () => {});
  await expect(refused).rejects.toBeInstanceOf(Relayed);
  await expect(refused).rejects.toThrow(message);
  await client.send(BRAND, () => {});
  expect(asked.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'GET']);
});

test('if the user permits writes, all requests are sent through a proxy', async () => {
  const { asked, url } = await recorder(() => ({ headers: { via: '1.1 edge' } }));
  const { send } = target(url, { write: true });
  await send(BRAND);
  await send(NEW_BRAND);
  expect(asked).toHaveLength(2);
});

test('a run that detects a proxy ends, and reports the records that remain', async () => {
  let deletes = 0;
  const { service, url } = await start(async (asked, _, { perform }) => {
    const { body, status } = await perform(asked);
    if (asked.method === 'DELETE') deletes++;
    return { status, body, headers: deletes > 2 ? { via: '1.1 edge' } : {} };
  });
  const before = await service.count();
  const run = check(url, { models: ['voucher'], concurrency: 1 });
  await expect(run).rejects.toBeInstanceOf(Unreachable);
  const message = await run.then(String, String);
  expect(message).toMatch(
    /(POST|PUT) \/api\/model\/voucher(\/\d+)? was not sent: the service might hold real data, because its responses come through a proxy \(via: 1\.1 edge\)\. To allow writes, pass --write; not deleted: /,
  );
  const [named = '', more = '0'] = (message.split('not deleted: ')[1] ?? '').split(/ and (\d+) more$/);
  const left = new Set(named.split(', '));
  expect(left.size + Number(more)).toBe((await service.count()) - before);
  expect(deletes).toBeLessThan(20);
  expect(left.size).toBeGreaterThan(10);
});
