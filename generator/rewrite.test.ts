import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { createProfile } from '../spec/profile/profile.ts';
import { demo as records } from '../testing/demo.ts';
import { catalogue, few, references } from '../testing/mocks/mocks.ts';
import { SOURCE } from '../testing/source-facts.ts';
import { type ContractDocument, EXTENSIONS, generateDocument } from './generate.ts';
import type { Schema } from './schemas/schema.ts';
import { serializeDocument } from './serialize.ts';
import { validateDocument } from './validate.ts';
import { OPENAPI_VERSIONS, type OpenApiVersion } from './version.ts';

/** The default, and profiles that differ in what may be sent, in forms, envelopes, credentials and nulls. */
const PROFILES: Readonly<Record<string, unknown>>[] = [
  {},
  {
    'request.readonlyFields': 'reject',
    'errors.form': 'simple',
    auth: 'bearer',
    'limits.rate': 9,
    'response.record': '/data',
    'response.records': '/data/items',
    'types.select': 'string',
  },
  {
    'request.unknownFields': 'ignore',
    'request.update': 'full',
    'types.select': 'object',
    'types.manyToMany': 'objects',
    'types.lines': 'ids',
    version: 'query Api-Version',
    'delete.answer': 'flag',
  },
  { 'request.encoding': 'form', 'types.currency': 'minor', 'types.bool': 'int', 'response.unset': 'absent' },
];

const documents = new Map<string, ContractDocument>();

/** Returns a document, which is generated once for all tests. */
function documentOf(settings: object, openapi: OpenApiVersion, of = few): ContractDocument {
  const key = `${openapi} ${of.models.size} ${JSON.stringify(settings)}`;
  const known = documents.get(key);
  if (known) return known;
  const profile = createProfile(settings as Record<string, unknown>, of);
  const made = generateDocument({ catalogue: of, profile, references }, { openapi, records });
  const document = JSON.parse(JSON.stringify(made));
  documents.set(key, document);
  return document;
}

