import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { DEFAULT_PROFILE, loadProfile, SETTINGS } from '../../spec/profile/profile.ts';
import { profileSchema } from '../profile/profile-schema.ts';
import { generatedFiles } from './generated.ts';
import { referencePages } from './reference.ts';

test('the generated files are up to date; npm run generate writes them', () => {
  for (const [path, text] of generatedFiles()) expect(readFileSync(path, 'utf8'), path).toBe(text);
});

test('the pages of docs/reference are up to date; npm run reference writes them', async () => {
  for (const [name, text] of await referencePages())
    expect(readFileSync(join(import.meta.dirname, '../../docs/reference', name), 'utf8'), name).toBe(text);
});

const reference = fileURLToPath(new URL('../../spec/profile/profile.default.yaml', import.meta.url));
const catalogue = loadCatalogue();
const isValid = new Ajv2020({ strictTypes: false }).compile(profileSchema());

test('the file of the default profile matches the default profile in the code', () => {
  expect(loadProfile(reference, catalogue)).toEqual(DEFAULT_PROFILE);
  expect(isValid(parse(readFileSync(reference, 'utf8')))).toBe(true);
});

test('the schema for editors accepts each value of each setting', () => {
  for (const { name, variants } of SETTINGS) {
    const [group = '', member] = name.split('.');
    for (const value of [...variants, 'unknown', ...variants.map((unknown) => ({ unknown }))])
      for (const profile of [{ [name]: value }, { [group]: member ? { [member]: value } : value }])
        expect({ profile, isValid: isValid(profile) }).toEqual({ profile, isValid: true });
    expect(isValid({ [name]: { unknown: null } })).toBe(false);
  }
});

test.each([{ 'delte.effect': 'mark' }, { delete: { efect: 'mark' } }, { 'status.invalid': 401 }, []])(
  'the schema for editors rejects %j',
  (profile) => {
    expect(isValid(profile)).toBe(false);
  },
);
