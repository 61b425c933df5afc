import { describe, expect, it } from 'vitest';
import { operationId, schemaName } from '../spec/binding.ts';
import { loadContract } from '../spec/contract.ts';
import { createProfile } from '../spec/profile/profile.ts';
import { valueAt } from '../spec/wire/json-pointer.ts';
import { demo as records } from '../testing/demo.ts';
import { few } from '../testing/mocks/mocks.ts';
import { SOURCE, sourceFields } from '../testing/source-facts.ts';
import { generateDocument } from './generate.ts';
import type { Schema, SchemaOrReference } from './schemas/schema.ts';

const contract = loadContract();
const { catalogue, references } = contract;

const document = generateDocument(contract);
const schemas: Record<string, Schema> = document.components.schemas ?? {};
const PREFIX = '/api/model/';

const modelsInPaths = [
  ...new Set(Object.keys(document.paths).map((path) => path.slice(PREFIX.length).replace('/{id}', ''))),
];

describe('the document of the catalogue', () => {
  it('has each name, type, flag, and value of the source, and no others', () => {
    const lines = modelsInPaths.flatMap((model) =>
      propertiesOf(model).map(([name, property, required]) =>
        [
          `${model}.${name}`,
          property['x-type'],
          required ? 'req' : '-',
          property.readOnly === true ? 'ro' : '-',
          ...valuesOf(property),
        ].join(' '),
      ),
    );
    expect(lines.toSorted()).toEqual(sourceFields());
  });

  it('gives each model five operations, and a read-only model two', () => {
    for (const model of modelsInPaths) {
      const many = Object.keys(document.paths[PREFIX + model] ?? {});
      const one = Object.keys(document.paths[`${PREFIX}${model}/{id}`] ?? {});
      expect([model, many, one]).toEqual(
        SOURCE.readOnly.includes(model)
          ? [model, ['get'], ['get']]
          : [model, ['get', 'post'], ['get', 'post', 'delete']],
      );
    }
  });

  it('has unique operation IDs, and tags by model, grouped by area', () => {
    const ids = operations().map((operation) => operation.operationId);
    expect(new Set(ids).size).toBe(SOURCE.totals.operations);
    expect(ids).toContain(operationId('retrieve', 'warehouse'));
    const tags = document.tags?.map((tag) => tag.name);
    for (const operation of operations()) expect(tags).toContain(operation.tags?.[0]);
    expect(document['x-tagGroups']?.flatMap((group) => group.tags)).toEqual(tags);
    expect(document['x-tagGroups']?.slice(0, 3).map(({ name }) => name)).toEqual([
      'Stock',
      'Vouchers',
      'Subscriptions',
    ]);
    const byArea = generateDocument(contract, { tags: 'area' });
    expect(byArea.tags?.map(({ name }) => name)).toEqual(document['x-tagGroups']?.map(({ name }) => name));
    expect(byArea.paths['/api/model/brand']?.get?.tags).toEqual(['Stock']);
  });

  it('accepts the writable fields in a create, and requires the required ones', () => {
    for (const model of modelsInPaths.filter((name) => !SOURCE.readOnly.includes(name))) {
      const writable = propertiesOf(model).filter(([, property]) => property.readOnly !== true);
      const create = schemas[`${schemaName(model)}Create`];
      const required = writable.filter(([, , asked]) => asked).map(([name]) => name);
      expect(create?.required ?? []).toEqual(required);
      const update = schemas[`${schemaName(model)}Update`];
      expect(update).not.toHaveProperty('required');
      // A client can send readonly fields. The service ignores them.
      const names = propertiesOf(model).map(([name]) => name);
      for (const sent of [create, update])
        if (writable.length > 0) {
          expect(Object.keys(sent?.properties ?? {})).toEqual(writable.map(([name]) => name));
          expect(sent).not.toHaveProperty('additionalProperties');
          expect(sent?.propertyNames).toEqual({ enum: names });
        } else {
          expect(Object.keys(sent?.properties ?? {})).toEqual(names);
          expect(sent).toMatchObject({ additionalProperties: false });
          expect(sent).not.toHaveProperty('propertyNames');
        }
    }
    expect(schemas).not.toHaveProperty('SubscriptionTaskCreate');
  });

  it('does not require the link to the parent in a line within it', () => {
    expect(schemas.StockOrderLineCreate?.required).toContain('stockOrder');
    expect(schemas.StockOrderLineInStockOrder?.required).not.toContain('stockOrder');
    expect(schemas.StockOrderCreate?.properties?.lines).toMatchObject({
      items: { $ref: '#/components/schemas/StockOrderLineInStockOrder' },
    });
    expect(schemas.StockOrderUpdate?.properties?.lines).toMatchObject({
      items: { $ref: '#/components/schemas/StockOrderLineInStockOrderUpdate' },
    });
    expect(schemas.StockOrderLineInStockOrder?.properties).not.toHaveProperty('id');
    expect(schemas.StockOrderLineInStockOrderUpdate?.properties?.id).toMatchObject({ type: 'integer' });
    expect(schemas.StockOrderLineInStockOrderUpdate?.required).not.toContain('id');
    expect(schemas.StockOrder?.properties?.lines).toMatchObject({
      items: { $ref: '#/components/schemas/StockOrderLine' },
    });
  });
});

