import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULT_PROFILE, describeProfile, loadProfile } from '../../spec/profile/profile.ts';
import { catalogue, references } from '../../testing/checks.ts';
import { createCaseIds } from '../plan/case-ids.ts';
import { loadBaseline } from './baseline.ts';

describe('files of the version before', () => {
  /** Written by the commands of that version: a learned profile, and a baseline with a case of each rule. */
  const file = (name: string) => join(import.meta.dirname, '../../testing/version-before', name);

  test('a profile is read, and says what it said', () => {
    const profile = loadProfile(file('profile.yaml'), catalogue);
    expect(describeProfile(profile)).toEqual([]);
  });

  test('a baseline is read: every rule still has its cases', () => {
    const ids = createCaseIds({ catalogue, references, profile: DEFAULT_PROFILE });
    expect(loadBaseline(file('baseline.yaml'), ids)).toHaveLength(94);
  });
});
