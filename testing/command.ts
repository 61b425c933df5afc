import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

export type Started = {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves with what the command said so far, once it said this. */
  said(what: RegExp): Promise<string>;
};

const CLI = join(import.meta.dirname, '../cli.ts');

/** Runs the command to its end, in a directory. */
export function run(cwd: string, ...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [CLI, ...args], { cwd }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

/** Starts the command in a directory; whoever starts it sees to its end. */
export function start(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Started {
  const child = spawn(process.execPath, [CLI, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let soFar = '';
  child.stderr.on('data', (chunk: Buffer) => {
    soFar += chunk;
  });
  const closed = new Promise<number>((done) => child.on('close', (code) => done(code ?? -1)));
  const ended = Promise.all([text(child.stdout), text(child.stderr), closed]).then(
    ([stdout, stderr, code]) => ({ code, stdout, stderr }),
  );
  const said = (what: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => what.test(soFar) && resolve(soFar);
      child.stderr.on('data', look);
      child.on('close', () => reject(new Error(`the command ended, and said: ${soFar}`)));
      look();
    });
  return { child, ended, said };
}
