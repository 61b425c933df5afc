import { chmodSync, lstatSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from './usage-error.ts';

/**
 * Writes a file all or nothing: a reader never sees half of it. A file that is there keeps its mode, also behind a link;
 * what is no file, such as a pipe or /dev/null, is written into. Throws UsageError when it can't be written.
 */
export function saveFile(path: string, text: string): void {
  try {
    const there = statSync(path, { throwIfNoEntry: false });
    if (there?.isFile()) replaceFile(realpathSync(path), text, there.mode & 0o7777);
    // A link that leads nowhere yet is there too.
    else if (lstatSync(path, { throwIfNoEntry: false })) writeFileSync(path, text);
    else replaceFile(path, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${path} can't be written (${code}); expected a file in a directory that exists`);
  }
}

function replaceFile(path: string, text: string, mode?: number): void {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    // Never open to more people than the file itself, not for a moment.
    writeFileSync(draft, text, mode === undefined ? {} : { mode });
    if (mode !== undefined) chmodSync(draft, mode);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Says so before a long run, not after it, when there is no directory for a file. */
export function checkDirectory(path: string): void {
  if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${path} can't be written: ${dirname(path)} is no directory; create it first`);
}
