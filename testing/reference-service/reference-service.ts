import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { createProfile, type Profile, pagesOf, placeIn, sortingIn } from '../../spec/profile/profile.ts';
import { pointerFor } from '../../spec/wire/model-place.ts';
import { credentialsFor } from '../in-process-target.ts';
import { type Served, serve } from '../services/http-server.ts';
import { isObject, putAt, readBrackets } from './forms.ts';
import { type Breaks, createReferenceRecords, isLive, type Row } from './records.ts';

export type ReferenceOptions = Omit<Contract, 'profile'> & {
  /** The settings that differ from the default profile, by dotted names; transitions and rates are not kept. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly breaks?: Partial<Breaks>;
};

export type ReferenceService = Served & {
  /** The headers that prove who asks. */
  readonly credentials: Readonly<Record<string, string>>;
  /** The number of records that are not deleted. */
  count(): number;
};

/** Returns the response to a request and its body. */
export type Answer = (request: IncomingMessage, body: string) => Reply;
type Reply = { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> };
type Refusal = Extract<
  keyof Profile,
  `status.${'invalid' | 'unparsable' | 'noOperation' | `unknown${string}`}`
>;

/** The types whose values a list can search for a part. */
const TEXTS = ['string', 'text', 'markdown', 'email', 'url', 'image'];

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET many': 'list',
  'POST many': 'create',
  'GET one': 'retrieve',
  'POST one': 'update',
  'DELETE one': 'delete',
};

/**
 * A second implementation of the interface on a free port, to hold against the suite: no code of the mock in it.
 * `change` has other forms of its own.
 */
export async function startReferenceService(
  options: ReferenceOptions,
  change: (answer: Answer) => Answer = (answer) => answer,
): Promise<ReferenceService> {
  const said = createProfile(options.settings ?? {}, options.catalogue);
  const service = createService({ breaks: {}, ...options }, said);
  const answer = change(service.answer);
  const served = await serve((request, response) => {
    text(request)
      .then((body) => answer(request, body))
      .catch((error: Error): Reply => ({ status: 500, body: { error: error.message } }))
      .then((reply) => send(response, reply));
  });
  return { ...served, credentials: credentialsFor(said), count: service.count };
}

