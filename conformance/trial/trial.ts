import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { isDeleted } from '../../spec/catalogue/roles.ts';
import { meaningOf, type Watcher } from '../api/api.ts';
import { unlessEnded } from '../assert/ending.ts';
import type { CaseSetup } from '../cases/rule.ts';
import type { PlannedCase } from '../plan/plan.ts';
import { isBroken, isRepeatable, operationIn, runCase } from '../plan/run-case.ts';
import type { Change, Contradiction } from '../record/notes.ts';
import { createRunRecord, type RecordOptions, type RunRecord } from '../record/record.ts';
import { caseOfWrite, type KindOfWrite } from '../record/timeline.ts';
import { amend } from '../results/compose-results.ts';
import { type CaseResult, countsAgainst, type Finding, shapesIn } from '../results/results.ts';
import type { LateLists } from './late-lists.ts';
import { type Looked, lookAt, type Sentinels } from './sentinels.ts';

type TrialOptions = RecordOptions & {
  readonly setup: CaseSetup;
  readonly lateLists: LateLists;
  readonly watcher: TrialWatcher;
  readonly planned: readonly PlannedCase[];
  /** The results of the cases by ID, which the trial changes. */
  readonly results: Map<string, CaseResult>;
  /** The past of the records of the run. */
  readonly record: RunRecord;
  readonly sentinels: Sentinels;
  /** Without repeats, each contradiction counts, and the likeliest write before a change is its cause. */
  readonly repeats: boolean;
  /** Whether a write can be repeated that might have changed a record of another client. */
  readonly isDisposable: () => boolean;
  readonly isStopped: () => boolean;
};

/** Findings of the trial that belong to no planned case. */
export type TrialResult = {
  /** Contradictions of cases that were not planned, and operations that returned a 5xx twice. */
  readonly findings: readonly Finding[];
  /** Records that changed without a write of the run that explains it, one line each. */
  readonly changes: readonly string[];
};

/** After this number of similar failures, only one of the cases is tried again. */
const ALIKE = 3;

/** After this number of causes, no further change is tried again. */
const MOST_CAUSES = 6;

const WRITES: readonly string[] = [
  'update.keeps-other-records',
  'delete.keeps-other-records',
  'create.distinct',
];

/** The rules that need a list to stay as it is while its pages are read. */
const PAGES: readonly string[] = ['profile.list.paging', 'profile.pages', 'list.shows-record'];

type Parts = TrialOptions & {
  readonly repeat: ReturnType<typeof createRepeats>;
  readonly byId: ReadonlyMap<string, PlannedCase>;
  /** The change for which all cases that write were tried. */
  readonly searched: Set<Change>;
  /** The cases that failed again by themselves. */
  readonly alone: Set<string>;
};

/**
 * Repeats what failed: each failed case with fresh records, alone, and the cases that might have changed a record that
 * no request was about. A failure counts if it is there again. A failure that only a list showed, and that is not there
 * again, does not count, because other clients and late lists can cause it. Any other one is flaky.
 */
export async function runTrials(options: TrialOptions): Promise<TrialResult> {
  const { planned, record, repeats, results, sentinels } = options;
  if (repeats) await sentinels.look();
  const isStopped = () => !repeats || options.isStopped();
  const byId = new Map(planned.map((item) => [item.id, item]));
  // Random sequences report their own contradictions.
  const contradictions = record.contradictions().filter(({ during }) => byId.has(during) || during === '');
  for (const result of amend(results, contradictions, record.unjudged())) results.set(result.id, result);
  const parts = {
    ...options,
    isStopped,
    byId,
    repeat: createRepeats(options, contradictions),
    searched: new Set<Change>(),
    alone: new Set<string>(),
  };
  const broken = await retryFailed(parts);
  const changes: string[] = [];
  // A failure of the model explains why its records change. Advice does not.
  const isHealthy = ({ name }: Model) =>
    [...results.values()].every((one) => one.model !== name || !countsAgainst(one));
  const changed = [...record.drifts(), ...sentinels.harms()].filter(
    ({ rival = '' }) => !parts.alone.has(rival),
  );
  const bySuspect = Map.groupBy(changed, ({ suspects: [first] }) => first);
  const causes = new Set<string>();
  // Another client can delete a record that the run has, too, because it had the ID before.
  const isShared = record.seesOthers();
  for (const change of changed) {
    const [suspect] = change.suspects;
    const isTried = repeats && causes.size < MOST_CAUSES && !isStopped();
    const known = change.suspects.find((id) => causes.has(id));
    const tried = known ?? (isTried ? await findCause(change, parts) : undefined);
    // Several records of the run that changed in the same way are a repetition, too. Those of others belong to others.
    const isRepeated = change.isOwn && !isShared && (bySuspect.get(suspect)?.length ?? 0) >= ALIKE;
    const cause = tried ?? (!repeats || isRepeated || change.isGone ? suspect : undefined);
    if (cause !== undefined) causes.add(cause);
    const { during, words } = change;
    if (cause !== undefined) fail({ ...words, case: cause, ...(during && { during }) });
    else if (!isHealthy(change.model)) continue;
    else if (change.isOwn && suspect !== undefined && !isShared)
      fail({ ...change.words, case: suspect }, 'flaky');
    else changes.push(change.words.message);
  }
  return { findings: broken, changes };

  function fail(finding: Finding, outcome: 'fail' | 'flaky' = 'fail'): void {
    const result = results.get(finding.case);
    if (!result || result.outcome === 'fail') return;
    const retried = outcome === 'fail' ? 'reproduced' : 'not reproduced';
    for (const one of amend(results, [finding])) results.set(one.id, { ...one, outcome, retried });
  }
}

