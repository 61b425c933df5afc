import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../spec/files/usage-error.ts';
import { startForwarding } from '../../testing/proxies/forwarding-mock.ts';
import { leadsToItself } from './leads-to-itself.ts';

test.each([
  ['http://127.0.0.1:4663', 'http://127.0.0.1:4663'],
  ['http://localhost:4663/base', 'http://127.0.0.1:4663'],
  ['http://0.0.0.0:4663', 'http://127.0.0.1:4663'],
  ['http://127.0.0.1:4663', 'http://0.0.0.0:4663'],
  ['http://127.0.0.9:4663', 'http://[::]:4663'],
  ['http://[::1]:4663', 'http://[::1]:4663'],
  ['http://[::1]:4663', 'http://[::]:4663'],
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
  ['http://192.0.2.1:4663', 'http://0.0.0.0:4663'],
  ['http://host.invalid:4663', 'http://0.0.0.0:4663'],
])('%s does not lead to what listens at %s', async (upstream, own) => {
  expect(await leadsToItself(upstream, own)).toBe(false);
});

describe('an address that is none of a service', () => {
  test.each(['nonsense', 'ftp://a.example', 'http://user:word@a.example', 'http://a.example/?x'])(
    'is a mistake of the user: %s',
    async (upstream) => {
      await expect(startForwarding(upstream)).rejects.toThrow(UsageError);
    },
  );

  test.each([
    'me:s3cret@api.example.com',
    'http://me:s3/cret@api.example.com',
    'https://api.example.com/?key=s3cret',
  ])('does not start with %s, and repeats no secret of it', async (upstream) => {
    const error = await startForwarding(upstream).then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error).toBeInstanceOf(UsageError);
    expect(error?.message).toMatch(/^The forward URL must not contain a/);
    expect(error?.message).not.toMatch(/s3/);
  });
});
