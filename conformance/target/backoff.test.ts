import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { against, catalogue, check } from '../../testing/checks.ts';
import type { Asked, Reply } from '../../testing/proxies/recording-proxy.ts';
import { BRAND, failureOf, NEW_BRAND, useTarget } from '../../testing/proxies/use-target.ts';
import { useForeignService } from '../../testing/use-foreign-service.ts';
import { Unreachable } from '../run.ts';
import type { Wait } from './exchange.ts';
import { ping } from './place.ts';
import { createTarget } from './target.ts';

const { recorder, target, closing } = useTarget();

const waiting =
  (status: number, header: () => string, times: number) =>
  (_: Asked, index: number): Reply =>
    index < times ? { status, headers: { 'retry-after': header() } } : { body: { ok: true } };
const inTwoSeconds = () => new Date(Date.now() + 2000).toUTCString();

test.each<[number, string, () => string, number]>([
  [429, 'seconds', () => '1', 990],
  [503, 'zero seconds', () => '0', 0],
  // A date has whole seconds: at least one of the two is left.
  [503, 'a date', inTwoSeconds, 950],
])(
  'backoff: after a %i with Retry-After in %s, the request is repeated after that time',
  async (status, _, header, least) => {
    const { asked, url } = await recorder(waiting(status, header, 1));
    const { exchanges, send } = target(url);
    const started = performance.now();
    const answer = await send(NEW_BRAND);
    expect(performance.now() - started).toBeGreaterThanOrEqual(least);
    expect([answer.status, asked.length, exchanges.length]).toEqual([200, 2, 1]);
  },
);

test.each([
  ['an excessive wait', 503, '9'.repeat(400)],
  ['another status', 500, '0'],
])('backoff: a response with %s is returned without a retry', async (_, status, header) => {
  const { asked, url } = await recorder(waiting(status, () => header, 1));
  expect([(await target(url).send(BRAND)).status, asked.length]).toEqual([status, 1]);
});

test('backoff: without Retry-After, retries use the configured pauses', async () => {
  const { asked, url } = await recorder((_, index) => (index < 3 ? { status: 503 } : {}));
  const { exchanges, send } = target(url, { pauses: [0, 1, 2] });
  expect([(await send(NEW_BRAND)).status, asked.length, exchanges.length]).toEqual([200, 4, 1]);
});

test('backoff: during the pauses of a 429, no other request is sent', async () => {
  let other: Promise<unknown> | undefined;
  const { asked, url } = await recorder(({ method }, index) => {
    if (index === 1) other = send(BRAND);
    return method === 'POST' && index < 4 ? { status: 429 } : {};
  });
  const { send } = target(url, { pauses: [0, 0, 0, 0] });
  await Promise.all([send(NEW_BRAND), send(NEW_BRAND)]);
  await other;
  expect(asked.map(({ method }) => method)).toEqual([...Array(6).fill('POST'), 'GET']);
});

test('backoff: a 503 delays only the rejected requests, not the others', async () => {
  const { asked, url } = await recorder(({ method }, index) =>
    method === 'POST' && index < 2 ? { status: 503, headers: { 'retry-after': '1' } } : {},
  );
  const { send } = target(url);
  let posts = 0;
  const writing = [send(NEW_BRAND), send(NEW_BRAND)].map((sent) => sent.finally(() => posts++));
  while (asked.length < 2) await send({ ...NEW_BRAND, method: 'PUT' });
  const before = asked.length;
  for (let times = 0; times < 20; times++) await send(BRAND);
  expect([posts, asked.length - before]).toEqual([0, 20]);
  expect((await Promise.all(writing)).map(({ status }) => status)).toEqual([200, 200]);
});

test.each([
  ['that asks to wait more than a minute', '61', 1, 'and asks to wait 61 s'],
  ['without Retry-After', undefined, 3, '3 times'],
])('backoff: a 429 %s means that the target is gone', async (_, header, times, said) => {
  const reply = { status: 429, headers: header === undefined ? {} : { 'retry-after': header } };
  const { asked, url } = await recorder(() => reply);
  const { exchanges, send } = target(url, { pauses: [0, 0] });
  const { gone, message } = await failureOf(send(BRAND));
  expect([gone, asked.length, exchanges.length]).toEqual([true, times, 1]);
  expect(message).toBe(
    `GET ${url}/api/model/brand returned 429 (too many requests) ${said}; pass --rate N to send at most N requests per second`,
  );
});

test('backoff: after failed retries, only a delete is retried, once', async () => {
  const { asked, url } = await recorder(() => ({ status: 429 }));
  const { send } = target(url, { pauses: [0, 0] });
  const counts: number[] = [];
  for (const method of ['GET', 'POST', 'DELETE', 'DELETE']) {
    await failureOf(send({ ...BRAND, method }));
    counts.push(asked.length);
  }
  expect(counts).toEqual([3, 4, 7, 8]);
});

