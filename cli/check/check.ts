import { sendsMore } from '../../conformance/cases/rule.ts';
import { learnedTerms, summarizeLearned } from '../../conformance/learn/learn.ts';
import {
  createCaseIds,
  type PlannedCase,
  planRun,
  RULES,
  type Selection,
} from '../../conformance/plan/plan.ts';
import { loadBaseline } from '../../conformance/results/compose-results.ts';
import { exitCode, type Results } from '../../conformance/results/results.ts';
import { plainLine, plural } from '../../conformance/results/text.ts';
import { type RunOptions, runSuite, Unreachable } from '../../conformance/run.ts';
import { type Contract, loadContract } from '../../spec/contract.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { profileName } from '../../spec/profile/profile.ts';
import { loadRequirements, type Requirement } from '../../spec/requirements.ts';
import {
  type ConnectedService,
  type ConnectionOptions,
  learnFrom,
  useService,
} from '../connection/connection.ts';
import { type ContractOptions, needUrl, selectionOf } from '../options.ts';
import {
  createStatus,
  endEarly,
  INTERRUPTED,
  NOT_CONFORMANT,
  say,
  sayUnreachable,
  terminal,
  UNREACHABLE,
} from '../terminal/terminal.ts';
import { checkReportFiles, type ReportOptions, reportRun, saveManifest } from './report-files.ts';
import { type Checked, type Terms, watchService } from './watch.ts';

/** Milliseconds between two updates in a terminal. */
const PROGRESS_PAUSE = 100;

type CheckOptions = ContractOptions &
  ConnectionOptions &
  ReportOptions &
  Pick<RunOptions, 'failFast' | 'explore' | 'minCoverage' | 'command'> & {
    dryRun?: true;
    listRules?: true;
    baseline?: string;
    watch?: true;
  };

/** Default number of random sequences. */
const EXPLORED = 150;

/** Checks a service. Learns its profile first unless --profile is set. */
export async function checkService(base: string | undefined, options: CheckOptions): Promise<void> {
  const { catalogue } = options;
  const requirements = loadRequirements(catalogue);
  if (options.listRules) return listRules(requirements);
  const baseUrl = needUrl(base);
  const selection = selectionOf(options);
  const contract = loadContract(options);
  checkSelection(contract, selection, options.profile === undefined);
  if (options.dryRun) return sayPlan(planRun(contract, selection).flat(), options.readOnly === true);
  checkReportFiles(options);
  const baseline =
    options.baseline === undefined ? undefined : loadBaseline(options.baseline, createCaseIds(contract));
  // Random sequences can break any rule, so they need all rules.
  const isWhole = !(options.case || options.level || options.rule);
  const serviceOptions = {
    selection,
    onLeft: (unremoved: readonly string[]) => saveManifest(options.manifest, baseUrl, unremoved),
  };
  const run = (repeated?: Terms) =>
    useService(baseUrl, options, contract, (service) => checkOnce(service, repeated), serviceOptions);
  if (options.watch) await watchService(baseUrl, run);
  else await run();

  /**
   * Checks a service once and reports the run. A run that only repeats failed cases uses the terms of the earlier run, and
   * writes no report files.
   */
  async function checkOnce(service: ConnectedService, repeated?: Terms): Promise<Checked> {
    const { isHere, leftovers } = service;
    const { warning, ...terms } = repeated ?? (await findTerms(service, options.profile, selection));
    const { found, lost } = await follow({
      ...service,
      ...terms,
      requirements,
      baseline,
      failFast: options.failFast === true,
      isDisposable: isHere,
      explore: options.explore ?? (isHere && isWhole && repeated === undefined ? EXPLORED : 0),
      minCoverage: options.minCoverage,
      command: options.command,
      keepExchanges: options.case !== undefined,
    });
    if (found === undefined) throw lost ?? new Error('the run ended without results');
    for (const name of found.leftovers) leftovers.add(name);
    const results = { ...found, leftovers: [...leftovers] };
    const files = repeated ? { manifest: options.manifest } : options;
    const isSaved = reportRun(results, files, { baseline, warning });
    if (options.case && repeated === undefined) sayHowToFail(results);
    terminal().exitCode = codeOf(results, isSaved);
    if (results.ended === 'interrupted') endEarly(results.leftovers);
    if (lost !== undefined) sayUnreachable(lost.message);
    return { results, terms: { ...terms, warning } };
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

/**
 * Returns the terms of the --profile file, or else of the learned profile. If the target might not be this API, only the
 * list cases run.
 */
async function findTerms(
  service: ConnectedService,
  profile: string | undefined,
  selection: Selection,
): Promise<Terms> {
  if (profile !== undefined)
    return { profile: service.profile, profileName: profileName(profile), selection };
  const learned = await learnFrom(service);
  say(plainLine(summarizeLearned(learned)));
  const { warning } = learned;
  const terms = { ...learnedTerms(learned), selection };
  if (warning === undefined) return terms;
  say(`NOT CONFORMANT: the responses of ${service.target.url} contain no records: ${plainLine(warning)}`);
  say('Check the base URL first. Only the list cases run now; to run all cases, pass --profile FILE.');
  const { cases, levels, ...places } = selection;
  return { ...terms, warning, selection: { ...places, rules: ['operations.list'] } };
}

/** Throws UsageError before the first request for a selection that no profile makes valid. */
function checkSelection(contract: Contract, selection: Selection, learns: boolean): void {
  const { cases, ...others } = selection;
  if (Object.values(selection).every((chosen) => chosen === undefined)) return;
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

/**
 * Runs the suite to its end, and shows its progress. `lost` is the error if the target was lost; there can be results in
 * that case too.
 */
async function follow(options: RunOptions): Promise<{ found?: Results; lost?: Unreachable }> {
  let total = '';
  /** Whether each case counts against the target, by its ID. The end of a run can judge a case again. */
  const cases = new Map<string, boolean>();
  let status: ReturnType<typeof createStatus> | undefined;
  let ended: { found?: Results } = {};
  try {
    for await (const event of runSuite(options)) {
      if (event.type === 'plan') {
        total = plural(event.cases, 'case');
        say(`Running ${total} on ${plural(event.models, 'model')} at ${options.target.url}`);
        status = createStatus(PROGRESS_PAUSE);
      } else if (event.type === 'end') ended = { found: event.results };
      else {
        cases.set(event.result.id, event.counts);
        const bad = [...cases.values()].filter(Boolean).length;
        status?.show(`${cases.size} of ${total}${bad > 0 ? `, ${bad} failed or blocked` : ''}`);
      }
    }
    return ended;
  } catch (error) {
    if (error instanceof Unreachable) return { ...ended, lost: error };
    throw error;
  } finally {
    status?.clear();
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
