import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { flush, writeSoon } from './terminal.ts';

const MODULE = join(import.meta.dirname, 'terminal.ts');

afterEach(() => {
  vi.useRealTimers();
});

function createOutput() {
  const written: string[] = [];
  return { written, write: (text: string) => written.push(text) };
}

test('lines are written together, at least ten times a second', () => {
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

test('a flush writes what waits, once', () => {
  const output = createOutput();
  writeSoon(output, () => '1\n');
  flush(output);
  flush(output);
  expect(output.written).toEqual(['1\n']);
});

test('many lines do not wait', () => {
  const output = createOutput();
  for (let line = 0; line < 600; line++) writeSoon(output, () => 'x\n');
  expect(output.written).toHaveLength(1);
  flush(output);
});

test.each([
  ['ends', ''],
  ['exits', 'process.exit(0);'],
  ['crashes', 'throw new Error("crash");'],
  ['rejects', 'Promise.reject(new Error("crash"));'],
])('no line is lost where the process %s', (_, end) => {
  const program = `import { writeSoon } from ${JSON.stringify(MODULE)};
    for (let line = 1; line <= 1000; line++) writeSoon(process.stdout, () => line + '\\n');
    ${end}`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect(stdout).toBe(Array.from({ length: 1000 }, (__, line) => `${line + 1}\n`).join(''));
});
