import type { OpenAPIV3_1 } from 'openapi-types';
import { afterAll, expect, it } from 'vitest';
import { createMock } from '../../mock/mock.ts';
import { loadContract } from '../../spec/contract.ts';
import { demo as fixtures } from '../../testing/demo.ts';
import { generateDocument } from '../generate.ts';

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

it('links a record to those that it refers to, and they are there', async () => {
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

it('shares filters among the lists that have them, and each narrows its list', async () => {
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

it('sorts by the values of an enum, and by no other', async () => {
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
    const ids = ((await ask(`/api/model/${name}?sort=-id`)).body as Record_[]).map(({ id }) => Number(id));
    expect(ids).toEqual(ids.toSorted((one, other) => other - one));
    expect((await ask(`/api/model/${name}?sort=nothing`)).status).toBe(422);
  }
});
