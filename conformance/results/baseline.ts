import { Document, type Node } from 'yaml';
import { checkShape } from '../../spec/files/shape.ts';
import { readAll } from '../../spec/files/usage-error.ts';
import { readYamlFile } from '../../spec/files/yaml-file.ts';
import type { CaseIds } from '../plan/case-ids.ts';
import { oneLine } from '../report/text.ts';
import { type CaseResult, countsAgainst } from './results.ts';

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
