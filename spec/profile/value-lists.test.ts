import { expect, test } from 'vitest';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { createProfile } from './profile.ts';

const NOTHING: Catalogue = { title: 'T', version: '1', base: '/api', areas: [], models: new Map() };

test('a catalogue without a select field is said to have none', () => {
  expect(() => createProfile({ values: { 'a.b': ['x'] } }, NOTHING)).toThrow(
    /^profile:1: values names a\.b; the catalogue has no select field$/,
  );
});
