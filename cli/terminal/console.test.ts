import { describe, expect, test, vi } from 'vitest';
import { main } from '../cli.ts';
import { createStatus, hasColors, say } from './console.ts';
import { runWith } from './terminal.ts';

const ANSI = '\u001b';

describe('a line of progress', () => {
  /** Returns the output after one status line per wait, in milliseconds, and a last line. */
  function watch(isTTY: boolean, waits: readonly number[], pause?: number): string {
    vi.useFakeTimers();
    const terminal = process.stderr.isTTY;
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      process.stderr.isTTY = isTTY;
      const status = createStatus(pause);
      for (const [index, wait] of waits.entries()) {
        vi.advanceTimersByTime(wait);
        status.show(`line ${index}`);
      }
      say('between');
      status.clear();
      return written.mock.calls.map(([text]) => text).join('');
    } finally {
      written.mockRestore();
      process.stderr.isTTY = terminal;
      vi.useRealTimers();
    }
  }

  const clear = `\r${ANSI}[2K`;

  test('is written over in a terminal, and one of many elsewhere', () => {
    const waits = [1000, 1000, 10_000, 1000];
    const lines = [0, 1, 2, 3].map((index) => `${clear}line ${index}`).join('');
    expect(watch(true, waits)).toBe(`${lines}${clear}between\n${clear}`);
    expect(watch(false, waits)).toBe('line 2\nbetween\n');
  });

  test('is left out in a terminal where the last one is not old enough', () => {
    expect(watch(true, [0, 99, 1, 50], 100)).toBe(`${clear}line 0${clear}line 2${clear}between\n${clear}`);
  });
});

test.each([
  [true, {}, true],
  [true, { NO_COLOR: '1' }, false],
  [false, {}, false],
])('help and errors in a terminal (%s) with %j have colors: %s', async (isTTY, env, expected) => {
  let printed = '';
  const output = { isTTY, write: (text: string) => (printed += text) };
  const terminal = { stdout: output, stderr: output, env, exitCode: 0, redact: (text: string) => text };
  const print = (...words: string[]) => runWith({ ...terminal, onSignal: () => {} }, () => main(words));
  await print('mock', '--help');
  expect(printed.includes(`${ANSI}[1mUsage:`)).toBe(expected);
  printed = '';
  await print('chekc');
  expect(printed.includes(`${ANSI}[31mrecord-model:`)).toBe(expected);
});

test('colors are for terminals, and stop with NO_COLOR', () => {
  const stream = (isTTY: boolean) => Object.assign(Object.create(process.stdout), { isTTY });
  vi.stubEnv('TERM', 'xterm');
  vi.stubEnv('NO_COLOR', '');
  expect([hasColors(stream(true)), hasColors(stream(false))]).toEqual([true, false]);
  vi.stubEnv('NO_COLOR', '1');
  expect(hasColors(stream(true))).toBe(false);
  vi.stubEnv('NO_COLOR', '');
  vi.stubEnv('TERM', 'dumb');
  expect(hasColors(stream(true))).toBe(false);
  vi.unstubAllEnvs();
});
