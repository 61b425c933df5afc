import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { TYPE_NAMES } from './catalogue/field.ts';

const ROOT = join(import.meta.dirname, '..');
const SCHEMAS = join(import.meta.dirname, 'schemas');
const ajv = new Ajv2020({ strictTypes: false, allErrors: true, keywords: ['x-expected'] });
formats.default(ajv);

const schemas = new Map<string, ValidateFunction>(
  readdirSync(SCHEMAS).map((file) => [
    file.replace('.schema.json', ''),
    ajv.compile(JSON.parse(readFileSync(join(SCHEMAS, file), 'utf8'))),
  ]),
);

/** Returns the errors of a value under its schema. */
function mistakes(name: string, value: unknown): string[] {
  const isValid = schemas.get(name);
  if (!isValid) throw new Error(`there is no schema ${name}`);
  return isValid(value)
    ? []
    : (isValid.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

/** The YAML files that people write. The generated document has another schema. */
const written = ['spec', 'fixtures'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yaml') && path !== 'openapi.yaml')
    .map((path) => join(folder, path)),
);

test.each(written)('%s names its schema in the first line, and matches it', (path) => {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const schema = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1] ?? '';
  const found = join(ROOT, dirname(path), schema);
  expect(dirname(found)).toBe(SCHEMAS);
  const name = /([\w-]+)\.schema\.json$/.exec(found)?.[1] ?? '';
  expect(mistakes(name, parse(text))).toEqual([]);
});

test.each<[string, unknown]>([
  ['catalogue', { area: 'A', models: { m: { name: 'strng req' } } }],
  ['fixtures', { brand: [{ id: 0, name: 'x' }] }],
  ['fixtures', { brand: [{ nmae: 'x' }] }],
  ['fixtures', { brand: { id: 1 } }],
  ['vectors', [{ types: ['int'], from: 'x', pairs: [[1]], none: ['a'] }]],
  ['profile', { 'delete.effect': 'soft' }],
])('the schema %s rejects %j', (name, value) => {
  expect(mistakes(name, value)).not.toEqual([]);
});

test('the schema of profiles accepts unknown settings, and unknown ones with an option that fits', () => {
  const settings = { delete: { effect: 'unknown' }, 'types.date': { unknown: 'iso' } };
  expect(mistakes('profile', settings)).toEqual([]);
});

test('the schema of the catalogue accepts each type', () => {
  const unknown = TYPE_NAMES.filter((name) => name !== 'lines').filter(
    (type) => mistakes('catalogue', { area: 'A', models: { thing: { part: type } } }).length > 0,
  );
  expect(unknown, 'types that spec/schemas/catalogue.schema.json lacks in its pattern of a field').toEqual(
    [],
  );
});
