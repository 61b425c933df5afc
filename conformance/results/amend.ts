import type { Profile } from '../../spec/profile/profile.ts';
import { DIFFER } from '../assert/failure.ts';
import type { CaseResult, Finding } from './results.ts';

export type Amended = {
  /** The results that turned to `fail`. */
  readonly turned: readonly CaseResult[];
  /** What breaks a rule of which no case was run, or none that could be judged: it decides nothing. */
  readonly findings: readonly Finding[];
};

/**
 * A pass means never contradicted in the whole run: a case that passed by itself, or was kept from being judged, fails
 * by the exchange that shows the contradiction.
 */
export function amend(results: ReadonlyMap<string, CaseResult>, contradictions: readonly Finding[]): Amended {
  const turned: CaseResult[] = [];
  const findings: Finding[] = [];
  // The first of each case, which is told best.
  const first = new Map(contradictions.toReversed().map((one) => [one.case, one]));
  for (const contradiction of first.values()) {
    const result = results.get(contradiction.case);
    if (result && isOpen(result)) turned.push(turn(result, contradiction));
    else if (result?.outcome !== 'fail') findings.push(contradiction);
  }
  return { turned, findings };
}

/** What did not fail by itself, and was not passed over for what nobody knows. */
function isOpen({ level, outcome }: CaseResult): boolean {
  return ['pass', 'blocked', 'flaky'].includes(outcome) || (outcome === 'skip' && level !== 'assumed');
}

/**
 * Returns the results with a skip for each case that can't be judged: a blocked rule that is not stated, and a model that uses
 * another option than was learned from its service. A file that was learned before is outdated if it fits no model,
 * which only a complete run of all models (`isWhole`) shows.
 */
export function skipUnjudged(
  cases: readonly CaseResult[],
  {
    isWhole = false,
    profile,
    profileName,
  }: { readonly isWhole?: boolean; readonly profile: Profile; readonly profileName: string },
): CaseResult[] {
  const held = new Set(cases.filter(({ outcome }) => outcome === 'pass').map(({ setting }) => setting));
  return cases.map(({ otherOption, ...result }) => {
    const { message, outcome, setting } = result;
    if (outcome === 'blocked' && result.level !== 'stated') return skipped(result, message);
    const mayFit = !isWhole || profileName === 'learned' || held.has(setting);
    const differs = otherOption && outcome === 'fail' && profile.learned && mayFit;
    return differs ? skipped(result, `${message}, ${result.found}: ${DIFFER}`) : result;
  });
}

function skipped(result: CaseResult, message: string | undefined): CaseResult {
  const { again: _, exchanges: __, expected: ___, found: ____, retried: _____, ...rest } = result;
  return { ...rest, outcome: 'skip', ...(message === undefined ? {} : { message }) };
}

function turn(result: CaseResult, { case: _, ...finding }: Finding): CaseResult {
  const { outcome: _outcome, unjudged: _unjudged, ...rest } = result;
  return { ...rest, outcome: 'fail', ...finding };
}