describe('a document in OpenAPI 3.0', () => {
  it('is valid for all models', async () => {
    await validateDocument(documentOf({}, '3.0', catalogue));
  });

  it.each(PROFILES)('is valid under %j', async (settings) => {
    await validateDocument(documentOf(settings, '3.0'));
  });

  // A validator refuses the other words that only 3.1 has.
  it.each(PROFILES)('has nothing next to a reference under %j', (settings) => {
    const text = JSON.stringify(documentOf(settings, '3.0'));
    expect(text).toContain('{"$ref":"');
    expect(text).not.toMatch(/[^{]"\$ref":|"\$ref":"[^"]*"[^}]/);
  });

  it.each(PROFILES)('has the same operations and parts as in OpenAPI 3.1 under %j', (settings) => {
    const [twin, document] = [documentOf(settings, '3.1'), documentOf(settings, '3.0')];
    expect(Object.keys(document)).toEqual(Object.keys(twin));
    const [{ parts, operations }, wanted] = [outlineOf(document), outlineOf(twin)];
    expect(operations).toEqual(wanted.operations);
    // OpenAPI 3.0 has another named schema for a list with null.
    const named = parts.map((part) => part.replace(/OrNull$/, ''));
    expect(wanted.parts.filter((part) => !named.includes(part))).toEqual([]);
    expect(named.filter((part) => !wanted.parts.includes(part))).toEqual([]);
  });

  it('marks a nullable reference next to the reference, for code generators', () => {
    const { CustomerUpdate } = documentOf({}, '3.0').components.schemas as Record<string, Schema>;
    expect(CustomerUpdate?.properties?.paymentCondition).toMatchObject({
      allOf: [{ $ref: '#/components/schemas/CustomerPaymentConditionOrNull' }],
      type: 'integer',
      nullable: true,
    });
  });

  it.each(PROFILES)('accepts and rejects the same bodies as in OpenAPI 3.1 under %j', (settings) => {
    const [twin, document] = [documentOf(settings, '3.1'), documentOf(settings, '3.0')];
    const [is31, is30] = [createJudge(twin, '3.1'), createJudge(document, '3.0')];
    let accepted = 0;
    let refused = 0;
    for (const [schema, body] of bodiesOf(twin, settings)) {
      const verdict = is31(schema, body);
      expect(is30(schema, body), `${schema} ${JSON.stringify(body)}`).toBe(verdict);
      if (verdict) accepted++;
      else refused++;
    }
    expect(Math.min(accepted, refused)).toBeGreaterThan(30);
  });
});

const METHODS = ['get', 'post', 'delete'] as const;

function outlineOf({ components, paths }: ContractDocument) {
  const parts = Object.entries(components).flatMap(([kind, of]) =>
    Object.keys(of).map((name) => `${kind}/${name}`),
  );
  const operations = Object.entries(paths).map(([path, item = {}]) => [
    path,
    METHODS.flatMap((method) => {
      const { operationId, parameters, responses } = item[method] ?? {};
      return item[method] ? [[method, operationId, parameters, Object.keys(responses ?? {})]] : [];
    }),
  ]);
  return { parts, operations };
}

/** Says whether a value is one of a named schema. Ajv knows the `nullable` of OpenAPI 3.0. */
function createJudge(document: ContractDocument, version: OpenApiVersion) {
  const options = { strict: false, validateFormats: true, logger: false } as const;
  const ajv = version === '3.1' ? new Ajv2020(options) : new Ajv(options);
  ajvFormats.default(ajv);
  ajv.addVocabulary([...EXTENSIONS]);
  ajv.addSchema({ $id: 'doc:all', components: document.components });
  return (name: string, value: unknown): boolean =>
    // Compiled once a schema, on first use.
    ajv.getSchema(`doc:all#/components/schemas/${name}`)?.(value) as boolean;
}

/** Bodies by the schema they are for: the examples, with a null, a missing or an unknown field, and whole records. */
function* bodiesOf(
  document: ContractDocument,
  settings: Readonly<Record<string, unknown>>,
): Generator<[schema: string, body: unknown]> {
  // A readonly field as it is shown: 3.0 can't take one without saying what it is.
  const no = settings['types.bool'] === 'int' ? 0 : false;
  for (const item of Object.values(document.paths)) {
    const media = item?.post?.requestBody as { content: Record<string, Media> } | undefined;
    const { schema, examples } = Object.values(media?.content ?? {})[0] ?? {};
    const name = schema?.$ref.split('/').at(-1);
    if (name === undefined) continue;
    for (const { value } of Object.values(examples ?? {})) {
      yield [name, value];
      yield [name, { ...value, notAField: 1 }];
      yield [name, { ...value, deleted: no }];
      yield [name, { ...value, id: 1 }];
      for (const field of Object.keys(value)) {
        const { [field]: _, ...others } = value;
        yield [name, others];
        yield [name, { ...value, [field]: null }];
        yield [name, { ...value, [field]: { a: 'b' } }];
      }
    }
  }
}

type Media = { schema: { $ref: string }; examples: Record<string, { value: Record<string, unknown> }> };

it.each(OPENAPI_VERSIONS)(
  'a compact document in OpenAPI %s has the same operations and fields, in less than 500 kB of JSON',
  async (openapi) => {
    const whole = generateDocument({}, { records, openapi });
    const compact = generateDocument({}, { records, openapi, compact: true });
    await validateDocument(structuredClone(compact));
    const text = serializeDocument(compact, 'json', true);
    expect(text).not.toMatch(/"x-|"examples?":|"links":/);
    expect(text.length).toBeLessThan(500_000);
    expect(text.match(/"operationId":/g)).toHaveLength(SOURCE.totals.operations);
    const fieldsOf = ({ components }: ContractDocument) =>
      Object.entries(components.schemas ?? {}).map(([name, { properties = {} }]) => [
        name,
        Object.keys(properties),
      ]);
    expect(fieldsOf(compact)).toEqual(fieldsOf(whole));
  },
);

it.each([
  ['int32', 'int32'],
  ['none', undefined],
] as const)(
  'with the ID format %s, IDs have the format %s, and wider ranges keep 64 bits',
  (idFormat, format) => {
    const settings = {
      'types.currency': 'minor',
      'types.datetime': 'milliseconds',
      'types.duration': 'seconds',
    };
    const profile = createProfile(settings, catalogue);
    const document = generateDocument({ catalogue, profile, references }, { idFormat });
    const { Voucher } = document.components.schemas as Record<
      string,
      { readonly properties: Readonly<Record<string, { readonly format?: string }>> }
    >;
    expect(Voucher?.properties.id?.format).toBe(format);
    expect(Voucher?.properties.unitPrice?.format).toBe('int64');
    expect(Voucher?.properties.created?.format).toBe('int64');
    const { IdFilter, UnitPriceCurrencyFilter } = document.components.parameters as Record<
      string,
      { readonly schema: { readonly format?: string } }
    >;
    expect(IdFilter?.schema.format).toBe(format);
    expect(UnitPriceCurrencyFilter?.schema.format).toBe('int64');
  },
);
