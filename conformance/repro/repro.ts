import { readFileSync } from 'node:fs';
import { kitFile } from '../../spec/files/kit-file.ts';
import { onceFor } from '../../spec/once-for.ts';
import { REDACTED } from '../../spec/redaction.ts';
import type { References } from '../../spec/references.ts';
import { oneLine } from '../report/text.ts';
import type { CaseResult, Results } from '../results/results.ts';
import type { Exchange, TargetResponse } from '../target/exchange.ts';
import type { Target } from '../target/target.ts';

/** An exchange as reports show it, and its complete response. */
export type Kept = { readonly exchange: Exchange; readonly response: TargetResponse };

/** Returns a target that keeps the exchanges that go through it. */
export function keepExchanges(
  target: Target,
  which: 'all' | 'writes',
): { readonly target: Target; readonly kept: readonly Kept[] } {
  const kept: Kept[] = [];
  const send: Target['send'] = async (request, record) => {
    let last: Exchange | undefined;
    const response = await target.send(request, (exchange) => {
      last = exchange;
      record(exchange);
    });
    if (last && (which === 'all' || request.method !== 'GET')) kept.push({ exchange: last, response });
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

/**
 * Returns scripts that create the records of a failure, repeat its requests, show the response, and delete the records.
 * The first one repeats only the requests of the case. The others also repeat earlier writes to the model, because the
 * service can fail only after them.
 */
export function renderRepro(
  first: CaseResult,
  results: Pick<Results, 'startedAt' | 'tag' | 'target'>,
  kept: readonly Kept[],
  references: References,
): string[] {
  const writes = kept.map(({ exchange }) => exchange).filter(({ request }) => request.method !== 'GET');
  const exchanges = completed(first, kept);
  const decisive = exchanges.at(-1);
  if (decisive === undefined || (first.outcome === 'blocked' && first.differs === undefined)) return [];
  const end = placeIn(writes, decisive, exchanges);
  const model = placeOf(decisive, results.target)?.model;
  const isOwn = (one: Exchange) => exchanges.some((own) => isSame(own, one));
  const ofModel = writes.slice(0, end).filter((one) => placeOf(one, results.target)?.model === model);
  const shown = shownIn(exchanges);
  const own = exchanges.filter((one) => one.request.method !== 'GET' && !shown.includes(one));
  const ids = new Set(shown.map((one) => placeOf(one, results.target)?.id));
  const ofRecord = own.filter((one) => {
    const id = placeOf(one, results.target)?.id;
    return id !== undefined && ids.has(id);
  });
  const earlier = ofModel.slice(-MOST_EARLIER).filter((one) => !isOwn(one));
  const choices = first.sequence ? [exchanges.slice(0, -shown.length)] : [ofRecord, own, [...earlier, ...own]];
  const text = readFileSync(kitFile('conformance/repro/replay.js'), 'utf8');
  return choices.map((act) => {
    const steps = describeSteps([...act, ...shown], shown, writes.slice(0, end), references, results.target);
    const { expected = '', found = '', message, title } = first;
    const data = {
      case: first.id,
      message: oneLine(message ?? title),
      expected: oneLine(expected),
      found: oneLine(found),
      target: results.target,
      startedAt: results.startedAt,
      tag: results.tag ?? '',
      ...(first.field === undefined ? {} : { field: first.field }),
      ...statusesIn(expected, found),
      links: linksOf(references),
      ...steps,
    };
    return [
      '// Shows a failure of a service again. Needs only Node 20 or later: node FILE [BASE-URL] [--write]',
      '// Exit code: 1 if the fault is there, 0 if not, 2 if this can not be decided.',
      '// Credentials come from RECORD_MODEL_BEARER, RECORD_MODEL_BASIC, or RECORD_MODEL_API_KEY.',
      `const repro = ${scriptText(data)};`,
      '',
      text,
    ].join('\n');
  });
}

/** Returns the exchanges of a case with their complete responses. */
function completed({ differs, exchanges = [] }: CaseResult, kept: readonly Kept[]): Exchange[] {
  const keyOf = ({ request, response }: Exchange) =>
    JSON.stringify([request.method, request.url, request.body, response.status]);
  const responses = new Map(kept.map(({ exchange, response }) => [keyOf(exchange), response]));
  const all = exchanges.map((one) => ({ ...one, response: responses.get(keyOf(one)) ?? one.response }));
  // A profile that does not fit shows in a list.
  return differs === undefined ? all : all.filter(({ request }) => request.method === 'GET').slice(-1);
}

/** The last responses: those of the reads at the end and of the write before them, or only of the last write. */
function shownIn(exchanges: readonly Exchange[]): Exchange[] {
  const last = exchanges.findLastIndex(({ request }) => request.method !== 'GET');
  return exchanges.slice(Math.max(last, exchanges.length - MOST_SHOWN));
}

/** Where in the writes a case ends. */
function placeIn(writes: readonly Exchange[], decisive: Exchange, exchanges: readonly Exchange[]): number {
  const last = [decisive, ...exchanges.toReversed()].find(({ request }) => request.method !== 'GET');
  const at = writes.findLastIndex((one) => last !== undefined && isSame(one, last));
  return at === -1 ? writes.length : at + 1;
}

/** A created record. */
type Created = { readonly name: string; readonly model: string; readonly id: string };

/** Returns the requests with names for the IDs of the records that they create, after the creates that they need. */
function describeSteps(
  wanted: readonly Exchange[],
  shown: readonly Exchange[],
  writes: readonly Exchange[],
  references: References,
  target: string,
) {
  const steps: Exchange[] = [];
  for (const exchange of wanted) add(exchange);
  const records: Created[] = [];
  const described = steps.map((exchange) => {
    const { method, headers, body } = exchange.request;
    const path = exchange.request.url.slice(target.length);
    const place = placeOf(exchange, target);
    const isShown = shown.includes(exchange);
    const step = {
      method,
      path: withNames(path, place, records),
      headers: Object.fromEntries(
        Object.entries(headers).filter(
          ([name, value]) => value !== REDACTED && !OF_CLIENT.has(name.toLowerCase()),
        ),
      ),
      ...(body === undefined ? {} : { body: bodyWithNames(body, records, references) }),
    };
    const id = isCreate(exchange, target) ? idIn(exchange) : undefined;
    const made = id &&
      place && { name: `${place.model}${records.length + 1}`, model: place.model, id: id.value };
    if (made) records.push(made);
    return {
      ...step,
      ...(place === undefined ? {} : { model: place.model }),
      ...(place && method === 'POST' && place.id === undefined
        ? {
            creates: made?.name ?? `${place.model}${steps.length + records.length}`,
            id: id?.pointer ?? '/id',
          }
        : {}),
      ...(isShown ? { shows: true } : {}),
      was: isShown ? exchange.response : { status: exchange.response.status },
    };
  });
  return { records: Object.fromEntries(records.map(({ name, ...record }) => [name, record])), steps: described };

  /** Adds a request after the creates of the records that it needs. */
  function add(exchange: Exchange): void {
    if (steps.some((step) => isSame(step, exchange))) return;
    const at = writes.findLastIndex((one) => isSame(one, exchange));
    const before = at === -1 ? writes : writes.slice(0, at);
    for (const { id, models } of neededBy(exchange, references, target)) {
      const create = before.findLast(
        (one) =>
          isCreate(one, target) &&
          models.includes(placeOf(one, target)?.model ?? '') &&
          idIn(one)?.value === id,
      );
      if (create) add(create);
    }
    steps.push(exchange);
  }
}

/** Whether two exchanges are the same one. Its copies can have another form of the response. */
function isSame(one: Exchange, other: Exchange): boolean {
  const [first, second] = [one, other].map(({ request, response }) =>
    JSON.stringify([request.method, request.url, request.body, response.status, idIn({ request, response })]),
  );
  return one === other || first === second;
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
function neededBy(exchange: Exchange, references: References, target: string): Needed[] {
  const place = placeOf(exchange, target);
  const needed: Needed[] = place?.id === undefined ? [] : [{ id: place.id, models: [place.model] }];
  const body = parse(exchange.request.body ?? '');
  if (body !== undefined) visit(body, '');
  for (const [key, value] of queryOf(exchange.request.url))
    needed.push({ id: value, models: key === 'id' && place ? [place.model] : linked(key, references) });
  return needed;

  function visit(value: unknown, key: string): void {
    if (Array.isArray(value)) for (const item of value) visit(item, key);
    else if (value !== null && typeof value === 'object')
      for (const [name, member] of Object.entries(value)) visit(member, name);
    else needed.push({ id: String(value), models: linked(key, references) });
  }
}

function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(url.split('?')[1] ?? '');
}

/** The models that a field of this name links to. */
function linked(key: string, references: References): string[] {
  return linksOf(references)[key] ?? [];
}

/** The models that fields link to, by the name of the field. */
const linksOf = onceFor((references: References): Readonly<Record<string, string[]>> => {
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
function bodyWithNames(body: string, records: readonly Created[], references: References): string {
  let isChanged = false;
  const value = parse(body);
  if (value === null || typeof value !== 'object') return body;
  const named = nameLinks(value, '');
  return isChanged ? JSON.stringify(named) : body;

  function nameLinks(one: unknown, key: string): unknown {
    if (Array.isArray(one)) return one.map((item) => nameLinks(item, key));
    if (one !== null && typeof one === 'object')
      return Object.fromEntries(Object.entries(one).map(([name, member]) => [name, nameLinks(member, name)]));
    const models = linked(key, references);
    const record = records.findLast(({ id, model }) => id === String(one) && models.includes(model));
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
