import { type Learned, learnedTerms } from '../../conformance/learn/learn.ts';
import { summarizeLearned } from '../../conformance/learn/render-learned.ts';
import { createCaseIds } from '../../conformance/plan/case-ids.ts';
import { type PlannedCase, planRun, type Selection } from '../../conformance/plan/plan.ts';
import { sendsMore } from '../../conformance/plan/rule.ts';
import { plainLine } from '../../conformance/report/text.ts';
import { loadBaseline } from '../../conformance/results/baseline.ts';
import { loadFrozenRules } from '../../conformance/results/frozen-rules.ts';
import type { Results } from '../../conformance/results/results.ts';
import { exitCode } from '../../conformance/results/verdict.ts';
import { type RunOptions, runSuite } from '../../conformance/run.ts';
import { type Contract, loadContract } from '../../spec/contract.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { profileName } from '../../spec/profile/profile.ts';
import { loadRequirements, loadRequirementsBeside } from '../../spec/requirements.ts';
import { connect } from '../connection/connection.ts';
import type { ConnectionOptions } from '../connection/connection-options.ts';
import { bindingsOf, learnFrom } from '../connection/learn-from.ts';
import type { ContractOptions } from '../options.ts';
import { endEarly, INTERRUPTED, NOT_CONFORMANT, say, UNREACHABLE } from '../terminal/console.ts';
import { isCutShort, isOutOfTime } from '../terminal/stopping.ts';
import { terminal } from '../terminal/terminal.ts';
import { createProgress } from './progress.ts';
import { checkReportFiles, type ReportOptions, reportRun, saveManifest } from './report-files.ts';
import { listRules } from './rules.ts';

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
    listRules?: true;
    baseline?: string;
  };

/** Random sequences that are tried where nobody says how many. */
const EXPLORED = 200;

/** What sequences come upon may break any rule. */
function isWhole(options: CheckOptions): boolean {
  return [options.rule, options.level, options.case].every((chosen) => chosen === undefined);
}

/** Checks a service, learning its profile first where none is given. */
export async function checkService(baseUrl: string | undefined, options: CheckOptions): Promise<void> {
  if (options.listRules) return listRules();
  if (baseUrl === undefined)
    throw new UsageError('the base URL is missing; expected one such as http://127.0.0.1:4010');
  checkFlags(options);
  const selection = selectionOf(options);
  const contract = loadContract(options);
  checkSelection(contract, selection, options.profile === undefined);
  if (options.dryRun) return sayPlan(planRun(contract, selection).flat(), options.readOnly === true);
  checkReportFiles(options);
  const baseline =
    options.baseline === undefined ? [] : loadBaseline(options.baseline, createCaseIds(contract));
  const { catalogue } = options;
  const requirements = catalogue === undefined ? loadRequirements() : loadRequirementsBeside(catalogue);
  const bindings = bindingsOf(options, contract);
  const connected = await connect(baseUrl, options, contract, (unremoved) =>
    saveManifest(options.manifest, baseUrl, unremoved),
  );
  const { signal, target } = connected;
  const progress = createProgress();
  let terms: Terms = { profile: contract.profile, profileName: profileName(options.profile), selection };
  /** What learning could not remove. */
  let left: readonly string[] = [];
  const keepLeft = (leftovers: readonly string[]) => {
    left = leftovers;
  };
  try {
    if (options.profile === undefined) {
      const learned = await learnFrom(connected, contract, bindings, keepLeft);
      keepLeft(learned.leftovers);
      if (signal.aborted) {
        saveManifest(options.manifest, target.url, left);
        return endEarly(left, isOutOfTime(signal));
      }
      terms = termsOf(learned, selection, target.url);
    }
    const { doubt, ...judged } = terms;
    const suite = runSuite({
      ...contract,
      ...connected,
      ...judged,
      requirements,
      baseline,
      bindings,
      frozenRules: loadFrozenRules(),
      failFast: options.failFast === true,
      isDisposable: connected.isHere,
      explore: options.explore ?? (connected.isHere && isWhole(options) ? EXPLORED : 0),
      ...(options.minCoverage === undefined ? {} : { minCoverage: options.minCoverage }),
      keepExchanges: options.case !== undefined,
    });
    const lost = await progress.follow(suite, target);
    const found = progress.results();
    if (found === undefined) throw lost ?? new Error('the run ended without results');
    const results = { ...found, leftovers: [...new Set([...left, ...found.leftovers])] };
    const isSaved = reportRun(results, options, { requirements, baseline, doubt });
    terminal().exitCode = codeOf(results, isSaved);
    if (results.ended === 'interrupted') endEarly(results.leftovers);
    if (lost !== undefined) say(`record-model: the target can't be reached: ${lost.message}`);
  } catch (error) {
    // The results, where there are any, hold it too.
    if (progress.results() === undefined) saveManifest(options.manifest, target.url, left);
    if (!isCutShort(error, signal)) throw error;
    endEarly(left, isOutOfTime(signal));
  } finally {
    progress.clear();
    connected.journal.finish([...left, ...(progress.results()?.leftovers ?? [])]);
    await target.close();
  }
}

