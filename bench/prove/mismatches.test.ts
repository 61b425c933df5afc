import { describe, expect, test } from 'vitest';
import { DEFAULT_PROFILE, pagesOf, SETTINGS } from '../../spec/profile/profile.ts';
import { demo as fixtures } from '../../testing/demo.ts';
import { catalogue, references } from '../../testing/mocks/mocks.ts';
import { findException } from './mismatch-exceptions.ts';
import { createMismatchTrial, listMismatches, nameOfMismatch } from './mismatches.ts';

describe('a wrong supposition', () => {
  const mismatches = listMismatches(catalogue);
  const tryMismatch = createMismatchTrial({ catalogue, references }, fixtures);

  test('is listed for each option of each setting', () => {
    for (const { name, variants } of SETTINGS)
      expect([name, mismatches.filter(({ setting }) => setting.name === name).length]).toEqual([
        name,
        variants.length * (variants.length - 1),
      ]);
  });

  test('differs in that setting alone', () => {
    for (const { setting, spoken, supposed } of mismatches) {
      const differing = Object.entries(spoken).filter(
        ([name, value]) =>
          JSON.stringify(value) !==
          JSON.stringify(Object.entries(supposed).find(([other]) => other === name)?.[1]),
      );
      expect(differing.map(([name]) => name)).toEqual([setting.name]);
    }
  });

  test.each(['request.unknownFields', 'list.filter'])('about %s is noticed', async (name) => {
    for (const one of mismatches.filter(({ setting }) => setting.name === name))
      expect([nameOfMismatch(one), await tryMismatch(one)]).toEqual([nameOfMismatch(one), 'noticed']);
  });

  test('that pages count from 1 is no breach of a service whose pages count from 0', async () => {
    const one = mismatches.find(
      ({ spoken, supposed }) => pagesOf(spoken)?.style === 'index' && pagesOf(supposed)?.style === 'page',
    );
    expect(one && (await tryMismatch(one))).toBe('noticed');
  });

  test('that can only be blocked is known as such', async () => {
    const one = mismatches.find(
      (each) => nameOfMismatch(each) === 'types.currency "minor", supposed to be "number"',
    );
    expect(one?.exception?.shows).toBe('in-operations');
    expect(one && (await tryMismatch(one))).toBe('excepted');
  });

  test('that shows after all is no exception', async () => {
    const one = mismatches.find(({ setting }) => setting.name === 'status.created');
    const exception = { setting: 'status.created', why: 'a test', shows: 'nowhere' } as const;
    expect(one && (await tryMismatch({ ...one, exception }))).toBe('excepted-wrongly');
    expect(findException('status.created', DEFAULT_PROFILE, DEFAULT_PROFILE)).toBeUndefined();
  });
});