function operations() {
  return Object.values(document.paths).flatMap((item) =>
    [item?.get, item?.post, item?.delete].filter((operation) => operation !== undefined),
  );
}

type Property = SchemaOrReference & { readOnly?: boolean };

function propertiesOf(model: string): [name: string, property: Property, required: boolean][] {
  const schema = schemas[schemaName(model)];
  return Object.entries(schema?.properties ?? {}).map(([name, property]: [string, SchemaOrReference]) => [
    name,
    property,
    property['x-flags']?.includes('req') ?? false,
  ]);
}

function valuesOf(property: SchemaOrReference): string[] {
  const all = [property, ...('anyOf' in property ? (property.anyOf ?? []) : [])];
  const [$ref = ''] = all.flatMap((one) => ('$ref' in one ? one.$ref : []));
  const list = schemas[$ref.split('/').at(-1) ?? ''];
  const names = list?.['x-enum-descriptions'] ?? [];
  const values: unknown[] = list?.enum?.filter((value: unknown) => value !== null) ?? [];
  return values.map((value, index) => `${value}=${names[index]}`);
}
/** Facts of every document, under any profile: servers, number formats, parameters, and responses. */

describe.each<Record<string, unknown>>([
  {},
  { 'response.unset': 'absent', 'errors.form': 'simple' },
  { 'types.currency': 'minor', 'response.record': '/data', 'response.records': '/data/items' },
  { auth: 'bearer', 'list.filter': 'brackets', 'types.select': 'object' },
])('a document under %j', (settings) => {
  const profile = createProfile(settings, few);
  const document = generateDocument({ catalogue: few, profile, references }, { records });
  const operations = Object.values(document.paths).flatMap((item) =>
    (['get', 'post', 'delete'] as const).flatMap((method) => {
      const operation = item?.[method];
      return operation ? [{ method, operation }] : [];
    }),
  );
  const schemas = document.components.schemas as Record<
    string,
    { required?: string[]; properties?: Record<string, Record<string, unknown>> }
  >;
  const { VoucherType } = schemas;

  it('uses int64 for IDs and cents, and double for amounts', () => {
    expect(VoucherType?.properties?.id).toMatchObject({ type: 'integer', format: 'int64' });
    const amount =
      profile['types.currency'] === 'minor' ? { format: 'int64' } : { type: 'number', format: 'double' };
    const amounts = Object.values(schemas)
      .flatMap(({ properties = {} }) => Object.values(properties))
      .filter((property) => property['x-type'] === 'currency');
    expect(amounts.length).toBeGreaterThan(5);
    for (const one of amounts) {
      const { type } = one;
      expect({ ...one, type: [type].flat()[0] }).toMatchObject(amount);
    }
  });

  it('lists specific errors for each operation, and a default response', () => {
    for (const { method, operation } of operations) {
      expect(Object.keys(operation.responses ?? {})).toContain('default');
      if (method !== 'post') expect(JSON.stringify(operation.responses)).not.toContain('is required');
    }
  });

  it('uses named schemas for shared parts, and null only next to a reference', () => {
    const text = JSON.stringify(document);
    expect(text).not.toMatch(/InlineResponse/);
    const unions = [...text.matchAll(/"anyOf":(\[.*?\])/g)].map(([, union = '']) => union);
    for (const union of unions)
      expect(union).toMatch(/^\[\{"\$ref":"#\/components\/schemas\/\w+"\},\{"type":"null"\}\]$/);
  });
});

const documentUnder = (settings: Readonly<Record<string, unknown>>) =>
  generateDocument({ ...contract, profile: createProfile(settings, catalogue) });