/** A run without its reports is not to be taken for a green one, nor for one that may be tried again. */
function codeOf(results: Results, isSaved: boolean): number {
  const code = exitCode(results);
  return isSaved || code === NOT_CONFORMANT || code === INTERRUPTED ? code : UNREACHABLE;
}

/** What a service is judged by. */
type Terms = Pick<RunOptions, 'profile' | 'profileName'> & {
  readonly selection: Selection;
  /** Why what answers may not be the service. */
  readonly doubt?: string;
};

/** Says what was learned. Of what may not be the service only the lists are tried. */
function termsOf(learned: Learned, selection: Selection, url: string): Terms {
  say(plainLine(summarizeLearned(learned)));
  const { doubt } = learned;
  const terms = { ...learnedTerms(learned), selection };
  if (doubt === undefined) return terms;
  say(`NOT CONFORMANT: what answers at ${url} shows no records: ${plainLine(doubt)}`);
  say('Look at the base URL first. Only lists are tried; with --profile FILE every case is.');
  return { ...terms, doubt, selection: { ...places(selection), rules: ['operations.list'] } };
}

/** Flags that say two things at once. */
function checkFlags({ failFast, writeBaseline }: CheckOptions): void {
  if (failFast && writeBaseline !== undefined)
    throw new UsageError(
      '--write-baseline needs the whole run, which --fail-fast ends; expected one of them',
    );
}

/** Says before the first request what no profile makes right, also where that is still to be learned. */
function checkSelection(contract: Contract, selection: Selection, learns: boolean): void {
  const { cases = [], ...others } = selection;
  // With nothing selected there is nothing to mistake.
  if (Object.keys(selection).length === 0) return;
  if (!learns) {
    planRun(contract, selection);
    return;
  }
  const ids = createCaseIds(contract, others);
  for (const id of cases) {
    const wrong = ids.explain('--case', id);
    if (wrong !== undefined) throw new UsageError(wrong);
  }
}

function selectionOf({ area, case: id, level, models, rule }: CheckOptions): Selection {
  return {
    ...(models ? { models } : {}),
    ...(area ? { areas: area } : {}),
    ...(rule ? { rules: rule } : {}),
    ...(level ? { levels: level } : {}),
    ...(id === undefined ? {} : { cases: [id] }),
  };
}

/** The models and areas of a selection, whatever rules it names. */
function places({ areas, models }: Selection): Selection {
  return { ...(models ? { models } : {}), ...(areas ? { areas } : {}) };
}

/** What would be tried under the profile given, or the default one; a learned one may leave cases out. */
function sayPlan(cases: readonly PlannedCase[], readOnly: boolean): void {
  const writing = cases.filter(({ rule }) => sendsMore(rule));
  const lines = [...Map.groupBy(cases, ({ model }) => model.name)].map(([name, planned]) => {
    const writes = planned.filter((item) => writing.includes(item)).length;
    return `${name}: ${planned.length} cases, ${readOnly ? 0 : writes} of which make records, change or delete them`;
  });
  const linked = readOnly ? '' : '; records that others link to are made too, all are removed in the end';
  terminal().stdout.write(`${lines.join('\n')}\n`);
  say(`Nothing was sent: ${cases.length} cases would be tried${linked}`);
}
