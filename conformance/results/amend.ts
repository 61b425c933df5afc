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

function turn(result: CaseResult, { case: _, ...finding }: Finding): CaseResult {
  const { outcome: __, ...rest } = result;
  return { ...rest, outcome: 'fail', ...finding };
}
