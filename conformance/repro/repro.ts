import { onceFor } from '../../spec/once-for.ts';
import { REDACTED } from '../../spec/redaction.ts';
import type { References } from '../../spec/references.ts';
import { oneLine, plainLine } from '../report/text.ts';
import type { CaseResult, Results } from '../results/results.ts';
import type { Exchange, TargetResponse } from '../target/exchange.ts';
import type { Target } from '../target/target.ts';
import { createForm, type FormOptions } from './form.ts';
import { type ReplayStep, type Repro, replay } from './replay.ts';

/** The first line of each script. */
export const SCRIPT_MARK = '// Shows a failure of a service again. Written by record-model check --repro.';

type Links = FormOptions['links'];

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

/** Headers that a client sets itself. */
const OF_CLIENT = new Set(['accept-encoding', 'connection', 'content-length', 'host', 'user-agent']);

/** An exchange of the run with a complete response, in the order of the run. */
type Step = Exchange & { readonly at: number; readonly shown: Exchange };

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
      left.values().find(({ shown }) => shown === exchange) ??
      left.values().find((one) => one.at < end && isSame(one, exchange)) ??
      left.values().find((one) => isSame(one, exchange));
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

/** Whether a request writes a record that the run created. */
function isOwnWrite(one: Step, run: readonly Step[], target: string): boolean {
  const id = idOf(one, target);
  return isWrite(one) && run.some((other) => isCreate(other, target) && idIn(other)?.value === id);
}

function isWrite({ request }: Exchange): boolean {
  return request.method !== 'GET';
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

/** The ID that a request names, or that its response gives to a new record. */
function idOf(exchange: Exchange, target: string): string | undefined {
  return placeOf(exchange, target)?.id ?? (isCreate(exchange, target) ? idIn(exchange)?.value : undefined);
}

/** A created record. */
type Created = { readonly name: string; readonly model: string; readonly id: string };

/** The requests of a script, and the records that they created in the run. */
type Described = {
  readonly records: FormOptions['records'];
  readonly steps: readonly (ReplayStep & { readonly shows?: TargetResponse })[];
};

/** Returns the requests with names for the IDs of the records that they create, after the creates that they need. */
function describeSteps(
  wanted: readonly Step[],
  shown: readonly Step[],
  run: readonly Step[],
  links: Links,
  target: string,
): Described {
  const all = new Set<Step>();
  for (const one of wanted) add(one);
  const records: Created[] = [];
  const steps = [...all].map((one) => {
    const { body, headers, method, url } = one.request;
    const place = placeOf(one, target);
    const id = isCreate(one, target) ? idIn(one) : undefined;
    const name = `${place?.model ?? 'record'}${records.length + 1}`;
    const step = {
      method,
      path: withNames(url.slice(target.length), place, records),
      model: place?.model ?? '',
      headers: Object.fromEntries(Object.entries(headers).filter(isOpen)),
      ...(body === undefined ? {} : { body: bodyWithNames(body, records, links) }),
      ...(method === 'POST' && place?.id === undefined ? { creates: name, id: id?.pointer ?? '/id' } : {}),
      ...(shown.includes(one) ? { shows: one.response } : {}),
      was: { status: one.response.status },
    };
    if (id && place) records.push({ name, model: place.model, id: id.value });
    return step;
  });
  return { records: Object.fromEntries(records.map(({ name, ...record }) => [name, record])), steps };

  /** Adds a request after the creates of the records that it needs. */
  function add(one: Step): void {
    if (all.has(one)) return;
    for (const { id, models } of neededBy(one, links, target)) {
      const create = run.findLast(
        (other) =>
          other.at < one.at &&
          isCreate(other, target) &&
          models.includes(placeOf(other, target)?.model ?? '') &&
          idIn(other)?.value === id,
      );
      if (create) add(create);
    }
    all.add(one);
  }
}

/** Whether a header has no secret, and is not one that each client sets itself. */
function isOpen([name, value]: readonly [string, string]): boolean {
  return value !== REDACTED && !OF_CLIENT.has(name.toLowerCase());
}

type Place = { readonly model: string; readonly id?: string };

/** The model and the ID in the path of a request. */
function placeOf({ request }: Exchange, target: string): Place | undefined {
  const segments = request.url.slice(target.length).split('?')[0]?.split('/').filter(Boolean) ?? [];
  const last = segments.at(-1);
  if (last === undefined) return undefined;
  if (!/^\d+$/.test(last)) return { model: last };
  const model = segments.at(-2);
  return model === undefined ? undefined : { model, id: last };
}

function isCreate(exchange: Exchange, target: string): boolean {
  const { request, response } = exchange;
  return request.method === 'POST' && response.status < 300 && placeOf(exchange, target)?.id === undefined;
}

/** Finds the ID in the response to a create, at most two levels deep. */
function idIn({ response }: Exchange): { readonly pointer: string; readonly value: string } | undefined {
  let level: [string, unknown][] = [['', parse(response.body)]];
  for (let depth = 0; depth < 3; depth++) {
    const objects = level.filter((one): one is [string, Record<string, unknown>] => {
      return one[1] !== null && typeof one[1] === 'object' && !Array.isArray(one[1]);
    });
    for (const [pointer, { id }] of objects)
      if (typeof id === 'number' || typeof id === 'string')
        return { pointer: `${pointer}/id`, value: String(id) };
    level = objects.flatMap(([pointer, object]) =>
      Object.entries(object).map(([key, value]): [string, unknown] => [`${pointer}/${key}`, value]),
    );
  }
  return undefined;
}

type Needed = { readonly id: string; readonly models: readonly string[] };

/** Returns the records that a request names in its path, its query, or a field that links to another record. */
function neededBy(exchange: Exchange, links: Links, target: string): Needed[] {
  const place = placeOf(exchange, target);
  const needed: Needed[] = place?.id === undefined ? [] : [{ id: place.id, models: [place.model] }];
  const body = parse(exchange.request.body ?? '');
  if (body !== undefined) visit(body, '');
  for (const [key, value] of queryOf(exchange.request.url))
    needed.push({ id: value, models: key === 'id' && place ? [place.model] : (links[key] ?? []) });
  return needed;

  function visit(value: unknown, key: string): void {
    if (Array.isArray(value)) for (const item of value) visit(item, key);
    else if (value !== null && typeof value === 'object')
      for (const [name, member] of Object.entries(value)) visit(member, name);
    else needed.push({ id: String(value), models: links[key] ?? [] });
  }
}

function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(url.split('?')[1] ?? '');
}

