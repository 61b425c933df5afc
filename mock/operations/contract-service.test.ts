import { describe, expect, test } from 'vitest';
import { catalogue, few, startMock, violationsOf } from '../../testing/mocks/mocks.ts';

test.each([
  [
    'bearer',
    'authorization',
    ['Bearer abc', 'bearer a.b-c_d~e+/='],
    ['', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer a b'],
  ],
  [
    'basic',
    'authorization',
    ['Basic YTpi', 'basic YTo='],
    ['', 'Basic', 'Basic !', 'Basic OmI=', 'Basic YQ==', 'Bearer abc'],
  ],
  ['header X-API-Key', 'x-api-key', ['k'], ['', ' ']],
])('credentials of the scheme %s are required, but not verified', async (scheme, header, good, bad) => {
  const { ask } = await startMock({ auth: scheme });
  for (const value of good)
    expect((await ask('GET', '/warehouse', undefined, { [header]: value })).status).toBe(200);
  for (const value of bad) {
    const answer = await ask('POST', '/warehouse', { name: 'a' }, value === '' ? {} : { [header]: value });
    expect([answer.status, answer.headers['www-authenticate']?.split(' ')[0]?.toLowerCase()]).toEqual([
      401,
      scheme.startsWith('header') ? 'apikey' : scheme,
    ]);
  }
  expect((await ask('GET', '/warehouse', undefined, { [header]: good[0] ?? '' })).body).toEqual([]);
});

test('the version label is required in a header', async () => {
  const { ask } = await startMock({ version: 'header Api-Version' });
  expect((await ask('GET', '/warehouse', undefined, { 'api-version': '2025-10-22' })).status).toBe(200);
  const refused = await ask('POST', '/warehouse', { nam: 1 }, { 'api-version': '1' });
  expect(violationsOf(refused)).toEqual([
    '?Api-Version must be the version label 2025-10-22 in the header, but is "1"',
    '/name is required',
    '/nam is not a known writable field. Did you mean name?',
  ]);
});

test('the version label is required in the query of each operation', async () => {
  const { ask } = await startMock({ version: 'query version', 'status.invalid': 400 });
  expect((await ask('POST', '/warehouse?version=2025-10-22', { name: 'a' })).status).toBe(201);
  expect((await ask('GET', '/warehouse/1?version=2025-10-22')).status).toBe(200);
  expect((await ask('GET', '/warehouse?version=2025-10-22&limit=1')).status).toBe(200);
  expect(await ask('GET', '/warehouse/1')).toMatchObject({ status: 400 });
  expect((await ask('DELETE', '/warehouse/1?version=2')).status).toBe(400);
  expect((await ask('GET', '/warehouse/1?version=2025-10-22')).body).toMatchObject({ deleted: false });
});

test('a rate limit accepts so many requests per second, and rejects others', async () => {
  const { ask, wait } = await startMock({ 'limits.rate': 2 });
  expect((await ask('GET', '/warehouse')).status).toBe(200);
  expect((await ask('GET', '/nope')).status).toBe(404);
  const answer = await ask('POST', '/warehouse', { name: 'a' });
  expect([answer.status, answer.headers['retry-after']]).toEqual([429, '1']);
  wait(1);
  expect((await ask('GET', '/warehouse')).body).toEqual([]);
});

test('a length limit counts the characters of strings', async () => {
  const { ask } = await startMock({ 'limits.text': 3 });
  expect((await ask('POST', '/warehouse', { name: 'añ€', comments: '😀😀😀' })).status).toBe(201);
  expect(violationsOf(await ask('POST', '/warehouse', { name: '😀😀😀😀' }))).toEqual([
    '/name must have at most 3 characters, but has 4',
  ]);
});

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

test('exceptions of a model apply only to this model', async () => {
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

test('exceptions of a field apply only to this field', async () => {
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

const fixtures = { warehouse: [{ id: 1, name: 'a' }], subscriptionTask: [{ id: 1, type: 1 }] };

describe('an unknown path, record, or method', () => {
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
  ])('in %s %s leads to the status %i', async (method, path, status) => {
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
  ])('in %s leads to a message with the reason or a suggestion', async (path, detail) => {
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
  ])('outside the base path, %s, leads to a message with the path of models', async (target, hint) => {
    const { mock } = await startMock();
    const { body, status } = await mock.answer({ method: 'GET', target, headers: {} });
    expect([status, JSON.parse(body).detail]).toEqual([404, `The path ${target} does not exist.${hint}`]);
  });

  test('leads to a response with the allowed methods', async () => {
    const { ask } = await startMock();
    expect((await ask('PUT', '/warehouse')).headers.allow).toBe('GET, HEAD, POST');
    expect((await ask('PATCH', '/warehouse/1')).headers.allow).toBe('GET, HEAD, POST, DELETE');
    expect((await ask('POST', '/subscriptionTask', {})).headers.allow).toBe('GET, HEAD');
  });
});

test('an error in the simple form lists each violation', async () => {
  const { ask } = await startMock({ 'errors.form': 'simple' });
  expect(await ask('POST', '/warehouse', {})).toMatchObject({
    headers: { 'content-type': 'application/json' },
    body: { error: '/name is required.', violations: [{ pointer: '/name', message: 'is required' }] },
  });
});

test('an exception in the mock leads to a 500 without its message', async () => {
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
