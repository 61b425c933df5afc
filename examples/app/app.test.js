import { createMockTest } from 'record-model-contract/mock/vitest';
import { describe, expect } from 'vitest';
import { createApi } from './api.js';
import { routes } from './routes.js';

const test = createMockTest({ routes });

describe.concurrent('the requests of the app', () => {
  test('find contacts by a part of the name, without case and accents', async ({ mock }) => {
    await mock.setState({ crmContact: [] });
    for (const name of ['Lucía', 'Lola', 'Ana']) await mock.records('crmContact').create({ name });
    const { contacts, total } = await createApi(mock.url).search('LUCIA');
    expect([contacts.map(({ name }) => name), total]).toEqual([['Lucía'], 1]);
  });

  test('have a message for each wrong field', async ({ mock }) => {
    const added = createApi(mock.url).add({ name: '', email: 'no address' });
    await expect(added).rejects.toMatchObject({
      fields: { name: expect.any(String), email: expect.any(String) },
    });
    expect(await mock.count({ operation: 'createCrmContact' })).toBe(1);
  });

  test('log in, and fail during an outage', async ({ mock }) => {
    const { login, search } = createApi(mock.url);
    expect(await login('ana', 'secret')).toEqual({ user: 'ana' });
    await expect(login('ana', 'wrong')).rejects.toThrow('The password is wrong.');
    await mock.fault({ match: { operation: 'listCrmContact' }, status: 503, times: 1 });
    await expect(search('')).rejects.toThrow('produced this response');
    expect((await search('')).contacts.length).toBeGreaterThan(0);
  });
});
