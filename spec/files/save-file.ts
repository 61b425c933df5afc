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
  let draft: Draft | undefined;
  try {
    draft = draftFor(path, newMode);
    writeFileSync(draft.file, text, draft.options);
    draft.commit();
  } catch (error) {
    draft?.discard();
    throw explain(path, error);
  }
}

/** Does the same with a text in parts. If a part rejects, nothing is written. */
export async function saveParts(path: string, parts: AsyncIterable<string>, newMode?: number): Promise<void> {
  let draft: Draft | undefined;
  try {
    draft = draftFor(path, newMode);
    await writeFile(draft.file, parts, draft.options);
    draft.commit();
  } catch (error) {
    draft?.discard();
    throw explain(path, error);
  }
}

type Draft = ReturnType<typeof draftFor>;

/** Returns where to write: a new file that takes the place of the old one at the end, or the device itself. */
function draftFor(path: string, newMode: number | undefined) {
  const there = statOf(path);
  if (there && !there.isFile()) return { file: path, options: {}, commit: () => {}, discard: () => {} };
  const mode = there ? there.mode & 0o7777 : newMode;
  const file = `${path}.${randomUUID()}.tmp`;
  return {
    file,
    // Never open to more people than the file itself, not for a moment.
    options: { flag: 'wx', ...(mode === undefined ? {} : { mode }) },
    commit: () => {
      if (mode !== undefined) chmodSync(file, mode);
      renameSync(file, path);
    },
    discard: () => rmSync(file, { force: true }),
  };
}

/** Returns the status of a path if it exists. Refuses a link to a file, but follows one to a device, such as /dev/stdout. */
function statOf(path: string): Stats | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (isLink && (found === undefined || found.isFile()))
    throw new UsageError(`${path} can't be written because it is a symbolic link. Name the file itself.`);
  return found;
}

/**
 * Says so before a long run, not after it, when a path is no place for the file that a flag names, or can't be written as
 * things are. A file that most runs don't write needs no permission before.
 */
export function checkFile(path: string, flag: string, isSure = true): void {
  try {
    if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory()) throw withoutDirectory(path);
    const found = statOf(path);
    if (found?.isDirectory())
      throw new UsageError(`${path} can't be written because it is a directory. Name a file.`);
    // A file is replaced as a whole, which is for its directory to allow; a device is written into.
    if (isSure) accessSync(found && !found.isFile() ? path : dirname(path), constants.W_OK);
  } catch (error) {
    throw explain(path, error, ` Choose another file for ${flag}.`);
  }
}

/** Returns the error of a file in terms of its path, with a way out; others as they are. */
function explain(path: string, error: unknown, wayOut = ''): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error;
  if (wayOut === '' && !existsSync(dirname(path))) return withoutDirectory(path);
  return new UsageError(`${path} can't be written because ${whyFailed(error)}.${wayOut}`);
}

function withoutDirectory(path: string): UsageError {
  return new UsageError(
    `${path} can't be written because there is no directory ${dirname(path)}. Create it, or write elsewhere.`,
  );
}
