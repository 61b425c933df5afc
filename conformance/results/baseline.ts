import { Document, type Node } from 'yaml';
import type { Place } from '../../spec/files/place.ts';
import { checkShape } from '../../spec/files/shape.ts';
import { readAll } from '../../spec/files/usage-error.ts';
import { readYamlFile } from '../../spec/files/yaml-file.ts';
import { type CaseResult, countsAgainst, type Results } from './results.ts';
import { oneLine } from './text.ts';
import { passedModels } from './verdict.ts';

/** Finds typos in IDs of cases and names of models before the profile is known. */
export type CaseIds = {
  /** Returns the error in an ID; undefined if a plan can have it. */
  explain(where: string, id: string): string | undefined;
  /** Returns the error in the name of a model; undefined if the catalogue has the model. */
  explainModel(name: string): string | undefined;
};

export type Known = KnownFailure | KnownNotBuilt;

/** A known failure. It does not count until it expires. */
export type KnownFailure = {
  readonly case: string;
  readonly reason: string;
  /** `2026-03-31`: from the day after, the failure counts again. */
  readonly until: string;
};

/** A model that is known not to be built. It does not count until one of its cases passes. */
export type KnownNotBuilt = {
  readonly notBuilt: string;
};

export function knownFailures(baseline: readonly Known[] = []): KnownFailure[] {
  return baseline.filter((row) => 'case' in row);
}

export function knownNotBuilt(baseline: readonly Known[] = []): ReadonlySet<string> {
  return new Set(baseline.flatMap((row) => ('notBuilt' in row ? row.notBuilt : [])));
}

/**
 * Reads a baseline: a list of `{ case, reason, until }` and `{ notBuilt }`. Throws UsageError for a row with missing or
 * unknown keys, without a reason, for a case or a model that is listed twice, or that is unknown.
 */
export function loadBaseline(path: string, ids?: CaseIds): Known[] {
  const seen = new Set<string>();
  const file = readYamlFile(path);
  return readAll(file.items(), (row) => {
    const known = 'notBuilt' in Object(row.value) ? readNotBuilt(row, ids) : readFailure(row, ids);
    const name = 'case' in known ? known.case : known.notBuilt;
    if (seen.has(name)) row.fail(`${name} is listed twice. Remove one of them.`);
    seen.add(name);
    return known;
  });
}

function readNotBuilt(row: Place, ids: CaseIds | undefined): KnownNotBuilt {
  checkShape(row, 'baseline#/$defs/notBuilt');
  const known = row.value as KnownNotBuilt;
  const wrong = ids?.explainModel(known.notBuilt);
  return wrong === undefined ? known : row.fail(wrong);
}

function readFailure(row: Place, ids: CaseIds | undefined): KnownFailure {
  checkShape(row, 'baseline#/$defs/failure');
  const known = row.value as KnownFailure;
  if (known.reason.trim() === '')
    row.fail(`The reason for ${known.case} is empty. Write why the failure is known.`);
  if (!isDay(known.until)) row.fail(`until must be a date such as 2026-03-31, but is "${known.until}".`);
  const wrong = ids?.explain('case', known.case);
  return wrong === undefined ? known : row.fail(`${wrong} If another release wrote this row, remove it.`);
}

/**
 * Writes the cases that count against the target, to which the user adds reasons, and the models that are not built as a
 * baseline. Rows of the earlier baseline that are excused or were not tried stay. Expired rows get a new date. Rows of
 * cases that pass, and of models that are built, are removed.
 */
export function renderBaseline(
  { cases, notBuilt = [] }: Pick<Results, 'cases' | 'notBuilt'>,
  until: string,
  before: readonly Known[] = [],
): string {
  const failed = cases.filter(countsAgainst);
  const counted = new Set(failed.map(({ id }) => id));
  const passed = new Set(cases.filter(({ outcome }) => outcome === 'pass').map(({ id }) => id));
  const built = passedModels(cases);
  const failures = knownFailures(before);
  const known = new Set(failures.map((row) => row.case));
  const models = new Set([...[...knownNotBuilt(before)].filter((name) => !built.has(name)), ...notBuilt]);
  const rows: readonly Known[] = [
    ...failures
      .filter((row) => !passed.has(row.case))
      .map((row) => (counted.has(row.case) ? { ...row, until } : row)),
    ...failed.filter(({ id }) => !known.has(id)).map(({ id }) => ({ case: id, reason: '', until })),
    ...[...models].toSorted().map((name) => ({ notBuilt: name })),
  ];
  const said = new Map(failed.map(({ id, message = '' }) => [id, message]));
  const file = new Document(rows);
  for (const [index, row] of rows.entries())
    if ('case' in row && row.reason === '')
      (file.getIn([index], true) as Node).commentBefore = ` ${oneLine(said.get(row.case) ?? '')}`;
  return `${HEAD}${file.toString({ lineWidth: 0 })}`;
}

const HEAD = `# Known failures, and models that are not built. Write why each failure is known, because an empty reason is rejected.
`;

/**
 * Excuses the known failures of a run, and returns the stale entries. Their case passes, so they would hide the next
 * failure. An entry without a run of its case has no effect. An expired entry excuses nothing.
 */
export function applyBaseline(
  cases: readonly CaseResult[],
  baseline: readonly Known[],
  today: string,
): { cases: CaseResult[]; expired: string[]; stale: string[] } {
  const known = new Map(knownFailures(baseline).map((row) => [row.case, row]));
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
