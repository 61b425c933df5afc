import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { DEFAULT_PROFILE, loadProfile, SETTINGS } from '../../spec/profile/profile.ts';
import { profileSchema } from '../profile/profile-schema.ts';
import { generatedFiles } from './generated.ts';
import { referencePages } from './reference.ts';

test.each([...generatedFiles()].map(([path, text]) => [relative(process.cwd(), path), path, text]))(
  '%s is up to date; npm run generate writes it',
  (_name, path, text) => {
    expect(readFileSync(path, 'utf8')).toBe(text);
  },
);

test('the pages of docs/reference are up to date; npm run reference writes them', async () => {
  for (const [name, text] of await referencePages())
    expect(readFileSync(join(import.meta.dirname, '../../docs/reference', name), 'utf8'), name).toBe(text);
});

const reference = fileURLToPath(new URL('../../spec/profile/profile.default.yaml', import.meta.url));
const catalogue = loadCatalogue();
const isValid = new Ajv2020({ strictTypes: false }).compile(profileSchema());

test('the default profile of the file is the one in force', () => {
  expect(loadProfile(reference, catalogue)).toEqual(DEFAULT_PROFILE);
  expect(isValid(parse(readFileSync(reference, 'utf8')))).toBe(true);
});

test.each(SETTINGS.map((setting) => [setting.name, setting]))(
  'editors take every answer to %s',
  (name, setting) => {
    const [group = '', member] = name.split('.');
    for (const value of [
      ...setting.variants,
      'unknown',
      ...setting.variants.map((unknown) => ({ unknown })),
    ]) {
      expect(isValid({ [name]: value })).toBe(true);
      if (member !== undefined) expect(isValid({ [group]: { [member]: value } })).toBe(true);
    }
    expect(isValid({ [name]: { unknown: null } })).toBe(false);
  },
);

test.each([{ 'delte.effect': 'mark' }, { delete: { efect: 'mark' } }, { 'status.invalid': 401 }, []])(
  'editors mark %j',
  (profile) => {
    expect(isValid(profile)).toBe(false);
  },
);
