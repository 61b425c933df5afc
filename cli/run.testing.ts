import { execFile } from 'node:child_process';
import { join } from 'node:path';

export type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

const CLI = join(import.meta.dirname, '../cli.ts');

/** Runs the command to its end, in a directory. */
export function run(cwd: string, ...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [CLI, ...args], { cwd }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}
