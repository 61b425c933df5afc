import { expect, test } from 'vitest';
import { startMock } from '../../testing/mocks/mocks.ts';
import { usedHeap } from '../../testing/used-heap.ts';

/** In MiB. */
const used = () => usedHeap() / 2 ** 20;

const LONG = 'x'.repeat(60_000);

test('a mock that reached its memory limit rejects writes with 507, until memory is available', async () => {
  const { ask, mock } = await startMock(
    { 'errors.form': 'simple' },
    { maxMemory: used() + 40, requestLog: 0 },
  );
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
  // Faults that are off take memory, too.
  await expect(mock.fault({ enabled: false, status: 500 })).rejects.toThrow('reached its memory limit');
  await expect(mock.snapshot('full')).rejects.toThrow('reached its memory limit');
  // A removal needs no memory.
  expect((await ask('DELETE', '/warehouse/1')).status).toBe(200);
  await mock.reset();
  // Garbage is not collected at every write.
  const asked = async () => (await ask('POST', '/warehouse', warehouse(1))).status;
  await expect.poll(asked, { timeout: 60_000 }).toBe(201);
});

test.each(['', '?sessions=all'])(
  'event streams (%s) without a reader use little memory, and end',
  async (query) => {
    const { ask, mock } = await startMock({}, { requestLog: 0 });
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
