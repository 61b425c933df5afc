import type { Socket } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { serveMock } from '../../testing/mocks/control.ts';
import { serve } from '../../testing/services/http-server.ts';
import { createMock } from '../mock.ts';
import { connectMock } from './remote.ts';

const PROFILES: Record<string, unknown>[] = [
  {},
  { auth: 'bearer', 'delete.effect': 'remove', 'types.datetime': 'space' },
];

describe.each(PROFILES)('a remote session, under %j', (profile) => {
  test('has the same methods as a session in the process', async () => {
    await using mock = await createMock({ profile, fixtures: { brand: [{ id: 1, name: 'a' }] } });
    const { url } = await mock.listen();
    const [near, far] = [mock.session('one'), connectMock(`${url}/`).session('one')];

    await far.setState({ brand: [{ id: 7, name: 'b' }], warehouse: [{ id: 1, name: 'w' }] });
    await far.patchState({ warehouse: [] });
    const state = await near.state();
    expect(state).toMatchObject({ brand: [{ id: 7, name: 'b' }] });
    expect([await far.state(), await far.state(['warehouse'])]).toEqual([state, { warehouse: [] }]);
    await far.snapshot('seven');
    await far.reset();
    expect(await far.state(['brand'])).toMatchObject({ brand: [{ id: 1 }] });
    await far.restore('seven');
    expect(await near.state(['brand'])).toMatchObject({ brand: [{ id: 7 }] });

    const id = await far.fault({ match: { model: 'brand' }, status: 503, times: 1 });
    expect(await far.faults()).toMatchObject([{ id }]);
    const list = new Request('http://app.example/api/model/brand', {
      headers: { authorization: 'Bearer x' },
    });
    expect([(await far.fetch(list)).status, (await far.fetch(list)).status]).toEqual([503, 200]);
    expect([await far.count(), await mock.count()]).toEqual([2, 0]);
    await far.clearRequests();
    expect(await near.count()).toBe(0);
    await far.clearFaults();
    expect(await near.faults()).toEqual([]);

    await far.clock.set({ now: new Date('2030-01-01T00:00:00Z'), frozen: true });
    await far.clock.advance(1500);
    expect(await far.clock.now()).toEqual(new Date('2030-01-01T00:00:01.500Z'));
    expect(await near.clock.now()).toEqual(await far.clock.now());
  });

  test('rejects with the error message of the mock', async () => {
    await using mock = await createMock({ profile });
    const { url } = await mock.listen();
    const far = connectMock(url).session('one');
    await expect(far.setState({ brand: [{ id: 1, nam: 'x' }] })).rejects.toThrow(
      /^PUT \/state failed with status 422: fixtures: brand 1: Unknown field "nam"\. Did you mean "name"\?\nfixtures: brand 1: name is required\. Add a value of type string, or pass --lenient\./,
    );
    await expect(far.waitFor({ model: 'brand' }, { timeout: 1 })).rejects.toThrow('408');
    await expect(connectMock(url).session('a/b').reset()).rejects.toThrow(
      'POST /reset failed with status 400: The session name "a%2Fb" is invalid. Use 1 to 64 of these characters: A-Z a-z 0-9 . _ -',
    );
  });
});

test('reports a missing mock or another server, with the command to start one', async () => {
  // As Vite does without the plugin.
  const { close, url } = await serve(({ method }, response) => {
    const isRead = method === 'GET';
    response.writeHead(isRead ? 200 : 404, isRead ? { 'content-type': 'text/html' } : {});
    response.end(isRead ? '<!doctype html>' : '');
  });
  const toDo = 'Start it with "npx record-model mock", or add recordModelMock() to vite.config.ts.';
  const session = connectMock(url).session('one');
  for (const tried of [() => session.reset(), () => session.state(), () => session.delete()])
    await expect(tried()).rejects.toThrow(`There is no mock at ${url}, but another server. ${toDo}`);
  await close();
  for (const tried of [() => session.reset(), () => session.delete()])
    await expect(tried()).rejects.toThrow(`There is no mock at ${url}. ${toDo}`);
});

test('a remote session never uses a connection that the mock has closed', async () => {
  const used = new Set<Socket>();
  // As a mock does that closes a connection at the moment of the next request.
  const { close, url } = await serve(({ socket }, response) => {
    if (used.has(socket)) socket.resetAndDestroy();
    used.add(socket);
    response.writeHead(204).end();
  });
  const session = connectMock(url).session('one');
  for (let times = 0; times < 3; times++) {
    await session.reset();
    await session.fetch(new Request('http://app.example/api/model/brand', { method: 'POST', body: '{}' }));
    await session.delete();
  }
  expect(used.size).toBe(9);
  await close();
});

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
  'the filter %j that matches no request is rejected over HTTP, in the process, and remotely',
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

test('an unknown parameter of any endpoint is rejected', async () => {
  const { ask } = started;
  expect(await ask('GET', '/__mock/state?model=brand')).toMatchObject({
    status: 422,
    body: { detail: 'Unknown parameter "model". Did you mean "models"?' },
  });
  expect((await ask('POST', '/__mock/reset?session=a')).status).toBe(422);
});
