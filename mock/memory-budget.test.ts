import { expect, test } from 'vitest';
import { usedHeap } from '../testing/used-heap.ts';
import { createLogFeed, createRequestLog } from './control/request-log/request-log.ts';
import { createMemoryBudget } from './memory-budget.ts';

/** In MiB. */
const used = () => usedHeap() / 2 ** 20;

test('memory of unused objects does not count as used', () => {
  const budget = createMemoryBudget(used() + 30);
  let made = 0;
  for (let times = 0; times < 500; times++) {
    made += Array.from({ length: 10_000 }, () => times).length;
    expect(budget.isSpent()).toBe(false);
  }
  expect(made).toBe(5_000_000);
});

const LONG = 'x'.repeat(60_000);

test('the request logs of all sessions together use less than a quarter of the limit', () => {
  const feed = createLogFeed(40);
  const createOne = () => createRequestLog('a', 1000, feed);
  const seen = {
    at: 0,
    request: { method: 'POST', target: '/api/model/brand', headers: {}, body: Buffer.from(LONG) },
    reply: { status: 422, headers: {}, body: LONG },
    ms: 1,
    fault: undefined,
  };
  const small = createOne();
  small.record(seen);
  const requestLogs = [createOne(), createOne(), createOne()];
  for (let times = 0; times < 100; times++) for (const requestLog of requestLogs) requestLog.record(seen);
  const bytes = requestLogs.flatMap((requestLog) => requestLog.entries()).length * 2 * LONG.length;
  expect(bytes).toBeLessThan(10 * 2 ** 20);
  expect(bytes).toBeGreaterThan(9 * 2 ** 20);
  // A small request log loses nothing. Each large one keeps its newest entries.
  expect(small.entries()).toHaveLength(1);
  for (const requestLog of requestLogs) {
    expect(requestLog.entries().at(-1)?.id).toBeGreaterThan(298);
    expect(requestLog.entries().length).toBeGreaterThan(20);
  }
});
