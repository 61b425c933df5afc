import { afterEach, expect, test, vi } from 'vitest';
import { runWith } from '../terminal/terminal.ts';
import { createFillProgress } from './fill-progress.ts';

afterEach(() => vi.useRealTimers());

/** Returns the output after reports of 10,000 more records each, by default every 400 milliseconds. */
async function watch(isTTY: boolean, reports: number, every = 400): Promise<string> {
  vi.useFakeTimers();
  let written = '';
  const output = { isTTY, columns: 100, write: (text: string) => (written += text) };
  const terminal = { stdout: output, stderr: output, env: {}, exitCode: 0, redact: (text: string) => text };
  await runWith({ ...terminal, onSignal: () => {} }, async () => {
    const progress = createFillProgress('postgres://u:secret@db/mock');
    for (let report = 1; report <= reports; report++) {
      vi.advanceTimersByTime(every);
      progress.show({ records: report * 10_000, total: 1_000_000 });
    }
    progress.clear();
  });
  return written;
}

const CLEAR = '\r\u001b[2K';
const line = (records: string, left = '') =>
  `Filling: ${records} of 1,000,000 records${left}, in postgres://u@db/mock`;

test('a fill that takes more than a second shows one line in a terminal, and clears it', async () => {
  expect(await watch(true, 2)).toBe('');
  expect(await watch(true, 4)).toBe(`${CLEAR}${line('30,000')}${CLEAR}${line('40,000')}${CLEAR}`);
});

test('a fill that takes more than a minute shows the remaining time, when the speed is known', async () => {
  const minutes = await watch(true, 100, 9000);
  expect(minutes.split(CLEAR).slice(1, 4)).toEqual([
    line('10,000'),
    line('20,000', ', about 15 min left'),
    line('30,000', ', about 15 min left'),
  ]);
  expect(minutes).toContain(line('990,000', ', about 1 min left'));
  expect(await watch(true, 2, 60_000)).toContain(line('20,000', ', about 98 min left'));
  expect(await watch(true, 2, 62_000)).toContain(line('20,000', ', about 2 h left'));
  expect(await watch(true, 100, 601)).toContain(line('990,000', ', about 1 min left'));
  expect(await watch(true, 100, 600)).not.toContain('left');
});
