import type { Output } from './terminal.ts';

/** Milliseconds that text waits at most. */
const LONGEST_WAIT = 50;
/** Characters that wait at most. */
const MOST = 64 * 1024;

/** Text that waits to be written to an output. */
type Gathered = { text: string; timer: NodeJS.Timeout | undefined };

const waiting = new Map<Output, Gathered>();

/**
 * Writes text soon, together with what comes in the meantime: each write is a call of the system, and costs as much as a
 * request to the mock. A process that is killed loses at most the text of the last 50 milliseconds.
 */
export function writeSoon(output: Output, text: string): void {
  if (waiting.size === 0) process.once('exit', flushAll);
  const gathered = waiting.get(output) ?? { text: '', timer: undefined };
  waiting.set(output, gathered);
  gathered.text += text;
  gathered.timer ??= setTimeout(() => flush(output), LONGEST_WAIT).unref();
  if (gathered.text.length >= MOST) flush(output);
}

/** Writes what waits for an output. */
export function flush(output: Output): void {
  const gathered = waiting.get(output);
  if (!gathered) return;
  clearTimeout(gathered.timer);
  waiting.delete(output);
  if (waiting.size === 0) process.off('exit', flushAll);
  output.write(gathered.text);
}

/** Writes all that waits. */
export function flushAll(): void {
  for (const output of [...waiting.keys()]) flush(output);
}
