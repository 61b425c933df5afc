import { closestMatch } from 'leven';

/** The word a typo most likely meant, or undefined when none is near. */
export function closest(typo: string, words: readonly string[]): string | undefined {
  if (typo.length > 100) return undefined;
  // One letter is as near to any other: then only the word itself is near, a number written as a text.
  const least = typo.length > 1 ? 1 : 0;
  return closestMatch(typo, words, { maxDistance: Math.max(least, Math.floor(typo.length / 3)) });
}
