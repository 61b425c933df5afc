import { AsyncLocalStorage } from 'node:async_hooks';

/** A stream that is written to, such as that of a process. */
export type Output = {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/** What a command talks to. */
export type Terminal = {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  exitCode: number;
  /** Takes the secrets out of what is said. */
  redact: (text: string) => string;
  /** Tells of each signal that asks the command to end. */
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

/** What the command that runs talks to: the process, unless it runs inside another program (`runWith`). */
export function terminal(): Terminal {
  return others.getStore() ?? PROCESS;
}

/** Runs a command that talks to something else than the process, such as a test; several may run at once. */
export function runWith<T>(other: Terminal, command: () => Promise<T>): Promise<T> {
  return others.run(other, command);
}
