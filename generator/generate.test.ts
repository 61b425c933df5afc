import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { operationId, schemaName } from '../spec/binding.ts';
import { loadCatalogue } from '../spec/catalogue/catalogue.ts';
import { createProfile, DEFAULT_PROFILE } from '../spec/profile/profile.ts';
import { loadReferences } from '../spec/references.ts';
import { generateDocument } from './generate.ts';
import type { Schema, SchemaOrReference } from './schemas/schema.ts';

const catalogue = loadCatalogue();
const references = loadReferences(catalogue);
const document = generateDocument({ catalogue, profile: DEFAULT_PROFILE, references });
const schemas: Record<string, Schema> = document.components.schemas ?? {};
const PREFIX = '/api/model/';

/**
 * [fields, required, readonly] of every model, read from the text of section 2 by a parser that shares nothing with
 * the catalogue's.
 */
const COUNTS: Readonly<Record<string, readonly [fields: number, required: number, readonly: number]>> = {
  stockDelivery: [6, 0, 6],
  warehouse: [8, 1, 6],
  stockInvoice: [18, 6, 10],
  stockInvoiceLine: [19, 5, 8],
  stockDeliveryLine: [17, 10, 14],
  stockOrderLine: [17, 11, 12],
  brand: [7, 1, 6],
  stockTransaction: [19, 10, 11],
  stockOrder: [18, 7, 10],
  supplier: [21, 2, 6],
  stock: [21, 13, 10],
  voucherBeneficiary: [8, 2, 6],
  voucher: [16, 4, 6],
  voucherCategory: [8, 2, 6],
  voucherProduct: [9, 2, 6],
  voucherType: [17, 3, 6],
  voucherTransaction: [23, 10, 8],
  voucherPrice: [15, 5, 6],
  subscriptionAddon: [16, 4, 6],
  subscriptionBeneficiary: [8, 2, 6],
  subscriptionCustomer: [21, 6, 9],
  editedSale: [9, 3, 6],
  ommitedSale: [8, 2, 6],
  subscriptionTask: [6, 1, 5],
  subscription: [20, 6, 6],
  customerFile: [6, 0, 6],
  customer: [57, 9, 6],
  customerTag: [9, 3, 6],
  customerToTag: [12, 2, 8],
  locker: [9, 3, 6],
  lockerCustomer: [11, 4, 6],
  lockerType: [8, 1, 6],
  multipack: [9, 1, 6],
  multipackResourceType: [8, 0, 6],
  multipackItem: [8, 0, 6],
  share: [10, 4, 6],
  shareFile: [6, 0, 6],
  shareTransfer: [12, 5, 6],
  relationshipGroup: [10, 1, 6],
  relationship: [11, 5, 6],
  customerGroupItem: [8, 2, 6],
  customerGroup: [8, 1, 6],
  bookingDrawItem: [16, 9, 6],
  crmContact: [21, 1, 6],
  productSplit: [11, 3, 6],
  schoolPlanningExercise: [7, 0, 6],
  consumerHomeItem: [7, 0, 6],
  accessControlLog: [7, 1, 7],
  metricData: [9, 3, 6],
  taskComment: [7, 1, 6],
  deposit: [10, 2, 6],
  ecommerceOrder: [8, 0, 6],
  helpArticle: [7, 0, 6],
};

/** sha256 over the sorted lines `model.field type req ro value=name …` ("-" for a flag not set), from that parser. */
const DIGEST = '1efedbb3b36d4e0bfbd093f8d065bdd68338dd2dcb10da3fd6ae089d002c737a';

const modelsInPaths = [
  ...new Set(Object.keys(document.paths).map((path) => path.slice(PREFIX.length).replace('/{id}', ''))),
];