const askForHalfAMinute = () => ({ status: 429, headers: { 'retry-after': '30' } });

test('an abort signal ends the wait that the target asked for, and the wait is reported once', async () => {
  const { asked, url } = await recorder(askForHalfAMinute);
  const stop = new AbortController();
  const waits: Wait[] = [];
  const onWait = (wait: Wait) => waits.push(wait) && setImmediate(() => stop.abort());
  const { send } = target(url, { signal: stop.signal, onWait });
  const ended = await Promise.allSettled(Array.from({ length: 20 }, () => send(BRAND)));
  for (const one of ended) expect(one).toMatchObject({ reason: { name: 'Interrupted' } });
  expect(waits).toEqual([{ status: 429, milliseconds: 30_000 }]);
  // Later requests don't wait.
  await expect(send({ ...BRAND, method: 'DELETE' })).rejects.toThrow('interrupted');
  expect(asked.length).toBeLessThanOrEqual(21);
});

test('an abort signal ends waits for the rate limit, except those of deletes', async () => {
  const { asked, url } = await recorder(() => ({}));
  const stop = new AbortController();
  const { send } = target(url, { rate: 10, signal: stop.signal });
  await send(BRAND);
  const [remove, look] = [send({ ...BRAND, method: 'DELETE' }), send(BRAND)];
  await turn();
  stop.abort();
  await expect(look).rejects.toThrow('interrupted');
  expect((await remove).status).toBe(200);
  expect((await send(BRAND)).status).toBe(200);
  expect(asked.map(({ method }) => method)).toEqual(['GET', 'DELETE', 'GET']);
});

test('concurrent requests together stay below the rate limit', async () => {
  const { asked, url } = await recorder(() => ({}));
  const { send } = target(url, { rate: 50 });
  const started = performance.now();
  await Promise.all(Array.from({ length: 11 }, () => send(BRAND)));
  // Ten pauses of 20 ms; a timer may be a millisecond early.
  expect(performance.now() - started).toBeGreaterThanOrEqual(189);
  expect(asked).toHaveLength(11);
});

const { startLossy: start } = useForeignService();

/** Serves 503 to all requests while the service is away. */
async function serve(isAway: (index: number) => boolean): Promise<string> {
  const reply = { status: 503, body: { detail: 'maintenance' } };
  return (await start((_, index) => (isAway(index) ? reply : undefined))).url;
}

const plan = { models: ['brand', 'lockerType'], retry: false, looks: [0] };

test('a temporary outage of a service does not fail any cases', async () => {
  const url = await serve((index) => index > 100 && index < 109);
  const results = await check(url, { ...plan, connection: { pauses: [0], longestOutage: 2000 } });
  expect(against(results)).toEqual([]);
  expect(results.counts.pass).toBeGreaterThan(150);
  expect(results.leftovers).toEqual([]);
});

test('after an outage, the suite writes to no record that now has other content', async () => {
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

test('a service that stays unavailable is lost after one wait, and fails no cases', async () => {
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

test('the suite does not wait if a service rejects only some requests with 503', async () => {
  const { url } = await start(({ method, path }) =>
    method === 'DELETE' && path.includes('/brand/') ? { status: 503 } : undefined,
  );
  const longestOutage = 60_000;
  const started = performance.now();
  const results = await check(url, {
    ...plan,
    rules: ['operations.delete'],
    connection: { pauses: [0], longestOutage },
  });
  expect(results.cases.find(({ id }) => id === 'operations.delete:brand')?.outcome).not.toBe('pass');
  expect(performance.now() - started).toBeLessThan(longestOutage);
});

const connection = { pauses: [0, 0, 0, 0] };

test.each([502, 504])(
  'the suite waits while a gateway returns %i until its service is available',
  async (status) => {
    const { left, url } = await start((_, index) => (index < 12 ? { status } : undefined));
    const results = await check(url, { models: ['brand'], looks: [0], connection });
    expect([against(results), results.leftovers, left()]).toEqual([[], [], []]);
  },
);

test('a service that returns 503 to each list is unavailable, and no model is judged', async () => {
  const { url } = await recorder(() => ({ status: 503 }));
  const target = closing(createTarget({ baseUrl: url, ...connection }));
  await expect(ping(target, catalogue)).rejects.toMatchObject({
    name: 'NoAnswer',
    message: 'The service returned 503 to the list of each of 53 models; try again later',
  });
});

test('after the first success, a 502 is returned without a retry', async () => {
  const { asked, url } = await recorder((_, index) => (index === 1 ? { status: 502 } : { body: '[]' }));
  const target = closing(createTarget({ baseUrl: url, ...connection }));
  const read = async () => (await target.send({ method: 'GET', path: '/x' }, () => {})).status;
  expect([await read(), await read(), asked.length]).toEqual([200, 502, 2]);
});
