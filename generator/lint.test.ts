import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import functions from '@stoplight/spectral-functions';
import rulesets from '@stoplight/spectral-rulesets';
import type { OpenAPIV3_1 } from 'openapi-types';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Contract, loadContract } from '../spec/contract.ts';
import { kitFile } from '../spec/files/kit-file.ts';
import { createProfile } from '../spec/profile/profile.ts';
import { demo, demo as records } from '../testing/demo.ts';
import { catalogue, references } from '../testing/mocks/mocks.ts';
import { generateDocument } from './generate.ts';
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

/** The properties of models and of request bodies. Those of errors and envelopes share one basis. */
const OF_MODELS = "$.components.schemas[?(@.title && !@['x-basis'])].properties[*]";
const RULES = {
  extends: [[rulesets.oas, 'recommended']],
  rules: {
    // Of other fields, the name and the type can say all.
    'list-described': rule(
      ["$.components.schemas[?(@.title)].properties[?(@['x-type'] == 'select')]"],
      has('description'),
    ),
    'field-basis': rule([OF_MODELS], has('x-basis'), has('x-type')),
    'number-format': rule(['$.components.schemas[*].properties[*]', '$.components.parameters[*].schema'], {
      function: hasFormat,
    }),
    'media-example': rule(
      ['$.paths[*][*].requestBody.content[*]', '$.paths[*][*].responses[*].content[*]'],
      has('examples'),
    ),
  },
};

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

describe('Spectral, spectral:oas and rules of our own', () => {
  const linter = new spectral.Spectral();
  beforeAll(() => linter.setRuleset(RULES as never));
  const lint = async (document: object) =>
    (await linter.run(JSON.parse(JSON.stringify(document)))).map(
      ({ code, path, message }) => `${code} ${path.join('.')}: ${message}`,
    );

  it.each(PROFILES)('have nothing to say under %j', async (settings) => {
    expect(await lint(documentOf(settings, few))).toEqual([]);
  });

  it('speak of what is wrong', async () => {
    const document = documentOf({}, few);
    const { id, name } = document.components.schemas.Warehouse.properties;
    delete id.format;
    delete document.components.schemas.StockOrder.properties.status.description;
    delete name['x-basis'];
    delete document.paths['/api/model/warehouse'].post.requestBody.content['application/json'].examples;
    const codes = (await lint(document)).map((line) => line.split(' ')[0]);
    expect(new Set(codes)).toEqual(
      new Set(['number-format', 'list-described', 'field-basis', 'media-example']),
    );
  });
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

function rule(given: readonly string[], ...checks: readonly object[]): object {
  // The word of Spectral for its checks is that of promises, which no object of ours should have.
  return { given, severity: 'error', resolved: false, ...Object.fromEntries([['then', checks]]) };
}

function has(field: string): object {
  return { field, function: functions.truthy };
}

/** Without a format, each code generator chooses another number type. */
function hasFormat(schema: { type?: string | string[]; format?: string }): { message: string }[] {
  const types = [schema.type ?? []].flat();
  const isNumber = types.includes('number') || types.includes('integer');
  return isNumber && schema.format === undefined ? [{ message: 'is a number without a format' }] : [];
}
