import { Document, type Node } from 'yaml';
import { kitFile } from '../../spec/files/kit-file.ts';
import { checkShape } from '../../spec/files/shape.ts';
import { readAll } from '../../spec/files/usage-error.ts';
import { readYamlFile } from '../../spec/files/yaml-file.ts';
import type { CaseIds } from '../plan/case-ids.ts';
import { oneLine } from '../report/text.ts';
import { type CaseResult, countsAgainst, type Finding } from './results.ts';

/** A known failure. It does not count until it expires. */
export type KnownFailure = {
  /** The id of the case. */
  readonly case: string;
  readonly reason: string;
  /** `2026-03-31`: from the day after, the failure counts again. */
  readonly until: string;
};

/**
 * Reads a baseline: a list of `{ case, reason, until }`. Throws UsageError for a row with missing or unknown keys,
 * without a reason, for a case that is listed twice, or for an unknown case.
 */
export function loadBaseline(path: string, ids?: CaseIds): KnownFailure[] {
  const seen = new Set<string>();
  const file = readYamlFile(path);
  return readAll(file.items(), (row) => {
    checkShape(row, 'baseline#/items');
    const known = row.value as KnownFailure;
    if (seen.has(known.case)) row.fail(`${known.case} is listed twice. Remove one of them.`);
    seen.add(known.case);
    if (known.reason.trim() === '')
      row.fail(`The reason for ${known.case} is empty. Write why the failure is known.`);
    if (!isDay(known.until)) row.fail(`until must be a date such as 2026-03-31, but is "${known.until}".`);
    const wrong = ids?.explain('case', known.case);
    return wrong === undefined ? known : row.fail(`${wrong} If another release wrote this row, remove it.`);
  });
}

/**
 * Writes the cases that count against the target as a baseline, to which the user adds reasons. Rows of the earlier
 * baseline that are excused or were not tried stay. Expired rows get a new date. Rows of cases that pass are removed.
 */
export function renderBaseline(
  cases: readonly CaseResult[],
  until: string,
  before: readonly KnownFailure[] = [],
): string {
  const failed = cases.filter(countsAgainst);
  const counted = new Set(failed.map(({ id }) => id));
  const passed = new Set(cases.filter(({ outcome }) => outcome === 'pass').map(({ id }) => id));
  const known = new Set(before.map((row) => row.case));
  const rows = [
    ...before
      .filter((row) => !passed.has(row.case))
      .map((row) => (counted.has(row.case) ? { ...row, until } : row)),
    ...failed.filter(({ id }) => !known.has(id)).map(({ id }) => ({ case: id, reason: '', until })),
  ];
  const said = new Map(failed.map(({ id, message = '' }) => [id, message]));
  const file = new Document(rows);
  for (const [index, row] of rows.entries())
    if (row.reason === '') (file.getIn([index], true) as Node).commentBefore = commentOf(said.get(row.case));
  return `# Known failures. Say why each is known, and until when: an empty reason is refused.\n${file.toString({ lineWidth: 0 })}`;
}

/** Returns a comment with the failure, for the author of the reason. */
function commentOf(message = ''): string {
  return ` ${oneLine(message)}`;
}

/**
 * Excuses the known failures of a run, and returns the stale entries. Their case passes, so they would hide the next
 * failure. An entry without a run of its case has no effect. An expired entry excuses nothing.
 */
export function applyBaseline(
  cases: readonly CaseResult[],
  baseline: readonly KnownFailure[],
  today: string,
): { cases: CaseResult[]; expired: string[]; stale: string[] } {
  const known = new Map(baseline.map((row) => [row.case, row]));
  const stale = cases.filter(({ id, outcome }) => outcome === 'pass' && known.has(id)).map(({ id }) => id);
  const isOver = (row: KnownFailure | undefined) => row !== undefined && row.until < today;
  const expired = cases.filter((result) => countsAgainst(result) && isOver(known.get(result.id)));
  return {
    stale,
    expired: expired.map(({ id }) => id),
    cases: cases.map((result) => {
      const row = known.get(result.id);
      if (!row || isOver(row) || !countsAgainst(result)) return result;
      return { ...result, excused: `known until ${row.until}: ${row.reason}` };
    }),
  };
}

/** Whether a text is a valid day. `Date` accepts February 31 as a day in March. */
function isDay(text: string): boolean {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}

/**
 * Turns a case that passed, or could not be judged, to `fail` if an exchange of the run contradicts its rule. So a pass
 * means that nothing in the whole run contradicts it.
 */
export function amend(
  results: ReadonlyMap<string, CaseResult>,
  contradictions: readonly Finding[],
  unjudged: readonly Pick<Finding, 'case' | 'message'>[] = [],
) {
  /** The results that turned to `fail`, or to `skip`. */
  const turned = unjudged.flatMap(({ case: id, message }): CaseResult[] => {
    const result = results.get(id);
    return result?.outcome === 'pass' ? [skipped(result, message)] : [];
  });
  /** Contradictions of rules without a case that ran and could be judged. They decide nothing. */
  const findings: Finding[] = [];
  // The first contradiction of each case.
  const first = new Map(contradictions.toReversed().map((one) => [one.case, one]));
  for (const contradiction of first.values()) {
    const result = results.get(contradiction.case);
    if (result && isOpen(result)) turned.push(turn(result, contradiction));
    else if (result?.outcome !== 'fail') findings.push(contradiction);
  }
  return { turned, findings };
}

/** Whether a contradiction decides a case: it did not fail itself, and no unknown setting skips it. */
function isOpen({ level, outcome }: CaseResult): boolean {
  return ['pass', 'blocked', 'flaky'].includes(outcome) || (outcome === 'skip' && level !== 'assumed');
}

/** Returns the results with a skip for each blocked case whose rule is not stated. */
export function skipUnjudged(cases: readonly CaseResult[]): CaseResult[] {
  return cases.map(({ usable: _, ...result }) =>
    result.outcome === 'blocked' && result.level !== 'stated' ? skipped(result, result.message) : result,
  );
}

function skipped(result: CaseResult, message: string | undefined): CaseResult {
  const { again: _, exchanges: __, expected: ___, found: ____, retried: _____, ...rest } = result;
  return { ...rest, outcome: 'skip', ...(message === undefined ? {} : { message }) };
}

function turn(result: CaseResult, { case: _, ...finding }: Finding): CaseResult {
  const { outcome: _outcome, unjudged: _unjudged, ...rest } = result;
  return { ...rest, outcome: 'fail', ...finding };
}

/**
 * Returns the stated rules that decide, by version label of the catalogue. The set of a released label does not change:
 * the suite runs and reports later rules, but they don't fail an earlier pass. For a label without a set, all rules
 * decide.
 */
export function loadFrozenRules(
  path: string = kitFile('spec/frozen-rules.yaml'),
): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    readYamlFile(path)
      .entries()
      .map(([label, rules]) => [String(label), new Set(rules.items().map((item) => item.text()))]),
  );
}

/** Excuses the failures of stated rules that are younger than the label's set. */
export function excuseLaterRules(
  cases: readonly CaseResult[],
  frozen: ReadonlySet<string> | undefined,
  label: string,
): CaseResult[] {
  return cases.map((result) => {
    if (!frozen || result.level !== 'stated' || frozen.has(result.rule) || !countsAgainst(result))
      return result;
    return { ...result, excused: `${result.rule} was added after the rules of ${label} were frozen` };
  });
}
