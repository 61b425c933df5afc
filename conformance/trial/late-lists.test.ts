import { expect, test } from 'vitest';
import type { Target } from '../target/target.ts';
import { delayLists } from './late-lists.ts';

const BASE = '/api/model';
const answer = { status: 200, headers: {}, body: '[]' };

function open(ms: number, signal?: AbortSignal) {
  const inner: Target = {
    url: 'http://127.0.0.1',
    requests: () => 0,
    send: async () => answer,
    close: async () => {},
  };
  const target = delayLists(inner, { base: BASE, ms, ...(signal ? { signal } : {}) });
  const send = (method: string, path: string) => target.send({ method, path: `${BASE}/${path}` }, () => {});
  return {
    send,
    async waited(path: string) {
      const start = performance.now();
      await send('GET', path);
      return performance.now() - start;
    },
  };
}

// A timer may fire a fraction of a millisecond early.
const MS = 60;
const LEAST = MS - 5;

test.each(['voucherLine', 'iso3166'])(
  'after a write to another model, the list of %s waits',
  async (list) => {
    const { send, waited } = open(MS);
    await send('POST', 'voucher');
    expect(await waited(list)).toBeGreaterThanOrEqual(LEAST);
  },
);

test('a list does not wait before the first write, or after the delay', async () => {
  const unwritten = open(600_000);
  await unwritten.send('GET', 'brand');
  // Long, so that a busy machine does not take as long by itself.
  const ms = 1000;
  const { send, waited } = open(ms);
  await send('POST', 'brand');
  await waited('brand');
  expect(await waited('brand')).toBeLessThan(ms);
});

test('an abort signal ends the wait before a list', async () => {
  const stop = new AbortController();
  const { send } = open(60_000, stop.signal);
  await send('POST', 'brand');
  const waiting = send('GET', 'brand');
  stop.abort();
  await expect(waiting).rejects.toThrow('interrupted');
  await expect(send('GET', 'brand')).rejects.toThrow('interrupted');
  await expect(send('DELETE', 'brand/7')).resolves.toEqual(answer);
});
