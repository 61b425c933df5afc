import { describe, expect, it } from 'vitest';
import { schemaName } from '../spec/binding.ts';
import { loadCatalogue } from '../spec/catalogue/catalogue.ts';
import { createProfile, DEFAULT_PROFILE } from '../spec/profile/profile.ts';
import { loadReferences } from '../spec/references.ts';
import { generateDocument } from './generate.ts';
import type { Schema, SchemaOrReference } from './schemas/schema.ts';

const catalogue = loadCatalogue();
const references = loadReferences(catalogue);

const PREFIX = '/api/model/';

const document = generateDocument({ catalogue, profile: DEFAULT_PROFILE, references });
const schemas: Record<string, Schema> = document.components.schemas ?? {};

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

  it('has a minimum length for required strings in requests where empty ones are rejected', () => {
    const named = (settings: Readonly<Record<string, unknown>>) => {
      const profile = createProfile(settings, catalogue);
      const { components } = generateDocument({ catalogue, profile, references });
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

  it('has one response where two kinds of error share a status', () => {
    const profile = createProfile({ 'status.invalid': 400 }, catalogue);
    const { paths, components } = generateDocument({ catalogue, profile, references });
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

describe('the document of the catalogue', () => {
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
      format: 'int32',
      enum: [0, 1, 2, 3],
      description:
        'Values of `stockOrder.status`:\n\n- `0`: Abierto (`Open`)\n- `1`: Enviado (`Sent`)\n- `2`: Parcialmente recibido (`PartiallyReceived`)\n- `3`: Recibido (`Received`)',
      'x-basis': 'stated',
      'x-enum-varnames': ['Open', 'Sent', 'PartiallyReceived', 'Received'],
      'x-enum-descriptions': ['Abierto', 'Enviado', 'Parcialmente recibido', 'Recibido'],
    });
  });

  it('lists what it assumes, readable and as data', () => {
    const assumed = document['x-assumptions'].map(({ setting }) => setting);
    expect(assumed).toContain('delete.effect');
    // The description names about twelve settings. `x-assumptions` has all.
    const { description = '' } = document.info;
    expect(description.match(/`[a-z.A-Z]+: [^`]+`/g)).toHaveLength(12);
    expect(description.trim().split('\n\n')).toHaveLength(3);
    expect(description).toContain('`delete.effect: mark`');
  });
});
