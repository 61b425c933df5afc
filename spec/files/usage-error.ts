import { closest } from './closest.ts';

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
