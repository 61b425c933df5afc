import { UsageError } from '../../spec/files/usage-error.ts';
import { hideInText } from '../api/others-values.ts';
import { Blocked, Failure, PartFailure, Skip, Unjudged } from '../assert/failure.ts';
import type { CaseResult, Finding } from '../results/results.ts';
import { createShapes } from '../results/shapes.ts';
import type { Exchange } from '../target/exchange.ts';
import { NoAnswer } from '../target/no-answer.ts';
import type { CaseSetup } from './case-setup.ts';
import { createDependents, isBroken, operationIn } from './dependents.ts';
import type { PlannedCase } from './plan.ts';
import { sendsMore } from './rule.ts';

export type LaneOptions = {
  readonly concurrency: number;
  readonly keepExchanges: boolean;
  /** Whether a failure is tried again before it blocks the cases that need its operation. */
  readonly retry: boolean;
};

/** Runs several lanes at a time, and yields outcomes as they come. */
export async function* runInLanes(
  lanes: readonly (readonly PlannedCase[])[],
  setup: CaseSetup,
  { concurrency, keepExchanges, retry }: LaneOptions,
): AsyncGenerator<CaseResult, void, void> {
  const dependents = createDependents();
  // The longest lane starts first, so that it doesn't end long after the others.
  const waiting = lanes.toSorted((one, other) => other.length - one.length);
  const ready: CaseResult[] = [];
  let wake = () => {};
  let isLeft = false;
  let isDone = false;
  const runners = Array.from({ length: concurrency }, runLanes);
  const all = Promise.all(runners).finally(() => {
    isDone = true;
    wake();
  });
  // Said once more where the runners are waited for.
  all.catch(() => {});
  try {
    while (!isDone || ready.length > 0) {
      const result = ready.shift();
      if (result) yield result;
      else await new Promise<void>((resume) => (wake = resume));
    }
    await all;
  } finally {
    // If the caller stops early, the cases under way still remove their records.
    isLeft = true;
    await Promise.allSettled(runners);
  }

  async function runLanes(): Promise<void> {
    for (let lane = waiting.shift(); lane; lane = waiting.shift()) {
      for (const planned of lane) {
        if (isLeft) return;
        ready.push(await runOrBlock(planned));
        wake();
      }
      // The other lanes run meanwhile, because removing takes long.
      await setup.finishModels(new Set(lane.map(({ model }) => model)));
    }
  }

  async function runOrBlock(planned: PlannedCase): Promise<CaseResult> {
    const blocker = dependents.blockerOf(planned);
    if (blocker !== undefined)
      return { ...baseOf(planned), outcome: 'blocked', message: `blocked by ${blocker}`, blockedBy: blocker };
    const result = await runCase(planned, setup, keepExchanges);
    let failed = result;
    if (retry && dependents.isAboutOperation(planned) && isRepeatable(result)) {
      setup.startAgain(planned.model);
      failed = await runCase(planned, setup);
    }
    dependents.note(planned, failed);
    return result;
  }
}

/** Whether a second try of a failed case shows more: it would harm another record, or find none left. */
function isRepeatable({ harm, outcome, retried }: CaseResult): boolean {
  return outcome === 'fail' && harm === undefined && retried === undefined;
}

/**
 * One case from its records to its outcome; once more where a list may have been late. Throws NoAnswer when there is no
 * target any more.
 */
export async function runCase(
  planned: PlannedCase,
  setup: CaseSetup,
  keepExchanges = false,
): Promise<CaseResult> {
  const result = await runOnce(planned, setup, keepExchanges);
  const again = () => {
    setup.startAgain(planned.model);
    return runOnce(planned, setup, keepExchanges);
  };
  return setup.lateLists?.lookAgain(result, again) ?? result;
}

function baseOf({ case: item, id, model, rule }: PlannedCase): Omit<CaseResult, 'outcome'> {
  return {
    id,
    rule: rule.id,
    title: rule.title,
    level: rule.level,
    requirement: rule.requirement,
    model: model.name,
    ...(item.field ? { field: item.field.name } : {}),
    ...(item.operation ? { operation: item.operation } : {}),
    ...(rule.setting ? { setting: rule.setting } : {}),
  };
}

async function runOnce(planned: PlannedCase, setup: CaseSetup, keepExchanges: boolean): Promise<CaseResult> {
  const { case: item, id, model, rule } = planned;
  const base = baseOf(planned);
  if (setup.readOnly && sendsMore(rule, item))
    return { ...base, outcome: 'skip', message: 'a read-only run sends only GET requests' };
  const exchanges: Exchange[] = [];
  const context = setup.open(model, id, (exchange) => exchanges.push(exchange));
  try {
    await context.records.remember();
    await item.run(context);
    if (exchanges.length === 0) throw new Unjudged('the case sent no request, so it judged nothing');
    return { ...base, outcome: 'pass', ...(keepExchanges ? { exchanges } : {}) };
  } catch (error) {
    if (error instanceof NoAnswer && error.gone) throw error;
    const judged = redacted(judge(error as Error), setup, exchanges);
    // A case that does not apply has nothing to show.
    if (judged.outcome === 'skip' && !keepExchanges) return { ...base, ...judged };
    return { ...base, ...judged, exchanges: tellingLast(exchanges, error) };
  } finally {
    await setup.close(context);
  }
}

/** Reports show the last exchange first: it has to be the one that was judged. */
function tellingLast(exchanges: readonly Exchange[], error: unknown): readonly Exchange[] {
  const telling = error instanceof Failure || error instanceof Blocked ? error.exchange : undefined;
  return telling ? [...exchanges.filter((exchange) => exchange !== telling), telling] : exchanges;
}

/** The result of a case without a response. */
const UNANSWERED = { expected: 'an HTTP response', found: 'none' } as const;

