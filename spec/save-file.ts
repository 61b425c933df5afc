import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from './usage-error.ts';

/** Writes a file all or nothing: a reader never sees half of it. Throws UsageError when it can't be written. */
export function saveFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, text);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${path} can't be written (${code}); expected a file in a directory that exists`);
  }
}

/** Says so before a long run, not after it, when there is no directory for a file. */
export function checkDirectory(path: string): void {
  if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${path} can't be written: ${dirname(path)} is no directory; create it first`);
}
