import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { loadReferences } from '../../spec/references.ts';
import { type ContractDocument, generateDocument } from '../generate.ts';

const catalogue = loadCatalogue();
const references = loadReferences(catalogue);
const few = {
  ...catalogue,
  models: new Map(
    [...catalogue.models].filter(([name]) => ['stockOrder', 'stockOrderLine', 'customer'].includes(name)),
  ),
};

function documentOf(settings: Readonly<Record<string, unknown>> = {}): ContractDocument {
  return generateDocument({ catalogue: few, profile: createProfile(settings, catalogue), references });
}

function responsesOf({ paths }: ContractDocument, path: string, method: 'get' | 'post' | 'delete') {
  return paths[`${catalogue.base}/${path}`]?.[method]?.responses ?? {};
}

describe('the document names what the service answers', () => {
  it.each([{}, { 'status.created': 200 }])('where a new record is, under %j', (settings) => {
    const document = documentOf(settings);
    const status = String(settings['status.created'] ?? 201);
    expect(responsesOf(document, 'customer', 'post')[status]).toMatchObject({
      headers: { Location: { schema: { type: 'string', format: 'uri-reference' } } },
    });
    expect(responsesOf(document, 'customer/{id}', 'post')[200]).not.toHaveProperty('headers');
  });

  it.each([
    ['mark', true],
    ['remove', false],
  ])('a record that is deleted, where a delete would %s', (effect, deleted) => {
    const answer = responsesOf(documentOf({ 'delete.effect': effect }), 'customer/{id}', 'delete')[200];
    expect(answer).toMatchObject({
      content: { 'application/json': { examples: { default: { value: { deleted } } } } },
    });
  });
});
