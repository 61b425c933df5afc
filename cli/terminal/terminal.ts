import { AsyncLocalStorage } from 'node:async_hooks';

/** An output stream, such as standard output. */
export type Output = {
  write(text: string): unknown;
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
