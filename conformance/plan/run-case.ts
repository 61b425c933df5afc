import { setTimeout as delay } from 'node:timers/promises';
import { UsageError } from '../../spec/files/usage-error.ts';
import { profileAt, whyFormless, whyUnknown } from '../../spec/profile/profile.ts';
import { hideInText } from '../api/answer.ts';
import { operationOf } from '../api/api.ts';
import { Ended, type Ending, isEnded, skip, speaksAnother, unjudged, unlessEnded } from '../assert/ending.ts';
import { describeOption, otherOption } from '../cases/remedy.ts';
import { type CaseContext, type CaseSetup, sendsMore } from '../cases/rule.ts';
import type { CaseResult } from '../results/results.ts';
import { needCreate } from '../rules/shared.ts';
import { type Exchange, Lost, NoAnswer, NotSent } from '../target/exchange.ts';
import { type PlannedCase, whyUnmade } from './plan.ts';

/**
 * Runs several lanes at a time, and yields outcomes as they come. With `retry`, a failure is tried again before it blocks
 * the cases that need its operation.
 */
export async function* runInLanes(
  lanes: readonly (readonly PlannedCase[])[],
  setup: CaseSetup,
  { concurrency, keepExchanges, retry }: { concurrency: number; keepExchanges: boolean; retry: boolean },
): AsyncGenerator<CaseResult, void, void> {
  /** The failed cases of operations that can't be used, by operation and model. Others aren't sent in vain. */
  const broken = new Map<string, CaseResult>();
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
    const ended: { readonly lane: readonly PlannedCase[]; readonly later: PlannedCase[]; at: number }[] = [];
    for (let lane = waiting.shift(); lane; lane = waiting.shift()) {
      const later: PlannedCase[] = [];
      for (const planned of lane) {
        if (isLeft) return;
        const result = await runOrBlock(planned);
        if (result.outcome === 'pass' && planned.rule.later) later.push(planned);
        ready.push(result);
        wake();
      }
      ended.push({ lane, later, at: performance.now() });
    }
    for (const { at, lane, later } of ended) {
      for (const planned of isLeft ? [] : later) await runLater(planned, setup, at + LATER);
      await setup.finishModels(new Set(lane.map(({ model }) => model)));
    }
  }

  async function runOrBlock(planned: PlannedCase): Promise<CaseResult> {
    const { case: item, model, rule } = planned;
    const blockers = rule.needs.flatMap((operation) => broken.get(`${operation} ${model.name}`) ?? []);
    // The rule of the setting shows that the target differs.
    const blocker = blockers.find(({ differs }) => differs === undefined || differs !== rule.setting)?.id;
    if (blocker !== undefined)
      return { ...baseOf(planned), outcome: 'blocked', message: `blocked by ${blocker}`, blockedBy: blocker };
    const result = await runCase(planned, setup, keepExchanges);
    if (item.operation === undefined || rule.id !== `operations.${item.operation}`) return result;
    let failed = result;
    if (retry && isRepeatable(result)) {
      setup.startAgain(model);
      failed = await runCase(planned, setup);
    }
    if (isBroken(failed)) broken.set(`${item.operation} ${model.name}`, failed);
    return result;
  }
}

/** In milliseconds, because times can be shown to the second. */
const LATER = 1000;

/** Sends what a rule sends later. The record of the run judges the responses. */
async function runLater({ id, model, rule }: PlannedCase, setup: CaseSetup, from: number): Promise<void> {
  if (setup.readOnly) return;
  await using context = setup.open(model, id, () => {});
  await unlessEnded(async () => rule.later?.(context, () => delay(Math.max(0, from - performance.now()))));
}

/** Whether a second try of a failed case shows more: it would harm another record, or find none left. */
export function isRepeatable({ harm, outcome, retried }: CaseResult): boolean {
  return outcome === 'fail' && harm === undefined && retried === undefined;
}

/** Runs a case, and once more if a list might have been late. Throws NoAnswer if the target is gone. */
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
  return setup.lookAgain?.(result, again) ?? result;
}

function baseOf({ case: item, id, model, rule }: PlannedCase): Omit<CaseResult, 'outcome'> {
  return {
    id,
    rule: rule.id,
    title: rule.title,
    level: rule.level,
    requirement: rule.requirement,
    model: model.name,
    ...(item.field && { field: item.field.name }),
    ...(item.operation && { operation: item.operation }),
    ...(rule.setting && { setting: rule.setting }),
  };
}

async function runOnce(
  planned: PlannedCase,
  setup: CaseSetup,
  keepExchanges: boolean,
  isAgain = false,
): Promise<CaseResult> {
  const { case: item, id, model, rule } = planned;
  const base = baseOf(planned);
  if (setup.readOnly && sendsMore(rule, item))
    return { ...base, outcome: 'skip', message: 'a read-only run sends only GET requests' };
  const exchanges: Exchange[] = [];
  await using context = setup.open(model, id, (exchange) => exchanges.push(exchange));
  try {
    await context.records.remember();
    const unsent = whyUnsent(planned, context);
    if (unsent !== undefined) throw skip(unsent);
    try {
      // If a valid create is refused, a refusal of an invalid one proves nothing. Rules of settings find out why.
      if (rule.needs.includes('create') && !rule.setting && !rule.triesRefused) await needCreate(context);
      await rule.judge(context, item, rule.requests && (await context.ask(rule.requests)));
    } catch (error) {
      throw isEnded(error, 'blocked') ? new Ended(await explain(error.ending, planned, context)) : error;
    }
    if (exchanges.length === 0) throw unjudged('the case sent no request, so it judged nothing');
    return { ...base, outcome: 'pass', ...(keepExchanges ? { exchanges } : {}) };
  } catch (error) {
    if (error instanceof NoAnswer && error.gone) throw error;
    // The response is lost for good, so other records show what the case asks.
    if (error instanceof Lost && !isAgain) return await runOnce(planned, setup, keepExchanges, true);
    const { exchange, model: _, withheld: __, ...ending } = endingOf(error as Error, planned);
    // Messages quote the target, which may repeat the credentials it was sent, or show records of others.
    const hide = (name: string, text: unknown) =>
      TEXTS.includes(name) ? hideInText(setup.redact(String(text)), exchanges) : text;
    const shown = Object.fromEntries(Object.entries(ending).map(([name, one]) => [name, hide(name, one)]));
    const result = { ...base, ...(shown as typeof ending) };
    // A case that does not apply has nothing to show.
    if (result.outcome === 'skip' && !keepExchanges) return result;
    // Reports show the last exchange first: it has to be the one that was judged.
    const others = exchanges.filter((one) => one !== exchange);
    return { ...result, exchanges: exchange ? [...others, exchange] : exchanges };
  }
}

