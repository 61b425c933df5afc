import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../spec/catalogue/catalogue.ts';
import { createProfile } from '../spec/profile/profile.ts';
import { loadReferences } from '../spec/references.ts';
import { generateDocument } from './generate.ts';

const catalogue = loadCatalogue();
const references = loadReferences(catalogue);

const PREFIX = '/api/model/';

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
