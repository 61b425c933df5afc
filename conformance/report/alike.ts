import type { CaseResult } from '../results/outcome.ts';
import { standingOf } from './summary.ts';

/** Cases that failed in one way, in the order of the run; at least one. */
export type Alike = readonly [CaseResult, ...CaseResult[]];

/**
 * Puts together the cases of one rule whose messages are the same but for names and numbers, so that a wholly
 * different service is told in a few lines. What blocks a case is not about its rule, so there the message alone counts.
 */
export function groupAlike(cases: readonly CaseResult[]): Alike[] {
  const names = new Set(
    cases.flatMap(({ id, model, field = model }) => [model, field, ...(detailOf(id).match(WORD) ?? [])]),
  );
  const groups = new Map<string, [CaseResult, ...CaseResult[]]>();
  for (const result of cases) {
    const rule = result.outcome === 'blocked' ? '' : result.rule;
    const pattern = (result.message ?? '').replaceAll(WORD, (word) =>
      names.has(word) || /^\d/.test(word) ? '*' : word,
    );
    const key = `${standingOf(result)} ${rule} ${pattern}`;
    const group = groups.get(key);
    if (group) group.push(result);
    else groups.set(key, [result]);
  }
  return [...groups.values()];
}

/** Numbers are names here: ids differ from case to case. */
const WORD = /[A-Za-z][A-Za-z0-9]*|\d+/g;

/** What tells apart the cases of one field or model, such as `0` in `values.accepted:stockOrder.status=0`. */
function detailOf(id: string): string {
  const at = id.indexOf('=');
  return at === -1 ? '' : id.slice(at + 1);
}
