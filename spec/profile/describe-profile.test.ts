import { describe, expect, test } from 'vitest';
import { useProfileFile } from '../../testing/input-files/profile-file.ts';
import { DEFAULT_PROFILE, describeProfile, profileName } from './profile.ts';

const { load, path } = useProfileFile();

describe('what a profile says of itself', () => {
  test('is nothing when it is the default', () => {
    expect(describeProfile(DEFAULT_PROFILE)).toEqual([]);
    expect(describeProfile(load('delete.effect: mark'))).toEqual([]);
  });

  test('are its differences from the default, in the order of the settings', () => {
    const profile = load(
      'values: { customer.language: [es] }\nresponse.record: /data\ndelete.effect: mark-listed\nstatus.created: 200',
    );
    expect(describeProfile(profile)).toEqual([
      'response.record /data',
      'status.created 200',
      'delete.effect mark-listed',
      'values {"customer.language":["es"]}',
    ]);
  });

  test('shows all parts of a setting', () => {
    expect(describeProfile(load('list.paging: { style: page, from: p }'))).toEqual([
      'list.paging page (limit, p, default 100, max 500)',
    ]);
  });

  test('is called by its file', () => {
    expect(profileName(undefined)).toBe('default');
    expect(profileName(path('p.yaml'))).toBe('p.yaml');
  });
});
