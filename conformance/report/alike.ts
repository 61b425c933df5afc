import type { CaseResult } from '../outcome.ts';
import { standingOf } from './summary.ts';

/** Cases that failed in one way, in the order of the run; at least one. */
export type Alike = readonly [CaseResult, ...CaseResult[]];

/**
 * Puts together the cases of one rule whose messages are the same but for names and numbers, so that a wholly
 * different service is told in a few lines. What blocks a case is not about its rule, so there the message alone counts.
 */
export function groupAlike(cases: readonly CaseResult[]): Alike[] {
  const groups = new Map<string, [CaseResult, ...CaseResult[]]>();
  for (const result of cases) {
    const rule = result.outcome === 'blocked' ? '' : result.rule;
    const key = `${standingOf(result)} ${rule} ${pattern(result)}`;
    const group = groups.get(key);
    if (group) group.push(result);
    else groups.set(key, [result]);
  }
  return [...groups.values()];
}

function pattern({ message = '', model, field }: CaseResult): string {
  return message.replaceAll(/[A-Za-z0-9]+/g, (word) =>
    word === model || word === field ? '*' : word.replaceAll(/\d+/g, '#'),
  );
}
