import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { PlannedCase } from '../plan/plan.ts';
import { isBroken, isRepeatable, operationIn, runCase } from '../plan/run-case.ts';
import type { Drift } from '../record/notes.ts';
import type { RunRecord } from '../record/record.ts';
import { amend } from '../results/compose-results.ts';
import { type CaseResult, countsAgainst, type Finding, shapesIn } from '../results/results.ts';
import { createRepeats, type RepeatOptions, type Repeats } from './repeat.ts';
import type { Harm } from './sentinels.ts';

export type TrialOptions = RepeatOptions & {
  readonly planned: readonly PlannedCase[];
  /** The results of the cases by ID, which the trial changes. */
  readonly results: Map<string, CaseResult>;
  /** The past of the records of the run. */
  readonly record: RunRecord;
  readonly harms: readonly Harm[];
  /** The records of others that were chosen at the start. */
  readonly sentinelsOf: (model: Model) => readonly number[];
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

type Parts = TrialOptions & {
  readonly repeat: Repeats;
  readonly byId: ReadonlyMap<string, PlannedCase>;
  /** The changes for which all cases that write were tried. */
  readonly searched: Set<string>;
};

/**
 * Repeats what failed: each failed case with fresh records, alone, and the cases that might have changed a record that
 * no request was about. A failure counts if it is there again. A failure that only a list showed, and that is not there
 * again, does not count, because other clients and late lists can cause it. Any other one is flaky.
 */
export async function runTrials(options: TrialOptions): Promise<TrialResult> {
  const { harms, planned, record, repeats, results } = options;
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
    searched: new Set<string>(),
  };
  const broken = await retryFailed(parts);
  const changes: string[] = [];
  // A failure of the model explains why its records change. Advice does not.
  const isHealthy = (model: string) =>
    [...results.values()].every((one) => one.model !== model || !countsAgainst(one));
  const changed = [...record.drifts().map(ofRun), ...harms.map(ofOthers)];
  const bySuspect = Map.groupBy(changed, ({ suspects: [first] }) => first);
  const causes = new Set<string>();
  for (const change of changed) {
    const [suspect] = change.suspects;
    const isTried = repeats && causes.size < MOST_CAUSES && !isStopped();
    const known = change.suspects.find((id) => causes.has(id));
    const tried = known ?? (isTried ? await findCause(change, parts) : undefined);
    // Several records of the run that changed in the same way are a repetition, too. Those of others belong to others.
    const isRepeated = change.isOwn && (bySuspect.get(suspect)?.length ?? 0) >= ALIKE;
    const cause = tried ?? (!repeats || isRepeated || change.isGone ? suspect : undefined);
    if (cause !== undefined) causes.add(cause);
    if (cause !== undefined) fail({ ...change.words, case: cause });
    else if (!isHealthy(change.model)) continue;
    else if (change.isOwn && suspect !== undefined) fail({ ...change.words, case: suspect }, 'flaky');
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

/** A change of a record that no request was about. */
type Change = {
  readonly model: string;
  readonly id: number;
  /** Whether the run created the record. */
  readonly isOwn: boolean;
  /** Whether an old record of another client is gone after one write, so that no other write can show it again. */
  readonly isGone: boolean;
  /** The case that sent the request that shows it. */
  readonly during?: string;
  readonly suspects: readonly string[];
  readonly words: Omit<Finding, 'case'>;
};

function ofRun({ during, record, suspects, inList: _, ...words }: Drift): Change {
  const [model = '', id] = record.split('/');
  return { model, id: Number(id), isOwn: true, isGone: false, during, suspects, words };
}

function ofOthers({ id, isGone, model, suspects, words }: Harm): Change {
  return { model: model.name, id, isOwn: false, isGone, suspects, words: { ...words, exchanges: [] } };
}

/**
 * Returns the case whose write changed a record: of the case that sent the request, the suspects, and, once in a run,
 * all cases that write.
 */
async function findCause(change: Change, parts: Parts): Promise<string | undefined> {
  const model = parts.catalogue.models.get(change.model);
  const likely = [change.during ?? '', ...change.suspects];
  const found = model && (await findAmong(likely, change, model, parts));
  if (found !== undefined || !model || parts.searched.size > 0) return found;
  parts.searched.add(change.words.message);
  return findAmong(writesOf(change.model, parts), change, model, parts);
}

async function findAmong(
  ids: readonly string[],
  change: Change,
  model: Model,
  { byId, isStopped, repeat, sentinelsOf }: Parts,
): Promise<string | undefined> {
  const witnesses = change.isOwn ? [change.id] : sentinelsOf(model);
  for (const id of new Set(ids)) {
    const item = byId.get(id);
    if (!item || isStopped()) continue;
    const { cause, contradictions, drifts } = await repeat.aloneWith(item, model, witnesses);
    const direct = contradictions.find((one) => change.suspects.includes(one.case))?.case;
    const drift = drifts.find(({ record }) => record.startsWith(`${model.name}/`))?.suspects[0];
    const found = direct ?? cause ?? drift;
    if (found === undefined) continue;
    if (change.isOwn) return found;
    // Other clients can write to the record, so it must change again.
    const again = await repeat.aloneWith(item, model, witnesses);
    if (again.cause === found) return found;
  }
  return undefined;
}

/** The cases whose writes must leave other records as they are, those of the model first. */
function writesOf(model: string, { isDisposable, planned }: Parts): string[] {
  if (!isDisposable()) return [];
  const writes = planned.filter(({ rule }) => WRITES.includes(rule.id));
  return writes
    .toSorted((one, other) => Number(other.model.name === model) - Number(one.model.name === model))
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
  { byId, isStopped, lateLists, repeat }: Parts,
): Promise<CaseResult> {
  const passes = async () => (await repeat.alone(item)).result.outcome === 'pass';
  const contradiction = repeat.contradictionOf(item);
  // Other cases can take so long between a write and a list that a late list looks right.
  if (contradiction?.inList || lateLists.isShown(failed)) await lateLists.measure(item.model.name);
  const again = await repeat.alone(item);
  const isAgain = ({ contradictions }: typeof again) => contradictions.some(({ case: id }) => id === item.id);
  // Another case might have sent the request.
  const sender = contradiction?.during === item.id ? undefined : byId.get(contradiction?.during ?? '');
  // Two records that show it are a repetition, too, unless lists are late.
  const isLate = contradiction?.inList === true && lateLists.models().size > 0;
  const isSeenTwice = contradiction !== undefined && contradiction.records > 1 && !isLate;
  if (isSeenTwice || again.result.outcome === 'fail' || (sender && isAgain(await repeat.alone(sender, item))))
    return { ...failed, retried: 'reproduced' };
  if (isStopped()) return failed;
  const { exchanges = [], outcome } = again.result;
  const tried = { ...failed, retried: 'not reproduced' as const, again: exchanges };
  if (isProven(item, failed)) return tried;
  // A record that appeared or changed once can be another client's doing.
  const isOfOthers = WRITES.includes(item.rule.id);
  if (isOfOthers && outcome === 'skip') return again.result;
  const isUnsure = isOfOthers || lateLists.isShown(failed);
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
