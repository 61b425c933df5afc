import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { endWith, useCommand, WITH_DEFAULTS } from '../../testing/use-command.ts';
import { main } from '../cli.ts';
import { createStatus, flush, runWith, say, writeSoon } from './terminal.ts';

const MODULE = join(import.meta.dirname, 'terminal.ts');

afterEach(() => {
  vi.useRealTimers();
});

const ANSI = '\u001b';

test('lines are written in batches, at least ten times per second', () => {
  vi.useFakeTimers();
  const output = createOutput();
  for (const line of ['1\n', '2\n', '3\n']) writeSoon(output, () => line);
  expect(output.written).toEqual([]);
  vi.advanceTimersByTime(100);
  expect(output.written).toEqual(['1\n2\n3\n']);
  writeSoon(output, () => '4\n');
  vi.advanceTimersByTime(100);
  expect(output.written).toEqual(['1\n2\n3\n', '4\n']);
});

test('a flush writes buffered lines once', () => {
  const output = createOutput();
  writeSoon(output, () => '1\n');
  flush(output);
  flush(output);
  expect(output.written).toEqual(['1\n']);
  // Many lines don't wait.
  for (let line = 0; line < 500; line++) writeSoon(output, () => 'x');
  expect(output.written[1]).toHaveLength(500);
});

test.each([
  ['exits', 'process.exit(0);'],
  ['crashes', 'throw new Error("crash");'],
])('no buffered line is lost if the process %s', (_, end) => {
  const program = `import { writeSoon } from ${JSON.stringify(MODULE)};
    for (let line = 1; line <= 1000; line++) writeSoon(process.stdout, () => line + '\\n');
    ${end}`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect(stdout).toBe(Array.from({ length: 1000 }, (__, line) => `${line + 1}\n`).join(''));
});

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

test('a progress line is overwritten in a terminal, and printed rarely elsewhere', () => {
  const waits = [1000, 1000, 10_000, 1000];
  const lines = [0, 1, 2, 3].map((index) => `${clear}line ${index}`).join('');
  expect(watch(true, waits)).toBe(`${lines}${clear}between\n${clear}`);
  expect(watch(false, waits)).toBe('line 2\nbetween\n');
});

test('a progress line in a terminal is skipped if the last one is too recent', () => {
  expect(watch(true, [0, 99, 1, 50], 100)).toBe(`${clear}line 0${clear}line 2${clear}between\n${clear}`);
});

test.each([
  [true, {}, true],
  [true, { NO_COLOR: '1' }, false],
  [true, { TERM: 'dumb' }, false],
  [false, {}, false],
])('whether help and errors in a terminal (%s) with %j have colors: %s', async (isTTY, env, expected) => {
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

function createOutput() {
  const written: string[] = [];
  return { written, write: (text: string) => written.push(text) };
}

const { directory, readResults, run, startService } = useCommand();

/** Runs a verb and says how many seconds that took. */
async function timed(...args: readonly string[]) {
  const started = performance.now();
  const ended = await run(...args);
  return { ...ended, seconds: (performance.now() - started) / 1000 };
}

// In seconds. A run whose time is over doesn't wait for it.
const ASKED_PAUSE = 59;
const WAIT = { status: 429, headers: { 'retry-after': String(ASKED_PAUSE) } };

test('--max-time ends a check whose deletes get no response, and lists the remaining records', async () => {
  const never = new Promise<never>(() => {});
  const { url } = await startService({}, ({ method }) => (method === 'DELETE' ? never : undefined));
  const some = ['--models', 'brand', '--json', 'r.json', ...WITH_DEFAULTS, '--timeout', '60000'];
  const { code, seconds, stderr } = await timed('check', url, ...some, '--max-time', '4');
  expect({ code, stderr }).toMatchObject(endWith(4, 'The time for removing records is over'));
  expect(seconds).toBeLessThan(ASKED_PAUSE);
  expect(readResults('r.json').leftovers.length).toBeGreaterThan(0);
  expect(stderr).toMatch(/\d+ records? not removed: see record-model-leftovers\.json/);
});

test('an error shows the control characters of a file, and does not send them to the terminal', async () => {
  directory.write('profile.yaml', 'values: {"customer.\\e[31mlang": 5}\n');
  const { code, stderr } = await run('generate', '--profile', 'profile.yaml');
  expect({ code, stderr }).toMatchObject(endWith(2, 'customer.\\u001b[31mlang'));
  expect(stderr).not.toContain(ANSI);
});

test('--max-time ends learn', async () => {
  const { service, url } = await startService({}, (_, index) => (index > 40 ? WAIT : undefined));
  const before = await service.count();
  const { code, seconds, stderr } = await timed('learn', url, '--max-time', '3');
  expect({ code, stderr }).toMatchObject(
    endWith(4, 'INCONCLUSIVE: the time limit (--max-time) was reached.'),
  );
  expect(seconds).toBeLessThan(ASKED_PAUSE);
  expect(await service.count()).toBeGreaterThanOrEqual(before);
});
