import { AsyncLocalStorage } from 'node:async_hooks';
import { oneLine, type Paint, painter, plainLines } from '../../conformance/results/text.ts';

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

export const OK = 0;
export const NOT_CONFORMANT = 1;
export const USAGE = 2;
export const UNREACHABLE = 3;
export const INCONCLUSIVE = 4;
export const INTERRUPTED = 130;

/** Milliseconds between two looks whether npm is still there. */
const LAUNCHER_PAUSE = 500;

/** Moves to the start of the line and clears it. */
const CLEAR_LINE = '\r\u001b[2K';
/** Milliseconds between two lines of progress if the output is not a terminal. */
const PAUSE = 10_000;

/** Prints a line for people to standard error, because standard output is for data. */
export function say(line: string): void {
  saySoon(() => line);
  flush(terminal().stderr);
}

/** Like `say`, for lines that come by the thousand: they are written together, within 50 milliseconds. */
export function saySoon(line: () => string): void {
  // A terminal might show a line of progress here.
  const { redact, stderr } = terminal();
  writeSoon(stderr, () => `${stderr.isTTY ? CLEAR_LINE : ''}${redact(line())}\n`);
}

/** Maximum number of warnings that are printed. */
const MOST_WARNINGS = 20;

/** Prints warnings, each on one line. */
export function warn(warnings: readonly string[]): void {
  for (const warning of warnings.slice(0, MOST_WARNINGS)) say(`Warning: ${oneLine(warning)}`);
  const more = warnings.length - MOST_WARNINGS;
  if (more > 0) say(`There are ${more} more warnings.`);
}

/** Prints an error with the name of the command. It can repeat texts of a file. */
export function sayError(message: string): void {
  say(`${paint(terminal().stderr, 'red', 'record-model:')} ${plainLines(message).join('\n')}`);
}

/** Prints why the service does not respond. A service that queues requests can respond to fewer at once. */
export function sayUnreachable(reason: string): void {
  const remedy = '. If the service is slow, pass --concurrency 1, or a longer --timeout';
  sayError(`The service can't be reached: ${reason}${reason.includes('no response within') ? remedy : ''}`);
}

/** Returns text in a style if the stream shows colors. */
export function paint(stream: Output, style: Parameters<Paint>[0], text: string): string {
  return painter(hasColors(stream))(style, text);
}

/**
 * Shows progress: on one line that is overwritten in a terminal, else on a new line every ten seconds. A terminal waits
 * `pause` milliseconds between two updates.
 */
export function createStatus(pause = 0) {
  const { stderr } = terminal();
  const isTTY = stderr.isTTY === true;
  const least = isTTY ? pause : PAUSE;
  let last = isTTY ? Number.NEGATIVE_INFINITY : Date.now();
  return {
    show(line: string) {
      if (Date.now() - last < least) return;
      last = Date.now();
      // A second row would not be cleared.
      if (isTTY) stderr.write(CLEAR_LINE + line.slice(0, (stderr.columns ?? 80) - 1));
      else say(line);
    },
    clear() {
      if (isTTY) stderr.write(CLEAR_LINE);
    },
  };
}

/** Calls `stop` at the first signal. A second signal calls `lastWords` and ends the process. */
export function onSignal(stop: () => void, lastWords = () => {}): void {
  let stopping = false;
  terminal().onSignal(() => {
    if (stopping) {
      lastWords();
      process.exit(INTERRUPTED);
    }
    stopping = true;
    stop();
  });
}

/** Resolves when a signal stops a server. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    onSignal(() => {
      say('Stopping after the open requests. Press Ctrl+C again to stop immediately.');
      resolve();
    });
    // A signal ends npm, and the shell in between, but not the command.
    if (terminal().env.npm_command === undefined) return;
    const launcher = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid === launcher) return;
      clearInterval(timer);
      resolve();
    }, LAUNCHER_PAUSE).unref();
  });
}

/** Reports that a signal or the time limit ended a run, and sets the exit code. */
export function endEarly(leftovers: readonly string[], isOutOfTime = false): void {
  const what = isOutOfTime ? 'INCONCLUSIVE: the time limit (--max-time) was reached.' : 'Interrupted.';
  const left = leftovers.length > 0 ? ` These records were not removed: ${leftovers.join(', ')}.` : '';
  say(`${what}${left}`);
  terminal().exitCode = isOutOfTime ? INCONCLUSIVE : INTERRUPTED;
}

/** Whether a stream shows colors: only a terminal does, unless NO_COLOR is set. */
export function hasColors(stream: Output): boolean {
  const { env } = terminal();
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}
