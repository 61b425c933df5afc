import { closestMatch } from 'leven';

/** A mistake in something a person wrote (a file, a flag); its message says the way out and needs no stack. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** `subject is found; expected …`, with the likely typo when one of the expected words is near. */
export function unexpected(
  subject: string,
  found: unknown,
  expected: readonly (string | number | boolean)[],
): string {
  const words = expected.map(String);
  const near = typeof found === 'string' ? closest(found, words) : undefined;
  const list = words.length > 12 ? `one of ${words.slice(0, 12).join(', ')} …` : orList(words);
  return `${subject} is ${JSON.stringify(found)}; expected ${list}${near ? `. Did you mean ${near}?` : ''}`;
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** The word a typo most likely meant, or undefined when none is near. */
export function closest(typo: string, words: readonly string[]): string | undefined {
  if (typo.length > 100) return undefined;
  // One letter is as near to any other: then only the word itself is near, a number written as a text.
  const least = typo.length > 1 ? 1 : 0;
  return closestMatch(typo, words, { maxDistance: Math.max(least, Math.floor(typo.length / 3)) });
}
