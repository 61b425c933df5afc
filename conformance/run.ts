import { describeProfile } from '../spec/profile/profile.ts';
import type { Requirement } from '../spec/requirements.ts';
import { explore } from './explore/explore.ts';
import { type CaseSetup, createCaseSetup, createInstruments, type Instruments } from './plan/case-setup.ts';
import { type PlannedCase, planRun, type Selection } from './plan/plan.ts';
import type { PlanContext } from './plan/plan-context.ts';
import { retryFailed } from './plan/retry.ts';
import { isUnanswered, runInLanes } from './plan/run-case.ts';
import type { Bindings } from './records/bindings.ts';
import type { MakingOptions } from './records/records.ts';
import { amend } from './results/amend.ts';
import { applyBaseline, type KnownFailure } from './results/baseline.ts';
import { measureCoverage } from './results/coverage.ts';
import { excuseLaterRules } from './results/frozen-rules.ts';
import {
  type CaseResult,
  type Counts,
  countsAgainst,
  type Finding,
  OUTCOMES,
  type Outcome,
  type Results,
} from './results/outcome.ts';
import { judgeRequirements } from './results/requirements.ts';
import { createExpectedState } from './state/state.ts';
import { Interrupted } from './target/backoff.ts';
import { NoAnswer } from './target/no-answer.ts';
import { ping } from './target/ping.ts';
import type { Target } from './target/target.ts';

export type RunOptions = PlanContext &
  MakingOptions & {
    readonly target: Target;
    /** How the profile is called in reports: a file's name, `default` or `learned`. */
    readonly profileName: string;
    /** The ledger of `spec/requirements.yaml`; left out, the results hold none. */
    readonly requirements?: ReadonlyMap<string, Requirement>;
    readonly selection?: Selection;
    /** Known failures, and the day the run is judged by. */
    readonly baseline?: readonly KnownFailure[];
    /** The stated rules that decide, by version label. */
    readonly frozenRules?: ReadonlyMap<string, ReadonlySet<string>>;
    /** Ids to link to instead of records that are made or found. */
    readonly bindings?: Bindings;
    /** Made once for many runs under one profile. */
    readonly instruments?: Instruments;
    /** Sends no request but GET; cases that need more are skipped. */
    readonly readOnly?: boolean;
    /** Milliseconds before each late look at what seems not to be removed. */
    readonly looks?: readonly number[];
    /** Random sequences of operations that are tried after the cases. Default 0. */
    readonly explore?: number;
    /** Ends the run after the first failure that counts. */
    readonly failFast?: boolean;
    /** Keeps the exchanges of cases that pass too. */
    readonly keepExchanges?: boolean;
    /** Tries each failed case once more, alone: one that passes then is flaky. Default true. */
    readonly retry?: boolean;
    /** Lanes of models that run side by side. Default 8. */
    readonly concurrency?: number;
    /** The same seed and tag send the same requests. Default 1000. */
    readonly seed?: number;
    /** Ends the run early; what was made is removed all the same. A TimeoutError as its reason says that the time is over. */
    readonly signal?: AbortSignal;
    /** Percent of the operations, and of the fields, that have to be exercised. */
    readonly minCoverage?: number;
    /** Given at the start how to see what is to be removed still, as `model/id`, for whoever can't wait for the end. */
    readonly onStart?: (unremoved: () => readonly string[]) => void;
  };

export type RunEvent =
  | { readonly type: 'plan'; readonly cases: number; readonly models: number }
  | { readonly type: 'case'; readonly result: CaseResult }
  | { readonly type: 'end'; readonly results: Results };

/** The target can't be talked to at all; nothing can be said of it. */
export class Unreachable extends Error {
  override name = 'Unreachable';
}

/**
 * Runs every case and yields its outcome as soon as it is there; the last event holds the whole. Never prints.
 * Throws Unreachable when the target does not answer: at the start, or from some point on and then after the whole.
 */
