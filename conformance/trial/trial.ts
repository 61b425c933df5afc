import { isBroken, operationIn } from '../plan/dependents.ts';
import type { PlannedCase } from '../plan/plan.ts';
import { isRepeatable, runCase } from '../plan/run-case.ts';
import type { Drift } from '../record/notes.ts';
import type { RunRecord } from '../record/record.ts';
import { amend } from '../results/baseline.ts';
import type { CaseResult, Finding } from '../results/results.ts';
import { createShapes } from '../results/shapes.ts';
import { createRepeats, type RepeatOptions, type Repeats } from './repeat.ts';
import type { Harm } from './sentinels.ts';

export type TrialOptions = RepeatOptions & {
  readonly planned: readonly PlannedCase[];
  /** The results of the cases by ID, which the trial changes. */
  readonly results: Map<string, CaseResult>;
  /** What the run sent and saw. */
  readonly record: RunRecord;
  readonly harms: readonly Harm[];
  /** Without repeats, each contradiction counts, and the likeliest write before a change is its cause. */
  readonly repeats: boolean;
  readonly isStopped: () => boolean;
};

/** What the trial found that is no result of a planned case. */
export type TrialResult = {
  /** Contradictions of cases that were not planned, and operations that returned a 5xx twice. */
  readonly findings: readonly Finding[];
  /** Records that changed without a write of the run that explains it, one line each. */
  readonly changes: readonly string[];
};

/** After this number of similar failures, only one of the cases is tried again. */
const ALIKE = 3;

/** Changes that are tried again, and the cases that are tried for each. */
const MOST_DRIFTS = 6;
const MOST_SUSPECTS = 8;

type Parts = TrialOptions & { readonly repeat: Repeats; readonly byId: ReadonlyMap<string, PlannedCase> };

/**
 * Repeats what failed: each failed case with fresh records, alone, and the cases that might have changed a record that
 * no request was about. A failure counts if it is there again. A failure that only a list showed, and that is not there
 * again, does not count, because other clients and late lists can cause it. Any other one is flaky.
 */
export async function runTrials(options: TrialOptions): Promise<TrialResult> {
  const { harms, planned, record, repeats, results } = options;
  const isStopped = () => !repeats || options.isStopped();
  const byId = new Map(planned.map((item) => [item.id, item]));
  const contradictions = record.contradictions();
  const { findings, turned } = amend(results, contradictions, record.unjudged());
  for (const result of turned) results.set(result.id, result);
  const parts = { ...options, isStopped, byId, repeat: createRepeats(options, contradictions) };
  const broken = await retryFailed(parts);
  const changes: string[] = [];
  // A failure of the model explains why its records change.
  const isHealthy = (model: string) =>
    [...results.values()].every((result) => result.model !== model || result.outcome !== 'fail');
  for (const [index, drift] of record.drifts().entries()) {
    const [suspect] = drift.suspects;
    const isLast = !repeats && suspect !== undefined;
    const isTried = index < MOST_DRIFTS && !isStopped();
    const found = isLast ? { ...drift, case: suspect } : isTried ? await findCause(drift, parts) : undefined;
    if (found) fail(found);
    else if (isHealthy(modelIn(drift))) changes.push(drift.message);
  }
  for (const { finding, id, model } of harms) {
    const item = byId.get(finding.case);
    const isTried = item !== undefined && !isStopped();
    const isAgain = isTried && (await parts.repeat.aloneWith(item, { id, model })).isChanged;
    if (!repeats || isAgain) fail(finding);
    else changes.push(finding.message);
  }
  return { findings: [...broken, ...findings], changes };

  function fail(finding: Finding): void {
    const result = results.get(finding.case);
    if (!result || result.outcome === 'fail') return;
    for (const one of amend(results, [finding]).turned)
      results.set(one.id, { ...one, retried: 'reproduced' });
  }
}

/** Repeats the case that sent the request, and those whose writes might have changed the record. */
async function findCause(
  drift: Drift,
  { byId, isStopped, record, repeat }: Parts,
): Promise<Finding | undefined> {
  const standing = record.standing().filter(({ model }) => model.name === modelIn(drift));
  const witness = standing.find(({ id, model }) => `${model.name}/${id}` === drift.record) ?? standing[0];
  for (const id of new Set([drift.during, ...drift.suspects.slice(0, MOST_SUSPECTS)])) {
    const item = byId.get(id);
    if (!item || isStopped()) continue;
    const { drifts, isChanged } = await repeat.aloneWith(item, witness);
    const again = drifts.find((one) => modelIn(one) === modelIn(drift));
    const [cause] = again?.suspects ?? [];
    if (again && cause !== undefined) return { ...again, case: cause };
    if (isChanged && drift.suspects.includes(id)) return { ...drift, case: id };
  }
  return undefined;
}

/** Tries failed and blocked cases again. Returns the operations that returned a 5xx both times. */
async function retryFailed(parts: Parts): Promise<readonly Finding[]> {
  const { isStopped, planned, repeat, results, setup } = parts;
  const twice = new Map<string, Finding>();
  const lasting = new Set<string>();
  const confirmed = new Set<string>();
  const { shapeOf } = createShapes([...results.values()]);
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
    const settled = await settle(item, failed, parts);
    if (settled.retried === 'reproduced') confirmed.add(shapeOf(settled));
    results.set(item.id, settled);
  }
  return [...twice.values()];
}

/** Decides the outcome of a failed case. */
async function settle(
  item: PlannedCase,
  failed: CaseResult,
  { byId, isStopped, repeat }: Parts,
): Promise<CaseResult> {
  const contradiction = repeat.contradictionOf(item);
  const again = await repeat.alone(item);
  const isAgain = ({ contradictions }: typeof again) => contradictions.some(({ case: id }) => id === item.id);
  // Another case might have sent the request.
  const sender = contradiction?.during === item.id ? undefined : byId.get(contradiction?.during ?? '');
  if (again.result.outcome === 'fail' || (sender && isAgain(await repeat.alone(sender))))
    return { ...failed, retried: 'reproduced' };
  if (isStopped()) return failed;
  const { exchanges = [], outcome } = again.result;
  const tried = { ...failed, retried: 'not reproduced' as const, again: exchanges };
  if (isProven(item, failed)) return tried;
  if (contradiction?.inList) {
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

function modelIn({ record }: Pick<Drift, 'record'>): string {
  return record.split('/')[0] ?? '';
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
