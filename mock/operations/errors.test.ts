import { describe, expect, test } from 'vitest';
import { few, startMock } from '../../testing/mocks/mocks.ts';

const fixtures = { warehouse: [{ id: 1, name: 'a' }], subscriptionTask: [{ id: 1, type: 1 }] };

describe('a request that leads nowhere', () => {
  test.each([
    ['GET', '/../../other', 404],
    ['GET', '', 404],
    ['GET', '/warehous', 404],
    ['GET', '/__proto__', 404],
    ['GET', '/constructor/1', 404],
    ['GET', '/%zz', 404],
    ['GET', '/warehouse/', 404],
    ['GET', '/warehouse/x', 404],
    ['GET', '/warehouse/9007199254740993', 404],
    ['DELETE', '/warehouse/x', 404],
    ['PUT', '/warehouse/1', 405],
    ['PUT', '/warehouse', 405],
    ['POST', '/subscriptionTask', 405],
    ['DELETE', '/subscriptionTask/1', 405],
  ])('%s %s is answered with %i', async (method, path, status) => {
    const { ask } = await startMock({}, { fixtures });
    const answer = await ask(method, path, method === 'POST' ? { type: 1 } : undefined);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ status, detail: expect.any(String) });
    expect(answer.headers['content-type']).toBe('application/problem+json');
  });

  test.each([
    ['/warehous', 'There is no model warehous. Did you mean warehouse?'],
    ['/xyz', 'There is no model xyz. /openapi.json lists all 15 models.'],
    ['/warehouse/', 'The path /api/model/warehouse/ does not exist. Did you mean /api/model/warehouse?'],
    [
      '/warehouse/1/',
      'The path /api/model/warehouse/1/ does not exist. Did you mean /api/model/warehouse/1?',
    ],
    ['/warehouse/1', 'The warehouse record with the ID 1 is deleted.'],
    ['/warehouse/2', 'There is no warehouse record with the ID 2.'],
  ])('of %s says what may be meant', async (path, detail) => {
    for (const [form, key] of [
      ['problem', 'detail'],
      ['simple', 'error'],
    ] as const) {
      const profile = { 'errors.form': form, 'delete.effect': 'mark-only-listed' };
      const { ask, create } = await startMock(profile);
      const { id } = await create('warehouse', { name: 'a' });
      await ask('DELETE', `/warehouse/${id}`);
      expect((await ask('GET', path)).body).toMatchObject({ [key]: detail });
      expect((await ask('POST', '/warehouse/1', { name: 'b' })).body).toMatchObject({
        [key]: 'The warehouse record with the ID 1 is deleted.',
      });
    }
  });

  test.each([
    ['/customer/1', ' Did you mean /api/model/customer/1?'],
    ['/api/customer', ' Did you mean /api/model/customer?'],
    ['/nope', ' Models are at /api/model/<model>.'],
  ])('outside of the models, of %s, says where they are', async (target, hint) => {
    const { mock } = await startMock();
    const { body, status } = await mock.answer({ method: 'GET', target, headers: {} });
    expect([status, JSON.parse(body).detail]).toEqual([404, `The path ${target} does not exist.${hint}`]);
  });

  test('names the methods there are', async () => {
    const { ask } = await startMock();
    expect((await ask('PUT', '/warehouse')).headers.allow).toBe('GET, HEAD, POST');
    expect((await ask('PATCH', '/warehouse/1')).headers.allow).toBe('GET, HEAD, POST, DELETE');
    expect((await ask('POST', '/subscriptionTask', {})).headers.allow).toBe('GET, HEAD');
  });

  test('is answered with the statuses of the profile', async () => {
    const { ask } = await startMock({
      'status.unknownRecord': 410,
      'status.unknownModel': 400,
      'status.noOperation': 501,
    });
    expect((await ask('GET', '/warehouse/9')).status).toBe(410);
    expect((await ask('GET', '/warehous')).status).toBe(400);
    const answer = await ask('PUT', '/warehouse/1');
    expect([answer.status, answer.headers.allow]).toEqual([501, undefined]);
  });
});

test.each([
  [
    'problem',
    'application/problem+json',
    { status: 422, violations: [{ pointer: '/name', message: 'is required' }] },
  ],
  [
    'simple',
    'application/json',
    { error: '/name is required.', violations: [{ pointer: '/name', message: 'is required' }] },
  ],
  ['empty', undefined, undefined],
])('the form of errors can be %s', async (form, type, body) => {
  const { ask } = await startMock({ 'errors.form': form, 'status.invalid': 422 });
  const answer = await ask('POST', '/warehouse', {});
  expect(answer.headers['content-type']).toBe(type);
  if (body) expect(answer.body).toMatchObject(body);
  else expect(answer.body).toBeUndefined();
  expect((await ask('GET', '/nope')).headers['content-type']).toBe(type);
});

test('a HEAD is a GET without a body', async () => {
  const { ask } = await startMock({}, { fixtures });
  const { headers } = await ask('GET', '/warehouse');
  expect(await ask('HEAD', '/warehouse')).toEqual({
    status: 200,
    headers: { ...headers, 'content-length': expect.stringMatching(/^\d{2,}$/) },
    body: undefined,
  });
  expect((await ask('HEAD', '/warehouse/9')).status).toBe(404);
});

test('a mistake of the mock is a 500 that tells nothing of it', async () => {
  const told: unknown[] = [];
  let broken = false;
  const clock = () => {
    if (broken) throw new Error('secret');
    return new Date(0);
  };
  const { ask } = await startMock({}, { catalogue: few, clock, onError: (error) => told.push(error) });
  broken = true;
  const answer = await ask('POST', '/warehouse', { name: 'a' });
  expect(answer.status).toBe(500);
  expect(JSON.stringify(answer.body)).not.toContain('secret');
  expect(told).toEqual([new Error('secret')]);
});