export async function* runSuite(options: RunOptions): AsyncGenerator<RunEvent, void, void> {
  const started = new Date();
  const before = options.target.requests();
  const { readOnly = false, seed = 1000, target } = options;
  const lanes = planRun(options, options.selection);
  await ping(target, options.catalogue).catch((error) => {
    throw error instanceof NoAnswer ? new Unreachable(error.message) : error;
  });
  const planned = lanes.flat();
  yield { type: 'plan', cases: planned.length, models: new Set(planned.map(({ model }) => model.name)).size };

  const instruments = options.instruments ?? createInstruments(options);
  const patience = options.looks && Math.max(0, ...options.looks);
  const state = createExpectedState({ ...options, check: instruments.check, patience });
  const setup = createCaseSetup({ ...options, instruments, readOnly, seed, watchers: [state] });
  options.onStart?.(setup.unremoved);
  const results = new Map<string, CaseResult>();
  const isStopped = () => options.signal?.aborted === true;
  const isDecisive = (result: CaseResult) =>
    result.outcome === 'fail' && judge([result], started, options).cases.some(countsAgainst);
  const bystanders = readOnly ? undefined : state.bystanders(modelsOf(planned), isStopped, [state]);
  const watched: CaseSetup = {
    ...setup,
    async finishModels(models) {
      await setup.finishModels(models);
      await bystanders?.look(models);
    },
  };
  const exploring = () => {
    const { check } = instruments;
    return { check, setup, models: modelsOf(planned), runs: options.explore ?? 0, seed, isStopped };
  };
  let explored: readonly Finding[] = [];
  let lost: string | undefined;
  try {
    await bystanders?.note();
    if (!readOnly) await setup.prepare(modelsOf(planned));
    for await (const result of runInLanes(
      isStopped() ? [] : lanes,
      options.concurrency ?? 8,
      watched,
      options.keepExchanges,
    )) {
      // What was cut short by the signal was not tried.
      if (isStopped() && result.outcome === 'error') break;
      results.set(result.id, result);
      yield { type: 'case', result };
      if (isStopped() || (options.failFast && isDecisive(result))) break;
    }
    if (options.retry !== false) await retryFailed(planned, results, setup, isStopped);
    if (!readOnly && !isStopped()) explored = await explore({ ...options, ...exploring() });
    await bystanders?.look(modelsOf(planned));
  } catch (error) {
    // Whoever has no more time closes the target.
    if (error instanceof NoAnswer) lost = isStopped() ? undefined : error.message;
    else if (!(error instanceof Interrupted)) throw error;
  } finally {
    await setup.finish().catch(() => {});
  }
  state.finish();
  // What the whole run shows is told when the last write is done.
  const { findings, turned } = amend(results, [...explored, ...state.contradictions()]);
  for (const result of turned) {
    results.set(result.id, result);
    yield { type: 'case', result };
  }
  const { catalogue } = options;
  const oddities = target.oddities?.() ?? [];
  // The loss of the target is no failure of the cases under way.
  const isTried = (result: CaseResult) => lost === undefined || !isUnanswered(result);
  const found = planned.flatMap(({ id }) => results.get(id) ?? []).filter(isTried);
  const { cases, expired, stale } = judge(found, started, options);
  const isWhole = Object.keys(options.selection ?? {}).length === 0 && found.length === planned.length;
  yield {
    type: 'end',
    results: {
      target: target.url,
      catalogue: { title: catalogue.title, version: catalogue.version, models: catalogue.models.size },
      profile: { name: options.profileName, differs: describeProfile(options.profile) },
      startedAt: started.toISOString(),
      durationMs: Date.now() - started.getTime(),
      requests: target.requests() - before,
      seed,
      ...(options.tag ? { tag: options.tag } : {}),
      readOnly,
      planned: planned.length,
      ...(lost === undefined ? {} : { lost }),
      ...(isStopped() ? { ended: whyEnded(options.signal) } : {}),
      ...(oddities.length === 0 ? {} : { oddities }),
      ...(options.minCoverage === undefined ? {} : { minCoverage: options.minCoverage }),
      counts: count(cases),
      // An entry of a case that no run has would stay for ever.
      staleBaseline: isWhole ? [...stale, ...unknownCases(options.baseline, planned)] : stale,
      expiredBaseline: expired,
      leftovers: setup.leftovers(),
      ...(findings.length > 0 ? { findings } : {}),
      ...(state.strangers().length > 0 ? { strangers: state.strangers() } : {}),
      requirements: judgeRequirements(options.requirements?.values() ?? [], cases),
      coverage: measureCoverage(catalogue, cases),
      cases,
    },
  };
  if (lost !== undefined) throw new Unreachable(withLeftovers(lost, setup.leftovers()));
}

function whyEnded(signal: AbortSignal | undefined): NonNullable<Results['ended']> {
  return signal?.reason?.name === 'TimeoutError' ? 'out of time' : 'interrupted';
}

function modelsOf(planned: readonly PlannedCase[]): Set<PlannedCase['model']> {
  return new Set(planned.map(({ model }) => model));
}

/** What is known already, or not to be counted yet, is excused. */
function judge(cases: readonly CaseResult[], started: Date, options: RunOptions) {
  const { baseline = [], catalogue, frozenRules } = options;
  const judged = excuseLaterRules(cases, frozenRules?.get(catalogue.version), catalogue.version);
  return applyBaseline(judged, baseline, started.toISOString().slice(0, 10));
}

function unknownCases(baseline: readonly KnownFailure[] = [], planned: readonly PlannedCase[]): string[] {
  const ids = new Set(planned.map(({ id }) => id));
  return baseline.map((row) => row.case).filter((id) => !ids.has(id));
}

/** Whoever does not look at the results is still told what is left behind. */
function withLeftovers(message: string, leftovers: readonly string[]): string {
  const [more, first] = [leftovers.length - 20, leftovers.slice(0, 20).join(', ')];
  return first === '' ? message : `${message}; not removed: ${first}${more > 0 ? ` and ${more} more` : ''}`;
}

function count(results: readonly CaseResult[]): Counts {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  for (const { outcome } of results) counts[outcome]++;
  return counts;
}
