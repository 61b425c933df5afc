/** Whether each case of a long list is tested, as `npm run test:all` does. */
const isWhole = process.env.ALL_CASES === '1';

/**
 * Returns the cases of a long list that `npm test` tries: each `share`-th, the same in each run. With `ALL_CASES=1`
 * these are all cases.
 */
export function slice<Case>(cases: readonly Case[], share: number): readonly Case[] {
  return isWhole ? cases : cases.filter((_, index) => index % share === 0);
}

/** Returns how often a long test repeats a step: `few` times, or `many` times with `ALL_CASES=1`. */
export function times(few: number, many: number): number {
  return isWhole ? many : few;
}
