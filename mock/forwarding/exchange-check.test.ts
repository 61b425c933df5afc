import { describe, expect, test } from 'vitest';
import { generateDocument } from '../../generator/generate.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { problem } from '../../testing/mocks/control.ts';
import { few as catalogue, references } from '../../testing/mocks/mocks.ts';
import { type ForwardingMock, useForwarding, WAREHOUSE_1 } from '../../testing/mocks/use-forwarding.ts';
import { connectMock } from '../adapters/remote.ts';
import { createMock } from '../mock.ts';
import { createContractService } from '../operations/contract-service.ts';
import { createExchangeCheck } from './forwarding.ts';
import type { Forwarded } from './upstream.ts';

const { serve, serveJson, start, startForwarding, startService } = useForwarding();

const WAREHOUSE = '/api/model/warehouse';
const json = { 'content-type': 'application/json' };

// Prism takes a schema that does not compile for one that everything fits.
const profile = createProfile({}, catalogue);
const { components, paths } = generateDocument({ catalogue, profile, references });
const contract = { catalogue, profile, references };
const check = createExchangeCheck(contract, createContractService(contract, 1000));
test.each([...catalogue.models.values()].map((model) => [model.name, model] as const))(
  'each operation accepts only a valid %s record as response',
  async (name, model) => {
    const path = `${catalogue.base}/${name}`;
    const shown = JSON.stringify(paths[`${path}/{id}`]?.get?.responses?.['200']);
    const [, named = ''] = /#\/components\/examples\/(\w+)/.exec(shown) ?? [];
    const example = (components.examples?.[named] ?? {}) as { value?: unknown };
    for (const operation of model.operations) {
      const method = { retrieve: 'GET', list: 'GET', create: 'POST', update: 'POST', delete: 'DELETE' }[
        operation
      ];
      const target = operation === 'list' || operation === 'create' ? path : `${path}/1`;
      const status = operation === 'create' ? 201 : 200;
      const [right, wrong] =
        operation === 'list' ? [[example.value], [{ id: 'x' }]] : [example.value, { id: 'x' }];
      expect(await violationsOf(check, method, target, answerOf(status, right))).toEqual([]);
      expect(await violationsOf(check, method, target, answerOf(status, wrong))).not.toEqual([]);
    }
  },
);

describe('a request that breaks the contract', () => {
  test.each([
    ['a wrong type', '{"name":5}', json, ['/name']],
    ['a missing required field', '{}', json, ['/name']],
    ['an unknown field', '{"name":"a","constructor":1}', json, ['/constructor']],
    ['malformed JSON', '{"name":', json, ['request.body']],
    ['no body', '', json, ['request.body']],
    ['another media type', '{"name":"a"}', { 'content-type': 'text/plain' }, ['request.body']],
    ['an unknown content encoding', '{"name":"a"}', { ...json, 'content-encoding': 'x' }, ['request.body']],
  ])('is forwarded and reported: %s', async (_what, body, headers, places) => {
    const mock = await startForwarding(await serveJson(201, WAREHOUSE_1));
    const answer = await mock.ask('POST', WAREHOUSE, body, headers);
    expect([answer.status, JSON.parse(String(answer.body))]).toEqual([201, WAREHOUSE_1]);
    expect(placesOf(mock)).toEqual(places);
  });

  test.each([
    [{ 'request.readonlyFields': 'reject' }, 'POST', '', {}, ['/id']],
    [{ auth: 'bearer' }, 'GET', '/x', {}, ['request', 'request.path.id']],
    [{ auth: 'bearer' }, 'GET', '?limit=x', { authorization: 'Bearer abc' }, ['limit']],
    [{}, 'PUT', '/1', {}, ['request']],
  ])('is reported at its place, under %j: %s %s', async (profile, method, path, headers, places) => {
    const { url } = await startService({ catalogue, fixtures: {}, profile });
    const mock = await startForwarding(url, profile);
    const body = method === 'POST' ? '{"name":"a","id":4}' : '';
    await mock.ask(method, WAREHOUSE + path, body, { ...json, ...headers });
    expect(placesOf(mock)).toEqual(places);
  });

  test('by a malformed path is forwarded once', async () => {
    const seen: unknown[] = [];
    const mock = await startForwarding(
      await serve(({ url }, response) => {
        seen.push(url);
        response.end();
      }),
    );
    const answer = await mock.ask('GET', `${WAREHOUSE}/%zz`);
    expect([answer.status, seen]).toEqual([200, [`${WAREHOUSE}/%zz`]]);
    expect(placesOf(mock)).toContain('request.path.id');
  });
});

/** An answer as it comes back from a service. */
function answerOf(status: number, body: unknown): Forwarded {
  const headers = { 'content-type': 'application/json', 'x-total-count': '1' };
  const reply = { status, headers, body: JSON.stringify(body) };
  return { reply, headers, content: { kind: 'value', value: body } };
}

async function violationsOf(
  check: ReturnType<typeof createExchangeCheck>,
  method: string,
  target: string,
  answer: Forwarded,
) {
  const body = method === 'POST' ? Buffer.from('{}') : undefined;
  const request = { method, target, headers: { 'content-type': 'application/json' }, body };
  const { violations } = await check(request, () => Promise.resolve(answer));
  return violations.flatMap((one) =>
    'location' in one && one.location.startsWith('response') ? one.message : [],
  );
}

/** Returns the places of the violations of the last exchange. */
function placesOf({ exchanges }: ForwardingMock): string[] {
  return (exchanges.at(-1)?.violations ?? []).map(({ message: _, ...at }) => Object.values(at).join());
}

const BRAND = '/api/model/brand';
const FORWARD = '/__mock/forward';

describe('the control API', () => {
  test('shows and changes the forwarded models, for all sessions', async () => {
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

  test('responds with 404 without the option', async () => {
    const { ask, mock } = await startService();
    for (const method of ['GET', 'PATCH'])
      expect(await ask(method, FORWARD, method === 'GET' ? undefined : { enabled: true })).toMatchObject(
        problem(404, 'start it with --forward URL'),
      );
    await expect(mock.forward()).rejects.toThrow('forwards no requests');
  });

  test('is available in the process and remotely', async () => {
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

test('records of forwarded models are hidden in the mock while they are forwarded', async () => {
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

test('links to forwarded records are accepted, even if links to missing records are rejected', async () => {
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

test('an invalid timeout is a usage error', async () => {
  const forward = { url: 'http://x', timeout: 0 };
  const message = 'Option timeout must be a number of milliseconds above 0';
  await expect(createMock({ forward })).rejects.toThrow(message);
});
