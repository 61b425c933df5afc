import { afterEach, expect, test, vi } from 'vitest';
import { runWith } from '../terminal/terminal.ts';
import { createFillProgress } from './fill-progress.ts';

afterEach(() => vi.useRealTimers());

/** Returns the output after a report every 400 milliseconds. */
async function watch(isTTY: boolean, reports: number): Promise<string> {
  vi.useFakeTimers();
  let written = '';
  const output = { isTTY, write: (text: string) => (written += text) };
  const terminal = { stdout: output, stderr: output, env: {}, exitCode: 0, redact: (text: string) => text };
  await runWith({ ...terminal, onSignal: () => {} }, async () => {
    const progress = createFillProgress('postgres://u:secret@db/mock');
    for (let report = 1; report <= reports; report++) {
      vi.advanceTimersByTime(400);
      progress.show({ records: report * 10_000, total: 1_000_000 });
    }
    progress.clear();
  });
  return written;
}

const CLEAR = '\r\u001b[2K';
const line = (records: string) => `Filling postgres://u@db/mock: ${records} of 1,000,000 records`;

test('a fill of more than a second shows one line in a terminal, and clears it', async () => {
  expect(await watch(true, 4)).toBe(`${CLEAR}${line('30,000')}${CLEAR}${line('40,000')}${CLEAR}`);
});

test('a shorter fill shows nothing', async () => {
  expect(await watch(true, 2)).toBe('');
});

test('elsewhere, a line comes every ten seconds', async () => {
  expect(await watch(false, 51)).toBe(`${line('250,000')}\n${line('500,000')}\n`);
});
