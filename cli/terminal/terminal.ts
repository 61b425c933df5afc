import { AsyncLocalStorage } from 'node:async_hooks';

/** An output stream, such as standard output. */
export type Output = {
  /** Returns false if the reader is slower, and the text waits. */
  write(text: string): unknown;
  /** Absent if texts never wait. */
  on?(event: 'drain' | 'close', listener: () => void): unknown;
  off?(event: 'drain' | 'close', listener: () => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/** The streams, environment, and exit code of a command. */
export type Terminal = {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  exitCode: number;
  /** Removes secrets from text. */
  redact: (text: string) => string;
  /** Calls the listener at each signal that asks the command to end. */
  onSignal(listener: () => void): void;
};

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const PROCESS: Terminal = {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  get exitCode() {
    return Number(process.exitCode ?? 0);
  },
  set exitCode(code) {
    process.exitCode = code;
  },
  redact: (text) => text,
  onSignal: (listener) => {
    for (const signal of SIGNALS) process.on(signal, listener);
  },
};

const others = new AsyncLocalStorage<Terminal>();

/** Returns the terminal of the running command: the process, or the one passed to `runWith`. */
export function terminal(): Terminal {
  return others.getStore() ?? PROCESS;
}

/** Runs a command with its own terminal, as tests do. Several can run at once. */
export function runWith<T>(other: Terminal, command: () => Promise<T>): Promise<T> {
  return others.run(other, command);
}

/** Milliseconds that text waits at most. */
const LONGEST_WAIT = 50;
/** Texts that wait at most. */
const MOST_TEXTS = 500;

const waiting = new Map<Output, (() => string)[]>();
let timer: NodeJS.Timeout | undefined;

process.once('exit', flushAll);

/**
 * Writes a text soon, together with what comes in the meantime: each write is a call of the system, and costs as much as
 * a request to the mock. The text is made then, too: many in a row cost a third of what they cost one by one between
 * requests. A process that is killed loses at most the texts of the last 50 milliseconds.
 */
export function writeSoon(output: Output, text: () => string): void {
  const texts = waiting.get(output) ?? [];
  waiting.set(output, texts);
  timer ??= setTimeout(flushAll, LONGEST_WAIT).unref();
  if (texts.push(text) >= MOST_TEXTS) flush(output);
}

/** Writes what waits for an output. */
export function flush(output: Output): void {
  const texts = waiting.get(output);
  if (!texts) return;
  waiting.delete(output);
  if (waiting.size === 0) {
    clearTimeout(timer);
    timer = undefined;
  }
  output.write(texts.map((text) => text()).join(''));
}

/** Writes all that waits. */
export function flushAll(): void {
  for (const output of [...waiting.keys()]) flush(output);
}
