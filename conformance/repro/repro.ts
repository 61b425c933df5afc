import type { References } from '../../spec/references.ts';
import { oneLine, plainLine } from '../report/text.ts';
import type { CaseResult, Results } from '../results/results.ts';
import type { Exchange, TargetResponse } from '../target/exchange.ts';
import type { Target } from '../target/target.ts';
import { createForm } from './form.ts';
import { type Repro, replay } from './replay.ts';
import {
  type Described,
  describeSteps,
  idOf,
  isCreate,
  isOwnWrite,
  isWrite,
  type Links,
  linksOf,
  placeOf,
  type Step,
} from './steps.ts';

/** The first line of each script. */
export const SCRIPT_MARK = '// Shows a failure of a service again. Written by record-model check --repro.';

/** An exchange as reports show it, and the complete response to a write. */
export type Kept = {
  readonly exchange: Exchange;
  readonly body?: string | undefined;
  readonly response?: TargetResponse;
};

/** Returns a target that keeps the exchanges that go through it, with complete responses to writes or to all requests. */
export function keepExchanges(
  target: Target,
  complete: 'all' | 'writes',
): { readonly target: Target; readonly kept: readonly Kept[] } {
  const kept: Kept[] = [];
  const send: Target['send'] = async (request, record) => {
    let last: Exchange | undefined;
    const response = await target.send(request, (exchange) => {
      last = exchange;
      record(exchange);
    });
    const isComplete = complete === 'all' || request.method !== 'GET';
    if (last) kept.push({ exchange: last, body: request.body, ...(isComplete ? { response } : {}) });
    return response;
  };
  return { target: { ...target, send }, kept };
}

/** Maximum number of earlier writes to the same model that a script repeats. */
const MOST_EARLIER = 20;

/** Maximum number of responses in which a script looks for the fault. */
const MOST_SHOWN = 4;

/**
 * Returns scripts that create the records of a failure, repeat its requests, show the response, and delete the records.
 * The first ones repeat only what concerns the records in the response. The later ones repeat more of the run, because
 * the service can fail only after other writes.
 */
export function renderRepro(
  result: CaseResult,
  results: Pick<Results, 'startedAt' | 'tag' | 'target'>,
  kept: readonly Kept[],
  references: References,
): string[] {
  const run = kept.map(({ body, exchange: shown, response = shown.response }, at): Step => {
    const request = { ...shown.request, ...(body === undefined ? {} : { body }) };
    return { request, response, at, shown };
  });
  const evidence = evidenceOf(result, run);
  const decisive = evidence.at(-1);
  // That a record was stored shows in no response of the case.
  if (decisive === undefined || /^record \d/.test(result.found ?? '')) return [];
  const { target } = results;
  const links = linksOf(references);
  const writes = evidence.filter(isWrite);
  const shown = evidence.slice(Math.max(evidence.findLastIndex(isWrite), evidence.length - MOST_SHOWN));
  const ids = new Set(shown.flatMap((one) => idOf(one, target) ?? []));
  const model = placeOf(decisive, target)?.model;
  const isEarlier = (one: Step) =>
    one.at < decisive.at && placeOf(one, target)?.model === model && isOwnWrite(one, run, target);
  // A delete of the record itself would look like the effect of another write.
  const earlier = run
    .filter(isEarlier)
    .filter((one) => one.request.method !== 'DELETE' || !ids.has(idOf(one, target) ?? ''));
  const ofRecord = writes.filter((one) => ids.has(idOf(one, target) ?? ''));
  const acts = result.sequence
    ? [evidence]
    : // A list can show each record of the case.
      [...(ids.size > 0 ? [ofRecord] : []), writes, [...writes, ...earlier.slice(-MOST_EARLIER)]];
  const texts = [shown, [decisive]].flatMap((block) =>
    acts.flatMap((act) => {
      const steps = [...new Set([...act, ...block])]
        .filter((one) => !isReplaced(one, run.slice(0, decisive.at), target))
        .toSorted((one, other) => one.at - other.at);
      return renderScript(result, results, describeSteps(steps, block, run, links, target), links);
    }),
  );
  return [...new Set(texts)];
}

