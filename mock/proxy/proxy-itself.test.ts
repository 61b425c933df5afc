import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { leadsToItself } from './proxy-itself.ts';

test.each([
  ['http://127.0.0.1:4663', 'http://127.0.0.1:4663'],
  ['http://localhost:4663/base', 'http://127.0.0.1:4663'],
  ['http://127.1:4663', 'http://127.0.0.1:4663'],
  ['http://0.0.0.0:4663', 'http://127.0.0.1:4663'],
  ['http://127.0.0.1:4663', 'http://0.0.0.0:4663'],
  ['http://127.0.0.9:4663', 'http://[::]:4663'],
  ['http://[::1]:4663', 'http://[::1]:4663'],
  ['http://[::1]:4663', 'http://[::]:4663'],
  ['http://localhost', 'http://127.0.0.1:80'],
  ['https://localhost', 'http://127.0.0.1:443'],
])('%s leads to what listens at %s', async (upstream, own) => {
  expect(await leadsToItself(upstream, own)).toBe(true);
});

test('so does every address of this machine where all of them are listened to', async () => {
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((all) => all ?? [])) {
    const host = family === 'IPv6' ? `[${address}]` : address;
    expect(await leadsToItself(`http://${host}:4663`, 'http://[::]:4663')).toBe(true);
  }
});

test.each([
  ['http://127.0.0.1:4664', 'http://127.0.0.1:4663'],
  ['http://localhost', 'http://127.0.0.1:4663'],
  ['http://127.0.0.2:4663', 'http://127.0.0.1:4663'],
  ['http://[::1]:4663', 'http://0.0.0.0:4663'],
  ['http://192.0.2.1:4663', 'http://0.0.0.0:4663'],
  ['http://host.invalid:4663', 'http://0.0.0.0:4663'],
])('%s does not lead to what listens at %s', async (upstream, own) => {
  expect(await leadsToItself(upstream, own)).toBe(false);
});
