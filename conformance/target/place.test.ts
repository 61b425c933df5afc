import type { LookupAddress } from 'node:dns';
import { expect, test } from 'vitest';
import { UsageError } from '../../spec/files/usage-error.ts';
import { BRAND, useTarget } from '../../testing/proxies/use-target.ts';
import { locate, noAddress } from './place.ts';

const { listen, target } = useTarget();

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
])('the address %s is of this machine: %s', async (url, isHere) => {
  const resolve = () => Promise.reject(new Error('no name is looked up'));
  expect(await locate(url, resolve)).toMatchObject({ isHere, addresses: [expect.any(Object)] });
});

test.each<[host: string, addresses: LookupAddress[], isHere: boolean]>([
  ['localhost', [v6('::1'), v4('127.0.0.1')], true],
  ['prod.localhost', [v4('10.0.0.7')], false],
  ['localhost', [v4('127.0.0.1'), v4('10.0.0.7')], false],
  ['127.0.0.1.example.com', [v4('93.184.216.34')], false],
  ['nobody.example.com', [], false],
])('the name %s is of this machine by what it resolves to, %j: %s', async (host, addresses, isHere) => {
  expect(await locate(`http://${host}:4010`, async () => addresses)).toEqual({ isHere, addresses });
});

test('a name that can not be looked up is not taken for this machine', async () => {
  const failure = 'ENOTFOUND';
  const resolve = () => Promise.reject(Object.assign(new Error(), { code: failure }));
  const place = await locate('http://service.invalid', resolve);
  expect(place).toEqual({ isHere: false, addresses: [], failure });
});

test('an unknown host is a usage error, a DNS server without an answer is not', () => {
  const unknown = noAddress('https://api.exmaple.com/v1', 'ENOTFOUND');
  expect(unknown).toBeInstanceOf(UsageError);
  expect(unknown.message).toMatch(/^The host "api\.exmaple\.com" does not exist/);
  const silent = noAddress('https://api.example.com', 'EAI_AGAIN');
  expect(silent).toMatchObject({ name: 'NoAnswer', gone: true });
});

test('a base URL with a user name that looks like a local address is refused', async () => {
  await expect(locate('http://127.0.0.1@example.com')).rejects.toThrow(/user name or password/);
});

test('what a name was resolved to stays, whatever it leads to later', async () => {
  const { port } = new URL(await listen((_, response) => response.end('[]')));
  const { send } = target(`http://service.invalid:${port}`, { addresses: [v4('127.0.0.1')] });
  expect(await send(BRAND)).toMatchObject({ status: 200, body: '[]' });
});
