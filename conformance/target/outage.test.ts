import { expect, test } from 'vitest';
import { against, catalogue, check } from '../../testing/checks.ts';
import { useLossyService } from '../../testing/proxies/use-lossy-service.ts';
import { useTarget } from '../../testing/proxies/use-target.ts';
import { Unreachable } from '../run.ts';
import { ping } from './ping.ts';
import { createTarget } from './target.ts';

const { start } = useLossyService();
const { closing, recorder } = useTarget();

/** Serves 503 to all requests while the service is away. */
async function serve(isAway: (index: number) => boolean): Promise<string> {
  const reply = { status: 503, body: { detail: 'maintenance' } };
  return (await start((_, index) => (isAway(index) ? reply : undefined))).url;
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
  const before = new Set<string>();
  const written: string[] = [];
  const { url } = await start(({ method, path }, count) => {
    const place = /^[^?]*\/\d+$/.exec(path)?.[0];
    if (count < 100 && place !== undefined) before.add(place);
    if (count > 100 && count < 109) return { status: 503 };
    if (count < 109 || place === undefined || !before.has(place)) return undefined;
    if (method !== 'GET') written.push(`${method} ${place}`);
    return { body: { id: Number(place.split('/').at(-1)), name: 'theirs', created: '2020-01-01T00:00:00Z' } };
  });
  await check(url, { ...plan, connection: { pauses: [0], longestOutage: 2000 } });
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
  const { url } = await start(({ method, path }) =>
    method === 'DELETE' && path.includes('/brand/') ? { status: 503 } : undefined,
  );
  const started = performance.now();
  const results = await check(url, {
    ...plan,
    rules: ['operations.delete'],
    connection: { pauses: [0], longestOutage: 60_000 },
  });
  expect(results.cases.find(({ id }) => id === 'operations.delete:brand')?.outcome).not.toBe('pass');
  expect(performance.now() - started).toBeLessThan(20_000);
});

const connection = { pauses: [0, 0, 0, 0] };

test.each([502, 504])('a gateway that returns %i until its service is up is waited for', async (status) => {
  const { left, url } = await start((_, index) => (index < 12 ? { status } : undefined));
  const results = await check(url, { models: ['brand'], looks: [0], connection });
  expect([against(results), results.leftovers, left()]).toEqual([[], [], []]);
});

test('one that returns 503 to each list is not there, and no model is judged', async () => {
  const { url } = await recorder(() => ({ status: 503 }));
  const target = closing(createTarget({ baseUrl: url, ...connection }));
  await expect(ping(target, catalogue)).rejects.toMatchObject({
    name: 'NoAnswer',
    message: 'The service returned 503 to the list of each of 53 models; try again later',
  });
});

test('after the first success, a 502 is a response like any other', async () => {
  const { asked, url } = await recorder((_, index) => (index === 1 ? { status: 502 } : { body: '[]' }));
  const target = closing(createTarget({ baseUrl: url, ...connection }));
  const read = async () => (await target.send({ method: 'GET', path: '/x' }, () => {})).status;
  expect([await read(), await read(), asked.length]).toEqual([200, 502, 2]);
});
