import { afterEach, expect, test } from 'vitest';
import { against, check } from '../../testing/checks.ts';
import { startRecordingProxy } from '../../testing/proxies/recording-proxy.ts';
import { readOptions } from '../../testing/services/plain/options.ts';
import { startPlain } from '../../testing/services/plain/plain.ts';
import { Unreachable } from '../run.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

/** Serves 503 to all requests while the service is away. */
async function serve(isAway: (index: number) => boolean): Promise<string> {
  let count = 0;
  const service = await startPlain({ dialect: readOptions(['sort=field']) });
  const proxy = await startRecordingProxy(service.url, () =>
    isAway(count++) ? { status: 503, body: { detail: 'maintenance' } } : undefined,
  );
  open.push(service, proxy);
  return proxy.url;
}

const plan = { models: ['brand', 'lockerType'], retry: false, looks: [0] };

test('a service that is away for a while is waited for, and nothing is held against it', async () => {
  const url = await serve((index) => index > 100 && index < 109);
  const results = await check(url, { ...plan, connection: { pauses: [0], longestOutage: 2000 } });
  expect(against(results)).toEqual([]);
  expect(results.counts.pass).toBeGreaterThan(150);
  expect(results.leftovers).toEqual([]);
});

test('one that comes back with other records under its ids is written nothing to them', async () => {
  const service = await startPlain({ dialect: readOptions(['sort=field']) });
  const before = new Set<string>();
  const written: string[] = [];
  let count = 0;
  const proxy = await startRecordingProxy(service.url, ({ method, path }) => {
    count++;
    const place = /^[^?]*\/\d+$/.exec(path)?.[0];
    if (count < 100 && place !== undefined) before.add(place);
    if (count > 100 && count < 109) return { status: 503 };
    if (count < 109 || place === undefined || !before.has(place)) return undefined;
    if (method !== 'GET') written.push(`${method} ${place}`);
    return { body: { id: Number(place.split('/').at(-1)), name: 'theirs', created: '2020-01-01T00:00:00Z' } };
  });
  open.push(service, proxy);
  await check(proxy.url, { ...plan, connection: { pauses: [0], longestOutage: 2000 } });
  expect(before.size).toBeGreaterThan(3);
  expect(written).toEqual([]);
});

test('one that does not come back is lost, has failed nothing, and is waited for once', async () => {
  const url = await serve((index) => index > 100);
  let told: unknown;
  let waits = 0;
  await expect(
    check(url, {
      ...plan,
      connection: { pauses: [0], longestOutage: 60, onWait: () => void waits++ },
      onEvent: (event) => {
        if (event.type === 'end') told = event.results;
      },
    }),
  ).rejects.toThrow(Unreachable);
  expect(waits).toBe(1);
  expect(told).toMatchObject({
    counts: { fail: 0 },
    lost: expect.stringContaining(', as did all other requests in the last'),
  });
});

test('one that refuses some requests alone is not waited for', async () => {
  const service = await startPlain({ dialect: readOptions(['sort=field']) });
  const proxy = await startRecordingProxy(service.url, ({ method, path }) =>
    method === 'DELETE' && path.includes('/brand/') ? { status: 503 } : undefined,
  );
  open.push(service, proxy);
  const started = performance.now();
  const results = await check(proxy.url, {
    ...plan,
    rules: ['operations.delete'],
    connection: { pauses: [0], longestOutage: 60_000 },
  });
  expect(results.cases.find(({ id }) => id === 'operations.delete:brand')?.outcome).not.toBe('pass');
  expect(performance.now() - started).toBeLessThan(20_000);
});

test('one whose first list breaks fails that list, and is there', async () => {
  const service = await startPlain({ dialect: readOptions(['sort=field']) });
  const proxy = await startRecordingProxy(service.url, ({ path }, index) =>
    index > 60 && /accessControlLog([?]|$)/.test(path) ? { status: 503 } : undefined,
  );
  open.push(service, proxy);
  const results = await check(proxy.url, {
    ...plan,
    models: ['accessControlLog', 'brand'],
    rules: ['operations', 'required', 'list', 'profile'],
    connection: { pauses: [0], longestOutage: 1000 },
  });
  expect(proxy.asked[0]?.path).toMatch(/accessControlLog$/);
  expect(results.lost).toBe(undefined);
  expect(new Set(against(results).map(({ model }) => model))).toEqual(new Set(['accessControlLog']));
});
