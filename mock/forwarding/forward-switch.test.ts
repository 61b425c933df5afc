import { describe, expect, test } from 'vitest';
import { UsageError } from '../../spec/files/usage-error.ts';
import { useForwarding } from '../../testing/mocks/use-forwarding.ts';
import { connectMock } from '../adapters/remote.ts';
import { createMock } from '../mock.ts';

const { start, startForwarding, startService } = useForwarding();

const BRAND = '/api/model/brand';
const FORWARD = '/__mock/forward';

describe('the control API', () => {
  test('shows and changes what is forwarded, for all sessions', async () => {
    const service = await startService();
    const { ask } = await start({ url: service.url, models: ['brand'] });
    const begun = { url: service.url, enabled: true, models: ['brand'], write: false };
    expect((await ask('GET', FORWARD)).body).toEqual(begun);
    const nameAt = async (prefix: string, model: string) =>
      (await ask('GET', `${prefix}/api/model/${model}`)).body[0]?.name;
    const names = async () => [
      await nameAt('', 'brand'),
      await nameAt('/__mock/sessions/a', 'brand'),
      await nameAt('', 'warehouse'),
    ];
    expect(await names()).toEqual(['theirs', 'theirs', 'ours']);
    const off = await ask('PATCH', FORWARD, { enabled: false });
    expect(off).toMatchObject({ status: 200, body: { ...begun, enabled: false } });
    expect(await names()).toEqual(['ours', 'ours', 'ours']);
    await ask('PATCH', `/__mock/sessions/a${FORWARD}`, { enabled: true, models: ['warehouse'] });
    expect(await names()).toEqual(['ours', 'ours', 'theirs']);
    await ask('PATCH', FORWARD, { models: [] });
    expect(await names()).toEqual(['ours', 'ours', 'ours']);
  });

  test.each([
    [{ models: ['brnd'] }, 'Unknown model "brnd" in forward.models. Did you mean "brand"?', '/models'],
    [{ write: true }, '/write', '/write'],
    [{}, '', ''],
  ])('rejects %j', async (body, detail, pointer) => {
    const { ask, mock } = await start({ url: 'http://127.0.0.1:1', models: ['brand'] });
    expect(await ask('PATCH', FORWARD, body)).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining(detail), violations: [{ pointer }] },
    });
    expect(await mock.forward()).toMatchObject({ models: ['brand'], enabled: true });
  });

  test('has nothing to show without the option', async () => {
    const { ask, mock } = await startService();
    for (const method of ['GET', 'PATCH'])
      expect(await ask(method, FORWARD, method === 'GET' ? undefined : { enabled: true })).toMatchObject({
        status: 404,
        body: { detail: expect.stringContaining('start it with --forward URL') },
      });
    await expect(mock.forward()).rejects.toThrow('forwards no requests');
  });

  test('is there for tests, in the process and remote', async () => {
    const service = await startService();
    const { mock, url } = await start({ url: `${service.url}/?`.slice(0, -1), write: true });
    const far = connectMock(url).session('a');
    const changed = await far.setForward({ models: ['brand'] });
    expect(changed).toEqual({ url: service.url, enabled: true, models: ['brand'], write: true });
    expect([await mock.forward(), await mock.session('b').forward()]).toEqual([changed, changed]);
    await mock.session('b').setForward({ enabled: false });
    expect((await far.forward()).enabled).toBe(false);
    await expect(far.setForward({ models: ['x'] })).rejects.toThrow('422');
  });
});

test('records of forwarded models do not exist in the mock while they are forwarded', async () => {
  const { ask, mock } = await start({ url: 'http://127.0.0.1:1', models: ['brand'] });
  expect(Object.keys(await mock.state())).toEqual(['warehouse']);
  expect(await mock.state(['brand'])).toEqual({ brand: [] });
  expect((await mock.records('brand').list()).records).toEqual([]);
  await mock.setState({ warehouse: [{ id: 2, name: 'other' }] });
  await mock.patchState({ brand: [{ id: 5, name: 'lost' }] });
  await mock.setForward({ enabled: false });
  expect(await mock.state()).toMatchObject({ brand: [{ id: 1, name: 'ours' }], warehouse: [{ id: 2 }] });
  expect((await ask('GET', `${BRAND}/1`)).body).toMatchObject({ name: 'ours' });
});

test('records of forwarded models can be linked to, where links to missing records are rejected', async () => {
  const profile = { 'request.references': 'reject' };
  const fixtures = { customerTag: [{ id: 1, name: 't' }], customerToTag: [{ id: 1, customer: 77, tag: 1 }] };
  const options = { profile, fixtures, checkLinks: true, lenient: true };
  await expect(createMock(options)).rejects.toThrow('there is no customer 77');
  const { ask, mock } = await start({ url: 'http://127.0.0.1:1', models: ['customer'] }, options);
  const change = (customer: number) => ask('POST', '/api/model/customerToTag/1', { customer });
  expect((await change(78)).status).toBe(200);
  await mock.setForward({ models: [] });
  expect((await change(79)).status).toBe(422);
});

test.each([
  [{}, 'Option forward must be an object with the url of a service, but is {}.'],
  [{ url: 'ftp://x' }, 'The forward URL must be one such as https://api.example.com, but is "ftp://x".'],
  [{ url: 'nonsense' }, 'The forward URL must be one such as https://api.example.com, but is "nonsense".'],
  [{ url: 'http://a:b@x' }, 'The forward URL must not contain a user name or password.'],
  [{ url: 'http://a.example/?x' }, 'The forward URL must not contain a'],
  [{ url: 'http://x', timeout: 0 }, 'Option timeout must be a number of milliseconds above 0'],
])('the options %j are a usage error', async (forward, message) => {
  await expect(createMock({ forward: forward as { url: string } })).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining(message),
  });
});

test.each([
  'me:s3cret@api.example.com',
  'http://me:s3/cret@api.example.com',
  'https://api.example.com/?key=s3cret',
])('a mock does not start with the forward URL %s, and repeats no secret of it', async (upstream) => {
  const error = await startForwarding(upstream).then(
    () => undefined,
    (reason: Error) => reason,
  );
  expect(error).toBeInstanceOf(UsageError);
  expect(error?.message).toMatch(/^The forward URL must not contain a/);
  expect(error?.message).not.toMatch(/s3/);
});
