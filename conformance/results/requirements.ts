import type { Requirement } from '../../spec/requirements.ts';
import { type CaseResult, countsAgainst, LEVELS, type RequirementResult } from './results.ts';

/** Returns for each statement of the source whether it held, was broken, or was not tested, and why. */
export function judgeRequirements(
  requirements: Iterable<Requirement>,
  cases: readonly CaseResult[],
  /** Why a requirement has no case. */
  none = 'no case ran',
): RequirementResult[] {
  const byRule = Map.groupBy(cases, ({ rule }) => rule);
  return [...requirements].map(({ id, section, says, rules, untestable }) => {
    const judged = rules.flatMap((rule) => byRule.get(rule) ?? []);
    const row = { id, section, says };
    const failed = judged.filter(({ level, outcome }) => level === 'stated' && outcome === 'fail');
    // An excuse changes what the failure counts for, not what the target does.
    const excuse = failed.some(countsAgainst) ? undefined : failed[0]?.excused;
    if (failed.length > 0)
      return { ...row, state: 'broken', ...(excuse === undefined ? {} : { why: `excused: ${excuse}` }) };
    // What is only assumed, or advised, decides where nothing else is there; what breaks it breaks no statement.
    const telling = LEVELS.map((level) => judged.filter((one) => one.level === level)).find(
      (cases) => cases.length > 0,
    );
    const open = telling?.find(({ outcome }) => outcome !== 'pass' && outcome !== 'skip');
    if (!open && telling?.some(({ outcome }) => outcome === 'pass')) return { ...row, state: 'held' };
    const why = untestable ?? (open ?? judged.find(({ message }) => message))?.message ?? none;
    return { ...row, state: 'not tested', why };
  });
}
