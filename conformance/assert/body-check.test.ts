import { describe, expect, test } from 'vitest';
import { createProfile, DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { catalogue, references } from '../../testing/checks.ts';
import { createBodyCheck } from './body-check.ts';

const check = createBodyCheck({ catalogue, profile: DEFAULT_PROFILE, references });
const LOCKER = { name: 'A1', type: 1, status: 1 };

describe('a body of the suite', () => {
  test('that is as the document says may be sent', () => {
    expect(() => check('Create', 'locker', LOCKER)).not.toThrow();
    expect(() => check('Update', 'locker', { name: 'A2' })).not.toThrow();
  });

  test.each([
    [
      'a required field that is missing',
      'Create',
      { type: 1, status: 1 },
      /breaks LockerCreate: .*required property 'name'/,
    ],
    ['a value outside its list', 'Create', { ...LOCKER, status: 99 }, /breaks LockerCreate: .*status/],
    ['a wrong type', 'Update', { name: 7 }, /breaks LockerUpdate: .*name must be string/],
    ['a readonly field', 'Create', { ...LOCKER, id: 1 }, /breaks LockerCreate: /],
    ['a field that the model does not have', 'Update', { nmae: 'A1' }, /breaks LockerUpdate: /],
  ] as const)('with %s is a mistake of the suite, which names schema and place', (_, kind, body, message) => {
    expect(() => check(kind, 'locker', body)).toThrow(/^the suite was about to send a body that breaks /);
    expect(() => check(kind, 'locker', body)).toThrow(message);
  });

  test('is judged by the document of the profile', () => {
    const minor = createProfile({ 'types.currency': 'minor', 'request.update': 'full' }, catalogue);
    const inMinor = createBodyCheck({ catalogue, profile: minor, references });
    expect(() => inMinor('Create', 'deposit', { customer: 1, balance: 1250 })).not.toThrow();
    expect(() => inMinor('Create', 'deposit', { customer: 1, balance: 12.5 })).toThrow(
      /balance must be integer/,
    );
    expect(() => inMinor('Update', 'deposit', { balance: 1250 })).toThrow(/required property 'customer'/);
  });
});
