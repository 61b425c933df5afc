import { sendsMore } from '../../conformance/cases/rule.ts';
import { type Learned, learnedTerms, summarizeLearned } from '../../conformance/learn/learn.ts';
import {
  createCaseIds,
  type PlannedCase,
  planRun,
  RULES,
  type Selection,
  selectedModels,
} from '../../conformance/plan/plan.ts';
import { type Known, loadBaseline } from '../../conformance/results/compose-results.ts';
import { exitCode, type Results } from '../../conformance/results/results.ts';
import { plainLine, plural } from '../../conformance/results/text.ts';
import { type RunEvent, type RunOptions, runSuite, Unreachable } from '../../conformance/run.ts';
import type { Target } from '../../conformance/target/target.ts';
import { type Contract, loadContract } from '../../spec/contract.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { profileName } from '../../spec/profile/profile.ts';
import { loadRequirements, loadRequirementsBeside, type Requirement } from '../../spec/requirements.ts';
import { needUrl } from '../config/config-options.ts';
import { connect, sayRemaining } from '../connection/connection.ts';
import type { ConnectionOptions } from '../connection/connection-options.ts';
import { bindingsOf, learnFrom } from '../connection/learn-from.ts';
import type { ContractOptions } from '../options.ts';
import {
  createStatus,
  endEarly,
  INTERRUPTED,
  NOT_CONFORMANT,
  say,
  sayUnreachable,
  UNREACHABLE,
} from '../terminal/console.ts';
import { isCutShort, isOutOfTime } from '../terminal/stopping.ts';
import { terminal } from '../terminal/terminal.ts';
import { checkReportFiles, type ReportOptions, reportRun, saveManifest } from './report-files.ts';
import { type Checked, type Repeated, watchService } from './watch.ts';

/** Milliseconds between two updates in a terminal. */
const PROGRESS_PAUSE = 100;

type CheckOptions = ContractOptions &
  ConnectionOptions &
  ReportOptions & {
    models?: string[];
    area?: string[];
    rule?: string[];
    level?: string[];
    failFast?: true;
    explore?: number;
    dryRun?: true;
    minCoverage?: number;
    /** How the user starts the run. */
    command?: string;
    listRules?: true;
    baseline?: string;
    watch?: true;
  };

/** Default number of random sequences. */
const EXPLORED = 150;

/** Whether all rules are selected, because random sequences can break any rule. */
function isWhole(options: CheckOptions): boolean {
  return [options.rule, options.level, options.case].every((chosen) => chosen === undefined);
}

/** Checks a service. Learns its profile first unless --profile is set. */
export async function checkService(base: string | undefined, options: CheckOptions): Promise<void> {
  const { catalogue } = options;
  const requirements = catalogue === undefined ? loadRequirements() : loadRequirementsBeside(catalogue);
  if (options.listRules) return listRules(requirements);
  const baseUrl = needUrl(base);
  checkFlags(options);
  const selection = selectionOf(options);
  const contract = loadContract(options);
  checkSelection(contract, selection, options.profile === undefined);
  if (options.dryRun) return sayPlan(planRun(contract, selection).flat(), options.readOnly === true);
  checkReportFiles(options);
  const baseline =
    options.baseline === undefined ? undefined : loadBaseline(options.baseline, createCaseIds(contract));
  const prepared = { baseUrl, options, requirements, contract, selection, baseline };
  if (options.watch) await watchService<Terms>(baseUrl, (repeated) => checkOnce(prepared, repeated));
  else await checkOnce(prepared);
}

/** The input of a run that stays the same for the next one. */
type Prepared = {
  readonly baseUrl: string;
  readonly options: CheckOptions;
  readonly requirements: ReadonlyMap<string, Requirement>;
  readonly contract: Contract;
  readonly selection: Selection;
  readonly baseline: readonly Known[] | undefined;
};

/**
 * Checks a service once and reports the run. A run that only repeats failed cases uses the terms of the earlier run, and
 * writes no report files. Returns undefined if it ended without results.
 */
