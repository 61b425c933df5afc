import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { DEFAULT_PROFILE, describeProfile, loadProfile } from '../../spec/profile/profile.ts';
import { catalogue, references } from '../../testing/checks.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { createCaseIds } from '../plan/plan.ts';
import { loadBaseline } from '../results/baseline.ts';
import { loadResults } from './compare.ts';

describe('files of the version before', () => {
  const directory = useDirectory();
  /** Written by the commands of earlier versions: a learned profile, a baseline with a case of each rule, and results. */
  const file = (name: string) => join(import.meta.dirname, '../../testing/version-before', name);

  test('a profile is read, and says what it said', () => {
    const profile = loadProfile(file('profile.yaml'), catalogue);
    expect(describeProfile(profile)).toEqual([]);
  });

  test('a baseline is read: every rule still has its cases', () => {
    const ids = createCaseIds({ catalogue, references, profile: DEFAULT_PROFILE });
    expect(loadBaseline(file('baseline.yaml'), ids)).toHaveLength(94);
  });

  test('results are read, with their failures', () => {
    const text = gunzipSync(readFileSync(file('results.json.gz'))).toString();
    expect(JSON.parse(text)).not.toHaveProperty('version');
    const { cases, version } = loadResults(directory.write('results.json', text));
    expect(version).toBe(1);
    expect(cases.flatMap(({ id, outcome }) => (outcome === 'fail' ? id : []))).toEqual([
      'update.changes-field:locker.name',
    ]);
  });
});
