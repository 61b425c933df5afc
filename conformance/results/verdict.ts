import { type CaseResult, type CoverageItem, countsAgainst, type Results } from './results.ts';
import { listed, plural } from './text.ts';

/**
 * `inconclusive`: nothing stands against the target, but not everything could be judged. `reads conformant`: nothing
 * but GET was sent. `incomplete`: the built models conform, and no baseline was given for the models that are not built.
 */
export type Verdict = 'conformant' | 'reads conformant' | 'incomplete' | 'not conformant' | 'inconclusive';

/**
 * Returns the verdict. Advice, skipped, and excused cases do not count. A stale baseline, a low coverage, and a model that is
 * not built and not in the baseline do.
 */
export function verdictOf(results: Results): Verdict {
  const { cases, readOnly, staleBaseline } = results;
  if (staleBaseline.length > 0 || cases.some(countsAgainst) || proofsAgainst(results).length > 0)
    return 'not conformant';
  if (isBroken(results) || openQuestions(results).length > 0) return 'inconclusive';
  if (gapsIn(results).length > 0) return 'incomplete';
  return readOnly ? 'reads conformant' : 'conformant';
}

/** 130 interrupted · 1 not conformant or incomplete · 3 target lost, or an error of the suite · 4 inconclusive · 0. */
export function exitCode(results: Results): 0 | 1 | 3 | 4 | 130 {
  if (results.ended === 'interrupted') return 130;
  const verdict = verdictOf(results);
  if (verdict === 'not conformant') return 1;
  if (isBroken(results)) return 3;
  if (verdict === 'incomplete') return 1;
  return verdict === 'inconclusive' ? 4 : 0;
}

/**
 * The verdict for people, with what it leaves out: `CONFORMANT WITH 6 KNOWN FAILURES, subscriptionTask not seen`, or
 * `3 MODELS CONFORMANT, 50 not built`.
 */
export function headline(results: Results): string {
  const verdict = verdictOf(results);
  const { notBuilt = [], readOnly } = results;
  if (verdict === 'inconclusive') return 'INCONCLUSIVE';
  const missing = notBuilt.length > 0 ? `, ${notBuilt.length} not built` : '';
  if (verdict === 'not conformant') return `NOT CONFORMANT, ${conformingLine(results)}${missing}`;
  const known = results.cases.filter(({ excused }) => excused !== undefined).length;
  const unseen = unseenModels(results.cases);
  const unjudged = results.cases.filter((result) => result.unjudged && result.level === 'stated');
  return [
    ...(notBuilt.length > 0
      ? [
          `${readOnly ? 'READS OF ' : ''}${plural(passedModels(results.cases).size, 'model').toUpperCase()} CONFORMANT`,
        ]
      : [readOnly ? 'READS CONFORMANT' : 'CONFORMANT']),
    ...(known > 0 ? [` WITH ${plural(known, 'known failure').toUpperCase()}`] : []),
    ...(readOnly ? [` (${shareOf(results, 'operations')} and ${shareOf(results, 'fields')} seen)`] : []),
    missing,
    ...(unseen.length > 0 ? [`, ${listed(unseen)} not seen (no records)`] : []),
    ...(unjudged.length > 0 ? [`, ${listed(unjudged.map(({ id }) => id))} not judged`] : []),
  ].join('');
}

/** `3 of 53 models conform`. */
export function conformingLine({ cases }: Pick<Results, 'cases'>): string {
  const models = new Set(cases.map(({ model }) => model));
  return `${conformingModels({ cases }).length} of ${models.size} models conform`;
}

/** Returns the models with a case that passed and none that failed or could not be judged. */
export function conformingModels({ cases }: Pick<Results, 'cases'>): string[] {
  return [...Map.groupBy(cases, ({ model }) => model)]
    .filter(([, of]) => of.some(({ outcome }) => outcome === 'pass') && !of.some(isOpen))
    .map(([model]) => model);
}

export function passedModels(cases: readonly CaseResult[]): ReadonlySet<string> {
  return new Set(cases.filter(({ outcome }) => outcome === 'pass').map(({ model }) => model));
}

/** Whether a case stands against the target, or could not be judged. */
function isOpen(result: CaseResult): boolean {
  return (
    countsAgainst(result) ||
    (result.level !== 'advice' && (['flaky', 'error'].includes(result.outcome) || isLimited(result)))
  );
}

function isLimited({ limited, outcome }: CaseResult): boolean {
  return outcome === 'blocked' && limited === true;
}

