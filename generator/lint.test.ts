import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { OpenAPIV3_1 } from 'openapi-types';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Contract, loadContract } from '../spec/contract.ts';
import { kitFile } from '../spec/files/kit-file.ts';
import { createProfile } from '../spec/profile/profile.ts';
import { demo, demo as records } from '../testing/demo.ts';
import { catalogue, references } from '../testing/mocks/mocks.ts';
import { generateDocument } from './generate.ts';
import type { Schema } from './schemas/schema.ts';
import { serializeDocument } from './serialize.ts';
import { validateDocument } from './validate.ts';

/** Linters take seconds for each megabyte; these models have every type, lines, and one is only read. */
const FEW = ['warehouse', 'stockOrder', 'stockOrderLine', 'customer', 'subscriptionTask', 'voucherType'];
const few = { ...catalogue, models: new Map([...catalogue.models].filter(([name]) => FEW.includes(name))) };

/** The default, and profiles that differ in envelopes, forms, refusals, credentials and lists. */
const PROFILES: Readonly<Record<string, unknown>>[] = [
  {},
  { 'response.record': '/data', 'response.records': '/data/items', 'types.select': 'object' },
  { 'request.readonlyFields': 'reject', 'errors.form': 'simple', auth: 'bearer', 'limits.rate': 9 },
  { 'request.unknownFields': 'ignore', 'list.paging': 'none', 'list.sort': 'none', 'list.filter': 'none' },
  { 'types.currency': 'minor', 'types.bool': 'int', 'response.unset': 'absent', 'delete.answer': 'flag' },
];

const info = { title: 'A document', version: '1' };
const withSchemas = (schemas: Record<string, OpenAPIV3_1.SchemaObject>): OpenAPIV3_1.Document => ({
  openapi: '3.1.0',
  info,
  paths: {},
  components: { schemas },
});

const generate = () => generateDocument(loadContract(), { records: demo });
const yaml = serializeDocument(generate(), 'yaml');

describe('Redocly, recommended-strict', () => {
  it('has nothing to say of all models', async () => {
    expect(await lintWithRedocly(documentOf({}, catalogue))).toEqual([]);
  });

  it.each(PROFILES)('has nothing to say under %j', async (settings) => {
    expect(await lintWithRedocly(documentOf(settings, few))).toEqual([]);
  });

  it('speaks of what is wrong', async () => {
    const { license: _, ...info } = documentOf({}, few).info;
    expect(await lintWithRedocly({ ...documentOf({}, few), info })).toEqual([
      expect.stringContaining('info-license'),
    ]);
  });
});

/** Without a format, each code generator chooses another number type; a request needs an example to try. */
it('has a basis and a type for each field, a format for each number, and an example for each body', () => {
  const { components, paths } = documentOf({}, catalogue);
  const missing: string[] = [];
  const expectOf = (place: string, object: object, names: readonly string[]) =>
    missing.push(...names.filter((name) => !(name in object)).map((name) => `${place}: ${name}`));
  for (const [name, { properties = {}, ...schema }] of Object.entries<{
    properties?: Record<string, Schema>;
    title?: string;
  }>(components.schemas))
    for (const [field, property] of Object.entries(properties)) {
      const place = `${name}.${field}`;
      if (schema.title !== undefined && !('x-basis' in schema))
        expectOf(place, property, ['x-basis', 'x-type']);
      if (property['x-type'] === 'select') expectOf(place, property, ['description']);
      if (['number', 'integer'].includes([property.type].flat()[0] ?? ''))
        expectOf(place, property, ['format']);
    }
  for (const [path, item] of Object.entries<Record<string, Operation>>(paths))
    for (const [method, { requestBody, responses }] of Object.entries(item))
      for (const { content = {} } of [requestBody ?? {}, ...Object.values(responses ?? {})])
        for (const media of Object.values(content)) expectOf(`${method} ${path}`, media, ['examples']);
  expect(missing).toEqual([]);
});

it('takes a valid document and leaves it as it is', async () => {
  const document = withSchemas({
    One: { type: 'string' },
    Other: { type: 'array', items: { $ref: '#/components/schemas/One' } },
  });
  const before = structuredClone(document);
  await validateDocument(document);
  expect(document).toEqual(before);
});

it('rejects what the specification does not allow', async () => {
  const document = { openapi: '3.1.0', info: { title: 'No version' }, paths: {} } as OpenAPIV3_1.Document;
  await expect(validateDocument(document)).rejects.toThrow(/version/);
});

it('rejects a reference to nothing', async () => {
  const document = withSchemas({ One: { type: 'array', items: { $ref: '#/components/schemas/None' } } });
  await expect(validateDocument(document)).rejects.toThrow(/None/);
});

it('rejects schemas that refer to each other in a circle', async () => {
  const document = withSchemas({ One: { type: 'array', items: { $ref: '#/components/schemas/One' } } });
  await expect(validateDocument(document)).rejects.toThrow(/circular/i);
});

it('writes equal documents as equal bytes', () => {
  expect(serializeDocument(generate(), 'yaml')).toBe(yaml);
  expect(serializeDocument(generate(), 'json')).toBe(serializeDocument(generate(), 'json'));
});

it('writes the same content in both formats', () => {
  const content: unknown = JSON.parse(serializeDocument(generate(), 'json'));
  expect(parse(yaml)).toEqual(content);
  expect(content).toEqual(generate());
});

it('means the same to readers of YAML 1.1', () => {
  expect(parse(yaml, { version: '1.1' })).toEqual(parse(yaml));
});

it('says how it was made, and has no anchors, aliases or folded lines', () => {
  expect(yaml).toMatch(/^# Generated by `record-model generate`\./);
  expect(yaml).not.toMatch(/^\s*(- |[^\s"`]+: )[&*][A-Za-z0-9]/m);
  expect(yaml).not.toMatch(/: >-?$/m);
});

it('is what stands in spec/openapi.yaml', () => {
  expect(readFileSync(kitFile('spec/openapi.yaml'), 'utf8') === yaml).toBe(true);
});

function documentOf(settings: Readonly<Record<string, unknown>>, of: Contract['catalogue']) {
  const contract = { catalogue: of, profile: createProfile(settings, of), references };
  return JSON.parse(JSON.stringify(generateDocument(contract, { records })));
}

async function lintWithRedocly(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  return problems.map(({ ruleId, location, message }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
}

type Media = { readonly content?: Readonly<Record<string, object>> };
type Operation = { readonly requestBody?: Media; readonly responses?: Readonly<Record<string, Media>> };
