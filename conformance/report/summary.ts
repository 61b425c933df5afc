import type { CaseResult, RequirementResult, Results } from '../results/results.ts';
import { shareOf } from '../results/verdict.ts';
import { oneLine } from './text.ts';

/** What a case comes to for a reader, in rising order of gravity: failures that do not count are told apart. */
export const STANDINGS = ['pass', 'skip', 'excused', 'advice', 'flaky', 'blocked', 'fail', 'error'] as const;
export type Standing = (typeof STANDINGS)[number];

export function standingOf({ outcome, excused, level }: CaseResult): Standing {
  if (excused !== undefined) return 'excused';
  return outcome === 'fail' && level === 'advice' ? 'advice' : outcome;
}

/** The first word of a rule's id: `update.keeps-origin` → `update`. */
export function groupOf({ rule }: CaseResult): string {
  return rule.split('.')[0] ?? rule;
}

/** The gravest standing among cases; `pass` when there are none. */
export function gravest(cases: readonly CaseResult[]): Standing {
  return cases
    .map(standingOf)
    .reduce((worst, one) => (gravityOf(one) > gravityOf(worst) ? one : worst), 'pass');
}

export function gravityOf(standing: Standing): number {
  return STANDINGS.indexOf(standing);
}

/** The cases a reader has to look at, gravest first, else in the order of the run. */
export function troubled(cases: readonly CaseResult[]): CaseResult[] {
  return cases
    .filter((result) => gravityOf(standingOf(result)) > gravityOf('skip'))
    .sort((one, other) => gravityOf(standingOf(other)) - gravityOf(standingOf(one)));
}

/** Cases by model and rule group, both in the order of the run. */
export type Matrix = {
  readonly models: readonly string[];
  readonly groups: readonly string[];
  /** The cases of a cell; empty where no rule of the group applies to the model. */
  at(model: string, group: string): readonly CaseResult[];
};

export function matrixOf(cases: readonly CaseResult[]): Matrix {
  const cells = Map.groupBy(cases, (result) => `${result.model} ${groupOf(result)}`);
  return {
    models: [...new Set(cases.map(({ model }) => model))],
    groups: [...new Set(cases.map(groupOf))],
    at: (model, group) => cells.get(`${model} ${group}`) ?? [],
  };
}

/** How many cases there are of each standing that occurs, in rising order of gravity. */
export function countStandings(cases: readonly CaseResult[]): [Standing, number][] {
  const counted = Map.groupBy(cases, standingOf);
  return STANDINGS.map((standing): [Standing, number] => [
    standing,
    counted.get(standing)?.length ?? 0,
  ]).filter(([standing, number]) => number > 0 || standing === 'pass' || standing === 'fail');
}

/** `27 held · 1 broken · 2 not tested`. */
export function ledgerLine({ requirements }: Results): string {
  return (['held', 'broken', 'not tested'] as const)
    .map((state) => `${requirements.filter((row) => row.state === state).length} ${state}`)
    .join(' · ');
}

/** `262 of 262 operations, 667 of 667 fields, 58 of 61 values`. */
export function coverageLine(results: Results): string {
  return (['operations', 'fields', 'values'] as const).map((kind) => shareOf(results, kind)).join(', ');
}

/** The statement of the source a case is about; undefined when the results do not hold it. */
export function statementOf(
  { requirement }: CaseResult,
  { requirements }: Results,
): RequirementResult | undefined {
  return requirements.find(({ id }) => id === requirement);
}

/** The profile's name with what differs from the default: `learned (delete.effect remove)`. */
export function profileLine({ profile }: Results): string {
  return profile.differs.length === 0 ? profile.name : `${profile.name} (${profile.differs.join(', ')})`;
}

/** The breaches of cases that were not selected, a line each. */
export function findingLines({ findings = [] }: Results): string[] {
  return findings.map(({ case: id, expected, found, message }) =>
    oneLine(`${id}: ${message}; expected ${expected}, found ${found}`),
  );
}
