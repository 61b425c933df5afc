import { Document, type Node } from 'yaml';
import { kitFile } from '../../spec/files/kit-file.ts';
import { checkShape } from '../../spec/files/shape.ts';
import { readAll } from '../../spec/files/usage-error.ts';
import { readYamlFile } from '../../spec/files/yaml-file.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { DIFFER } from '../assert/failure.ts';
import type { CaseIds } from '../plan/case-ids.ts';
import { oneLine } from '../report/text.ts';
import { type CaseResult, countsAgainst, type Finding } from './results.ts';

/** A failure that is known: it does not count until the day it expires. */
export type KnownFailure = {
  /** The id of the case. */
  readonly case: string;
  readonly reason: string;
  /** `2026-03-31`: from the day after, the failure counts again. */
  readonly until: string;
};

/**
 * Reads a baseline: a list of `{ case, reason, until }`. Throws UsageError for a row that is incomplete, says more,
 * has no reason, stands twice, or names a case that no run has.
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
    return wrong === undefined ? known : row.fail(wrong);
  });
}

/**
 * Writes the cases that stand against the target as a baseline for a person to give a reason to each. Of the baseline before
 * it, what is excused or was not tried stays as it was, what is expired gets a new day, what fails no more goes.
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

/** What failed, for whoever has to give the reason. */
function commentOf(message = ''): string {
  return ` ${oneLine(message)}`;
}

/**
 * Excuses the known failures of a run, and names the entries that are stale: their case passes, so the entry
 * would hide the next failure. An entry whose case was not run says nothing; an expired one excuses nothing.
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

/** Dates that a month does not have are read as days of the next one. */
function isDay(text: string): boolean {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}

type Amended = {
  /** The results that turned to `fail`, or to `skip`. */
  readonly turned: readonly CaseResult[];
  /** What breaks a rule of which no case was run, or none that could be judged: it decides nothing. */
  readonly findings: readonly Finding[];
};

/**
 * A pass means never contradicted in the whole run: a case that passed by itself, or was kept from being judged, fails
 * by the exchange that shows the contradiction.
 */
export function amend(
  results: ReadonlyMap<string, CaseResult>,
  contradictions: readonly Finding[],
  unjudged: readonly Pick<Finding, 'case' | 'message'>[] = [],
): Amended {
  const turned = unjudged.flatMap(({ case: id, message }): CaseResult[] => {
    const result = results.get(id);
    return result?.outcome === 'pass' ? [skipped(result, message)] : [];
  });
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

/**
 * The stated rules that decide, by version label of the catalogue. Once a label is out, its set stays: a rule
 * that comes later is run and reported, and does not turn an earlier pass red. A label without a set is decided
 * by all rules.
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
