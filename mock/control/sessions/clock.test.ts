import { afterAll, expect, test } from 'vitest';
import { serveMock } from '../../../testing/mocks/control.ts';
import { few, references } from '../../../testing/mocks/mocks.ts';

let system = Date.UTC(2025, 9, 22, 9, 30);
const started = await serveMock({
  catalogue: few,
  references,
  fixtures: new Map(),
  clock: () => new Date(system),
  now: new Date('2030-01-01T00:00:00Z'),
});
afterAll(() => started.mock.close());

const clock = async (method = 'GET', path = '', sent?: unknown) =>
  (await started.ask(method, `/__mock/clock${path}`, sent)).body;
const createdNow = async () =>
  (await started.ask('POST', '/api/model/warehouse', { name: 'a' })).body.created;

test('a session begins at the time given, runs, stands still, and is moved on', async () => {
  expect(await clock()).toEqual({ now: '2030-01-01T00:00:00.000Z', frozen: false });
  system += 5000;
  expect(await createdNow()).toBe('2030-01-01T00:00:05Z');
  expect(await clock('PUT', '', { frozen: true })).toMatchObject({ frozen: true });
  system += 5000;
  expect(await createdNow()).toBe('2030-01-01T00:00:05Z');
  expect(await clock('POST', '/advance', { ms: 60_000 })).toMatchObject({ now: '2030-01-01T00:01:05.000Z' });
  expect(await clock('PUT', '', { now: '2026-02-03T04:05:06Z', frozen: false })).toEqual({
    now: '2026-02-03T04:05:06.000Z',
    frozen: false,
  });
  system += 1000;
  expect(await createdNow()).toBe('2026-02-03T04:05:07Z');
  await started.mock.session('other').clock.advance(1000);
  expect(await createdNow()).toBe('2026-02-03T04:05:07Z');
  await started.mock.reset();
  expect(await createdNow()).toBe('2030-01-01T00:00:00Z');
});

test.each([
  ['PUT', '', {}],
  ['PUT', '', { now: 'tomorrow' }],
  ['PUT', '', { frozen: 'yes' }],
  ['POST', '/advance', { ms: -1 }],
  ['POST', '/advance', {}],
])('%s %s with %j is refused, and the time stays', async (method, path, sent) => {
  const before = await clock();
  expect(await clock(method, path, sent)).toMatchObject({ status: 422, detail: expect.any(String) });
  expect(await clock()).toEqual(before);
});

test('no time goes beyond what a datetime can show', async () => {
  await started.mock.clock.advance(Number.MAX_SAFE_INTEGER);
  expect(await createdNow()).toMatch(/^9999-12-31T/);
  await started.mock.reset();
});
