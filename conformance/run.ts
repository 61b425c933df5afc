import { describeProfile } from '../spec/profile.ts';
import { type Arrangement, createArrangement } from './arrange.ts';
import type { PlanContext } from './context.ts';
import { type CaseResult, type Counts, OUTCOMES, type Results } from './outcome.ts';
import { type PlannedCase, planRun } from './plan.ts';
import { Blocked, Failure, Skip } from './rule.ts';
import { type Exchange, NoAnswer, type Target } from './target.ts';

export type RunOptions = PlanContext & {
  readonly target: Target;
  /** How the profile is called in reports: a file's name, or `default`. */
  readonly profileName: string;
  /** Only these models; all of them when absent. */
  readonly models?: readonly string[];
  /** Lanes of models that run side by side. Default 4. */
  readonly concurrency?: number;
  /** The number samples start from; the same seed sends the same requests. */
  readonly seed?: number;
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
 * Throws Unreachable when the target does not answer, at the start or from some point on.
 */
export async function* runSuite(options: RunOptions): AsyncGenerator<RunEvent, void, void> {
  const started = new Date();
  const { target } = options;
  await knock(options);
  const lanes = planRun(options, options.models);
  const models = new Set(lanes.flat().map(({ model }) => model.name));
  yield { type: 'plan', cases: lanes.flat().length, models: models.size };

  const arrangement = createArrangement(options, target, options.seed ?? 1000);
  const results: CaseResult[] = [];
  try {
    await arrangement.prepare();
    for await (const result of inParallel(lanes, options.concurrency ?? 4, arrangement)) {
      results.push(result);
      yield { type: 'case', result };
    }
  } catch (error) {
    throw error instanceof NoAnswer ? new Unreachable(error.message) : error;
  } finally {
    await arrangement.finish().catch(() => {});
  }
  const order = new Map(lanes.flat().map(({ id }, index) => [id, index]));
  results.sort((one, other) => (order.get(one.id) ?? 0) - (order.get(other.id) ?? 0));
  yield {
    type: 'end',
    results: {
      target: target.url,
      catalogue: { title: options.catalogue.title, version: options.catalogue.version, models: options.catalogue.models.size },
      profile: { name: options.profileName, differs: describeProfile(options.profile) },
      startedAt: started.toISOString(),
      durationMs: Date.now() - started.getTime(),
      requests: target.requests(),
      counts: count(results),
      leftovers: arrangement.leftovers(),
      cases: results,
    },
  };
}

/** One request before all others: a target that is not there is one clear error, not a thousand failures. */
async function knock({ target, catalogue }: RunOptions): Promise<void> {
  const [model] = catalogue.models.keys();
  try {
    await target.send({ method: 'GET', path: `${catalogue.base}/${model}` }, () => {});
  } catch (error) {
    if (error instanceof NoAnswer) throw new Unreachable(error.message);
    throw error;
  }
}

/** Runs the lanes, so many at a time, and yields results as they come. */
async function* inParallel(
  lanes: readonly PlannedCase[][],
  concurrency: number,
  arrangement: Arrangement,
): AsyncGenerator<CaseResult, void, void> {
  const waiting = lanes.map((lane) => runLane(lane, arrangement));
  const running = new Map<AsyncGenerator<CaseResult>, Promise<[AsyncGenerator<CaseResult>, IteratorResult<CaseResult>]>>();
  const advance = (lane: AsyncGenerator<CaseResult>) =>
    running.set(
      lane,
      lane.next().then((step) => [lane, step]),
    );
  for (const lane of waiting.splice(0, concurrency)) advance(lane);
  while (running.size > 0) {
    const [lane, step] = await Promise.race(running.values());
    if (step.done) {
      running.delete(lane);
      const next = waiting.shift();
      if (next) advance(next);
    } else {
      advance(lane);
      yield step.value;
    }
  }
}

async function* runLane(lane: readonly PlannedCase[], arrangement: Arrangement): AsyncGenerator<CaseResult, void, void> {
  for (const planned of lane) yield await runCase(planned, arrangement);
}

async function runCase(planned: PlannedCase, arrangement: Arrangement): Promise<CaseResult> {
  const { id, rule, model, case: item } = planned;
  const exchanges: Exchange[] = [];
  const context = arrangement.open(model, (exchange) => exchanges.push(exchange));
  const base = {
    id,
    rule: rule.id,
    level: rule.level,
    requirement: rule.requirement,
    model: model.name,
    ...(item.field ? { field: item.field.name } : {}),
    ...(item.operation ? { operation: item.operation } : {}),
    ...(rule.setting ? { setting: rule.setting } : {}),
  };
  try {
    await context.remembered();
    await item.run(context);
    return { ...base, outcome: 'pass' };
  } catch (error) {
    if (error instanceof NoAnswer && error.gone) throw error;
    return { ...base, ...judge(error as Error), exchanges };
  } finally {
    await arrangement.close(context);
  }
}

function judge(error: Error): Pick<CaseResult, 'outcome' | 'message' | 'expected' | 'found'> {
  if (error instanceof Failure)
    return { outcome: 'fail', message: error.message, expected: error.expected, found: error.found };
  if (error instanceof Skip) return { outcome: 'skip', message: error.message };
  if (error instanceof Blocked) return { outcome: 'blocked', message: error.message };
  // Once the target is known to be there, a request without an answer is the target's failure.
  if (error instanceof NoAnswer)
    return { outcome: 'fail', message: error.message, expected: 'an HTTP answer', found: 'none' };
  return { outcome: 'error', message: error.stack ?? error.message };
}

function count(results: readonly CaseResult[]): Counts {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<(typeof OUTCOMES)[number], number>;
  for (const { outcome } of results) counts[outcome]++;
  return counts;
}