describe('the document of the catalogue', () => {
  it('has the 53 models, 262 operations, 667 fields, 13 value lists and 20 areas of the source', () => {
    expect(modelsInPaths).toHaveLength(53);
    expect(operations()).toHaveLength(262);
    expect(modelsInPaths.flatMap(propertiesOf)).toHaveLength(667);
    expect(Object.values(schemas).filter((schema) => 'x-enum-varnames' in schema)).toHaveLength(13);
    expect(document.tags).toHaveLength(20);
  });

  it('has as many fields, required fields and readonly fields in each model as the source', () => {
    const counts = modelsInPaths.map((model) => {
      const properties = propertiesOf(model);
      return [
        model,
        [
          properties.length,
          properties.filter(([, , required]) => required).length,
          properties.filter(([, property]) => property.readOnly === true).length,
        ],
      ];
    });
    expect(Object.fromEntries(counts)).toEqual(COUNTS);
  });

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
    expect(createHash('sha256').update(lines.toSorted().join('\n')).digest('hex')).toBe(DIGEST);
  });

  it('gives every model its five operations, and subscriptionTask two', () => {
    for (const model of modelsInPaths) {
      const many = Object.keys(document.paths[PREFIX + model] ?? {});
      const one = Object.keys(document.paths[`${PREFIX}${model}/{id}`] ?? {});
      expect([model, many, one]).toEqual(
        model === 'subscriptionTask'
          ? [model, ['get'], ['get']]
          : [model, ['get', 'post'], ['get', 'post', 'delete']],
      );
    }
  });

  it('names every operation once, and puts it under the tag of its area', () => {
    const ids = operations().map((operation) => operation.operationId);
    expect(new Set(ids).size).toBe(262);
    expect(ids).toContain(operationId('retrieve', 'warehouse'));
    const tags = document.tags?.map((tag) => tag.name);
    for (const operation of operations()) expect(tags).toContain(operation.tags?.[0]);
  });

  it('takes the writable fields in a create, and asks for the required ones', () => {
    for (const model of modelsInPaths.filter((name) => name !== 'subscriptionTask')) {
      const writable = propertiesOf(model).filter(([, property]) => property.readOnly !== true);
      const create = schemas[`${schemaName(model)}Create`];
      const required = writable.filter(([, , asked]) => asked).map(([name]) => name);
      expect(Object.keys(create?.properties ?? {})).toEqual(writable.map(([name]) => name));
      expect(create?.required ?? []).toEqual(required);
      expect(create?.additionalProperties).toBe(false);
      const update = schemas[`${schemaName(model)}Update`];
      expect(update?.properties).toEqual(create?.properties);
      expect(update).not.toHaveProperty('required');
    }
    expect(schemas).not.toHaveProperty('SubscriptionTaskCreate');
  });

  it('does not ask a line inside its parent for the link to it', () => {
    expect(schemas.StockOrderLineCreate?.required).toContain('stockOrder');
    expect(schemas.StockOrderLineInStockOrder?.required).not.toContain('stockOrder');
    expect(schemas.StockOrderCreate?.properties?.lines).toMatchObject({
      items: { $ref: '#/components/schemas/StockOrderLineInStockOrder' },
    });
    expect(schemas.StockOrder?.properties?.lines).toMatchObject({
      items: { $ref: '#/components/schemas/StockOrderLine' },
    });
  });

  it('says of every inferred link that it is inferred', () => {
    expect(references.size).toBeGreaterThan(0);
    for (const [key, reference] of references) {
      const [model = '', name = ''] = key.split('.');
      const property: SchemaOrReference | undefined = schemas[schemaName(model)]?.properties?.[name];
      expect(property?.description).toContain('(inferred');
      if ('to' in reference) expect(property).toHaveProperty('x-reference', reference.to);
    }
  });

  it('says what the values of a list mean', () => {
    expect(schemas.StockOrderStatus).toEqual({
      type: 'integer',
      enum: [0, 1, 2, 3],
      description:
        'Values of `stockOrder.status`:\n\n- `0`: Abierto\n- `1`: Enviado\n- `2`: Parcialmente recibido\n- `3`: Recibido',
      'x-enum-varnames': ['Abierto', 'Enviado', 'ParcialmenteRecibido', 'Recibido'],
      'x-enum-descriptions': ['Abierto', 'Enviado', 'Parcialmente recibido', 'Recibido'],
    });
  });

  it('describes every operation, parameter and response', () => {
    for (const operation of operations()) {
      expect(operation.summary).toBeTruthy();
      expect(operation.description).toBeTruthy();
      for (const parameter of operation.parameters ?? [])
        if (!('$ref' in parameter)) expect(parameter.description).toBeTruthy();
    }
  });

  it('lists what it assumes, readable and as data', () => {
    const assumed = document['x-assumptions'].map(({ setting }) => setting);
    expect(assumed).toContain('delete.effect');
    // A setting that means nothing beside paging by offset.
    expect(assumed).not.toContain('list.pageParameter');
    for (const setting of assumed) expect(document.info.description).toContain(`| \`${setting}\` |`);
  });

  it('is a tree, so that no part changes with another', () => {
    const seen = new Set<unknown>();
    const visit = (part: unknown): void => {
      if (part === null || typeof part !== 'object') return;
      expect(seen.has(part)).toBe(false);
      seen.add(part);
      Object.values(part).forEach(visit);
    };
    visit(document);
    expect(seen.size).toBeGreaterThan(1000);
  });
});