export function isUnanswered({ expected, found, outcome }: CaseResult): boolean {
  return outcome === 'fail' && expected === UNANSWERED.expected && found === UNANSWERED.found;
}

type Judgment = Pick<
  CaseResult,
  'outcome' | 'message' | 'expected' | 'found' | 'harm' | 'unjudged' | 'usable' | 'differs'
>;

/** Messages quote the target, which may repeat the credentials it was sent, or show records of others. */
function redacted(
  { differs, outcome, unjudged, usable, ...texts }: Judgment,
  { redact }: CaseSetup,
  exchanges: readonly Exchange[],
): Judgment {
  const hide = (text: string) => hideInText(redact(text), exchanges);
  return {
    outcome,
    ...(unjudged ? { unjudged } : {}),
    ...(usable ? { usable } : {}),
    ...(differs ? { differs } : {}),
    ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, hide(text)])),
  };
}

function judge(error: Error): Judgment {
  if (error instanceof Failure)
    return {
      outcome: 'fail',
      message: error.message,
      expected: error.expected,
      found: error.found,
      ...(error.harm === undefined ? {} : { harm: error.harm }),
      ...(error instanceof PartFailure ? { usable: true } : {}),
    };
  if (error instanceof Unjudged) return { outcome: 'skip', message: error.message, unjudged: true };
  if (error instanceof Skip) return { outcome: 'skip', message: error.message };
  if (error instanceof Blocked)
    return {
      outcome: 'blocked',
      message: error.message,
      ...(error.setting === undefined ? {} : { differs: error.setting }),
    };
  // Once the target is known to be there, a request without an answer is the target's failure.
  if (error instanceof NoAnswer) return { outcome: 'fail', message: error.message, ...UNANSWERED };
  // For example, the disk is full.
  if (error instanceof UsageError) return { outcome: 'error', message: error.message };
  return { outcome: 'error', message: error.stack ?? error.message };
}

/** After this number of similar failures, only one of the cases is tried again. */
const ALIKE = 3;

/**
 * Tries each failed case once more, alone and with the samples of its first try: what fails again does not depend on
 * what ran beside it. A case that passes then is flaky, unless its failing exchange proves the breach by itself. A
 * blocked case is tried again too, since what it needed may have failed by accident; not where another case of the
 * model was blocked for the same reason twice. Gives the operations that answered
 * with a 5xx both times.
 */
export async function retryFailed(
  planned: readonly PlannedCase[],
  results: Map<string, CaseResult>,
  setup: CaseSetup,
  isStopped: () => boolean,
): Promise<readonly Finding[]> {
  const broken = new Map<string, Finding>();
  const lasting = new Set<string>();
  const { shapeOf } = createShapes([...results.values()]);
  /** What failed again, and how many cases failed like it. */
  const confirmed = new Set<string>();
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
      if (isStopped()) break;
      results.set(item.id, failed);
    }
    if (failed?.outcome === 'blocked' && !lasting.has(reasonOf(failed))) {
      const again = await runAlone(item);
      if (isStopped()) break;
      if (again.outcome === 'blocked' && reasonOf(again) === reasonOf(failed)) lasting.add(reasonOf(again));
      const finding = brokenTwice(failed, again, models);
      if (finding && !broken.has(finding.case)) broken.set(finding.case, finding);
      failed = again;
      results.set(item.id, failed);
    }
    if (!failed || !isRepeatable(failed) || isKnown(failed)) continue;
    const again = await runAlone(item, true);
    if (isStopped()) break;
    const settled = settle(item, failed, again);
    if (settled.retried === 'reproduced') confirmed.add(shapeOf(settled));
    results.set(item.id, settled);
  }
  return [...broken.values()];

  function runAlone(item: PlannedCase, keepExchanges = false): Promise<CaseResult> {
    setup.startAgain(item.model);
    return runCase(item, setup, keepExchanges);
  }
}

/** Why a case of a model is blocked, without the numbers that a message quotes, which are others each time. */
function reasonOf({ message = '', model }: CaseResult): string {
  return `${model} ${message.replaceAll(/\d+/g, '0')}`;
}

/** The operation that kept a case from being judged by a 5xx, and did so again. */
function brokenTwice(one: CaseResult, again: CaseResult, models: ReadonlySet<string>): Finding | undefined {
  const [first, exchange] = [one, again].map(({ exchanges }) => exchanges?.at(-1));
  if (again.outcome !== 'blocked' || !exchange || !first) return undefined;
  const of = operationIn(exchange, models);
  if (
    !of ||
    of !== operationIn(first, models) ||
    Math.min(first.response.status, exchange.response.status) < 500
  )
    return undefined;
  const { message = '' } = again;
  const found = `status ${exchange.response.status}, twice`;
  return { case: `operations.${of}`, message, expected: 'no 5xx status', found, exchanges: [exchange] };
}

/** Decides the outcome of a case that failed, after its second try. */
function settle(
  { rule }: PlannedCase,
  failed: CaseResult,
  { exchanges = [], ...again }: CaseResult,
): CaseResult {
  if (again.outcome === 'fail') return { ...failed, retried: 'reproduced' };
  const status = failed.exchanges?.at(-1)?.response.status ?? 0;
  // An answer of the wrong shape is a failure, even if the next one is right.
  const isProven = rule.provenByAnswer === true && status >= 200 && status < 300;
  // Only a stated rule stays blocked. Any other failure that can't be reproduced is flaky.
  const isOpen = again.outcome === 'error' || (again.outcome === 'blocked' && rule.level === 'stated');
  const outcome = isProven ? 'fail' : isOpen ? again.outcome : 'flaky';
  return { ...failed, outcome, retried: 'not reproduced', again: exchanges };
}
