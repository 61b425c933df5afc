import { describe, expect, it } from 'vitest';
import { createMock } from '../../mock/mock.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { catalogue, few, references } from '../../testing/mocks/mocks.ts';
import { type ContractDocument, generateDocument } from '../generate.ts';

function documentOf(settings: Readonly<Record<string, unknown>>): ContractDocument {
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

it('the document asks for a form only where a field is required: one without fields is an empty body', async () => {
  const profile = createProfile({ 'request.encoding': 'form' }, catalogue);
  const contract = { catalogue: few, profile, references };
  const { paths } = generateDocument(contract);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  await using mock = await createMock({ ...contract, requestLog: 0 });
  const asks = (name: string) => {
    const body = paths[`/api/model/${name}`]?.post?.requestBody;
    return body && 'required' in body && body.required;
  };
  const statusOf = async (name: string) => {
    const request = new Request(`http://mock/api/model/${name}`, { method: 'POST', headers, body: '' });
    return (await mock.fetch(request)).status;
  };
  expect([asks('warehouse'), await statusOf('warehouse')]).toEqual([true, 422]);
  expect([asks('stockDelivery'), await statusOf('stockDelivery')]).toEqual([false, 201]);
});
