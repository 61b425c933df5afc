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
      /The suite created a body that does not match LockerCreate: data must have required property 'name'\. This is a bug; please report it\./,
    ],
    [
      'a value outside its list',
      'Create',
      { ...LOCKER, status: 99 },
      /The suite created a body that does not match LockerCreate: data\/status must be equal to one of the allowed values\. This is a bug; please report it\./,
    ],
    [
      'a wrong type',
      'Update',
      { name: 7 },
      /The suite created a body that does not match LockerUpdate: data\/name must be string\. This is a bug; please report it\./,
    ],
    [
      'a readonly field',
      'Create',
      { ...LOCKER, id: 1 },
      /The suite created a body that does not match LockerCreate: data must NOT have additional properties\. This is a bug; please report it\./,
    ],
    [
      'a field that the model does not have',
      'Update',
      { nmae: 'A1' },
      /The suite created a body that does not match LockerUpdate: data must NOT have additional properties\. This is a bug; please report it\./,
    ],
  ] as const)('with %s is a mistake of the suite, which names schema and place', (_, kind, body, message) => {
    expect(() => check(kind, 'locker', body)).toThrow(/^The suite created a body that does not match Locker/);
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