async function checkOnce(
  prepared: Prepared,
  repeated?: Repeated<Terms>,
): Promise<Checked<Terms> | undefined> {
  const { baseUrl, baseline, contract, options, requirements, selection } = prepared;
  const bindings = bindingsOf(options, contract);
  const selected = selectedModels(contract, selection);
  const connected = await connect(
    baseUrl,
    options,
    contract,
    (unremoved) => saveManifest(options.manifest, baseUrl, unremoved),
    { selected },
  );
  const { signal, target } = connected;
  const progress = createProgress();
  let terms: Terms = repeated?.terms ?? {
    profile: contract.profile,
    profileName: profileName(options.profile),
    selection,
  };
  /** The records that learning could not remove. */
  let left: readonly string[] = [];
  const keepLeft = (leftovers: readonly string[]) => {
    left = leftovers;
  };
  try {
    if (options.profile === undefined && repeated === undefined) {
      const learned = await learnFrom(connected, contract, bindings, keepLeft, selected);
      keepLeft(learned.leftovers);
      if (signal.aborted) {
        saveManifest(options.manifest, target.url, left);
        endEarly(left, isOutOfTime(signal));
        return undefined;
      }
      terms = termsOf(learned, selection, target.url);
    }
    const { warning, ...judged } = terms;
    const suiteOptions: RunOptions = {
      ...contract,
      ...connected,
      ...judged,
      ...(repeated === undefined ? {} : { selection: { cases: repeated.cases } }),
      requirements,
      ...(baseline === undefined ? {} : { baseline }),
      bindings,
      failFast: options.failFast === true,
      isDisposable: connected.isHere,
      explore:
        options.explore ?? (connected.isHere && isWhole(options) && repeated === undefined ? EXPLORED : 0),
      ...(options.minCoverage === undefined ? {} : { minCoverage: options.minCoverage }),
      ...(options.command === undefined ? {} : { command: options.command }),
      keepExchanges: options.case !== undefined,
    };
    const lost = await progress.follow(runSuite(suiteOptions), target);
    const found = progress.results();
    if (found === undefined) throw lost ?? new Error('the run ended without results');
    const results = { ...found, leftovers: [...new Set([...left, ...found.leftovers])] };
    const files = repeated === undefined ? options : { manifest: options.manifest };
    const isSaved = reportRun(results, files, { baseline, warning });
    if (options.case && repeated === undefined) sayHowToFail(results);
    terminal().exitCode = codeOf(results, isSaved);
    if (results.ended === 'interrupted') endEarly(results.leftovers);
    if (lost !== undefined) sayUnreachable(lost.message);
    return { results, terms };
  } catch (error) {
    // If there are results, they include this list.
    if (progress.results() === undefined) saveManifest(options.manifest, target.url, left);
    if (!isCutShort(error, signal)) throw error;
    endEarly(left, isOutOfTime(signal));
    return undefined;
  } finally {
    progress.clear();
    connected.journal.finish([...left, ...(progress.results()?.leftovers ?? [])]);
    sayRemaining(connected.journal);
    await target.close();
  }
}

/** Selected cases that pass can fail next to others. */
function sayHowToFail({ cases }: Results): void {
  const models = new Set(cases.map(({ model }) => model));
  if (cases.every(({ outcome }) => outcome === 'pass'))
    say(`A case can pass alone and fail next to others. To run those too: --models ${[...models].join(',')}`);
}

/** Returns the exit code. A run without its reports must not look successful. */
function codeOf(results: Results, isSaved: boolean): number {
  const code = exitCode(results);
  return isSaved || code === NOT_CONFORMANT || code === INTERRUPTED ? code : UNREACHABLE;
}

/** The profile and selection of a run. */
type Terms = Pick<RunOptions, 'profile' | 'profileName'> & {
  readonly selection: Selection;
  /** Why the target might not be this API. */
  readonly warning?: string;
};

/** Prints the learned settings. If the target might not be this API, only the list cases run. */
function termsOf(learned: Learned, selection: Selection, url: string): Terms {
  say(plainLine(summarizeLearned(learned)));
  const { warning } = learned;
  const terms = { ...learnedTerms(learned), selection };
  if (warning === undefined) return terms;
  say(`NOT CONFORMANT: the responses of ${url} contain no records: ${plainLine(warning)}`);
  say('Check the base URL first. Only the list cases run now; to run all cases, pass --profile FILE.');
  return { ...terms, warning, selection: { ...places(selection), rules: ['operations.list'] } };
}

