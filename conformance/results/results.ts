import type { Operation } from '../../spec/catalogue/catalogue.ts';
import type { SettingName } from '../../spec/profile/profile.ts';
import type { Exchange } from '../target/exchange.ts';
import { listed, plural } from './text.ts';

/**
 * In rising order of gravity. `flaky`: failed, then passed in a second try. `blocked` is never green, `error` is
 * the fault of the suite itself.
 */
export const OUTCOMES = ['pass', 'skip', 'flaky', 'blocked', 'fail', 'error'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** `stated` and `assumed` rules decide the exit code, `advice` does not. */
export const LEVELS = ['stated', 'assumed', 'advice'] as const;
export type Level = (typeof LEVELS)[number];

export type CaseResult = {
  /** The stable name of the case, such as `required.on-create:warehouse.name`. */
  readonly id: string;
  readonly rule: string;
  /** The title of the rule: its request, and the response that it expects. */
  readonly title: string;
  readonly level: Level;
  /** The row of `spec/requirements.yaml`. */
  readonly requirement: string;
  readonly model: string;
  readonly field?: string;
  readonly operation?: Operation;
  /** The setting of the profile that an assumed rule is about. */
  readonly setting?: string;
  readonly outcome: Outcome;
  readonly message?: string;
  readonly expected?: string;
  readonly found?: string;
  /** The case was skipped because the responses do not show whether the target follows the rule. */
  readonly unjudged?: true;
  /** Damage to a record that the run did not create, such as `subscriptionTask/1 deleted`. */
  readonly harm?: string;
  /** The case of the operation that keeps this one from being judged: `operations.create:brand`. */
  readonly blockedBy?: string;
  /** The setting in which the target differs from the profile, so that the case is blocked. */
  readonly differs?: SettingName;
  /** The case is blocked by a limit of the suite, so it does not count against the target. */
  readonly limited?: true;
  /** The operation fails for some values only, so the cases that need it are tried. */
  readonly usable?: true;
  /** The result of a second try of a failed case, without other cases. */
  readonly retried?: 'reproduced' | 'not reproduced';
  /** Why a case that failed does not count: the reason and the last day in the baseline. */
  readonly excused?: string;
  /** The requests of the case with their responses; kept only where it failed, was blocked or erred. */
  readonly exchanges?: readonly Exchange[];
  /** The exchanges are the shortest random sequence that shows the failure, in their order. */
  readonly sequence?: true;
  /** The case that sent the request which shows the failure, if it is another one. */
  readonly during?: string;
  /** The exchanges of the second try, where the case passed then. */
  readonly again?: readonly Exchange[];
};

/** Why a requirement without a case was not tested, if the user selected some models or rules. */
export const NOT_SELECTED = 'not selected';

/** The result of a run for one statement of the source. */
export type RequirementResult = {
  readonly id: string;
  readonly section: string;
  readonly says: string;
  readonly state: 'held' | 'broken' | 'not tested';
  /** Why it was not tested; of a broken one, why what failed is excused, if all of it is. */
  readonly why?: string;
};

/** The operations, fields, and values of the run. Each is exercised or has a reason why not. */
export type CoverageResult = Readonly<Record<'operations' | 'fields' | 'values', readonly CoverageItem[]>>;

export type CoverageItem = {
  /** `create warehouse`, `warehouse.name`, `stockOrder.status=2`. */
  readonly name: string;
  readonly exercised: boolean;
  readonly why?: string;
};

/** An answer that breaks a rule, with the case that would fail by it. */
export type Finding = {
  readonly case: string;
  readonly message: string;
  readonly expected: string;
  readonly found: string;
  /** The exchange that shows it, and the write before it where that is known. */
  readonly exchanges: readonly Exchange[];
  /** The exchanges are a whole sequence that shows it. */
  readonly sequence?: true;
  /** The case that sent the request. */
  readonly during?: string;
};

/** A whole run; every report is drawn from this object. `results.schema.json` describes it. */
export type Results = {
  /** The version of the file format. Readers ignore members that they don't know. */
  readonly version: 1;
  readonly target: string;
  /** How the run is started, without the files of its reports and without secrets. */
  readonly command?: string;
  readonly catalogue: { readonly title: string; readonly version: string; readonly models: number };
  readonly profile: {
    /** A file's name, `default`, or `learned`. */
    readonly name: string;
    /** The settings that differ from the default profile, as `delete.effect remove`. */
    readonly differs: readonly string[];
    /** The models and fields that use other options than the learned profile, each in a sentence. */
    readonly deviations?: readonly string[];
  };
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly requests: number;
  /** Seed and tag fix the samples: the same ones send the same requests. */
  readonly seed: number;
  /** The tag that the sent texts contain. */
  readonly tag?: string;
  /** No request but GET was sent. */
  readonly readOnly: boolean;
  /** How many cases there were to try; a run that ends early has fewer results. */
  readonly planned: number;
  /** Why the target could not be talked to from some point on: the run ended there. */
  readonly lost?: string;
  /** Why the run ended before it tried every case, unless the target caused it. */
  readonly ended?: 'interrupted' | 'out of time';
  /** The selected models of which each operation returned 404 or 501, so that they were not judged. */
  readonly notBuilt?: readonly string[];
  /** Those of `notBuilt` that the baseline does not list, which makes the run fail. Absent without a baseline. */
  readonly newNotBuilt?: readonly string[];
  /** Percent of the operations, and of the fields, that had to be exercised. */
  readonly minCoverage?: number;
  /** Remarks on responses that no case is about. They decide nothing. */
  readonly oddities?: readonly string[];
  readonly counts: Readonly<Record<Outcome, number>>;
  /**
   * Entries of the baseline that are fixed, which makes the run fail: IDs of cases that pass, and names of models that are
   * built.
   */
  readonly staleBaseline: readonly string[];
  /** Entries of the baseline whose day is over and whose case still fails, so that it counts again. */
  readonly expiredBaseline: readonly string[];
  /** Records that were made and could not be removed, as `model/id`. */
  readonly leftovers: readonly string[];
  readonly requirements: readonly RequirementResult[];
  readonly coverage: CoverageResult;
  readonly cases: readonly CaseResult[];
};

/** Whether a case stands against the target. */
export function countsAgainst({ excused, level, limited, outcome }: CaseResult): boolean {
  const isBad = outcome === 'fail' || (outcome === 'blocked' && !limited);
  return level !== 'advice' && excused === undefined && isBad;
}

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
 * The verdict for people, with the models that it excludes: `CONFORMANT WITH 6 KNOWN FAILURES, subscriptionTask not seen`, or
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
export function deviationsLine({ profile: { deviations = [] } }: Results): string | undefined {
  if (deviations.length === 0) return undefined;
  return `${plural(deviations.length, 'deviation')}: ${listed(deviations, 2, '; ')}. To accept them, pass a file of learn with --profile.`;
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

/** A name or a number, because IDs differ between cases. */
const WORD = /[A-Za-z][A-Za-z0-9]*|\d+/g;

/**
 * Returns a function that returns the rule or the setting of a case, with its message without names and numbers. It is the
 * same for cases that did not pass for the same reason. The messages may quote names of the given cases.
 */
export function shapesIn(cases: readonly CaseResult[]): (result: CaseResult) => string {
  const names = new Set(
    cases.flatMap(({ id, model, field = model }) => [
      model,
      field,
      ...(id.replace(/^[^=]*/, '').match(WORD) ?? []),
    ]),
  );
  return (result) => {
    const { message = '', rule, setting = rule } = result;
    // The rule of a blocked case is not its cause, so only its message counts.
    const about = result.outcome === 'blocked' ? '' : setting;
    const shape = message.replaceAll(WORD, (word) => (names.has(word) || /^\d/.test(word) ? '*' : word));
    return `${about} ${shape}`;
  };
}
