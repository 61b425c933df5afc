import { describe, expect, test } from 'vitest';
import { useProfileFile } from '../../testing/input-files/profile-file.ts';

const { complaint } = useProfileFile();

describe('a profile is refused, with file and line,', () => {
  test.each<[string, string, string]>([
    [
      'for a created that says no',
      'status.created: 400',
      'status.created must be a whole number from 200 to 299, but is 400.',
    ],
    [
      'for an invalid that says yes',
      'status.invalid: 200',
      'status.invalid must be a whole number from 400 to 499, but is 200.',
    ],
    [
      'for an invalid that speaks of who asks',
      'status.invalid: 401',
      `status.invalid can't be 401 because 401, 403, and 429 describe the client, not the request. Use another status from 400 to 499.`,
    ],
    [
      'for an invalid that says that there is no such method',
      'status.invalid: 501',
      'status.invalid must be a whole number from 400 to 499, but is 501.',
    ],
    [
      'for an invalid that says that something broke',
      'status.invalid: 500',
      'status.invalid must be a whole number from 400 to 499, but is 500.',
    ],
    [
      'for a status that is a text',
      'status.deleted: "204"',
      'status.deleted must be a whole number from 200 to 299, but is "204".',
    ],
    [
      'for a created without a body',
      'status.created: 204',
      `status.created can't be 204 because that status has no body, and section 4 returns the record. Use another status from 200 to 299.`,
    ],
    [
      'for an updated without a body',
      'status: { updated: 205 }',
      `status.updated can't be 205 because that status has no body, and section 4 returns the record. Use another status from 200 to 299.`,
    ],
    [
      'for a size of none',
      'list.defaultSize: 0',
      'list.defaultSize must be a whole number from 1 to 100000, but is 0.',
    ],
    [
      'for a size that is no whole number',
      'list.maxSize: 1.5',
      'list.maxSize must be a whole number from 1 to 100000, but is 1.5.',
    ],
    [
      'for a size that never ends',
      'list.maxSize: .inf',
      'list.maxSize must be a whole number from 1 to 100000, but is null.',
    ],
    [
      'for a size above the greatest',
      'list: { defaultSize: 20, maxSize: 10 }',
      'list.defaultSize must be at most list.maxSize (10), but is 20.',
    ],
    [
      'for a greatest size below the default',
      'list.maxSize: 10',
      'list.defaultSize must be at most list.maxSize (10), but is 100.',
    ],
    [
      'for a limit of another word',
      'limits.text: unlimited',
      'limits.text must be none, or a whole number from 1 to 1000000, but is "unlimited".',
    ],
    [
      'for a limit of none at all',
      'limits.rate: 0',
      'limits.rate must be none, or a whole number from 1 to 1000000, but is 0.',
    ],
  ])('%s', (_name, text, expected) => {
    expect(complaint(text)).toContain(expected);
  });
});
