import { getHeapStatistics } from 'node:v8';
import { expect, test } from 'vitest';
import { startMock } from '../testing/mocks/mocks.ts';
import { createJournal, createJournalFeed } from './control/journal/journal.ts';
import { createAllowance, createMemoryBudget } from './memory-budget.ts';

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
  // A removal needs no memory.
  expect((await ask('DELETE', '/warehouse/1')).status).toBe(200);
  await mock.reset();
  // Garbage is not collected at every write.
  const asked = async () => (await ask('POST', '/warehouse', warehouse(1))).status;
  await expect.poll(asked, { timeout: 60_000 }).toBe(201);
});

test('a mock whose memory is used up refuses faults and snapshots, too, also those that are off', async () => {
  const { mock } = await startMock({}, { maxMemory: used() + 40, journal: 0 });
  const fault = { enabled: false, status: 500, body: 'x'.repeat(900_000) };
  const add = async () => {
    for (let added = 0; added < 300; added++) await mock.fault({ ...fault, body: `${added}${fault.body}` });
  };
  await expect(add()).rejects.toThrow('Nothing was stored because the mock has reached its memory limit.');
  await expect(mock.snapshot('full')).rejects.toThrow('the mock has reached its memory limit');
  await mock.clearFaults();
  const isFree = () => mock.fault(fault).then(Boolean, () => false);
  await expect.poll(isFree, { timeout: 60_000 }).toBe(true);
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

const LONG = 'x'.repeat(60_000);

test('the request logs of all sessions together stay below a quarter of the limit', () => {
  const allowance = createAllowance(40);
  const createOne = () => createJournal({ size: 1000, allowance, session: 'a', feed: createJournalFeed() });
  const seen = {
    at: 0,
    request: { method: 'POST', target: '/api/model/brand', headers: {}, body: Buffer.from(LONG) },
    reply: { status: 422, headers: {}, body: LONG },
    ms: 1,
    fault: undefined,
  };
  const small = createOne();
  small.record(seen);
  const journals = [createOne(), createOne(), createOne()];
  for (let times = 0; times < 100; times++) for (const journal of journals) journal.record(seen);
  const bytes = journals.flatMap((journal) => journal.entries()).length * 2 * LONG.length;
  expect(bytes).toBeLessThan(10 * 2 ** 20);
  expect(bytes).toBeGreaterThan(9 * 2 ** 20);
  // A small journal loses nothing. Each large one keeps its newest entries.
  expect(small.entries()).toHaveLength(1);
  for (const journal of journals) {
    expect(journal.entries().at(-1)?.id).toBe(100);
    expect(journal.entries().length).toBeGreaterThan(20);
  }
});

test.each(['', '?sessions=all'])(
  'event streams (%s) that nobody reads take no memory of their own, and end',
  async (query) => {
    const { ask, mock } = await startMock({}, { journal: 0 });
    const streams = await Promise.all(
      Array.from({ length: 100 }, () => mock.fetch(new Request(`http://127.0.0.1/__mock/events${query}`))),
    );
    const taken = () => used() + process.memoryUsage().external / 2 ** 20;
    const before = taken();
    for (let times = 0; times < 30; times++) await ask('POST', '/warehouse', { notAField: LONG });
    expect(taken() - before).toBeLessThan(30);
    const ended = await Promise.allSettled(streams.map((stream) => stream.text()));
    expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(100);
  },
);
