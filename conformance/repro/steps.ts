import { onceFor } from '../../spec/once-for.ts';
import { parseJson } from '../../spec/parse-json.ts';
import { REDACTED } from '../../spec/redaction.ts';
import type { References } from '../../spec/references.ts';
import type { Exchange, TargetResponse } from '../target/exchange.ts';
import type { FormOptions } from './form.ts';
import type { ReplayStep } from './replay.ts';

export type Links = FormOptions['links'];

/** Headers that a client sets itself. */
const OF_CLIENT = new Set(['accept-encoding', 'connection', 'content-length', 'host', 'user-agent']);

/** An exchange of the run with a complete response, in the order of the run. */
export type Step = Exchange & { readonly at: number; readonly shown: Exchange };

/** A created record. */
type Created = { readonly name: string; readonly model: string; readonly id: string };

/** The requests of a script, and the records that they created in the run. */
export type Described = {
  readonly records: FormOptions['records'];
  readonly steps: readonly (ReplayStep & { readonly shows?: TargetResponse })[];
};

/** Returns the requests with names for the IDs of the records that they create, after the creates that they need. */
export function describeSteps(
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
    for (const write of filteredBy(one, run, target)) add(write);
    all.add(one);
  }
}

/** Whether a header has no secret, and is not one that each client sets itself. */
function isOpen([name, value]: readonly [string, string]): boolean {
  return value !== REDACTED && !OF_CLIENT.has(name.toLowerCase());
}

type Place = { readonly model: string; readonly id?: string };

/** The model and the ID in the path of a request. */
export function placeOf({ request }: Exchange, target: string): Place | undefined {
  const segments = request.url.slice(target.length).split('?')[0]?.split('/').filter(Boolean) ?? [];
  const last = segments.at(-1);
  if (last === undefined) return undefined;
  if (!/^\d+$/.test(last)) return { model: last };
  const model = segments.at(-2);
  return model === undefined ? undefined : { model, id: last };
}

export function isCreate(exchange: Exchange, target: string): boolean {
  const { request, response } = exchange;
  return request.method === 'POST' && response.status < 300 && placeOf(exchange, target)?.id === undefined;
}

/** Finds the ID in the response to a create, at most two levels deep. */
function idIn({ response }: Exchange): { readonly pointer: string; readonly value: string } | undefined {
  let level: [string, unknown][] = [['', parseJson(response.body)]];
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
  const body = parseJson(exchange.request.body ?? '');
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

/** Returns the last writes of the values that the query of a request asks for. */
function filteredBy(one: Step, run: readonly Step[], target: string): Step[] {
  const model = placeOf(one, target)?.model;
  return [...queryOf(one.request.url)].flatMap(([key, value]) => {
    const write = run.findLast((other) => {
      const body = parseJson(other.request.body ?? '');
      const isBefore = other.at < one.at && isWrite(other) && placeOf(other, target)?.model === model;
      return (
        isBefore && body !== null && typeof body === 'object' && String(Reflect.get(body, key)) === value
      );
    });
    return write ?? [];
  });
}

function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(url.split('?')[1] ?? '');
}

/** The models that fields link to, by the name of the field. */
export const linksOf = onceFor((references: References): Links => {
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
  const value = parseJson(body);
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

/** Whether a request writes a record that the run created. */
export function isOwnWrite(one: Step, run: readonly Step[], target: string): boolean {
  const id = idOf(one, target);
  return isWrite(one) && run.some((other) => isCreate(other, target) && idIn(other)?.value === id);
}

export function isWrite({ request }: Exchange): boolean {
  return request.method !== 'GET';
}

/** The ID that a request names, or that its response gives to a new record. */
export function idOf(exchange: Exchange, target: string): string | undefined {
  return placeOf(exchange, target)?.id ?? (isCreate(exchange, target) ? idIn(exchange)?.value : undefined);
}
