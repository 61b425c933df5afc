import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import { describeProfile, type Profile } from '../../spec/profile/profile.ts';
import type { Requirement } from '../../spec/requirements.ts';
import type { Target } from '../target/target.ts';
import { applyBaseline, type Known, knownFailures, knownNotBuilt } from './baseline.ts';
import {
  type CaseResult,
  type Counts,
  type CoverageItem,
  type CoverageResult,
  countsAgainst,
  type Finding,
  LEVELS,
  NOT_SELECTED,
  OUTCOMES,
  type Outcome,
  type RequirementResult,
  type Results,
} from './results.ts';
import { passedModels } from './verdict.ts';

export type JudgeOptions = {
  readonly catalogue: Catalogue;
  /** Known failures, and models that are known not to be built. */
  readonly baseline?: readonly Known[];
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
    readonly requirements?: ReadonlyMap<string, Requirement>;
    readonly selection?: object;
    readonly tag?: string | undefined;
    readonly readOnly?: boolean;
    readonly minCoverage?: number;
    readonly command?: string;
    readonly signal?: AbortSignal;
  },
): Results {
  const { changes, late, leftovers, lost, planned, requests, seed, selected, started } = facts;
  const { baseline, catalogue, command, minCoverage, profile, signal, tag, target } = options;
  const notBuilt = [...facts.notBuilt].filter((name) => selected.has(name)).toSorted();
  const { cases, expired, stale } = judgeCases(tried, started, options);
  const listed = knownNotBuilt(baseline);
  const passed = passedModels(cases);
  const isSelection = Object.keys(options.selection ?? {}).length > 0;
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
    counts: count(cases),
    // An entry of a case that no run has would stay for ever.
    staleBaseline: [
      ...stale,
      ...knownFailures(baseline).flatMap((row) => (isWhole && !planned.includes(row.case) ? row.case : [])),
      ...[...listed].filter((name) => passed.has(name)),
    ],
    expiredBaseline: expired,
    leftovers,
    requirements: judgeRequirements(
      options.requirements?.values() ?? [],
      cases,
      isSelection ? NOT_SELECTED : undefined,
    ),
    coverage: measureCoverage(
      catalogue,
      cases,
      new Set([...selected].filter((model) => !facts.notBuilt.has(model))),
    ),
    cases,
  };
}

export function judgeCases(cases: readonly CaseResult[], started: Date, { baseline = [] }: JudgeOptions) {
  return applyBaseline(cases, baseline, started.toISOString().slice(0, 10));
}

function count(results: readonly CaseResult[]): Counts {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  for (const { outcome } of results) counts[outcome]++;
  return counts;
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
  for (const { case: id, ...finding } of first.values()) {
    const result = results.get(id);
    // A case that failed itself is decided, and an unknown setting skips others.
    if (!result || ['fail', 'error'].includes(result.outcome)) continue;
    if (result.outcome === 'skip' && result.level === 'assumed') continue;
    const { limited: _limited, unjudged: _unjudged, ...rest } = result;
    turned.push({ ...rest, outcome: 'fail', ...finding });
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
