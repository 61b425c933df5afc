import { describe, expect, test } from 'vitest';
import { changes, useProfileFile } from '../../testing/input-files/profile-file.ts';
import { loadCatalogue } from '../catalogue/catalogue.ts';
import { createProfile, DEFAULT_PROFILE, pagesOf, SETTINGS } from './profile.ts';

const catalogue = loadCatalogue();
const { complaint, load } = useProfileFile();

/** Other settings that a variant needs. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'response.total': { 'response.records': '/items' },
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
    }
  });
});

describe('a profile', () => {
  test('may be written nested, dotted, and both', () => {
    const wanted = { 'delete.effect': 'remove', 'delete.answer': 'none', 'list.filter': 'none' };
    for (const text of [
      'delete: { effect: remove, answer: none }\nlist: { filter: none }',
      'delete.effect: remove\ndelete.answer: none\nlist.filter: none',
      'delete: { effect: remove }\ndelete.answer: none\nlist:\n  filter: none',
      '{"delete":{"effect":"remove","answer":"none"},"list.filter":"none"}',
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

  test('may name the style of paging only, and sizes adapt to each other', () => {
    const usual = { size: 'limit', from: 'page', default: 100, max: 500 };
    expect(load('list.paging: page')['list.paging']).toEqual({ style: 'page', ...usual });
    expect(load('list.paging: { style: page, max: 50 }')['list.paging']).toEqual({
      style: 'page',
      ...usual,
      default: 50,
      max: 50,
    });
    expect(load('list.paging: { style: page, default: 900 }')['list.paging']).toMatchObject({ max: 900 });
    const open = load('list.paging: { style: page, default: unknown, max: 50 }');
    expect(open['list.paging']).toMatchObject({ default: 'unknown', max: 50 });
    expect(pagesOf(open)).toMatchObject({ default: 50, max: 50 });
  });

  const variants = SETTINGS.flatMap((setting) => setting.variants.map((value) => [setting, value] as const));

  test.each(
    variants.map(([setting, value]) => [`${setting.name} ${JSON.stringify(value)}`, setting, value] as const),
  )('takes %s', (_name, setting, value) => {
    const profile = createProfile({ ...BESIDE[setting.name], [setting.name]: value }, catalogue);
    expect(profile[setting.name]).toEqual(value);
  });
});
