import type { Contract } from '../spec/contract.ts';
import { withoutModels } from '../spec/references.ts';
import type { Requirement } from '../spec/requirements.ts';
import { createWireCheck, type WireCheck } from './assert/agreement.ts';
import { type CaseSetupOptions, createCaseSetup } from './cases/rule.ts';
import { explore } from './explore/explore.ts';
import {
  findNotBuilt,
  type PlannedCase,
  planLanes,
  planRun,
  type Selection,
  selectedModels,
} from './plan/plan.ts';
import { isUnanswered, nameBlockers, runInLanes } from './plan/run-case.ts';
import { createRunRecord } from './record/record.ts';
import { type Bindings, findBound } from './records/links.ts';
import type { MakingOptions } from './records/records.ts';
import {
  amend,
  composeResults,
  type JudgeOptions,
  judgeCases,
  skipUnjudged,
} from './results/compose-results.ts';
import { type CaseResult, countsAgainst, type Finding, type Results } from './results/results.ts';
import { listed } from './results/text.ts';
import { Interrupted, NoAnswer, unlessUnanswered } from './target/exchange.ts';
import { isDisposable, ping } from './target/place.ts';
import type { Target } from './target/target.ts';
import { createLateLists, LATE, type LateListsOptions } from './trial/late-lists.ts';
import { createSentinels } from './trial/sentinels.ts';
import { createTrialWatcher, runTrials, type TrialResult } from './trial/trial.ts';

export type RunOptions = Contract &
  MakingOptions &
  JudgeOptions & {
    readonly target: Target;
    /** How the profile is called in reports: a file's name, `default` or `learned`. */
    readonly profileName: string;
    /** The ledger of `spec/requirements.yaml`; left out, the results hold none. */
    readonly requirements?: ReadonlyMap<string, Requirement> | undefined;
    readonly selection?: Selection;
    /** IDs to link to instead of records that are made or found, and queries that find them. */
    readonly bindings?: Bindings;
    /** The check of values, made once for many runs under one profile. */
    readonly check?: WireCheck;
    /** Sends no request but GET; cases that need more are skipped. */
    readonly readOnly?: boolean;
    /** Milliseconds before each late look at what seems not to be removed. */
    readonly looks?: readonly number[];
    /** Random sequences of operations that are tried after the cases. Default 0. */
    readonly explore?: number;
    /**
     * Whether the run can risk records that it did not create: a case can try an operation that must not exist on one,
     * and a write that seemed to change one is repeated. Default: whether the URL names this machine.
     */
    readonly isDisposable?: boolean;
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
    /** Ends the run early. The run still removes its records. A TimeoutError as the reason means that the time is over. */
    readonly signal?: AbortSignal;
    /** Judges also the models that look as if they were not built. Default false. */
    readonly judgeAll?: boolean;
    /** Percent of the operations, and of the fields, that have to be exercised. */
    readonly minCoverage?: number | undefined;
    /** How a user starts this run, for the commands in reports. */
    readonly command?: string | undefined;
    /** Called at the start with a function that returns the records that the run has not removed yet, as `model/id`. */
    readonly onStart?: (unremoved: () => readonly string[]) => void;
  };

export type RunEvent =
  | { readonly type: 'plan'; readonly cases: number; readonly models: number }
  | {
      readonly type: 'case';
      readonly result: CaseResult;
      /** Whether the case counts against the target. The end of the run can judge a case again, in a second event. */
      readonly counts: boolean;
    }
  | { readonly type: 'end'; readonly results: Results };

/** The target can't be reached, so there is no verdict. */
export class Unreachable extends Error {
  override name = 'Unreachable';
}

/**
 * Runs every case and yields its outcome as soon as it is there; the last event holds the whole. Never prints.
 * Throws Unreachable when the target does not answer: at the start, or from some point on and then after the whole.
 */
