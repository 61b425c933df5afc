import { describe, expect, test } from 'vitest';
import { UsageError } from '../../spec/files/usage-error.ts';
import { useTarget } from '../../testing/proxies/use-target.ts';
import { createTarget } from './target.ts';

const { closing } = useTarget();

describe('a base URL', () => {
  test.each([
    ['https://api.example.com/v1///', 'https://api.example.com/v1'],
    ['HTTP://API.Example.com:80/Tenant', 'http://api.example.com/Tenant'],
    ['http://example.com/@tenant', 'http://example.com/@tenant'],
  ])('%s is taken as %s', (given, taken) => {
    expect(closing(createTarget({ baseUrl: given })).url).toBe(taken);
  });

  test.each(['', '127.0.0.1:4010', 'localhost:4010', 'ftp://example.com', 'http://a b', '//host'])(
    '"%s" is refused, with the way out',
    (baseUrl) => {
      expect(() => createTarget({ baseUrl })).toThrow(UsageError);
      expect(() => createTarget({ baseUrl })).toThrow(
        `"${baseUrl}" is not a base URL. Pass one that starts with http:// or https://, such as http://127.0.0.1:4010.`,
      );
    },
  );

  test.each([
    ['a password', 'http://me:s3cr3t@example.com', /contains a user name or password\. Pass --basic/],
    ['a password and no scheme', 'me:s3cr3t@example.com', /user name or password/],
    ['a password that has a slash, and no scheme', 'me:s3/cr3t@example.com', /user name or password/],
    ['a password behind one slash', 'http:/me:s3cr3t@example.com', /user name or password/],
    ['a query', 'http://example.com/api?token=s3cr3t', /contains a query or fragment\. Remove it/],
    ['a fragment', 'http://example.com/#s3cr3t', /contains a query or fragment\. Remove it/],
  ])('with %s is refused, and not repeated', (_, baseUrl, message) => {
    expect(() => createTarget({ baseUrl })).toThrow(UsageError);
    expect(() => createTarget({ baseUrl })).toThrow(message);
    expect(() => createTarget({ baseUrl })).not.toThrow(/s3|cr3t/);
  });
});