/** Throws UsageError for flags that contradict each other. */
function checkFlags({ failFast, writeBaseline }: CheckOptions): void {
  if (failFast && writeBaseline !== undefined)
    throw new UsageError(
      "--write-baseline and --fail-fast can't be used together, because a baseline needs a complete run. Remove one of them.",
    );
}

/** Throws UsageError before the first request for a selection that no profile makes valid. */
function checkSelection(contract: Contract, selection: Selection, learns: boolean): void {
  const { cases, ...others } = selection;
  if (Object.keys(selection).length === 0) return;
  if (!learns || !cases) {
    planRun(contract, selection);
    return;
  }
  const ids = createCaseIds(contract, others);
  for (const id of cases) {
    const wrong = ids.explain('--case', id);
    if (wrong !== undefined) throw new UsageError(wrong);
  }
}

function selectionOf({ area, case: cases, level, models, rule }: CheckOptions): Selection {
  return {
    ...(models ? { models } : {}),
    ...(area ? { areas: area } : {}),
    ...(rule ? { rules: rule } : {}),
    ...(level ? { levels: level } : {}),
    ...(cases ? { cases } : {}),
  };
}

/** Returns the models and areas of a selection without its rules. */
function places({ areas, models }: Selection): Selection {
  return { ...(models ? { models } : {}), ...(areas ? { areas } : {}) };
}

/** Prints the cases under the given or the default profile. A learned profile can have fewer cases. */
function sayPlan(cases: readonly PlannedCase[], readOnly: boolean): void {
  const writing = cases.filter((planned) => sendsMore(planned.rule, planned.case));
  const lines = [...Map.groupBy(cases, ({ model }) => model.name)].map(([name, planned]) => {
    const writes = planned.filter((item) => writing.includes(item)).length;
    return `${name}: ${planned.length} cases, ${readOnly ? 0 : writes} with writes`;
  });
  const linked = readOnly
    ? ''
    : ' They would also create the records that others link to, and delete all created records at the end.';
  terminal().stdout.write(`${lines.join('\n')}\n`);
  say(`Nothing was sent. ${cases.length} cases would run.${linked}`);
}

/** Shows the progress of a run on standard error. */
function createProgress() {
  let total = 0;
  /** Whether each case counts against the target, by its ID. The end of a run can judge a case again. */
  const cases = new Map<string, boolean>();
  let status: ReturnType<typeof createStatus> | undefined;
  let results: Results | undefined;
  return { follow, clear: () => status?.clear(), results: () => results };

  /** Shows a run to its end. Returns the error if the target was lost; there can be results in that case too. */
  async function follow(run: AsyncIterable<RunEvent>, target: Target): Promise<Unreachable | undefined> {
    try {
      for await (const event of run) show(event, target);
      return undefined;
    } catch (error) {
      if (error instanceof Unreachable) return error;
      throw error;
    }
  }

  function show(event: RunEvent, target: Target): void {
    if (event.type === 'plan') {
      total = event.cases;
      cases.clear();
      say(`Running ${plural(total, 'case')} on ${plural(event.models, 'model')} at ${target.url}`);
      status = createStatus(PROGRESS_PAUSE);
    } else if (event.type === 'end') {
      status?.clear();
      results = event.results;
    } else {
      cases.set(event.result.id, event.counts);
      const bad = [...cases.values()].filter(Boolean).length;
      status?.show(`${cases.size} of ${plural(total, 'case')}${bad > 0 ? `, ${bad} failed or blocked` : ''}`);
    }
  }
}

/** Prints each rule with its level, its title, and the section of the source if the requirements cite one. */
function listRules(requirements: ReadonlyMap<string, Requirement>): void {
  for (const { id, level, requirement, title } of RULES) {
    const section = requirements.get(requirement)?.section;
    const source = section === undefined ? '' : ` (section ${section})`;
    terminal().stdout.write(`${id.padEnd(32)} ${level.padEnd(8)} ${title}${source}\n`);
  }
}
