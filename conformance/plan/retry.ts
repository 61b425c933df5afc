import { operationOf } from '../api/api.ts';
import type { CaseResult, Finding } from '../results/results.ts';
import type { Exchange } from '../target/exchange.ts';
import type { CaseSetup } from './case-setup.ts';
import type { PlannedCase } from './plan.ts';
import { runCase } from './run-case.ts';

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
  const models = new Set(planned.map(({ model }) => model.name));
  for (const item of planned) {
    if (isStopped()) break;
    let failed = results.get(item.id);
    if (failed?.outcome === 'blocked' && !lasting.has(reasonOf(failed))) {
      const again = await runAlone(item);
      if (isStopped()) break;
      if (again.outcome === 'blocked' && reasonOf(again) === reasonOf(failed)) lasting.add(reasonOf(again));
      const finding = brokenTwice(failed, again, models);
      if (finding && !broken.has(finding.case)) broken.set(finding.case, finding);
      failed = again;
      results.set(item.id, failed);
    }
    // A second try would harm another record, and one that finds none left would not disprove the first.
    if (failed?.outcome !== 'fail' || failed.harm !== undefined) continue;
    const again = await runAlone(item, true);
    if (isStopped()) break;
    results.set(item.id, settle(item, failed, again));
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

/** `create:brand`; of what is no operation on a model, undefined. */
function operationIn({ request }: Exchange, models: ReadonlySet<string>): string | undefined {
  const [model = '', last = ''] = new URL(request.url).pathname.split('/').slice(-2);
  const isAll = models.has(last);
  const operation = operationOf(request.method, !isAll);
  return operation && (isAll || models.has(model)) ? `${operation}:${isAll ? last : model}` : undefined;
}

/** What two tries of a case come to, the first of which failed. */
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
