import { expect, test } from 'vitest';
import { catalogue, startMock } from '../../testing/mocks/mocks.ts';

const EXCEPT = {
  brand: {
    'status.created': 200,
    'status.unknownRecord': 410,
    'status.noOperation': 404,
    'errors.form': 'simple',
    'request.encoding': 'form',
    'request.unknownFields': 'ignore',
    'response.record': '/data',
    'response.total': 'none',
    'delete.effect': 'remove',
    'delete.answer': 'none',
    'list.paging': 'page',
    'list.sort': 'none',
  },
  'customer.disabled': { 'types.bool': 'int' },
};

test('a mock uses the exceptions of a model only for this model', async () => {
  const { ask } = await startMock({ except: EXCEPT }, { catalogue });
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const made = await ask('POST', '/brand', 'name=a&notAField=x', form);
  expect(made).toMatchObject({ status: 200, body: { data: { name: 'a' } } });
  const { id } = (made.body as { data: { id: number } }).data;
  expect((await ask('POST', '/warehouse', { name: 'a' })).status).toBe(201);
  expect(await ask('GET', '/brand/999')).toMatchObject({ status: 410, body: { error: expect.any(String) } });
  expect((await ask('GET', '/warehouse/999')).status).toBe(404);
  expect((await ask('PATCH', `/brand/${id}`)).status).toBe(404);
  expect((await ask('PATCH', '/warehouse/1')).status).toBe(405);
  expect((await ask('GET', '/brand?page=1')).headers).not.toHaveProperty('x-total-count');
  expect((await ask('GET', '/warehouse?offset=0')).headers).toHaveProperty('x-total-count');
  expect((await ask('GET', '/warehouse?page=1')).status).toBe(422);
  expect((await ask('GET', '/warehouse?sort=id')).status).toBe(200);
  expect((await ask('DELETE', `/brand/${id}`)).body).toBeUndefined();
  expect((await ask('GET', `/brand/${id}`)).status).toBe(410);
});

test('a mock uses the exceptions of a field only for this field', async () => {
  const { ask } = await startMock({ except: EXCEPT }, { catalogue });
  const sent = { name: 'a', firstName: 'b', isCompany: false, taxExempt: false, disabled: 1 };
  const required = catalogue.models
    .get('customer')
    ?.fields.filter(({ readonly, required }) => required && !readonly);
  const body = Object.fromEntries(
    required?.flatMap(({ name, type }) => (type === 'bool' ? [[name, false]] : [])) ?? [],
  );
  const made = await ask('POST', '/customer', { ...body, ...sent });
  expect(made).toMatchObject({ status: 201, body: { disabled: 1, isCompany: false } });
  expect((await ask('POST', '/customer', { ...body, ...sent, disabled: true })).status).toBe(422);
});
