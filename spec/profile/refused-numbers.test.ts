import { describe, expect, test } from 'vitest';
import { useProfileFile } from '../../testing/input-files/profile-file.ts';

const { complaint } = useProfileFile();

describe('a profile is refused, with file and line,', () => {
  test.each<[string, string, string]>([
    [
      'for a created that says no',
      'status.created: 400',
      'status.created is 400; expected a whole number from 200 to 299',
    ],
    [
      'for an invalid that says yes',
      'status.invalid: 200',
      'status.invalid is 200; expected a whole number from 400 to 499',
    ],
    [
      'for an invalid that speaks of who asks',
      'status.invalid: 401',
      'status.invalid is 401, which speaks of who asks, or how often; expected another status',
    ],
    [
      'for an invalid that says that there is no such method',
      'status.invalid: 501',
      'status.invalid is 501; expected a whole number from 400 to 499',
    ],
    ['for an invalid that says that something broke', 'status.invalid: 500', 'status.invalid is 500'],
    [
      'for a status that is a text',
      'status.deleted: "204"',
      'status.deleted is "204"; expected a whole number',
    ],
    [
      'for a created without a body',
      'status.created: 204',
      'status.created is 204, which has no body; expected a status with one',
    ],
    ['for an updated without a body', 'status: { updated: 205 }', 'status.updated is 205, which has no body'],
    [
      'for a size of none',
      'list.defaultSize: 0',
      'list.defaultSize is 0; expected a whole number from 1 to 100000',
    ],
    [
      'for a size that is no whole number',
      'list.maxSize: 1.5',
      'list.maxSize is 1.5; expected a whole number',
    ],
    ['for a size that never ends', 'list.maxSize: .inf', 'expected a whole number'],
    [
      'for a size above the greatest',
      'list: { defaultSize: 20, maxSize: 10 }',
      'list.defaultSize is 20; expected at most list.maxSize, 10',
    ],
    [
      'for a greatest size below the default',
      'list.maxSize: 10',
      'list.defaultSize is 100; expected at most list.maxSize, 10',
    ],
    [
      'for a limit of another word',
      'limits.text: unlimited',
      'limits.text is "unlimited"; expected none or a whole number from 1 to 1000000',
    ],
    ['for a limit of none at all', 'limits.rate: 0', 'limits.rate is 0; expected none or a whole number'],
  ])('%s', (_name, text, expected) => {
    expect(complaint(text)).toContain(expected);
  });
});
