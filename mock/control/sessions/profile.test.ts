import { expect, test } from 'vitest';
import { serveMock } from '../../../testing/mocks/control.ts';
import { few, references } from '../../../testing/mocks/mocks.ts';
import { connectMock } from '../../adapters/remote.ts';

const base = {
  catalogue: few,
  references,
  fixtures: {
    warehouse: [
      { id: 1, name: 'Norte' },
      { id: 2, name: 'Sur' },
    ],
  },
};
const PROFILE = '/__mock/profile';
const WAREHOUSES = '/api/model/warehouse';
const of = (session: string) => ({ 'x-mock-session': session });
const CHANGES = {
  'status.created': 200,
  'status.invalid': 400,
  'list.paging': { style: 'offset', default: 1, max: 2 },
  'delete.effect': 'remove',
  'request.unknownFields': 'ignore',
  'limits.text': 5,
};

test('a session changes its settings while the mock runs, and a reset restores them', async () => {
  await using served = await serveMock(base);
  const { ask } = served;
  const changed = await ask('PUT', PROFILE, CHANGES, of('a'));
  expect([changed.status, changed.body]).toEqual([200, expect.objectContaining({ 'status.created': 200 })]);
  expect((await ask('GET', PROFILE, undefined, of('a'))).body).toEqual(changed.body);

  expect((await ask('POST', WAREHOUSES, { name: 'Este', color: 'red' }, of('a'))).status).toBe(200);
  expect((await ask('POST', WAREHOUSES, { name: 'Noreste' }, of('a'))).status).toBe(400);
  const list = await ask('GET', WAREHOUSES, undefined, of('a'));
  expect([list.body, list.headers['x-total-count']]).toEqual([[expect.objectContaining({ id: 1 })], '3']);
  expect((await ask('DELETE', `${WAREHOUSES}/1`, undefined, of('a'))).status).toBe(200);
  expect((await ask('GET', `${WAREHOUSES}/1`, undefined, of('a'))).status).toBe(404);
  const { paths } = (await ask('GET', '/openapi.json', undefined, of('a'))).body;
  expect(Object.keys(paths?.[WAREHOUSES]?.post?.responses ?? {})).toContain('200');

  const shared = await ask('POST', WAREHOUSES, { name: 'Noreste', color: 'red' });
  expect([shared.status, shared.body.violations]).toEqual([
    422,
    [expect.objectContaining({ pointer: '/color' })],
  ]);
  expect((await ask('POST', WAREHOUSES, { name: 'Noreste' }, of('b'))).status).toBe(201);

  await ask('POST', '/__mock/reset', undefined, of('a'));
  expect((await ask('POST', WAREHOUSES, { name: 'Noreste' }, of('a'))).status).toBe(201);
  expect((await ask('GET', WAREHOUSES, undefined, of('a'))).body).toHaveLength(3);
});

test('changes add up, and null restores a setting', async () => {
  await using served = await serveMock({ ...base, profile: { 'status.updated': 202 } });
  const statuses = async () => {
    const { body } = await served.ask<Record<string, unknown>>('GET', PROFILE);
    return [body['status.created'], body['status.updated'], body['status.deleted']];
  };
  await served.ask('PUT', PROFILE, { 'status.created': 200 });
  expect(await statuses()).toEqual([200, 202, 200]);
  await served.ask('PUT', PROFILE, { 'status.deleted': 204 });
  expect(await statuses()).toEqual([200, 202, 204]);
  await served.ask('PUT', PROFILE, { 'status.created': null });
  expect(await statuses()).toEqual([201, 202, 204]);
  expect((await served.ask('PUT', PROFILE, { 'status.create': null })).status).toBe(422);
});

test.each<[settings: object, detail: string]>([
  [
    { 'types.bool': 'int' },
    "types.bool can't change while the mock runs, because clients rely on the document of its start. Restart the mock with --profile FILE, or create another one.",
  ],
  [{ auth: 'bearer' }, "auth can't change while the mock runs"],
  [{ 'list.paging': 'none' }, 'Only default and max of list.paging can change while the mock runs'],
  [{ 'status.create': 200 }, 'Unknown setting "status.create". Did you mean "status.created"?'],
  [{ except: { brand: { 'status.created': 200 } } }, 'Unknown setting "except".'],
  [JSON.parse('{ "__proto__": { "x": 1 } }'), 'Unknown setting "__proto__".'],
])('%j is refused, and nothing changes', async (settings, detail) => {
  await using served = await serveMock(base);
  await served.ask('PUT', PROFILE, { 'status.created': 202 });
  const refused = await served.ask('PUT', PROFILE, { 'status.deleted': 204, ...settings });
  expect([refused.status, refused.body.detail]).toEqual([422, expect.stringContaining(detail)]);
  expect((await served.ask('GET', PROFILE)).body).toMatchObject({
    'status.created': 202,
    'status.deleted': 200,
  });
});

test('sessions in the process and remote ones change their settings, and tell which can change', async () => {
  await using served = await serveMock(base);
  await served.mock.session('a').setProfile({ 'status.created': 200 });
  await connectMock(served.url).session('b').setProfile({ 'status.created': 202 });
  const created = async (session: string) =>
    (await served.ask('POST', WAREHOUSES, { name: 'Este' }, of(session))).status;
  expect([await created('a'), await created('b'), await created('c')]).toEqual([200, 202, 201]);
  const { profile } = await served.mock.session('a').contract();
  const facts = new Map(profile.map((one) => [one.setting, one]));
  expect(facts.get('status.created')).toMatchObject({ value: 200, live: 'all' });
  expect(facts.get('list.paging')).toMatchObject({ live: 'sizes' });
  expect(facts.get('types.bool')).not.toHaveProperty('live');
  await expect(served.mock.session('a').setProfile({ auth: 'bearer' })).rejects.toThrow("auth can't change");
  expect(served.mock.profile['status.created']).toBe(201);
});

test('many sessions have a profile each', async () => {
  await using served = await serveMock(base);
  const sessions = Array.from({ length: 12 }, (_, index) => `s${index}`);
  const sizes = async () =>
    Promise.all(
      sessions.map(async (name) => (await served.ask('GET', WAREHOUSES, undefined, of(name))).body.length),
    );
  for (const [index, name] of sessions.entries())
    await served.mock.session(name).setProfile({
      'limits.text': 100 + index,
      'list.paging': { style: 'offset', default: 1 + (index % 2) },
    });
  const wanted = sessions.map((_, index) => 1 + (index % 2));
  expect(await sizes()).toEqual(wanted);
  expect(await sizes()).toEqual(wanted);
});