/** Returns the case whose write changed a record: the sender, a suspect, or, once in a run, any case that writes. */
async function findCause(change: Change, parts: Parts): Promise<string | undefined> {
  const found = await findAmong([change.during ?? '', ...change.suspects], change, parts);
  if (found !== undefined || parts.searched.size > 0) return found;
  parts.searched.add(change);
  return findAmong(writesOf(change.model, parts), change, parts);
}

async function findAmong(
  ids: readonly string[],
  { id, isOwn, model, suspects }: Change,
  { byId, isStopped, record, repeat, sentinels }: Parts,
): Promise<string | undefined> {
  const witnesses = isOwn ? [id] : sentinels.of(model);
  const causeOf = async (item: PlannedCase) => {
    const { cause, contradictions, drifts } = await repeat.aloneWith(item, model, witnesses);
    const direct = contradictions.find((one) => suspects.includes(one.case))?.case;
    return direct ?? cause ?? drifts.find((one) => one.model === model)?.suspects[0];
  };
  for (const item of [...new Set(ids)].flatMap((one) => byId.get(one) ?? [])) {
    if (isStopped()) break;
    const found = await causeOf(item);
    // Other clients can write to the record, so it must change again.
    const isSure = isOwn && !record.seesOthers();
    if (found !== undefined && (isSure || (await causeOf(item)) === found)) return found;
  }
  return undefined;
}

/** The cases whose writes must leave other records as they are, those of the model first. */
function writesOf(model: Model, { isDisposable, planned }: Parts): string[] {
  if (!isDisposable()) return [];
  const writes = planned.filter(({ rule }) => WRITES.includes(rule.id));
  return writes
    .toSorted((one, other) => Number(other.model === model) - Number(one.model === model))
    .map(({ id }) => id);
}

/** Tries failed and blocked cases again. Returns the operations that returned a 5xx both times. */
async function retryFailed(parts: Parts): Promise<readonly Finding[]> {
  const { isStopped, planned, repeat, results, setup } = parts;
  const twice = new Map<string, Finding>();
  const lasting = new Set<string>();
  const confirmed = new Set<string>();
  const shapeOf = shapesIn([...results.values()]);
  const alike = Map.groupBy(
    [...results.values()].filter(({ outcome }) => outcome === 'fail'),
    shapeOf,
  );
  const isKnown = (failed: CaseResult) =>
    confirmed.has(shapeOf(failed)) && (alike.get(shapeOf(failed))?.length ?? 0) >= ALIKE;
  const models = new Set(planned.map(({ model }) => model.name));
  for (const item of planned) {
    if (isStopped()) break;
    let failed = results.get(item.id);
    if (failed?.blockedBy !== undefined) {
      if (isBroken(results.get(failed.blockedBy))) continue;
      // Alone, the operation works. Its cases share their records, as in a lane.
      failed = await runCase(item, setup);
      results.set(item.id, failed);
    }
    if (failed?.outcome === 'blocked' && !lasting.has(reasonOf(failed))) {
      const { result: again } = await repeat.alone(item);
      if (again.outcome === 'blocked' && reasonOf(again) === reasonOf(failed)) lasting.add(reasonOf(again));
      const finding = brokenTwice(failed, again, models);
      if (finding && !twice.has(finding.case)) twice.set(finding.case, finding);
      failed = again;
      results.set(item.id, failed);
    }
    if (!failed || !isRepeatable(failed) || isKnown(failed)) continue;
    const decided = await decide(item, failed, parts);
    if (decided.retried === 'reproduced') confirmed.add(shapeOf(decided));
    results.set(item.id, decided);
  }
  return [...twice.values()];
}