function renderScript(
  { expected = '', field, found = '', id, message, title }: CaseResult,
  { startedAt, tag = '', target }: Pick<Results, 'startedAt' | 'tag' | 'target'>,
  { records, steps }: Described,
  links: Links,
): string[] {
  // The ID belongs to each record, and to each of its lines.
  const about = field === 'id' ? undefined : field;
  const formOf = createForm({ field: about, links, records, tag, time: Date.parse(startedAt) });
  const repro: Repro = {
    case: plainLine(id),
    message: oneLine(message ?? title),
    expected: oneLine(expected),
    target,
    tag,
    ...(about === undefined ? {} : { field: about }),
    ...statusesIn(expected, found),
    links: Object.fromEntries(
      Object.entries(links).filter(([key]) =>
        steps.some(({ body, shows }) => `${body} ${shows?.body}`.includes(`"${key}"`)),
      ),
    ),
    steps: steps.map(({ shows, ...step }) =>
      shows === undefined
        ? step
        : { ...step, was: { ...step.was, form: formOf(shows, step.model, step.path) } },
    ),
  };
  const forms = JSON.stringify(repro.steps.flatMap(({ was }) => was.form ?? []));
  const isOwn = Object.keys(records).some((name) => forms.includes(`"${name}"`));
  // The script has no values of records that the run did not create.
  if (!isOwn && /^the record\b|as before/.test(expected) && !found.startsWith('status ')) return [];
  const text = [
    SCRIPT_MARK,
    '// Usage: node FILE [BASE-URL] [--write] [--header "Name: value"]. It needs Node 20 or later, and no packages.',
    '// Exit code: 1 if the fault is there, 0 if not, 2 if the script cannot decide.',
    '// Credentials come from RECORD_MODEL_BEARER, RECORD_MODEL_BASIC, or RECORD_MODEL_API_KEY.',
    `const repro = ${scriptText(repro)};`,
    '',
    'const { argv, env } = process;',
    'process.exitCode = await replay(repro, createForm, { flags: argv.slice(2), env, say: console.log });',
    '',
    String(replay),
    '',
    String(createForm),
    '',
  ].join('\n');
  return [text];
}

/** Finds the exchanges of a case in the run, from the last one to the first. */
function evidenceOf({ differs, exchanges = [], outcome }: CaseResult, run: readonly Step[]): Step[] {
  const left = new Set(run.toReversed());
  let end = run.length;
  const found = exchanges.toReversed().flatMap((exchange) => {
    const step =
      [...left].find(({ shown }) => shown === exchange) ??
      [...left].find((one) => one.at < end && isSame(one, exchange)) ??
      [...left].find((one) => isSame(one, exchange));
    if (step === undefined) return [];
    left.delete(step);
    end = step.at;
    return step;
  });
  if (outcome !== 'blocked') return found.toReversed();
  // A profile that does not fit shows in a list.
  const list = found.find(({ request }) => request.method === 'GET' && !/\/\d+$/.test(request.url));
  return differs === undefined || list === undefined ? [] : [list];
}

/** Whether two exchanges are the same one. The copies in results have other forms of the response. */
function isSame(one: Step, { request, response }: Exchange): boolean {
  const { body, method, url } = one.shown.request;
  return (
    url === request.url &&
    method === request.method &&
    body === request.body &&
    one.response.status === response.status
  );
}

/** Whether the record of a write was deleted, and a later one has its ID. */
function isReplaced(one: Step, run: readonly Step[], target: string): boolean {
  const id = idOf(one, target);
  if (id === undefined || !isWrite(one)) return false;
  const { model } = placeOf(one, target) ?? {};
  const ofRecord = run.filter(
    (other) => idOf(other, target) === id && placeOf(other, target)?.model === model,
  );
  const deleted = ofRecord.findLast(
    ({ request, response }) => request.method === 'DELETE' && response.status < 300,
  );
  if (deleted === undefined || deleted.at < one.at) return false;
  return ofRecord.some((other) => other.at > deleted.at && isCreate(other, target));
}

/** Returns the statuses that a text such as `a 4xx status, or 501` expects, and whether only the status decides. */
function statusesIn(expected: string, found: string) {
  const [, status] = /^status (\d{3})/.exec(found) ?? [];
  const onlyStatus = status !== undefined && /^a \dxx status(, or \d{3})*$/.test(expected);
  const accepted = /^(?:a|status) /.test(expected) ? expected.matchAll(/\b(\d)xx status|\b(\d{3})\b/g) : [];
  return {
    onlyStatus,
    ...(status === undefined ? {} : { status: Number(status) }),
    statuses: [...accepted].map(([, group, one]) => Number(group ?? one)),
  };
}

/** Data as text of a script, in which nothing can end a line or an element. */
function scriptText(data: object): string {
  return JSON.stringify(data, null, 2).replaceAll(
    /[<\u2028\u2029\u007f-\u009f]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
