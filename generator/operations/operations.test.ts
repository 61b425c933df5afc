import type { OpenAPIV3_1 } from 'openapi-types';
import { afterAll, describe, expect, it } from 'vitest';
import { createMock } from '../../mock/mock.ts';
import { loadContract } from '../../spec/contract.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { demo as fixtures } from '../../testing/demo.ts';
import { catalogue, few, references } from '../../testing/mocks/mocks.ts';
import { type ContractDocument, generateDocument } from '../generate.ts';

function documentOf(settings: Readonly<Record<string, unknown>>): ContractDocument {
  return generateDocument({ catalogue: few, profile: createProfile(settings, catalogue), references });
}

function responsesOf({ paths }: ContractDocument, path: string, method: 'get' | 'post' | 'delete') {
  return paths[`${catalogue.base}/${path}`]?.[method]?.responses ?? {};
}

describe('the document describes the response', () => {
  it.each([{}, { 'status.created': 200 }])(
    'to a create with the location of the record, under %j',
    (settings) => {
      const document = documentOf(settings);
      const status = String(settings['status.created'] ?? 201);
      expect(responsesOf(document, 'customer', 'post')[status]).toMatchObject({
        headers: { Location: { schema: { type: 'string', format: 'uri-reference' } } },
      });
      expect(responsesOf(document, 'customer/{id}', 'post')[200]).not.toHaveProperty('headers');
    },
  );

  it.each([
    ['mark', true],
    ['remove', false],
  ])('to a delete with the deleted record, if deletes %s records', (effect, deleted) => {
    const answer = responsesOf(documentOf({ 'delete.effect': effect }), 'customer/{id}', 'delete')[200];
    expect(answer).toMatchObject({
      content: { 'application/json': { examples: { default: { value: { deleted } } } } },
    });
  });
});

it('the document requires a form body only if a field is required', async () => {
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

const contract = loadContract();
const document = generateDocument(contract, { records: fixtures });
const names = [...contract.catalogue.models.keys()];
const mock = await createMock({ ...contract, fixtures, requestLog: 0 });
afterAll(() => mock.close());

type Record_ = Record<string, unknown>;

async function ask(path: string): Promise<{ status: number; body: unknown }> {
  const response = await mock.fetch(new Request(`http://mock${path}`));
  return { status: response.status, body: await response.json() };
}

function listOf(name: string): OpenAPIV3_1.OperationObject {
  return document.paths[`/api/model/${name}`]?.get ?? {};
}

function parameter(reference: { readonly $ref?: string }): OpenAPIV3_1.ParameterObject {
  const found = document.components.parameters?.[reference.$ref?.split('/').at(-1) ?? ''];
  return found as OpenAPIV3_1.ParameterObject;
}

it('the document has links to related records, which the mock serves', async () => {
  const pathOf = new Map(
    Object.entries(document.paths).map(([path, item]) => [item?.get?.operationId, path] as const),
  );
  let followed = 0;
  for (const name of names) {
    const one = document.paths[`/api/model/${name}/{id}`]?.get;
    const { links = {} } = (one?.responses?.[200] ?? {}) as OpenAPIV3_1.ResponseObject;
    const { body } = await ask(`/api/model/${name}`);
    for (const [field, link] of Object.entries(links)) {
      if ('$ref' in link || link.operationId === undefined) continue;
      const path = pathOf.get(link.operationId) ?? '';
      expect(link.parameters?.['path.id']).toBe(`$response.body#/${field}`);
      for (const record of body as Record_[]) {
        if (record[field] === null) continue;
        const { status, body: found } = await ask(path.replace('{id}', String(record[field])));
        expect([name, field, status]).toEqual([name, field, 200]);
        expect(found).toMatchObject({ id: record[field] });
        followed++;
      }
    }
  }
  expect(followed).toBeGreaterThan(100);
});

it('lists share filter parameters, and each filter limits its list', async () => {
  const used: string[] = [];
  for (const name of names) {
    const { body } = await ask(`/api/model/${name}?limit=1`);
    const [first] = body as Record_[];
    for (const reference of listOf(name).parameters ?? []) {
      if (!('$ref' in reference) || !reference.$ref.endsWith('Filter')) continue;
      used.push(reference.$ref);
      const { name: field } = parameter(reference);
      const value = first?.[field];
      if (value === undefined || value === null) continue;
      const { body: found, status } = await ask(
        `/api/model/${name}?${field}=${encodeURIComponent(String(value))}`,
      );
      expect([name, field, status]).toEqual([name, field, 200]);
      expect((found as Record_[]).map((record) => record[field])).toContain(value);
      expect(new Set((found as Record_[]).map((record) => record[field])).size).toBe(1);
    }
  }
  expect(used.length).toBeGreaterThan(500);
  expect(new Set(used).size).toBeLessThan(used.length / 2);
});

it('lists can be sorted by the values of an enum, and by no other', async () => {
  for (const name of names) {
    const sort = listOf(name).parameters?.find((one) => 'name' in one && one.name === 'sort');
    const { $ref = '' } = (sort && 'schema' in sort ? sort.schema : {}) as { $ref?: string };
    const schema = document.components.schemas?.[$ref.split('/').at(-1) ?? ''];
    const values = (schema && 'enum' in schema && schema.enum) || [];
    expect(values).toContain('-id');
    for (const value of [values[0], values.at(-1)]) {
      const { status } = await ask(`/api/model/${name}?sort=${value}`);
      expect([name, value, status]).toEqual([name, value, 200]);
    }
    expect((await ask(`/api/model/${name}?sort=nothing`)).status).toBe(422);
  }
});