describe('the document of a profile', () => {
  it('asks an update for the required fields where what is not sent is unset', () => {
    const { components } = generateDocument({
      catalogue,
      profile: createProfile({ 'request.update': 'full' }, catalogue),
      references,
    });
    expect(components.schemas?.WarehouseUpdate?.required).toEqual(['name']);
  });

  it('is open to unknown fields where they are ignored', () => {
    const profile = createProfile({ 'request.unknownFields': 'ignore' }, catalogue);
    const { components } = generateDocument({ catalogue, profile, references });
    expect(components.schemas?.WarehouseCreate).not.toHaveProperty('additionalProperties');
  });

  it('answers a delete without a body under 204', () => {
    const profile = createProfile({ 'status.deleted': 204 }, catalogue);
    const { paths } = generateDocument({ catalogue, profile, references });
    const response = paths['/api/model/brand/{id}']?.delete?.responses?.['204'];
    expect(response).toBeDefined();
    expect(response).not.toHaveProperty('content');
  });

  it('speaks of records marked as deleted only where a model has the mark', () => {
    const described = (model: string, settings: Readonly<Record<string, unknown>> = {}) => {
      const { paths } = generateDocument({
        catalogue,
        profile: createProfile(settings, catalogue),
        references,
      });
      const [many, one] = [paths[PREFIX + model], paths[`${PREFIX}${model}/{id}`]];
      return [one?.get, many?.get, one?.delete].flatMap((operation) => operation?.description ?? []);
    };
    expect(described('brand')).toEqual([
      'Returns one record. A record marked as deleted can still be retrieved (assumed).',
      'Returns records of the model, without those marked as deleted (assumed).',
      'Marks the record as deleted (assumed).',
    ]);
    expect(described('brand', { 'delete.effect': 'remove' })).toEqual([
      'Returns one record.',
      'Returns records of the model.',
      'Removes the record (assumed).',
    ]);
    expect(described('subscriptionTask')).toEqual(['Returns one record.', 'Returns records of the model.']);
  });

  it('has one response where two kinds of error share a status', () => {
    const profile = createProfile({ 'status.invalid': 400 }, catalogue);
    const { paths, components } = generateDocument({ catalogue, profile, references });
    expect(paths['/api/model/brand']?.post?.responses?.['400']).toEqual({
      $ref: '#/components/responses/InvalidOrUnparsable',
    });
    expect(components.responses).toHaveProperty('InvalidOrUnparsable');
    expect(components.responses).not.toHaveProperty('Unparsable');
  });

  it('shows an unset field as null, or not at all', () => {
    const propertyType = (settings: Record<string, unknown>) => {
      const profile = createProfile(settings, catalogue);
      const { components } = generateDocument({ catalogue, profile, references });
      return components.schemas?.Warehouse?.properties?.comments;
    };
    expect(propertyType({})).toHaveProperty('type', ['string', 'null']);
    expect(propertyType({ 'response.unset': 'absent' })).toHaveProperty('type', 'string');
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
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => [
    name,
    property,
    schema?.required?.includes(name) ?? false,
  ]);
}

function valuesOf(property: SchemaOrReference): string[] {
  const member = 'anyOf' in property ? property.anyOf?.[0] : property;
  if (!member || !('$ref' in member)) return [];
  const list = schemas[member.$ref.split('/').at(-1) ?? ''];
  const names = list?.['x-enum-descriptions'] ?? [];
  const values: unknown[] = list?.enum ?? [];
  return values.map((value, index) => `${value}=${names[index]}`);
}
