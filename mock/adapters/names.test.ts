import { afterAll, expect, test } from 'vitest';
import { serveMock } from '../../testing/mocks/control.ts';
import { connectMock } from './remote.ts';

const started = await serveMock({ fixtures: new Map() });
afterAll(() => started.mock.close());

const sent = (filter: object) => new URLSearchParams(Object.entries(filter));

test.each([
  [{ operation: 'createBrnd' }, 'Unknown operation "createBrnd". Did you mean "createBrand"?'],
  [{ operation: 'craete' }, 'Unknown operation "craete". Did you mean "create"?'],
  [
    { model: 'brand', operation: 'createCustomer' },
    'Unknown operation "createCustomer" of brand. Use one of 10 names, such as ',
  ],
  [{ model: 'brnd' }, 'Unknown model "brnd". Did you mean "brand"?'],
  [{ method: 'POS' }, 'Unknown method "POS". Did you mean "POST"?'],
  [{ path: '/api/model/brnd' }, 'Unknown path "/api/model/brnd". Did you mean "/api/model/brand"?'],
  [{ path: '/api/model/brand/' }, 'Unknown path "/api/model/brand/". Did you mean "/api/model/brand"?'],
  [{ path: '/nowhere' }, 'Unknown path "/nowhere". Use one of '],
  [{ opration: 'createBrand' }, ' "opration". Did you mean "operation"?'],
  [{ path: '*/brand' }, 'Unknown path "*/brand". Did you mean "/brand"?'],
  [{ fault: 'prefr' }, 'Unknown fault "prefr". Did you mean "prefer"?'],
  [{ status: 'abc' }, 'status must be an integer, but is "abc".'],
] as [object, string][])(
  'a filter %j that matches no request is refused everywhere',
  async (filter, message) => {
    const { ask, mock, url } = started;
    const far = connectMock(url).session('far');
    const detail = expect.stringContaining(message.replace('Did you mean "/brand"?', ''));
    for (const path of ['requests', 'requests/count'])
      expect(await ask('GET', `/__mock/${path}?${sent(filter)}`)).toMatchObject({
        status: 422,
        body: { detail },
      });
    for (const session of [mock, mock.session('own')])
      for (const asked of [session.count(filter), session.requests(filter), session.waitFor(filter)])
        await expect(asked).rejects.toMatchObject({ name: 'UsageError', message: detail });
    for (const asked of [far.count(filter), far.requests(filter), far.waitFor(filter)])
      await expect(asked).rejects.toThrow(/failed with status 422: (Unknown|status must)/);
  },
);

test('an unknown parameter of any endpoint is refused', async () => {
  const { ask } = started;
  expect(await ask('GET', '/__mock/state?model=brand')).toMatchObject({
    status: 422,
    body: { detail: 'Unknown parameter "model". Did you mean "models"?' },
  });
  expect((await ask('POST', '/__mock/reset?session=a')).status).toBe(422);
});