describe('the document of a profile', () => {
  it.each<[Record<string, unknown>, string, unknown]>([
    [{ 'request.update': 'full' }, '/components/schemas/WarehouseUpdate/required', ['name']],
    [{}, '/components/schemas/WarehouseCreate/propertyNames', expect.anything()],
    [{ 'request.unknownFields': 'ignore' }, '/components/schemas/WarehouseCreate/propertyNames', undefined],
    [{}, '/paths/~1api~1model~1brand~1{id}/delete/responses/200/content', expect.anything()],
    [{ 'status.deleted': 204 }, '/paths/~1api~1model~1brand~1{id}/delete/responses/204/content', undefined],
    [{}, '/components/schemas/Warehouse/properties/comments/type', ['string', 'null']],
    [{ 'response.unset': 'absent' }, '/components/schemas/Warehouse/properties/comments/type', 'string'],
    [{}, '/components/schemas/Warehouse/required', expect.arrayContaining(['id', 'comments'])],
    [{ 'response.unset': 'absent' }, '/components/schemas/Warehouse/required', ['id', 'name']],
    [{}, '/servers', [{ url: 'http://127.0.0.1:4010', description: 'The mock on this machine.' }]],
  ])('has under %j at %s: %j', (settings, pointer, expected) => {
    const document = documentUnder(settings);
    const parent = pointer.slice(0, pointer.lastIndexOf('/'));
    expect(valueAt(document, parent)).toBeTypeOf('object');
    expect(valueAt(document, pointer)).toEqual(expected);
  });

  it('has a minimum length for required strings in requests if empty strings are rejected', () => {
    const named = (settings: Readonly<Record<string, unknown>>) => {
      const { components } = documentUnder(settings);
      return ['WarehouseCreate', 'WarehouseUpdate', 'Warehouse', 'BrandCreate'].map((name) => {
        const property = components.schemas?.[name]?.properties?.name as Schema | undefined;
        return [property?.minLength, property?.['x-basis']];
      });
    };
    const [assumed, stated] = [
      [1, 'assumed'],
      [undefined, 'stated'],
    ];
    expect(named({})).toEqual([assumed, assumed, stated, assumed]);
    expect(named({ 'request.blankStrings': 'accept' })).toEqual([stated, stated, stated, stated]);
    const except = { brand: { 'request.blankStrings': 'accept' } };
    expect(named({ except })).toEqual([assumed, assumed, stated, stated]);
    const properties = schemas.WarehouseCreate?.properties as Readonly<Record<string, Schema>>;
    expect(properties.comments).not.toHaveProperty('minLength');
  });

  it('mentions deletion marks only for models with the field deleted', () => {
    const described = (model: string, settings: Readonly<Record<string, unknown>> = {}) => {
      const { paths } = documentUnder(settings);
      const [many, one] = [paths[PREFIX + model], paths[`${PREFIX}${model}/{id}`]];
      return [one?.get, many?.get, one?.delete].flatMap((operation) => operation?.description ?? []);
    };
    expect(described('brand')).toEqual([
      'Returns the `brand` record with this ID. Records marked as deleted can still be retrieved (assumed).',
      'Returns `brand` records, excluding those marked as deleted (assumed).',
      'Marks the `brand` record as deleted (assumed).',
    ]);
    expect(described('brand', { 'delete.effect': 'remove' })).toEqual([
      'Returns the `brand` record with this ID.',
      'Returns `brand` records.',
      'Removes the `brand` record (assumed).',
    ]);
    expect(described('subscriptionTask')).toEqual([
      'Returns the `subscriptionTask` record with this ID.',
      'Returns `subscriptionTask` records.',
    ]);
  });

  it('has a single response if two kinds of error share a status', () => {
    const { paths, components } = documentUnder({ 'status.invalid': 400 });
    expect(paths['/api/model/brand']?.post?.responses?.['400']).toMatchObject({
      content: {
        'application/problem+json': {
          examples: {
            default: { value: { violations: [{ pointer: '/name', message: 'is required' }] } },
            unparsable: { value: { status: 400 } },
          },
        },
      },
    });
    expect(components.responses).not.toHaveProperty('Unparsable');
  });
});

it('the document of the catalogue marks each inferred link as inferred', () => {
  expect(references.size).toBeGreaterThan(0);
  for (const [key, reference] of references) {
    const [model = '', name = ''] = key.split('.');
    const property: SchemaOrReference | undefined = schemas[schemaName(model)]?.properties?.[name];
    expect(property?.description).toContain('(inferred');
    if ('to' in reference) expect(property).toHaveProperty('x-reference', reference.to);
  }
});

it('the document of the catalogue describes the values of a value list', () => {
  expect(schemas.StockOrderStatus).toEqual({
    type: 'integer',
    format: 'int32',
    enum: [0, 1, 2, 3],
    description:
      'Values of `stockOrder.status`:\n\n- `0`: Abierto (`Open`)\n- `1`: Enviado (`Sent`)\n- `2`: Parcialmente recibido (`PartiallyReceived`)\n- `3`: Recibido (`Received`)',
    'x-basis': 'stated',
    'x-enum-varnames': ['Open', 'Sent', 'PartiallyReceived', 'Received'],
    'x-enum-descriptions': ['Abierto', 'Enviado', 'Parcialmente recibido', 'Recibido'],
  });
});

it('the document of the catalogue lists its assumptions, as text and as data', () => {
  const assumed = document['x-assumptions'].map(({ setting }) => setting);
  expect(assumed).toContain('delete.effect');
  // The description names about twelve settings. `x-assumptions` has all.
  const { description = '' } = document.info;
  expect(description.match(/`[a-z.A-Z]+: [^`]+`/g)).toHaveLength(12);
  expect(description.trim().split('\n\n')).toHaveLength(3);
  expect(description).toContain('`delete.effect: mark`');
});