/** Decides the outcome of a failed case. */
async function decide(
  item: PlannedCase,
  failed: CaseResult,
  { alone, byId, isStopped, lateLists, record, repeat }: Parts,
): Promise<CaseResult> {
  const passes = async () => (await repeat.alone(item)).result.outcome === 'pass';
  const contradiction = repeat.contradictionOf(item);
  // Other cases can take so long between a write and a list that a late list looks right.
  if (contradiction?.inList || lateLists.isShown(failed)) await lateLists.measure(item.model.name);
  const isShared = record.seesOthers();
  let again = await repeat.alone(item);
  // Another client, such as a second run, can do the same once more.
  if (isShared && again.result.outcome === 'fail') again = await repeat.alone(item);
  const isAgain = ({ contradictions }: typeof again) => contradictions.some(({ case: id }) => id === item.id);
  // Another case might have sent the request.
  const sender = contradiction?.during === item.id ? undefined : byId.get(contradiction?.during ?? '');
  // Two records that show it are a repetition, too, unless lists are late, or another client writes.
  const isLate = contradiction?.inList === true && lateLists.models().size > 0;
  const isSeenTwice = contradiction !== undefined && contradiction.records > 1 && !isLate && !isShared;
  if (again.result.outcome === 'fail') {
    alone.add(item.id);
    const { during: _, ...own } = failed;
    return { ...own, retried: 'reproduced' };
  }
  if (isSeenTwice || (sender && isAgain(await repeat.alone(sender, item))))
    return { ...failed, retried: 'reproduced' };
  if (isStopped()) return failed;
  const { exchanges = [], outcome } = again.result;
  const tried = { ...failed, retried: 'not reproduced' as const, again: exchanges };
  if (isProven(item, failed)) return tried;
  // A record that appeared or changed once can be another client's doing, and so can pages that moved.
  const isOfOthers = WRITES.includes(item.rule.id) || (isShared && PAGES.includes(item.rule.id));
  if (isOfOthers && outcome === 'skip') return again.result;
  const isUnsure = isOfOthers || isShared || lateLists.isShown(failed);
  if (contradiction?.inList || (outcome === 'pass' && isUnsure && (await passes()))) {
    const { again: _, exchanges: __, expected: ___, found: ____, message: _____, ...passed } = failed;
    return { ...passed, outcome: 'pass' };
  }
  // Only a stated rule stays blocked.
  const isOpen = outcome === 'error' || (outcome === 'blocked' && item.rule.level === 'stated');
  return { ...tried, outcome: isOpen ? outcome : 'flaky' };
}

/** Whether the response by itself breaks the rule, also if the next one is right. */
function isProven({ rule }: PlannedCase, { exchanges }: CaseResult): boolean {
  const status = exchanges?.at(-1)?.response.status ?? 0;
  return rule.provenByAnswer === true && status >= 200 && status < 300;
}

/** Why a case of a model is blocked, without the numbers in the message, which differ each time. */
function reasonOf({ message = '', model }: CaseResult): string {
  return `${model} ${message.replaceAll(/\d+/g, '0')}`;
}

/** The operation that kept a case from being judged by a 5xx, and did so again. */
function brokenTwice(one: CaseResult, again: CaseResult, models: ReadonlySet<string>): Finding | undefined {
  const [first, exchange] = [one, again].map(({ exchanges }) => exchanges?.at(-1));
  if (again.outcome !== 'blocked' || !exchange || !first) return undefined;
  const of = operationIn(exchange, models);
  const isBothBroken = Math.min(first.response.status, exchange.response.status) >= 500;
  if (!of || of !== operationIn(first, models) || !isBothBroken) return undefined;
  const { message = '' } = again;
  const found = `status ${exchange.response.status}, twice`;
  return { case: `operations.${of}`, message, expected: 'no 5xx status', found, exchanges: [exchange] };
}

/** Receives each write of the case that runs again, after its response. */
type OnWrite = (write: KindOfWrite) => Promise<void>;

/** Watches the requests of the case that runs again. */
type TrialWatcher = Watcher & { open(record: RunRecord | undefined, onWrite?: OnWrite): void };