/** The models that fields link to, by the name of the field. */
const linksOf = onceFor((references: References): Links => {
  const links = [...references].flatMap(([name, reference]) =>
    'to' in reference ? [{ key: name.slice(name.lastIndexOf('.') + 1), to: reference.to }] : [],
  );
  return Object.fromEntries(
    [...Map.groupBy(links, ({ key }) => key)].map(([key, of]) => [key, [...new Set(of.map(({ to }) => to))]]),
  );
});

function withNames(path: string, place: Place | undefined, records: readonly Created[]): string {
  const named = records.findLast(({ id, model }) => model === place?.model && id === place.id);
  const [before = '', query] = path.split('?');
  const start = named ? before.replace(/\d+$/, `{{${named.name}}}`) : before;
  if (query === undefined) return start;
  const own = new Map(
    records.filter(({ model }) => model === place?.model).map(({ id, name }) => [id, name]),
  );
  const filter = query.replace(/(\bid\b[^=&]*=)(\d+)(?=&|$)/, (all, key, id) =>
    own.has(id) ? `${key}{{${own.get(id)}}}` : all,
  );
  return `${start}?${filter}`;
}

/** Returns a body with the names of the records that it links to. A body without links stays as it was sent. */
function bodyWithNames(body: string, records: readonly Created[], links: Links): string {
  let isChanged = false;
  const value = parse(body);
  if (value === null || typeof value !== 'object') return body;
  const named = nameLinks(value, '');
  return isChanged ? JSON.stringify(named) : body;

  function nameLinks(one: unknown, key: string): unknown {
    if (Array.isArray(one)) return one.map((item) => nameLinks(item, key));
    if (one !== null && typeof one === 'object')
      return Object.fromEntries(Object.entries(one).map(([name, member]) => [name, nameLinks(member, name)]));
    const record = records.findLast(({ id, model }) => id === String(one) && links[key]?.includes(model));
    if (record === undefined) return one;
    isChanged = true;
    return typeof one === 'number' ? `{{#${record.name}}}` : `{{${record.name}}}`;
  }
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
