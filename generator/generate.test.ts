import { describe, expect, it } from 'vitest';
import { operationId, schemaName } from '../spec/binding.ts';
import { loadCatalogue } from '../spec/catalogue/catalogue.ts';
import { DEFAULT_PROFILE } from '../spec/profile/profile.ts';
import { loadReferences } from '../spec/references.ts';
import { SOURCE, sourceFields } from '../testing/source-facts.ts';
import { generateDocument } from './generate.ts';
import type { Schema, SchemaOrReference } from './schemas/schema.ts';

const catalogue = loadCatalogue();
const references = loadReferences(catalogue);

const document = generateDocument({ catalogue, profile: DEFAULT_PROFILE, references });
const schemas: Record<string, Schema> = document.components.schemas ?? {};
const PREFIX = '/api/model/';

const modelsInPaths = [
  ...new Set(Object.keys(document.paths).map((path) => path.slice(PREFIX.length).replace('/{id}', ''))),
];

describe('the document of the catalogue', () => {
  it('has every name, type, flag and value of the source and no other', () => {
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

  it('gives every model its five operations, and one that can only be read two', () => {
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

  it('names every operation once, and puts it under the tag of its model, in the area', () => {
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
    const byArea = generateDocument({ catalogue, profile: DEFAULT_PROFILE, references }, { tags: 'area' });
    expect(byArea.tags?.map(({ name }) => name)).toEqual(document['x-tagGroups']?.map(({ name }) => name));
    expect(byArea.paths['/api/model/brand']?.get?.tags).toEqual(['Stock']);
  });

  it('takes the writable fields in a create, and asks for the required ones', () => {
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

  it('does not ask a line inside its parent for the link to it', () => {
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
