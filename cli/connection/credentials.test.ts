import { describe, expect, test } from 'vitest';
import { UsageError } from '../../spec/files/usage-error.ts';
import { type CredentialOptions, readCredentials } from './credentials.ts';

describe('credentials', () => {
  test.each<[string, CredentialOptions, ReturnType<typeof readCredentials>]>([
    ['nothing', {}, { headers: {} }],
    ['a token', { bearer: 'abc.def' }, { scheme: 'bearer', headers: { authorization: 'Bearer abc.def' } }],
    [
      'a pair, whose password may hold a colon and an accent',
      { basic: 'me:pá:ss' },
      { scheme: 'basic', headers: { authorization: `Basic ${Buffer.from('me:pá:ss').toString('base64')}` } },
    ],
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
  ])('of %s become headers', (_, options, expected) => {
    expect(readCredentials(options)).toEqual(expected);
  });

  test.each<[string, CredentialOptions, RegExp]>([
    [
      'two schemes',
      { bearer: 's3cret', basic: 'a:s3cret' },
      /Credentials are given twice, as bearer and basic\. Pass only one of them\./,
    ],
    [
      'a token with a line end',
      { bearer: 's3cret\r\nx-evil: 1' },
      /--bearer contains characters that are invalid in a header\. Use visible ASCII characters\./,
    ],
    ['a pair without a colon', { basic: 's3cret' }, /--basic must have the form USER:PASSWORD\./],
    ['a key without a value', { apiKey: 'x-s3cret=' }, /--api-key must have the form HEADER-NAME=VALUE\./],
    [
      'a key that no header can carry',
      { apiKey: 'x-key=s3crét' },
      /--api-key contains characters that are invalid in a header\. Use visible ASCII characters\./,
    ],
    [
      'a header that is not theirs to set',
      { header: ['Content-Length: 5'] },
      /--header can't set Content-Length because the client sets it\. Remove the flag\./,
    ],
    [
      'a header with a line end',
      { header: ['a: s3cret\r\nb: c'] },
      /--header must have the form "Name: value"\./,
    ],
    ['a header named __proto__', { header: ['__proto__: s3cret'] }, /--header must have the form/],
    [
      'a header whose name has a space',
      { header: ['a s3cret: b'] },
      /--header must have the form "Name: value"\./,
    ],
  ])('of %s are refused, and not repeated', (_, options, message) => {
    expect(() => readCredentials(options)).toThrow(UsageError);
    expect(() => readCredentials(options)).toThrow(message);
    expect(() => readCredentials(options)).not.toThrow(/s3cr/);
  });
});
