import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
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

/** Says so before a long run, not after it, when a path is no place for the file that a flag names. */
export function checkPlace(path: string, flag: string): void {
  explained(path, flag, () => requirePlace(path));
}

/** The same, also when the file can't be written there as things are. */
export function checkFile(path: string, flag: string): void {
  explained(path, flag, () => {
    const found = requirePlace(path);
    // A file is replaced as a whole, which is for its directory to allow; a device is written into.
    const isDevice = found !== undefined && !found.isFile();
    accessSync(isDevice ? path : dirname(found ? realpathSync(path) : path), constants.W_OK);
  });
}

/** What stands at the path already, if anything does. */
function requirePlace(path: string): Stats | undefined {
  const directory = dirname(path);
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${path} can't be written: ${directory} is no directory; create it first`);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory())
    throw new UsageError(`${path} can't be written: it is a directory; expected a file`);
  return found;
}

function explained(path: string, flag: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${path} can't be written (${code}); expected a file for ${flag}`);
  }
}