export async function* runSuite(given: RunOptions): AsyncGenerator<RunEvent, void, void> {
  const started = new Date();
  const before = given.target.requests();
  const { explore: runs = 0, readOnly = false, retry = true, seed = 1000, target } = given;
  planRun(given, given.selection);
  const selected = selectedModels(given, given.selection);
  const missing = await ping(target, given.catalogue, selected)
    .then(() => findNotBuilt({ ...given, readOnly }, selected))
    .catch((error) => {
      throw error instanceof NoAnswer ? new Unreachable(error.message) : error;
    });
  const notBuilt: ReadonlySet<string> = given.judgeAll ? new Set() : missing.models;
  const options = { ...given, references: withoutModels(given.references, notBuilt) };
  // A link to another model has fewer cases, so a selected case can be missing.
  const lanes = planLanes(options, options.selection)
    .map((lane) => lane.filter(({ model }) => !notBuilt.has(model.name)))
    .filter((lane) => lane.length > 0);
  const bindings = await findBound(options.bindings ?? new Map(), options, target);
  const planned = lanes.flat();
  yield { type: 'plan', cases: planned.length, models: new Set(planned.map(({ model }) => model.name)).size };

  const check = options.check ?? createWireCheck(options);
  const { concurrency = 8, keepExchanges = false } = options;
  const isStopped = () => options.signal?.aborted === true;
  const ms = Math.max(0, ...(options.looks ?? [LATE]));
  const judging = createJudging({ ...options, bindings, check, isStopped, ms, readOnly, seed });
  const { lateLists, record, setup } = judging;
  options.onStart?.(setup.unremoved);
  const results = new Map<string, CaseResult>();
  const told = new Set<CaseResult>();
  const counts = (result: CaseResult) =>
    judgeCases(skipUnjudged([result]), started, options).cases.some(countsAgainst);
  const models = new Set(planned.map(({ model }) => model));
  let explored: readonly Finding[] = [];
  let trials: TrialResult = { findings: [], changes: [] };
  let isJudged = false;
  let lost: string | undefined;
  try {
    if (!readOnly) {
      await judging.noteSentinels(models);
      await setup.prepare(models);
    }
    const ready = isStopped() ? [] : lanes;
    for await (const result of runInLanes(ready, setup, { concurrency, keepExchanges, retry })) {
      // The signal aborted this case, so it counts as not tried.
      if (isStopped() && result.outcome === 'error') break;
      results.set(result.id, result);
      told.add(result);
      yield { type: 'case', result, counts: counts(result) };
      if (isStopped() || (options.failFast && result.outcome === 'fail' && counts(result))) break;
    }
    // A linked record that no case is about must be as it was.
    for (const { id, model } of readOnly ? [] : record.existing())
      if (!isStopped() && model.operations.includes('retrieve'))
        await unlessUnanswered(() => setup.look(model, id));
    // A sequence is longer than the exchanges that break a rule by themselves.
    const known = new Set(record.contradictions().map((one) => one.case));
    if (runs > 0 && !readOnly && !isStopped())
      explored = (
        await explore({ ...options, check, target: lateLists.target, setup, models, runs, seed, isStopped })
      ).filter((one) => !known.has(one.case));
    isJudged = true;
    trials = await judging.judge(planned, results, retry);
  } catch (error) {
    // To stop early, the caller closes the target.
    if (error instanceof NoAnswer) lost = isStopped() ? undefined : error.message;
    else if (!(error instanceof Interrupted)) throw error;
  } finally {
    await setup.finish().catch(() => {});
  }
  // A run that ends early still reports what it saw.
  if (!isJudged) trials = await judging.judge(planned, results, false);
  for (const result of amend(results, [...explored, ...trials.findings])) results.set(result.id, result);
  for (const result of results.values())
    if (!told.has(result)) yield { type: 'case', result, counts: counts(result) };
  // Cases without a response don't fail if the target is lost.
  nameBlockers(results, new Set(options.catalogue.models.keys()));
  const isTried = (result: CaseResult) => lost === undefined || !isUnanswered(result);
  const ids = planned.map(({ id }) => id);
  const tried = ids.flatMap((id) => results.get(id) ?? []).filter(isTried);
  const found = skipUnjudged(tried);
  const facts = {
    started,
    requests: target.requests() - before,
    seed,
    planned: ids,
    lost,
    changes: trials.changes,
    late: [...lateLists.models()],
    leftovers: [...missing.leftovers, ...setup.leftovers()],
    selected,
    notBuilt,
  };
  yield { type: 'end', results: composeResults(found, facts, options) };
  // The caller might not read the results.
  const left = facts.leftovers.length === 0 ? '' : `; not deleted: ${listed(facts.leftovers, 20)}`;
  if (lost !== undefined) throw new Unreachable(lost + left);
}

type JudgingOptions = Omit<CaseSetupOptions, 'lookAgain' | 'onCall' | 'watchers'> & {
  readonly check: WireCheck;
  /** Maximum delay of a list, in milliseconds. */
  readonly ms: number;
  readonly isStopped: () => boolean;
};

/** The parts that judge a run: its cases, its record of requests, and its trials. */
export type Judging = ReturnType<typeof createJudging>;

export function createJudging(options: JudgingOptions) {
  const { catalogue, ms, signal } = options;
  const lateLists = createLateLists({ target: options.target, base: catalogue.base, ms, open, signal });
  const parts = { ...options, target: lateLists.target };
  const record = createRunRecord(parts);
  const mayRepeat = () => isDisposable(options.target, options.isDisposable);
  const sentinels = createSentinels({ ...parts, isDisposable: mayRepeat });
  const watcher = createTrialWatcher();
  const watchers = [sentinels, record, watcher];
  const setup = createCaseSetup({
    ...parts,
    lookAgain: lateLists.lookAgain,
    watchers,
    onCall: record.during,
  });
  return {
    setup,
    record,
    lateLists,
    noteSentinels: sentinels.note,
    /** Decides the results of all cases, which it changes. */
    judge: (planned: readonly PlannedCase[], results: Map<string, CaseResult>, repeats: boolean) =>
      runTrials({
        ...parts,
        planned,
        results,
        setup,
        lateLists,
        record,
        watcher,
        sentinels,
        repeats,
        isDisposable: mayRepeat,
      }),
  };

  async function open(...[name, work]: Parameters<LateListsOptions['open']>) {
    const model = catalogue.models.get(name);
    const canLook = model?.operations.includes('create') && model.operations.includes('list');
    if (!model || !canLook || setup.readOnly) return undefined;
    await using context = setup.open(model, 'late list', () => {});
    return await work(context.records);
  }
}
