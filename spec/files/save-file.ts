import { randomUUID } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { UsageError, whyFailed } from './usage-error.ts';

/** The mode of a file that only its owner can read and write. */
export const PRIVATE = 0o600;

/**
 * Writes a file all or nothing: a reader never sees half of it. A file that is there keeps its mode; what is no file, such
 * as a pipe or /dev/null, is written into. A link to a file is refused: who set it may not be who writes. Throws
 * UsageError when it can't be written. Pass `newMode`, such as PRIVATE, for a new file that holds what others must not read.
 */
export function saveFile(path: string, text: string, newMode?: number): void {
  try {
    const there = statOf(path);
    if (there && !there.isFile()) writeFileSync(path, text);
    else replaceFile(path, text, there ? there.mode & 0o7777 : newMode);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path} can't be written because ${whyFailed(error)}.`);
  }
}

/** What stands at a path, if anything does. Links to what is no file lead on, as /dev/stdout does. */
function statOf(path: string): Stats | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (isLink && (found === undefined || found.isFile()))
    throw new UsageError(`${path} can't be written because it is a symbolic link. Name the file itself.`);
  return found;
}

function replaceFile(path: string, text: string, mode?: number): void {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    // Never open to more people than the file itself, not for a moment.
    writeFileSync(draft, text, { flag: 'wx', ...(mode === undefined ? {} : { mode }) });
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
    accessSync(isDevice ? path : dirname(path), constants.W_OK);
  });
}

/** What stands at the path already, if anything does. */
function requirePlace(path: string): Stats | undefined {
  const directory = dirname(path);
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(
      `${path} can't be written because there is no directory ${directory}. Create it first.`,
    );
  const found = statOf(path);
  if (found?.isDirectory())
    throw new UsageError(`${path} can't be written because it is a directory. Name a file.`);
  return found;
}

function explained(path: string, flag: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `${path} can't be written because ${whyFailed(error)}. Choose another file for ${flag}.`,
    );
  }
}
