import type { CaseResult, Results } from '../results/results.ts';
import { shareOf, type Verdict } from '../results/verdict.ts';

/** The outcomes for a reader, in rising order of severity. Failures that do not count are separate. */
export const STANDINGS = ['pass', 'skip', 'excused', 'advice', 'flaky', 'blocked', 'fail', 'error'] as const;
export type Standing = (typeof STANDINGS)[number];

/** How reports show a standing: with a sign, a color, and the kind of its annotation. */
export const LOOKS = {
  pass: { sign: '✅', color: 'green', annotation: 'notice' },
  skip: { sign: '⚪', color: 'gray', annotation: 'notice' },
  excused: { sign: '🔕', color: 'gray', annotation: 'notice' },
  advice: { sign: '💡', color: 'cyan', annotation: 'warning' },
  flaky: { sign: '🎲', color: 'yellow', annotation: 'warning' },
  blocked: { sign: '🟧', color: 'yellow', annotation: 'error' },
  fail: { sign: '❌', color: 'red', annotation: 'error' },
  error: { sign: '💥', color: 'magenta', annotation: 'error' },
} as const satisfies Record<Standing, object>;

/** Returns the sign and the color of a verdict. */
export function lookOf(verdict: Verdict) {
  if (verdict === 'not conformant') return LOOKS.fail;
  return verdict.endsWith('conformant') ? LOOKS.pass : LOOKS.blocked;
}

export function standingOf({ outcome, excused, level }: CaseResult): Standing {
  if (excused !== undefined) return 'excused';
  return outcome === 'fail' && level === 'advice' ? 'advice' : outcome;
}

/** The first word of a rule's id: `update.keeps-origin` → `update`. */
export function groupOf({ rule }: CaseResult): string {
  return rule.split('.')[0] ?? rule;
}

/** Returns the most severe standing of cases; `pass` for none. */
export function gravest(cases: readonly CaseResult[]): Standing {
  return cases
    .map(standingOf)
    .reduce((worst, one) => (gravityOf(one) > gravityOf(worst) ? one : worst), 'pass');
}

export function gravityOf(standing: Standing): number {
  return STANDINGS.indexOf(standing);
}

/** Returns the cases that need attention, the most severe first, then in the order of the run. */
export function troubled(cases: readonly CaseResult[]): CaseResult[] {
  return cases
    .filter((result) => gravityOf(standingOf(result)) > gravityOf('skip'))
    .sort((one, other) => gravityOf(standingOf(other)) - gravityOf(standingOf(one)));
}

/** Returns the cases by model and rule group, both in the order of the run. */
export function matrixOf(cases: readonly CaseResult[]) {
  const cells = Map.groupBy(cases, (result) => `${result.model} ${groupOf(result)}`);
  return {
    models: [...new Set(cases.map(({ model }) => model))],
    groups: [...new Set(cases.map(groupOf))],
    /** Returns the cases of a cell; none if no rule of the group applies to the model. */
    at: (model: string, group: string): readonly CaseResult[] => cells.get(`${model} ${group}`) ?? [],
  };
}

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

/** Returns what is known of a case besides its message, each part with a label. */
export function factsOf(
  { excused, expected, found, level, requirement, setting }: CaseResult,
  { requirements }: Results,
): (readonly [label: string, text: string])[] {
  const statement = requirements.find(({ id }) => id === requirement);
  const source = statement ? `Section ${statement.section}: ${statement.says}` : requirement;
  const basis = level === 'advice' ? 'related' : 'stated';
  return [
    ...(expected === undefined ? [] : [['expected', expected] as const]),
    ...(found === undefined ? [] : [['found', found] as const]),
    setting === undefined ? [basis, source] : ['assumed', `setting ${setting}. ${source}`],
    ...(excused === undefined ? [] : [['excused', excused] as const]),
  ];
}

/** Returns the lists for the end of a report. The reader has to act on those that are urgent. */
export function listsOf({ expiredBaseline, leftovers, oddities = [], staleBaseline }: Results) {
  const stale = 'Stale baseline entries (these cases pass and these models are built, so remove the entries)';
  const expired = 'Expired baseline entries (these failures count again)';
  return [
    { title: 'Records that could not be removed (delete them yourself)', items: leftovers, isUrgent: false },
    { title: 'Advice about the target', items: oddities, isUrgent: false },
    { title: stale, items: staleBaseline, isUrgent: true },
    { title: expired, items: expiredBaseline, isUrgent: true },
  ];
}

/** `1043 requests · 6.1 s`. */
export function effortLine({ durationMs, requests }: Results): string {
  return `${requests} requests · ${(durationMs / 1000).toFixed(1)} s`;
}

/** `profile default · seed 1000 · tag nightly`. */
export function startLine(results: Results): string {
  const { readOnly, seed, tag } = results;
  return [
    `profile ${profileLine(results)}`,
    `seed ${seed}`,
    ...(tag === undefined ? [] : [`tag ${tag}`]),
    ...(readOnly ? ['read-only: the run sent only GET requests'] : []),
  ].join(' · ');
}

/** Returns the profile's name with its differences from the default: `my-service.yaml (delete.effect remove)`. */
export function profileLine({ profile: { differs, name } }: Results): string {
  const settings = differs.length === 0 ? '' : ` (${differs.join(', ')})`;
  // A later run learns the changed settings, so it passes.
  return name === 'learned'
    ? `learned now${settings}; a committed profile would notice a change`
    : `${name}${settings}`;
}
