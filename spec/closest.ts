import { closestMatch } from 'leven';

/** The word a typo most likely meant, or undefined when none is near. */
export function closest(typo: string, words: readonly string[]): string | undefined {
  if (typo.length > 100) return undefined;
  return closestMatch(typo, words, { maxDistance: Math.max(1, Math.floor(typo.length / 3)) });
}
