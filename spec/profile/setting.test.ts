import { describe, expect, test } from 'vitest';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { readYaml } from '../files/yaml-file.ts';
import { readSettings } from './setting.ts';

const read = (text: string) => readSettings(readYaml(text, 'f'));

const NOTHING: Catalogue = { title: 'T', version: '1', base: '/api', areas: [], models: new Map() };

describe('the ledger of settings', () => {
  test('gives the options of a closed set and the examples of an open one', () => {
    const [closed, open] = read(
      'a.b: { options: [x, y], section: 4, about: A. }\nc: { kind: count, default: 1, examples: [2], section: "5", about: C., when: { a.b: x } }',
    );
    expect(closed).toMatchObject({ name: 'a.b', section: '4', default: 'x', variants: ['x', 'y'], when: [] });
    expect(open).toMatchObject({
      name: 'c',
      section: '5',
      default: 1,
      variants: [1, 2],
      when: [['a.b', ['x']]],
    });
  });

  test.each([
    [
      'without a section',
      'a: { options: [x], about: A. }',
      /^f:1: a has no section or about; expected both$/,
    ],
    ['without a meaning', '\na: { options: [x], section: 4 }', /^f:2: a has no section or about/],
    ['of nothing', 'a:', /a has no section or about/],
    [
      'of an unknown kind',
      'a: { kind: cont, section: 4, about: A. }',
      /the kind of a is "cont"; .* Did you mean count\?$/,
    ],
    [
      'of a kind of the prototype',
      'a: { kind: constructor, section: 4, about: A. }',
      /the kind of a is "constructor"/,
    ],
  ])('refuses a row %s', (_name, text, reason) => {
    expect(() => read(text)).toThrow(reason);
  });

  test('says so when a catalogue has no select field to speak of', () => {
    const [setting] = read('values: { kind: values, default: {}, section: 2, about: V. }');
    expect(() => setting?.read(readYaml('a.b: [x]', 'p'), NOTHING)).toThrow(
      /^p:1: values names a\.b; the catalogue has no select field$/,
    );
  });
});
