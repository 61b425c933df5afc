import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { main } from '../cli/cli.ts';
import { runWith, type Terminal } from '../cli/terminal/terminal.ts';

export type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

export type Started = {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves with the output so far, once it matches. */
  said(what: RegExp): Promise<string>;
};

export const CLI = join(import.meta.dirname, '../cli.ts');

/** A command that runs in this process. */
export type Running = Pick<Started, 'ended' | 'said'> & {
  /** Does what the first Ctrl+C does. */
  interrupt(): void;
};

/**
 * Starts the command in this process, in a directory, with the output and the exit code that a separate process has.
 * Only `interrupt` sends it a signal.
 */
export function begin(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Running {
  const { add, said, soFar } = collect();
  const output = (name: keyof typeof soFar) => ({ write: (text: string) => add(name, text) });
  const listeners: (() => void)[] = [];
  const terminal: Terminal = {
    stdout: output('stdout'),
    stderr: output('stderr'),
    env,
    exitCode: 0,
    redact: (text) => text,
    onSignal: (listener) => listeners.push(listener),
  };
  process.chdir(cwd);
  const ended = runWith(terminal, () => main(args)).then(() => ({ code: terminal.exitCode, ...soFar }));
  return {
    ended,
    interrupt: () => {
      for (const listener of listeners.splice(0)) void runWith(terminal, async () => listener());
    },
    said: (what) => said(what, ended),
  };
}

/** Runs the command to its end in this process, in a directory. */
export function runIn(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return begin(cwd, args, env).ended;
}

/** The same, without an environment. */
export function run(cwd: string, ...args: readonly string[]): Promise<Ended> {
  return runIn(cwd, args);
}

/** Starts the command in a process, in a directory. The caller ends it. */
export function start(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Started {
  const child = spawn(process.execPath, [CLI, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const { add, said } = collect();
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (chunk: Buffer) => add(stream, String(chunk)));
  const closed = new Promise<number>((done) => child.on('close', (code) => done(code ?? -1)));
  const ended = Promise.all([text(child.stdout), text(child.stderr), closed]).then(
    ([stdout, stderr, code]) => ({ code, stdout, stderr }),
  );
  return { child, ended, said: (what) => said(what, closed) };
}

/** Collects output; `said` resolves once the output so far matches, and rejects if the command ends before. */
function collect() {
  const soFar = { stdout: '', stderr: '' };
  const looks = new Set<() => void>();
  return {
    soFar,
    add: (name: keyof typeof soFar, text: string) => {
      soFar[name] += text;
      for (const look of looks) look();
    },
    said: (what: RegExp, ended: Promise<unknown>) =>
      new Promise<string>((resolve, reject) => {
        const printed = () => soFar.stdout + soFar.stderr;
        const look = () => what.test(printed()) && resolve(printed());
        looks.add(look);
        ended.then(() => reject(new Error(`the command ended, and said: ${printed()}`)), reject);
        look();
      }),
  };
}

/** Returns what a mock has printed when it is ready, and its URL. */
export async function untilReady({ said }: Pick<Started, 'said'>): Promise<{ printed: string; url: string }> {
  await said(/ is running on http:\S+\n/);
  const printed = await said(/Press Ctrl\+C to stop/);
  return { printed, url: / on (http:\S+)/.exec(printed)?.[1] ?? '' };
}
