import { describe, expect, test } from 'vitest';
import { valueAt } from '../../spec/wire/json-pointer.ts';
import { type Answer, startMock } from '../../testing/mocks/mocks.ts';

const fixtures = { warehouse: [{ id: 1, name: 'a' }] };
const prefer = (value: string) => ({ prefer: value, accept: 'application/json' });

describe('a Prefer header', () => {
  test('selects a documented response by its status', async () => {
    const { ask } = await startMock({}, { fixtures });
    const answer = await ask('GET', '/warehouse/1', undefined, prefer('code=404'));
    expect(answer).toMatchObject({ status: 404, body: { title: 'Not Found', status: 404 } });
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect((await ask('GET', '/warehouse/1', undefined, prefer('code=422'))).status).toBe(422);
  });

  test('selects an example by its name', async () => {
    const { ask, mock } = await startMock({}, { fixtures });
    const { value } = (mock.document.components.examples?.Warehouse ?? {}) as { value?: unknown };
    expect((await ask('GET', '/warehouse/1', undefined, prefer('code=200, example=default'))).body).toEqual(
      value,
    );
    expect((await ask('GET', '/warehouse/1', undefined, prefer('example=none'))).status).toBe(404);
  });

  test('selects any status, in the error form of the profile, and is rejected if malformed', async () => {
    const { ask } = await startMock({ 'errors.form': 'simple' }, { fixtures });
    expect(await ask('GET', '/warehouse/1', undefined, prefer('code=503'))).toMatchObject({
      status: 503,
      body: { error: expect.stringContaining('code=503') },
    });
    expect((await ask('GET', '/warehouse/1', undefined, prefer('code=abc'))).status).toBe(422);
    expect((await ask('GET', '/warehouse/1', undefined, prefer('dynamic=perhaps'))).status).toBe(422);
  });

  test('does not override the validation of the request', async () => {
    const { ask } = await startMock({}, { fixtures });
    expect((await ask('POST', '/warehouse', {}, prefer('code=201'))).status).toBe(422);
    expect((await ask('POST', '/warehouse', '{', prefer('code=201'))).status).toBe(400);
    expect((await ask('POST', '/warehouse', { name: 'b' }, prefer('code=201'))).status).toBe(201);
    expect((await ask('GET', '/warehouse')).body).toMatchObject([{ id: 1 }]);
  });

  test.each<[Record<string, unknown>, (answer: Answer) => unknown, (body: unknown) => unknown]>([
    [{}, ({ headers }) => Number(headers['x-total-count']), (body) => body],
    [
      { 'response.total': '/meta/total', 'response.records': '/data' },
      ({ body }) => valueAt(body, '/meta/total'),
      (body) => valueAt(body, '/data'),
    ],
  ])('selects a list that matches its total under %j', async (settings, totalOf, recordsOf) => {
    const { ask } = await startMock(settings, { fixtures });
    for (const asked of ['example=default', 'code=200', 'dynamic=true, seed=7', 'dynamic=true, seed=8']) {
      const answer = await ask('GET', '/warehouse', undefined, prefer(asked));
      expect(recordsOf(answer.body)).toHaveLength(Number(totalOf(answer)));
    }
  });
});