function send(response: ServerResponse, { status, body, headers }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

function createService(options: ReferenceOptions & { readonly breaks: Partial<Breaks> }, said: Profile) {
  const { breaks, catalogue } = options;
  const records = createReferenceRecords(options, said);
  return { answer, count: records.count };

  function answer(request: IncomingMessage, body: string): Reply {
    const url = new URL(request.url ?? '', 'http://reference');
    for (const [name, value] of Object.entries(credentialsFor(said)))
      if (request.headers[name] !== value) return error(401, 'who asks?');
    const place = placeIn(said.version);
    const name = place?.name ?? '';
    const given = place?.in === 'header' ? request.headers[name.toLowerCase()] : url.searchParams.get(name);
    if (place && given !== catalogue.version) return refuse('status.invalid', 'which version?');

    const [called = '', id, ...more] = url.pathname.replace(`${catalogue.base}/`, '').split('/');
    const model = catalogue.models.get(called);
    if (!model || more.length > 0) return refuse('status.unknownModel', 'there is no such model');
    const method = request.method === 'PUT' && breaks.allowPut === model.name ? 'POST' : request.method;
    const operation = OPERATIONS[`${method} ${id === undefined ? 'many' : 'one'}`];
    if (!operation || !model.operations.includes(operation))
      return refuse('status.noOperation', 'no such thing');
    const sent = () => parse(request.headers['content-type'] ?? '', body);
    if (operation === 'list') return list(model, url.searchParams);
    if (operation === 'create') return create(model, sent());

    const row = id !== undefined && /^\d+$/.test(id) ? records.find(model, Number(id)) : undefined;
    const hidden =
      row && !isLive(row) && (operation !== 'retrieve' || said['delete.effect'] === 'mark-only-listed');
    if (!row || hidden) return refuse('status.unknownRecord', 'there is no such record');
    if (operation === 'retrieve') return one(200, model, row);
    return operation === 'delete' ? remove(model, row) : update(model, row, sent());
  }

  function parse(type: string, body: string): unknown {
    const form = said['request.encoding'] === 'form';
    if (!type.startsWith(form ? 'application/x-www-form-urlencoded' : 'application/json')) return undefined;
    try {
      return form ? readBrackets(body) : JSON.parse(body);
    } catch {
      return undefined;
    }
  }

  function create(model: Model, sent: unknown): Reply {
    if (breaks.createAnswers500 === model.name) return error(500, 'out of order');
    if (!isObject(sent)) return refuse('status.unparsable', 'that is no object');
    const values = records.understand(model, sent, false);
    if (typeof values === 'string') return refuse('status.invalid', values);
    return one(said['status.created'], model, records.insert(model, values));
  }

  function update(model: Model, row: Row, sent: unknown): Reply {
    if (!isObject(sent)) return refuse('status.unparsable', 'that is no object');
    const values = records.understand(model, sent, true);
    if (typeof values === 'string') return refuse('status.invalid', values);
    return one(said['status.updated'], model, records.change(model, row, values));
  }

  function remove(model: Model, row: Row): Reply {
    const id = Number(row.get('id'));
    if (breaks.keepDeleted !== model.name) records.erase(model, row);
    const before = records.rows(model).findLast((other) => isLive(other) && Number(other.get('id')) < id);
    if (before && breaks.neighborLost === model.name) records.erase(model, before);
    const status = said['status.deleted'];
    if (status === 204 || said['delete.answer'] === 'none') return { status };
    return said['delete.answer'] === 'flag'
      ? { status, body: { deleted: records.yes } }
      : one(status, model, row);
  }

  function list(model: Model, query: URLSearchParams): Reply {
    const pages = pagesOf(said);
    const fields = model.fields.map(({ name }) => name);
    const sorting = sortingIn(said['list.sort']);
    const texts = model.fields.filter(
      ({ type }) => TEXTS.includes(type) && said['list.filter'] === 'contains',
    );
    const partsOf = texts.map(({ name }) => [name, `${name}[contains]`] as const);
    const shared = [pages?.from, pages?.size, sorting?.parameter, placeIn(said.version)?.name];
    const known = [...shared, ...fields, ...partsOf.map(([, parameter]) => parameter)];
    if (said['request.unknownFields'] === 'reject' && [...query.keys()].some((name) => !known.includes(name)))
      return refuse('status.invalid', 'a parameter is unknown');

    let found = records
      .rows(model)
      .filter((row) => isLive(row) || said['delete.effect'].endsWith('listed'))
      .map((row) => records.show(model, row));
    if (said['list.filter'] !== 'none')
      for (const name of fields.filter((field) => query.has(field)))
        found = found.filter((record) => String(record[name]) === query.get(name));
    for (const [name, parameter] of partsOf) {
      const part = query.get(parameter)?.toLowerCase() ?? '';
      found = found.filter((record) => part === '' || String(record[name]).toLowerCase().includes(part));
    }
    const [, minus, by = ''] = /^(-?)(.*)$/.exec(query.get(sorting?.parameter ?? '') ?? '') ?? [];
    if (by !== '')
      found.sort(
        (a, b) => (minus ? -1 : 1) * String(a[by]).localeCompare(String(b[by]), 'en', { numeric: true }),
      );
    const total = found.length;
    if (pages) {
      const most = Math.min(Number(query.get(pages.size) ?? pages.default), pages.max);
      const first = pages.style === 'page' ? 1 : 0;
      const asked = Number(query.get(pages.from) ?? first);
      const start = pages.style === 'offset' ? asked : (asked - first) * most;
      found = found.slice(start, start + most);
    }
    const body = putAt(pointerFor(said['response.records'], model.name), found);
    const at = placeIn(said['response.total']);
    if (at?.in === 'body') putAt(at.name, total, body);
    return { status: 200, body, headers: at?.in === 'header' ? { [at.name]: String(total) } : {} };
  }

  function one(status: number, model: Model, row: Row): Reply {
    return { status, body: putAt(pointerFor(said['response.record'], model.name), records.show(model, row)) };
  }

  function refuse(setting: Refusal, detail: string): Reply {
    return error(said[setting], detail);
  }

  function error(status: number, detail: string): Reply {
    if (said['errors.form'] === 'empty') return { status };
    if (said['errors.form'] === 'simple') return { status, body: { error: detail, violations: [] } };
    return { status, body: { status, detail }, headers: { 'content-type': 'application/problem+json' } };
  }
}
