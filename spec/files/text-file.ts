import { readFileSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { UsageError, whyFailed } from './usage-error.ts';

/**
 * Reads a text file of a user. Throws UsageError if it is missing, is not a regular file, or has more than `largest`
 * bytes. `wanted` says what to name instead, such as `a YAML file`.
 */
export function readTextFile(path: string, largest: number, wanted: string): string {
  const name = relative(process.cwd(), path) || path;
  try {
    const found = statSync(path);
    // A device or a pipe has no size, and may never end.
    if (!found.isFile()) throw new UsageError(`${name} is not a regular file. Name ${wanted}.`);
    if (found.size > largest)
      throw new UsageError(
        `${name} is too large: it has ${found.size} bytes, and the limit is ${largest}. Check that it is the file you meant.`,
      );
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${name} can't be read because ${whyFailed(error)}. Name ${wanted}.`);
  }
}
