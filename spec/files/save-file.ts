import { randomUUID } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError, whyFailed } from './usage-error.ts';

/** The mode of a file that only its owner can read and write. */
export const PRIVATE = 0o600;

/**
 * Writes a whole file or nothing: a reader never sees half of it. An existing file keeps its mode. A pipe or a device,
 * such as /dev/null, is written into. A link to a file is refused, because another user may have set it. Throws
 * UsageError if the file can't be written. Pass `newMode`, such as PRIVATE, for a new file that others must not read.
 */
export function saveFile(path: string, text: string, newMode?: number): void {
  try {
    const there = statOf(path);
    if (there && !there.isFile()) writeFileSync(path, text);
    else replaceFile(path, text, there ? there.mode & 0o7777 : newMode);
  } catch (error) {
    throw explain(path, error);
  }
}

/** Does the same with a text in parts. If a part rejects, nothing is written. */
export async function saveParts(path: string, parts: AsyncIterable<string>, newMode?: number): Promise<void> {
  const draft = draftOf(path);
  try {
    const there = statOf(path);
    if (there && !there.isFile()) {
      await writeFile(path, parts);
      return;
    }
    const mode = there ? there.mode & 0o7777 : newMode;
    await writeFile(draft, parts, { flag: 'wx', ...(mode === undefined ? {} : { mode }) });
    if (mode !== undefined) chmodSync(draft, mode);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw explain(path, error);
  }
}

/** Returns the error of a file in terms of its path; others as they are. */
function explain(path: string, error: unknown): unknown {
  const isOfFile = error instanceof Error && 'syscall' in error;
  const directory = dirname(path);
  if (isOfFile && !existsSync(directory))
    return new UsageError(
      `${path} can't be written because the directory ${directory} does not exist. Create it, or write elsewhere.`,
    );
  return isOfFile ? new UsageError(`${path} can't be written because ${whyFailed(error)}.`) : error;
}

function draftOf(path: string): string {
  return `${path}.${randomUUID()}.tmp`;
}

/** Returns the status of a path if it exists. Refuses a link to a file, but follows one to a device, such as /dev/stdout. */
function statOf(path: string): Stats | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (isLink && (found === undefined || found.isFile()))
    throw new UsageError(`${path} can't be written because it is a symbolic link. Name the file itself.`);
  return found;
}

function replaceFile(path: string, text: string, mode?: number): void {
  const draft = draftOf(path);
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

/** Returns the status of a path if it exists. Throws UsageError if a file can't be written there. */
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
