import { describe, expect, test } from 'vitest';
import { changes, useProfileFile } from '../../testing/input-files/profile-file.ts';
import { loadCatalogue } from '../catalogue/catalogue.ts';
import { applies, createProfile, DEFAULT_PROFILE, SETTINGS } from './profile.ts';

const catalogue = loadCatalogue();
const { complaint, load } = useProfileFile();

/** Other settings that a variant needs. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'response.total': { 'response.records': '/items' },
  'list.maxSize': { 'list.defaultSize': 10 },
};

describe('the default profile', () => {
  test('is what an empty file gives', () => {
    expect(load('')).toEqual(DEFAULT_PROFILE);
    expect(load('{}')).toEqual(DEFAULT_PROFILE);
    expect(createProfile({}, catalogue)).toEqual(DEFAULT_PROFILE);
  });

  test('says for every setting what it means and which section leaves it open', () => {
    for (const setting of SETTINGS) {
      expect(setting.about).toMatch(/\.$/);
      expect(setting.section).toMatch(/^[1-9]/);
      expect(setting.variants[0]).toEqual(setting.default);
      expect(setting.variants.length).toBeGreaterThan(0);
      for (const [name, values] of setting.when) {
        const other = SETTINGS.find((candidate) => candidate.name === name);
        for (const value of values) expect(other?.variants).toContain(value);
      }
    }
  });
});

describe('a profile', () => {
  test('may be written nested, dotted, and both', () => {
    const wanted = { 'delete.effect': 'remove', 'delete.answer': 'none', 'list.paging': 'page' };
    for (const text of [
      'delete: { effect: remove, answer: none }\nlist: { paging: page }',
      'delete.effect: remove\ndelete.answer: none\nlist.paging: page',
      'delete: { effect: remove }\ndelete.answer: none\nlist:\n  paging: page',
      '{"delete":{"effect":"remove","answer":"none"},"list.paging":"page"}',
    ])
      expect(changes(load(text))).toEqual(wanted);
  });

  test('takes null for the option null of response.unset, and for nothing else', () => {
    expect(load('response.unset: null')['response.unset']).toBe('null');
    expect(load('response: { unset: }')['response.unset']).toBe('null');
    expect(load('response.unset: "null"')['response.unset']).toBe('null');
    expect(complaint('request.update: null')).toContain(
      'Unknown value null for request.update. Use "partial", "merge", or "full".',
    );
  });

  test('is frozen', () => {
    expect(Object.isFrozen(load('request.update: full'))).toBe(true);
    expect(Object.isFrozen(DEFAULT_PROFILE)).toBe(true);
  });

  const variants = SETTINGS.flatMap((setting) => setting.variants.map((value) => [setting, value] as const));

  test.each(
    variants.map(([setting, value]) => [`${setting.name} ${JSON.stringify(value)}`, setting, value] as const),
  )('takes %s', (_name, setting, value) => {
    const settings = {
      ...Object.fromEntries(setting.when.map(([name, values]) => [name, values[0]])),
      ...BESIDE[setting.name],
      [setting.name]: value,
    };
    const profile = createProfile(settings, catalogue);
    expect(profile[setting.name]).toEqual(value);
    expect(applies(setting, profile)).toBe(true);
  });
});