const TEXTS: readonly string[] = ['message', 'expected', 'found', 'harm'] satisfies (keyof Ending)[];

/** The result of a case without a response. */
const UNANSWERED = { expected: 'an HTTP response', found: 'none' } as const;

export function isUnanswered({ expected, found, outcome }: CaseResult): boolean {
  return outcome === 'fail' && expected === UNANSWERED.expected && found === UNANSWERED.found;
}

/** Returns the ending of a case that threw an error. */
function endingOf(error: Error, planned: PlannedCase): Ending {
  const { message } = error;
  if (isEnded(error)) return error.ending;
  // Once the target is known to be there, a request without an answer is the target's failure.
  if (error instanceof NoAnswer) {
    const isBlocked = error instanceof NotSent && !isAboutRequest(planned, error);
    const { exchange } = error;
    return isBlocked
      ? { outcome: 'blocked', message, exchange }
      : { outcome: 'fail', message, exchange, ...UNANSWERED };
  }
  // For example, the disk is full.
  return { outcome: 'error', message: error instanceof UsageError ? message : (error.stack ?? message) };
}

/** Returns why a case is not tried: an unknown setting or form, a refused field, or a pin that excludes its value. */
function whyUnsent({ case: item, rule }: PlannedCase, context: CaseContext): string | undefined {
  const { field, part, values = [] } = item;
  const { samples } = context;
  const plan = { profile: profileAt(context.profile, '') };
  const unknown = rule.setting && whyUnknown(plan.profile, rule.setting);
  const formless = (part && whyFormless(part, context)) ?? (field && whyFormless(field, plan));
  if (unknown !== undefined || !field || formless !== undefined) return unknown ?? formless;
  if (!sendsMore(rule, item)) return undefined;
  const refused = rule.triesRefused ? undefined : samples.whyRefused(field);
  return refused ?? values.map((value) => samples.whyExcluded(field, value)).find((why) => why !== undefined);
}

/**
 * Returns the result of a blocked case: a skip if the reason is an unknown setting, the form of a value, or a record of
 * a model that is not built, and a failure if it is the setting that the rule is about.
 */
async function explain(
  ending: Ending,
  { case: { field }, model, rule: { setting } }: PlannedCase,
  context: CaseContext,
): Promise<Ending> {
  const plan = { ...context, profile: profileAt(context.profile, '') };
  const unknown = ending.differs && whyUnknown(plan.profile, ending.differs);
  if (unknown !== undefined) return { outcome: 'skip', message: unknown };
  const found = await unlessEnded(() => context.ask(otherOption, ending.model), ['blocked']);
  const isHere = found?.name === setting && [model.name, field?.key].includes(found?.place);
  const other = isHere && found ? describeOption(found) : ending.differs === setting && ending.message;
  if (setting && other) return speaksAnother(setting, context.profile, other, ending.exchange).ending;
  const why = whyUnmade(model, plan, field);
  if (!why) return ending;
  const message = ending.message.includes(why) ? why : `${ending.message}; ${why}`;
  return { outcome: 'skip', message, unjudged: true };
}

/** Whether a case decides if the operation works that had no response. */
function isAboutRequest({ case: { operation }, model, rule }: PlannedCase, { exchange }: NoAnswer): boolean {
  const silent = exchange && operationIn(exchange, new Set([model.name]));
  return rule.id === `operations.${operation}` && silent === `${operation}:${model.name}`;
}

/** Whether an operation can't be used: its case failed, or the profile does not fit. */
export function isBroken(result: CaseResult | undefined): boolean {
  if (result?.outcome === 'blocked') return result.differs !== undefined;
  return result?.outcome === 'fail' && !result.usable;
}

/** Names the blocker of each case that was tried and met an operation that is broken. */
export function nameBlockers(results: Map<string, CaseResult>, models: ReadonlySet<string>): void {
  for (const [id, result] of results) {
    const exchange = result.exchanges?.at(-1);
    if (result.outcome !== 'blocked' || result.blockedBy !== undefined || !exchange) continue;
    const blocker = `operations.${operationIn(exchange, models)}`;
    if (blocker !== id && isBroken(results.get(blocker))) results.set(id, { ...result, blockedBy: blocker });
  }
}

/** Returns `create:brand`, or undefined for a request that is no operation on a model. */
export function operationIn({ request }: Exchange, models: ReadonlySet<string>): string | undefined {
  const [model = '', last = ''] = new URL(request.url).pathname.split('/').slice(-2);
  const isAll = models.has(last);
  const operation = operationOf(request.method, !isAll);
  return operation && (isAll || models.has(model)) ? `${operation}:${isAll ? last : model}` : undefined;
}
