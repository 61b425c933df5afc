import leven, { closestMatch } from 'leven';

/** A mistake in a file or flag that a person wrote. The message says what to do, so no stack is shown. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Returns what a function returns; of a mistake, what `explain` returns, or undefined. Other errors are thrown. */
export function attempt<Result, Other = undefined>(
  run: () => Result,
  explain?: (message: string) => Other,
): Result | Other | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof UsageError) return explain?.(error.message);
    throw error;
  }
}

/** More mistakes in one file than anyone fixes at once. */
const MOST_MISTAKES = 20;

/** The most mistakes that are looked for: a file can have any number of them. */
export const MOST_FOUND = 50;

/** More alternatives than anyone reads. */
const MOST_ALTERNATIVES = 5;

/**
 * Returns `Unknown model "brnd" in --models. Did you mean "brand"?`. Without a near word it names at
 * most five alternatives, the nearest first. `where` says where the word was found.
 */
export function unexpected(
  kind: string,
  found: unknown,
  expected: readonly (string | number | boolean)[],
  where = '',
): string {
  const words = [...new Set(expected.map(String))];
  const near = typeof found === 'string' ? closest(found, words) : undefined;
  const show = (word: string | undefined) => JSON.stringify(expected.find((one) => String(one) === word));
  return `Unknown ${kind} ${JSON.stringify(found)}${where && ` ${where}`}. ${wayOut()}`.trimEnd();

  function wayOut(): string {
    if (near !== undefined) return `Did you mean ${show(near)}?`;
    if (words.length === 0) return '';
    if (words.length <= MOST_ALTERNATIVES) return `Use ${orList(words.map(show))}.`;
    return `Use one of ${words.length} names, such as ${orList(nearest(found, words).map(show))}.`;
  }
}

/** Returns `a, b, or c`. */
export function orList(words: readonly string[]): string {
  if (words.length < 3) return words.join(' or ');
  return `${words.slice(0, -1).join(', ')}, or ${words.at(-1)}`;
}

function nearest(found: unknown, words: readonly string[]): string[] {
  const typo = String(found).slice(0, 100);
  return words
    .map((word) => ({ word, distance: leven(typo, word) }))
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, MOST_ALTERNATIVES)
    .map(({ word }) => word);
}

/** The word a typo most likely meant, or undefined when none is near. */
export function closest(typo: string, words: readonly string[]): string | undefined {
  if (typo.length > 100) return undefined;
  // One letter is as near to any other: then only the word itself is near, a number written as a text.
  const least = typo.length > 1 ? 1 : 0;
  return closestMatch(typo, words, { maxDistance: Math.max(least, Math.floor(typo.length / 3)) });
}

/** Reads each item, until there are 50 mistakes. Throws one UsageError with all of them, a line each. */
export function readAll<Item, Result>(items: Iterable<Item>, read: (item: Item) => Result): Result[] {
  const results: Result[] = [];
  const mistakes: string[] = [];
  for (const item of items) {
    try {
      results.push(read(item));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      mistakes.push(...(error instanceof Mistakes ? error.all : [error.message]));
      if (mistakes.length >= MOST_FOUND) break;
    }
  }
  refuseMistakes(mistakes);
  return results;
}

/** Several mistakes, all of them kept for a caller that adds others before it cuts the list. */
class Mistakes extends UsageError {
  readonly all: readonly string[];

  constructor(message: string, all: readonly string[]) {
    super(message);
    this.all = all;
  }
}

/** Throws a UsageError that lists the mistakes, if there are any. */
export function refuseMistakes(mistakes: readonly string[]): void {
  const lines = [...new Set(mistakes)];
  const more = lines.splice(MOST_MISTAKES).length;
  const count = mistakes.length < MOST_FOUND ? more : `at least ${more}`;
  if (more > 0) lines.push(`There are ${count} more mistakes.`);
  if (lines.length > 0) throw new Mistakes(lines.join('\n'), mistakes);
}

const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'the permission is missing',
  EBUSY: 'another process uses it',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'it exists already',
  EFBIG: 'it would exceed the maximum file size',
  EISDIR: 'it is a directory',
  ELOOP: 'its symbolic links form a loop',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'there is no such file or directory',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is not a directory',
  EPERM: 'the operating system does not permit it',
  EROFS: 'the file system is read-only',
};

/** Why the operating system refused to read or write a file, as a clause. */
export function whyFailed(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return SYSTEM_ERRORS[code] ?? `of a system error (${message})`;
}
