import { Document, type Node } from 'yaml';
import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import { checkShape } from '../../spec/files/shape.ts';
import { readAll } from '../../spec/files/usage-error.ts';
import { readYamlFile } from '../../spec/files/yaml-file.ts';
import { describeProfile, type Profile } from '../../spec/profile/profile.ts';
import type { Requirement } from '../../spec/requirements.ts';
import type { Target } from '../target/target.ts';
import {
  type CaseResult,
  type CoverageItem,
  type CoverageResult,
  countsAgainst,
  type Finding,
  LEVELS,
  NOT_SELECTED,
  OUTCOMES,
  type Outcome,
  passedModels,
  type RequirementResult,
  type Results,
} from './results.ts';
import { oneLine } from './text.ts';

export type JudgeOptions = {
  readonly catalogue: Catalogue;
  /** Known failures, and models that are known not to be built. */
  readonly baseline?: readonly Known[] | undefined;
};

/** The results of the cases that were tried, in the form that every report is drawn from. */
export function composeResults(
  tried: readonly CaseResult[],
  facts: Pick<Results, 'requests' | 'seed' | 'leftovers'> & {
    readonly started: Date;
    readonly planned: readonly string[];
    readonly lost: string | undefined;
    /** Changes of records that no write of the run explains. */
    readonly changes: readonly string[];
    readonly selected: ReadonlySet<string>;
    /** The names of the models that are not built, also of some that were not selected. */
    readonly notBuilt: ReadonlySet<string>;
    /** The models whose lists showed only later what they should have shown. */
    readonly late: readonly string[];
  },
  options: JudgeOptions & {
    readonly target: Target;
    readonly profile: Profile;
    readonly profileName: string;
    readonly requirements?: ReadonlyMap<string, Requirement> | undefined;
    readonly selection?: object;
    readonly tag?: string | undefined;
    readonly readOnly?: boolean;
    readonly minCoverage?: number | undefined;
    readonly command?: string | undefined;
    readonly signal?: AbortSignal;
  },
): Results {
  const { changes, late, leftovers, lost, planned, requests, seed, selected, started } = facts;
  const { baseline, catalogue, command, minCoverage, profile, signal, tag, target } = options;
  const notBuilt = [...facts.notBuilt].filter((name) => selected.has(name)).toSorted();
  const { cases, expired, stale } = judgeCases(tried, started, options);
  const countOf = (wanted: Outcome) => cases.filter(({ outcome }) => outcome === wanted).length;
  const listed = knownNotBuilt(baseline);
  const passed = passedModels(cases);
  const built = new Set([...selected].filter((model) => !facts.notBuilt.has(model)));
  const requirements = options.requirements?.values() ?? [];
  const isSelection = Object.values(options.selection ?? {}).some((chosen) => chosen !== undefined);
  const isWhole = !isSelection && notBuilt.length === 0 && tried.length === planned.length;
  const oddities = [
    ...(target.oddities?.() ?? []),
    ...late.map((model) => `the list of ${model} is late by up to a second; --list-delay 1000 waits for it`),
    ...(profile.learned ?? []).map(({ text }) => text),
    ...changes.map((change) => `${change}; another client might have written to it`),
  ];
  return {
    version: 1,
    target: target.url,
    ...(command === undefined ? {} : { command }),
    catalogue: { title: catalogue.title, version: catalogue.version, models: catalogue.models.size },
    profile: {
      name: options.profileName,
      differs: describeProfile(profile),
      ...(profile.learned ? { deviations: profile.learned.map(({ text }) => text) } : {}),
    },
    startedAt: started.toISOString(),
    durationMs: Date.now() - started.getTime(),
    requests,
    seed,
    ...(tag ? { tag } : {}),
    readOnly: options.readOnly === true,
    planned: planned.length,
    ...(lost === undefined ? {} : { lost }),
    ...(signal?.aborted && { ended: signal.reason?.name === 'TimeoutError' ? 'out of time' : 'interrupted' }),
    ...(oddities.length === 0 ? {} : { oddities }),
    ...(notBuilt.length === 0 ? {} : { notBuilt }),
    ...(baseline === undefined ? {} : { newNotBuilt: notBuilt.filter((name) => !listed.has(name)) }),
    ...(minCoverage === undefined ? {} : { minCoverage }),
    counts: Object.fromEntries(OUTCOMES.map((one) => [one, countOf(one)])) as Record<Outcome, number>,
    // An entry of a case that no run has would stay for ever.
    staleBaseline: [
      ...stale,
      ...knownFailures(baseline).flatMap((row) => (isWhole && !planned.includes(row.case) ? row.case : [])),
      ...[...listed].filter((name) => passed.has(name)),
    ],
    expiredBaseline: expired,
    leftovers,
    requirements: judgeRequirements(requirements, cases, isSelection ? NOT_SELECTED : undefined),
    coverage: measureCoverage(catalogue, cases, built),
    cases,
  };
}

export function judgeCases(cases: readonly CaseResult[], started: Date, { baseline = [] }: JudgeOptions) {
  return applyBaseline(cases, baseline, started.toISOString().slice(0, 10));
}

/**
 * Returns which operations, fields, and value list members of the selected models were judged, and why the others were
 * not.
 */
