import { getHeapStatistics } from 'node:v8';
import { expect, test } from 'vitest';
import { startMock } from '../testing/mocks/mocks.ts';
import { createMemoryBudget } from './memory-budget.ts';

/** In MiB, garbage not counted. */
function used(): number {
  createMemoryBudget(0).isSpent();
  return getHeapStatistics().used_heap_size / 2 ** 20;
}

test('a mock whose memory is used up refuses writes in the form of its profile, until there is room', async () => {
  const { ask, mock } = await startMock({ 'errors.form': 'simple' }, { maxMemory: used() + 40, journal: 0 });
  const warehouse = (length: number) => ({ name: 'a', comments: 'x'.repeat(length) });
  let stored = 0;
  let answer = await ask('POST', '/warehouse', warehouse(500_000));
  for (; answer.status === 201 && stored < 400; stored++)
    answer = await ask('POST', '/warehouse', warehouse(500_000));
  expect(answer).toMatchObject({
    status: 507,
    body: {
      error: expect.stringMatching(
        /^Nothing was stored because the mock has reached its memory limit\. Reset/,
      ),
    },
  });
  expect(stored).toBeGreaterThan(30);
  expect((await ask('GET', '/warehouse?limit=1')).headers['x-total-count']).toBe(String(stored));
  await expect(mock.setState({ warehouse: [{ id: 1, name: 'a' }] })).rejects.toThrow(
    'Nothing was stored because the mock has reached its memory limit. Reset or delete sessions, or start the mock with a higher limit (--max-memory).',
  );
  await mock.reset();
  // Garbage is not collected at every write.
  const asked = async () => (await ask('POST', '/warehouse', warehouse(1))).status;
  await expect.poll(asked, { timeout: 60_000 }).toBe(201);
});

test('garbage is no memory that is used', () => {
  const budget = createMemoryBudget(used() + 30);
  let made = 0;
  for (let times = 0; times < 500; times++) {
    made += Array.from({ length: 10_000 }, () => times).length;
    expect(budget.isSpent()).toBe(false);
  }
  expect(made).toBe(5_000_000);
});

/** A quarter of it is for request logs and event streams: 10 MiB. */
const LIMIT = 40;
const LONG = 'x'.repeat(60_000);

test('the request logs of all sessions together stay below their part of the limit', async () => {
  const { mock } = await startMock({}, { maxMemory: LIMIT });
  const small = mock.session('small');
  await small.fetch(new Request('http://mock/api/model/warehouse'));
  const refused = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ notAField: LONG }),
  };
  for (let times = 0; times < 100; times++)
    for (const name of ['one', 'two', 'three'])
      await mock.session(name).fetch(new Request('http://mock/api/model/warehouse', refused));
  const kept = await Promise.all(['one', 'two', 'three'].map((name) => mock.session(name).requests()));
  const bytes = JSON.stringify(kept).length;
  expect(bytes).toBeLessThan((LIMIT / 4) * 2 ** 20);
  expect(bytes).toBeGreaterThan((LIMIT / 8) * 2 ** 20);
  // Those that hold little keep it, and the newest stay.
  expect(await small.requests()).toHaveLength(1);
  expect(kept.map((requests) => requests.at(-1)?.status)).toEqual([422, 422, 422]);
});

test('event streams that nobody reads take no memory of their own, and end', async () => {
  const { ask, mock } = await startMock({}, { maxMemory: LIMIT, journal: 0 });
  const streams = await Promise.all(
    Array.from({ length: 100 }, () => mock.fetch(new Request('http://127.0.0.1/__mock/events'))),
  );
  const taken = () => used() + process.memoryUsage().external / 2 ** 20;
  const before = taken();
  for (let times = 0; times < 30; times++) await ask('POST', '/warehouse', { notAField: LONG });
  expect(taken() - before).toBeLessThan(30);
  const ended = await Promise.allSettled(streams.map((stream) => stream.text()));
  expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(100);
});
