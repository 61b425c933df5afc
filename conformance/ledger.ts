import type { Requirement } from '../spec/requirements.ts';
import { type CaseResult, countsAgainst, type RequirementResult } from './outcome.ts';

/** What the cases say of each statement of the source: held, broken, or not tested and why. */
export function judgeRequirements(
  requirements: Iterable<Requirement>,
  cases: readonly CaseResult[],
): RequirementResult[] {
  const byRule = Map.groupBy(cases, ({ rule }) => rule);
  return [...requirements].map(({ id, section, says, rules, untestable }) => {
    const judged = rules.flatMap((rule) => byRule.get(rule) ?? []);
    const row = { id, section, says };
    if (judged.some((result) => result.outcome === 'fail' && countsAgainst(result)))
      return { ...row, state: 'broken' };
    if (judged.some(({ outcome }) => outcome === 'pass')) return { ...row, state: 'held' };
    const why = untestable ?? judged.find(({ message }) => message)?.message ?? 'no case was run';
    return { ...row, state: 'not tested', why };
  });
}
