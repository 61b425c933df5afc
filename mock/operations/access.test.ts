import { describe, expect, test } from 'vitest';
import { startMock, violationsOf } from '../../testing/mocks/mocks.ts';

describe('credentials', () => {
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
  ])('of the scheme %s are asked for and not judged', async (scheme, header, good, bad) => {
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
});

describe('the version label', () => {
  test('is asked for in a header', async () => {
    const { ask } = await startMock({ version: 'header Api-Version' });
    expect((await ask('GET', '/warehouse', undefined, { 'api-version': '2025-10-22' })).status).toBe(200);
    const refused = await ask('POST', '/warehouse', { nam: 1 }, { 'api-version': '1' });
    expect(violationsOf(refused)).toEqual([
      '?Api-Version must be the version label 2025-10-22 in the header, but is "1"',
      '/name is required',
      '/nam is not a known writable field. Did you mean name?',
    ]);
  });

  test('is asked for in the query of every operation', async () => {
    const { ask } = await startMock({
      version: 'query version',
      'status.invalid': 400,
    });
    expect((await ask('POST', '/warehouse?version=2025-10-22', { name: 'a' })).status).toBe(201);
    expect((await ask('GET', '/warehouse/1?version=2025-10-22')).status).toBe(200);
    expect((await ask('GET', '/warehouse?version=2025-10-22&limit=1')).status).toBe(200);
    expect(await ask('GET', '/warehouse/1')).toMatchObject({ status: 400 });
    expect((await ask('DELETE', '/warehouse/1?version=2')).status).toBe(400);
    expect((await ask('GET', '/warehouse/1?version=2025-10-22')).body).toMatchObject({ deleted: false });
  });
});

describe('limits', () => {
  test('let so many requests through in a second and no more', async () => {
    const { ask, wait } = await startMock({ 'limits.rate': 2 });
    expect((await ask('GET', '/warehouse')).status).toBe(200);
    expect((await ask('GET', '/nope')).status).toBe(404);
    const answer = await ask('POST', '/warehouse', { name: 'a' });
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '1']);
    wait(1);
    expect((await ask('GET', '/warehouse')).body).toEqual([]);
  });

  test('bound the length of texts in characters', async () => {
    const { ask } = await startMock({ 'limits.text': 3 });
    expect((await ask('POST', '/warehouse', { name: 'añ€', comments: '😀😀😀' })).status).toBe(201);
    expect(violationsOf(await ask('POST', '/warehouse', { name: '😀😀😀😀' }))).toEqual([
      '/name must have at most 3 characters, but has 4',
    ]);
  });
});