export function measureCoverage(
  catalogue: Catalogue,
  cases: readonly CaseResult[],
  selected: ReadonlySet<string> = new Set(catalogue.models.keys()),
): CoverageResult {
  const models = [...catalogue.models.values()].filter(
    ({ name, operations }) => selected.has(name) && operations.length > 0,
  );
  const byName = Map.groupBy(cases, itemOf);
  return {
    operations: models.flatMap(({ name, operations }) =>
      operations.map((operation) => item(`${operation} ${name}`)),
    ),
    fields: models.flatMap(({ fields }) => fields.map(({ key }) => item(key))),
    values: models.flatMap(({ fields }) =>
      fields.flatMap(({ key, choices, readonly }) =>
        (choices ?? []).map(({ value }) =>
          // No client can send a readonly field: its values are seen when the service shows them.
          item(`${key}=${value}`, readonly ? `${key} is readonly` : undefined),
        ),
      ),
    ),
  };

  function item(name: string, reason?: string): CoverageItem {
    const seen = byName.get(name) ?? [];
    if (seen.some(({ outcome }) => outcome === 'pass' || outcome === 'fail'))
      return { name, exercised: true };
    return {
      name,
      exercised: false,
      why: reason ?? seen.find(({ message }) => message)?.message ?? 'no case ran',
    };
  }
}

/** Returns the name of the operation, field, or value that a case judges. */
function itemOf({ field, id, model, operation, rule }: CaseResult): string | undefined {
  if (rule === `operations.${operation}`) return `${operation} ${model}`;
  if (rule === 'fields.shown') return `${model}.${field}`;
  return rule === 'values.accepted' ? id.slice(id.indexOf(':') + 1) : undefined;
}

/** Returns for each statement of the source whether it held, was broken, or was not tested, and why. */
export function judgeRequirements(
  requirements: Iterable<Requirement>,
  cases: readonly CaseResult[],
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
    // Assumed rules and advice decide only if the statement has no other case. Breaking them breaks no statement.
    const telling = LEVELS.map((level) => judged.filter((one) => one.level === level)).find(
      (cases) => cases.length > 0,
    );
    const open = telling?.find(({ outcome }) => outcome !== 'pass' && outcome !== 'skip');
    if (!open && telling?.some(({ outcome }) => outcome === 'pass')) return { ...row, state: 'held' };
    const why = untestable ?? (open ?? judged.find(({ message }) => message))?.message ?? none;
    return { ...row, state: 'not tested', why };
  });
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
  const turned = unjudged.flatMap(({ case: id, message }): CaseResult[] => {
    const result = results.get(id);
    return result?.outcome === 'pass' ? [skipped(result, message)] : [];
  });
  // The first contradiction of each case.
  const first = new Map(contradictions.toReversed().map((one) => [one.case, one]));
  for (const { case: id, during, ...finding } of first.values()) {
    const result = results.get(id);
    // A case that failed itself is decided, and an unknown setting skips others.
    if (!result || ['fail', 'error'].includes(result.outcome)) continue;
    if (result.outcome === 'skip' && result.level === 'assumed') continue;
    const { limited: _limited, unjudged: _unjudged, ...rest } = result;
    turned.push({ ...rest, outcome: 'fail', ...finding, ...(during && during !== id ? { during } : {}) });
  }
  return turned;
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

/** Finds typos in IDs of cases and names of models before the profile is known. */
export type CaseIds = {
  /** Returns the error in an ID; undefined if a plan can have it. */
  explain(where: string, id: string): string | undefined;
  /** Returns the error in the name of a model; undefined if the catalogue has the model. */
  explainModel(name: string): string | undefined;
};

/** A known failure, or a model that is known not to be built. Such a model does not count until one of its cases passes. */
export type Known = KnownFailure | { readonly notBuilt: string };

/** A known failure. It does not count until it expires. */
export type KnownFailure = {
  readonly case: string;
  readonly reason: string;
  /** `2026-03-31`: from the day after, the failure counts again. */
  readonly until: string;
};

function knownFailures(baseline: readonly Known[] = []): KnownFailure[] {
  return baseline.filter((row) => 'case' in row);
}

function knownNotBuilt(baseline: readonly Known[] = []): ReadonlySet<string> {
  return new Set(baseline.flatMap((row) => ('notBuilt' in row ? row.notBuilt : [])));
}

/**
 * Reads a baseline: a list of `{ case, reason, until }` and `{ notBuilt }`. Throws UsageError for a row with missing or
 * unknown keys, without a reason, for a case or a model that is listed twice, or that is unknown.
 */
export function loadBaseline(path: string, ids?: CaseIds): Known[] {
  const seen = new Set<string>();
  return readAll(readYamlFile(path).items(), (row) => {
    const known = row.value as Known;
    checkShape(row, `baseline#/$defs/${'notBuilt' in Object(known) ? 'notBuilt' : 'failure'}`);
    const wrong = 'notBuilt' in known ? ids?.explainModel(known.notBuilt) : whyWrong(known, ids);
    if (wrong !== undefined) row.fail(wrong);
    const name = 'case' in known ? known.case : known.notBuilt;
    if (seen.has(name)) row.fail(`${name} is listed twice. Remove one of them.`);
    seen.add(name);
    return known;
  });
}

function whyWrong({ case: id, reason, until }: KnownFailure, ids: CaseIds | undefined): string | undefined {
  if (reason.trim() === '') return `The reason for ${id} is empty. Write why the failure is known.`;
  if (!isDay(until)) return `until must be a date such as 2026-03-31, but is "${until}".`;
  const wrong = ids?.explain('case', id);
  return wrong && `${wrong} If another release wrote this row, remove it.`;
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
export function applyBaseline(cases: readonly CaseResult[], baseline: readonly Known[], today: string) {
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
