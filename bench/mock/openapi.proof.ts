import { afterAll, expect, it } from 'vitest';
import { kitFile } from '../../spec/files/kit-file.ts';
import { startPrism } from '../../testing/consumers/prism-proxy.ts';
import { sendJson } from '../../testing/services/http-server.ts';

const prism = await startPrism('mock', kitFile('spec/openapi.yaml'));

afterAll(() => prism[Symbol.asyncDispose]());

it('stock Prism responds to a retrieve and a list with the examples', async () => {
  const one = await fetch(`${prism.url}/api/model/warehouse/1`);
  expect(one.status).toBe(200);
  expect(await one.json()).toMatchObject({ id: expect.any(Number), name: expect.any(String) });
  const many = await fetch(`${prism.url}/api/model/stockOrder?limit=5`);
  expect(many.status).toBe(200);
  expect(((await many.json()) as unknown[])[0]).toMatchObject({
    lines: expect.arrayContaining([expect.any(Object)]),
  });
});

it('stock Prism accepts a valid create, and rejects one without a required field', async () => {
  expect((await create('warehouse', { name: 'Almacén' })).status).toBe(201);
  expect((await create('warehouse', { comments: 'x' })).status).toBe(422);
});

it.each(['stockDelivery', 'customerFile', 'shareFile', 'accessControlLog'])(
  'stock Prism rejects unknown fields of %s, which has no writable field',
  async (model) => {
    expect((await create(model, {})).status).toBe(201);
    expect((await create(model, { id: 1, deleted: false })).status).toBe(201);
    expect((await create(model, { color: 'red' })).status).toBe(422);
  },
);

it('stock Prism rejects a create of the read-only model', async () => {
  const answer = await fetch(`${prism.url}/api/model/subscriptionTask`, { method: 'POST' });
  expect(answer.status).toBe(405);
});

function create(model: string, body: object): Promise<Response> {
  return sendJson('POST', `${prism.url}/api/model/${model}`, body);
}
