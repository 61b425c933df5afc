import { afterEach, describe, expect, test } from 'vitest';
import { UsageError } from '../../spec/files/usage-error.ts';
import { startProxy, stopAll } from '../../testing/proxies/proxies.ts';

afterEach(stopAll);

describe('an address that is none of a service', () => {
  test.each(['nonsense', 'ftp://a.example', 'http://user:word@a.example', 'http://a.example/?x'])(
    'is a mistake of the user: %s',
    async (upstream) => {
      await expect(startProxy(upstream)).rejects.toThrow(UsageError);
    },
  );

  test.each([
    'http://me:s3cret@api.example.com',
    'me:s3cret@api.example.com',
    'ftp://me:s3cret@api.example.com',
    'http://me:s3/cret@api.example.com',
    'https://api.example.com/?key=s3cret',
  ])('does not start with %s, and repeats no secret of it', async (upstream) => {
    const error = await startProxy(upstream).then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error).toBeInstanceOf(UsageError);
    expect(error?.message).toMatch(/^The upstream URL must not contain a/);
    expect(error?.message).not.toMatch(/s3/);
  });
});