/** Returns the reasons, apart from cases, why the run is not green. */
export function remarksOn(results: Results): string[] {
  return [...proofsAgainst(results), ...openQuestions(results), ...gapsIn(results)];
}

/** Names the models that were not judged, in a line; undefined if all are built. */
export function notBuiltLine({ notBuilt = [], readOnly }: Results, most = 10): string | undefined {
  if (notBuilt.length === 0) return undefined;
  const how = readOnly ? 'by GET requests only' : 'each operation returned 404 or 501';
  return `not built, so not judged (${how}): ${listed(notBuilt, most)}`;
}

/** Names the first models and fields that deviate from the learned profile, in a line; undefined if none does. */
export function deviationsLine({ profile: { deviations = [] } }: Results, most = 2): string | undefined {
  if (deviations.length === 0) return undefined;
  return `${plural(deviations.length, 'deviation')}: ${listed(deviations, most, '; ')}. To accept them, pass a file of learn with --profile.`;
}

/** Returns what proves, apart from cases, that the target does not conform. */
function proofsAgainst(results: Results): string[] {
  const { newNotBuilt: fresh = [] } = results;
  const missing = `not built, and not in the baseline: ${listed(fresh, 10)}. Build these models, or add them with --write-baseline FILE.`;
  return [...(fresh.length > 0 ? [missing] : []), ...shortfalls(results)];
}

/** Returns why a run is incomplete although everything that was judged conforms. */
function gapsIn({ cases, newNotBuilt, notBuilt = [] }: Results): string[] {
  if (notBuilt.length === 0) return [];
  if (cases.length === 0) return ['None of the selected models is built, so nothing was judged.'];
  if (newNotBuilt !== undefined) return [];
  const are = notBuilt.length === 1 ? '1 model is' : `${notBuilt.length} models are`;
  return [
    `${are} not built. To accept this, write a baseline with --write-baseline FILE, and pass it with --baseline FILE.`,
  ];
}

/** Returns how many cases of a run that ended early were tried. */
export function earlyEnd({ cases, ended, lost, planned }: Results): string | undefined {
  if (cases.length >= planned && lost === undefined) return undefined;
  const overtime = ended === 'out of time' ? ': the time limit (--max-time) was reached' : '';
  const why = lost === undefined ? overtime : `: the target became unreachable: ${lost}`;
  return `ended early after ${cases.length} of ${planned} cases${why}`;
}

/** Returns why a run is inconclusive although nothing counts against the target. */
function openQuestions(results: Results): string[] {
  const { cases } = results;
  const flaky = cases.filter(
    ({ excused, level, outcome }) => outcome === 'flaky' && level !== 'advice' && excused === undefined,
  ).length;
  const early = earlyEnd(results);
  const limited = cases.filter(isLimited);
  return [
    ...(limited.length > 0
      ? [`${limited.length} of ${cases.length} cases need what the suite can't do: ${limited[0]?.message}`]
      : []),
    ...(early === undefined ? [] : [early]),
    ...(flaky > 0 ? [`${flaky} of ${cases.length} cases failed and then passed when tried again`] : []),
  ];
}

function shortfalls({ coverage, minCoverage = 0 }: Results): string[] {
  return (['operations', 'fields'] as const).flatMap((kind) => {
    const items = coverage[kind];
    const share = items.length === 0 ? 100 : (100 * exercised(items)) / items.length;
    if (share >= minCoverage) return [];
    const found = `${exercised(items)} of ${items.length}`;
    return [`coverage of ${kind} is ${Math.floor(share)} % (${found}); the minimum is ${minCoverage} %`];
  });
}

/** `106 of 262 operations`. */
export function shareOf({ coverage }: Pick<Results, 'coverage'>, kind: keyof Results['coverage']): string {
  return `${exercised(coverage[kind])} of ${coverage[kind].length} ${kind}`;
}

function exercised(items: readonly CoverageItem[]): number {
  return items.filter((item) => item.exercised).length;
}

function isBroken({ counts, lost }: Results): boolean {
  return lost !== undefined || counts.error > 0;
}

/** Returns the models without an observed field, although cases looked for one. */
function unseenModels(cases: readonly CaseResult[]): string[] {
  const ofFields = cases.filter(({ field }) => field !== undefined);
  const seen = new Set(ofFields.filter(({ outcome }) => outcome !== 'skip').map(({ model }) => model));
  return [...new Set(ofFields.map(({ model }) => model))].filter((model) => !seen.has(model));
}