export function createTrialWatcher(): TrialWatcher {
  let current: RunRecord | undefined;
  let told: OnWrite | undefined;
  return {
    before: (call) => current?.before(call),
    async answered(call, answer) {
      await current?.answered(call, answer);
      const meaning = told && call.request.method !== 'GET' ? meaningOf(call) : undefined;
      const method = call.request.method.toLowerCase();
      if (meaning) await told?.({ ...meaning, method });
    },
    failed: (call) => current?.failed(call),
    open: (record, onWrite) => {
      [current, told] = [record, onWrite];
    },
  };
}

/** Runs cases again, one at a time. */
function createRepeats(options: TrialOptions, contradictions: readonly Contradiction[]) {
  const { lateLists, setup, watcher } = options;
  const inRun = new Map(contradictions.map((one) => [one.case, one]));
  /** The contradiction of the case in the run. */
  const contradictionOf = ({ id }: PlannedCase) => inRun.get(id);
  return { alone, aloneWith, contradictionOf };

  /**
   * Runs a case with fresh records. It also fails if one of its requests contradicts it. If a list contradicted `judged`,
   * by default the case itself, each list request waits.
   */
  async function alone(item: PlannedCase, judged = item, onWrite?: OnWrite) {
    const run = () => runCase(item, setup, true);
    // A write of the same values might change nothing again.
    setup.startAgain(item.model, onWrite === undefined);
    const record = createRunRecord(options, options.record);
    watcher.open(record, onWrite);
    try {
      const result = await (inRun.get(judged.id)?.inList ? lateLists.waiting(run) : run());
      const found = record.contradictions();
      const own = found.filter(({ case: id }) => id === item.id);
      const [turned = result] = amend(new Map([[item.id, result]]), own);
      return { result: turned, contradictions: found, drifts: record.drifts() };
    } finally {
      watcher.open(undefined);
    }
  }

  /**
   * Does the same, and reads records around each write: the given ones, and two of the model that are created before. The
   * case links to one of these, so that its writes can change that one, but not delete it. Returns the case that the first
   * write breaks after which one of the records is another one.
   */
  async function aloneWith(item: PlannedCase, model: Model, ids: readonly number[]) {
    await using context = setup.open(model, `witness of ${item.id}`, () => {});
    const make = (which: 'all' | 'required') =>
      model.operations.includes('create')
        ? unlessEnded(() => context.records.make(context.samples.values(which)))
        : undefined;
    const [made, linked] = [await make('all'), await make('required')];
    const release = linked && context.records.linkOnlyTo(linked.id);
    const look = async () => {
      const seen: Looked[] = [];
      for (const one of [...ids, made?.id])
        if (one !== undefined) seen.push(await lookAt(options, model, Number(one)));
      const own = linked && (await lookAt(options, model, Number(linked.id)));
      if (own) seen.push(typeof own === 'string' ? own : { isDeleted: isDeleted(model, own) });
      return seen;
    };
    /** Returns what several reads show; undefined if they differ, because another client writes to the record. */
    const steady = async (ms = 0) => {
      const end = performance.now() + Math.min(ms, LONGEST);
      const first = await look();
      for (let times = 1; times < LOOKS || performance.now() < end; times++) {
        if (times >= LOOKS) await delay(PAUSE);
        if (!isDeepStrictEqual(await look(), first)) return undefined;
      }
      return isKnown(first) ? first : undefined;
    };
    const began = performance.now();
    let known = await steady();
    let cause: string | undefined;
    const found = await alone(item, item, async (write) => {
      if (!known || cause !== undefined) return;
      const [now, control] = [await look(), await look()];
      // A record that changes without a write, too, shows nothing.
      const isCalm = isKnown(now) && isDeepStrictEqual(now, control);
      if (isCalm && !isDeepStrictEqual(now, known)) cause = caseOfWrite(write);
      known = isCalm ? now : undefined;
    }).finally(release);
    // Somebody who writes seldom changes the record in a longer time without a write of the case.
    const time = LONGER * (performance.now() - began);
    return { ...found, cause: cause !== undefined && (await steady(time)) ? cause : undefined };
  }
}

/** Reads without a write, before and after a case whose write might change a record. */
const LOOKS = 10;

/** How many times as long as the case the last of these reads go on, in milliseconds at most, and their pause. */
const LONGER = 3;
const LONGEST = 3000;
const PAUSE = 10;

function isKnown(seen: readonly Looked[]): boolean {
  return !seen.includes('unknown');
}
