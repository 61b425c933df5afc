import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Catalogue, Model, Operation } from '../spec/catalogue.ts';
import type { Field } from '../spec/field.ts';
import { DEFAULT_PROFILE, type Profile } from '../spec/profile.ts';
import { parentLink, type References } from '../spec/references.ts';
import { createForms, isObject, readBrackets } from './tiny-forms.ts';

/** Rules to break, each for one model or one `model.field`. */
export type Breaks = {
  /** A required field that is not asked for. */
  readonly acceptMissing: string;
  readonly storeReadonly: string;
  readonly acceptAnyValue: string;
  /** A field that an update loses unless it is sent. */
  readonly forgetOnUpdate: string;
  /** A field shown as a text, or as a list where it is one already. */
  readonly wrongType: string;
  /** A model whose records PUT changes as POST does. */
  readonly allowPut: string;
  /** A model whose deletes do nothing. */
  readonly keepDeleted: string;
  /** A model whose deletes take the record before along. */
  readonly neighbourLost: string;
  readonly createAnswers500: string;
};

export type TinyOptions = {
  readonly catalogue: Catalogue;
  readonly references: References;
  /** The settings that differ from the default profile, by their dotted names; transitions and rates are not kept. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly breaks?: Partial<Breaks>;
};

export type TinyService = {
  readonly url: string;
  /** The headers that prove who asks. */
  readonly credentials: Readonly<Record<string, string>>;
  /** The number of records that are not deleted. */
  count(): number;
  close(): Promise<void>;
};

type Row = Map<string, unknown>;
type Table = { last: number; readonly rows: Map<number, Row> };
type Shown = Record<string, unknown>;
type Reply = { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> };
type Failing = Extract<
  keyof Profile,
  `status.${'invalid' | 'unparsable' | `unknown${string}` | 'noOperation'}`
>;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET many': 'list',
  'POST many': 'create',
  'GET one': 'retrieve',
  'POST one': 'update',
  'DELETE one': 'delete',
};

/** A second implementation of the interface, to hold against the suite; it shares the catalogue and nothing else. */
export async function startTinyService(options: TinyOptions): Promise<TinyService> {
  const service = createService(options);
  const server = createServer((request, response) => {
    text(request)
      .then((body) => service.answer(request, body))
      .catch((error: Error): Reply => ({ status: 500, body: { error: error.message } }))
      .then((reply) => send(response, reply));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: service.credentials,
    count: service.count,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, { status, body, headers }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

function createService({ catalogue, references, settings = {}, breaks = {} }: TinyOptions) {
  const said: Profile = { ...DEFAULT_PROFILE, ...settings };
  const forms = createForms(said);
  const inFull = said['types.lines'] === 'objects';
  const credentials = credentialsOf(said);
  const tables = new Map<string, Table>();
  for (const model of catalogue.models.values()) {
    tables.set(model.name, { last: 0, rows: new Map() });
    // Nobody else could fill a model without create.
    if (!model.operations.includes('create')) for (let seed = 0; seed < 2; seed++) insert(model, new Map());
  }
  return { answer, credentials, count };

  function answer(request: IncomingMessage, body: string): Reply {
    const url = new URL(request.url ?? '', 'http://tiny');
    for (const [name, value] of Object.entries(credentials))
      if (request.headers[name] !== value) return error(401, 'who are you?');
    const label = {
      header: request.headers[said['version.name'].toLowerCase()],
      query: url.searchParams.get(said['version.name']),
      none: catalogue.version,
    };
    if (label[said['version.in']] !== catalogue.version) return refuse('status.invalid', 'which version?');

    const [name = '', id, ...more] = url.pathname.replace(`${catalogue.base}/`, '').split('/');
    const model = catalogue.models.get(name);
    if (!model || more.length > 0) return refuse('status.unknownModel', `there is no ${name}`);
    const method = request.method === 'PUT' && breaks.allowPut === name ? 'POST' : request.method;
    const operation = OPERATIONS[`${method} ${id === undefined ? 'many' : 'one'}`];
    if (!operation || !model.operations.includes(operation))
      return refuse('status.noOperation', 'no such operation');
    if (operation === 'list') return list(model, url.searchParams);

    const row = id === undefined || !/^\d+$/.test(id) ? undefined : tableOf(model).rows.get(Number(id));
    const hidden = row?.get('deleted') && (operation !== 'retrieve' || !said['delete.readable']);
    if (operation !== 'create' && (!row || hidden))
      return refuse('status.unknownRecord', `there is no ${name} ${id}`);
    if (row && operation === 'retrieve') return one(200, model, row);
    if (row && operation === 'delete') return remove(model, row);
    return write(model, row, request.headers['content-type'] ?? '', body);
  }

  function write(model: Model, row: Row | undefined, type: string, body: string): Reply {
    if (!row && breaks.createAnswers500 === model.name)
      return { status: 500, body: { error: 'out of order' } };
    const sent = parse(type, body);
    if (!isObject(sent)) return refuse('status.unparsable', 'that is no object');
    const values = understand(model, sent, row !== undefined);
    if (typeof values === 'string') return refuse('status.invalid', values);
    if (!row) return one(said['status.created'], model, insert(model, values));
    for (const { key, name } of model.fields)
      if (breaks.forgetOnUpdate === key && !values.has(name)) row.set(name, null);
    return one(said['status.updated'], model, change(model, row, values));
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

  /** The values to keep, or what is wrong with them. A line is `within` its parent by the field that names it. */
  function understand(model: Model, sent: Shown, updates: boolean, within?: Field): Row | string {
    const values: Row = new Map();
    const names = model.fields.map(({ name }) => name);
    const stranger = Object.keys(sent).find((name) => !names.includes(name));
    if (stranger !== undefined && said['request.unknownFields'] === 'reject') return `${stranger} is unknown`;
    for (const field of model.fields) {
      const named = Object.hasOwn(sent, field.name);
      if (field.readonly && named && said['request.readonlyFields'] === 'reject')
        return `${field.name} is readonly`;
      if (field === within || (field.readonly && (!named || breaks.storeReadonly !== field.key))) continue;
      if (!named && updates && said['request.update'] === 'partial') continue;
      const value = named ? keep(sent[field.name], field) : null;
      if (value === undefined) return `${field.name} is no ${field.type}`;
      if (value === null && field.required && breaks.acceptMissing !== field.key)
        return `${field.name} is missing`;
      if (!linksHold(field, value)) return `${field.name} links to nothing`;
      values.set(
        field.name,
        field.lines && inFull && value ? understandLines(model, field, value as Shown[]) : value,
      );
      if (typeof values.get(field.name) === 'string' && field.lines) return String(values.get(field.name));
    }
    return values;
  }

  function understandLines(parent: Model, field: Field, lines: readonly Shown[]): Row[] | string {
    const model = lineModel(field);
    const rows = lines.map((line) => understand(model, line, false, parentLink(model, parent, references)));
    return rows.find((row) => typeof row === 'string') ?? rows.filter((row) => typeof row !== 'string');
  }

  function keep(sent: unknown, field: Field): unknown {
    return breaks.acceptAnyValue === field.key && sent !== null ? sent : forms.take(sent, field);
  }

  function linksHold(field: Field, value: unknown): boolean {
    const link = references.get(field.key);
    if (value === null || field.readonly || !link || !('to' in link)) return true;
    const ids = [value].flat().map((item) => (isObject(item) ? item.id : item));
    return ids.every((id) => tables.get(link.to)?.rows.has(Number(id)));
  }

  function insert(model: Model, values: Row): Row {
    const table = tableOf(model);
    // What no client sends, because it may not or because there is no create, has a value all the same.
    const given = model.fields.filter((field) => field.common || (field.required && !values.has(field.name)));
    const row: Row = new Map(given.map((field) => [field.name, forms.dull(field)]));
    row.set('id', ++table.last);
    table.rows.set(table.last, row);
    return change(model, row, values);
  }

  function change(model: Model, row: Row, values: Row): Row {
    for (const field of model.fields) {
      if (field.name === 'updated' && field.common) row.set(field.name, forms.dull(field));
      if (!values.has(field.name)) continue;
      const value = values.get(field.name);
      row.set(
        field.name,
        field.lines && inFull ? replaceLines(model, row, field, (value ?? []) as Row[]) : value,
      );
    }
    return row;
  }

  function replaceLines(parent: Model, row: Row, field: Field, lines: readonly Row[]): unknown[] {
    const model = lineModel(field);
    const link = parentLink(model, parent, references);
    eraseLines(row, field);
    return lines.map((line) =>
      insert(model, link ? new Map([...line, [link.name, row.get('id')]]) : line).get('id'),
    );
  }

  function remove(model: Model, row: Row): Reply {
    if (breaks.keepDeleted !== model.name) erase(model, row);
    const before = [...tableOf(model).rows.values()].findLast(
      (other) => isLive(other) && Number(other.get('id')) < Number(row.get('id')),
    );
    if (breaks.neighbourLost === model.name && before) erase(model, before);
    const status = said['status.deleted'];
    if (status === 204 || said['delete.answer'] === 'none') return { status };
    return said['delete.answer'] === 'flag'
      ? { status, body: { deleted: forms.yes } }
      : one(status, model, row);
  }

  function erase(model: Model, row: Row): void {
    for (const field of model.fields) if (field.lines && inFull) eraseLines(row, field);
    if (said['delete.effect'] === 'mark') row.set('deleted', forms.yes);
    else tableOf(model).rows.delete(Number(row.get('id')));
  }

  function eraseLines(row: Row, field: Field): void {
    for (const line of linesOf(row, field)) erase(lineModel(field), line);
  }

  function linesOf(row: Row, field: Field): Row[] {
    const ids = (row.get(field.name) ?? []) as number[];
    return ids
      .map((id) => tableOf(lineModel(field)).rows.get(id))
      .filter((line) => line !== undefined)
      .filter(isLive);
  }

  function list(model: Model, query: URLSearchParams): Reply {
    const paging = {
      offset: ['list.offsetParameter', 'list.sizeParameter'],
      page: ['list.pageParameter', 'list.sizeParameter'],
      none: [],
    } as const;
    const [place, size] = paging[said['list.paging']].map((name) => said[name]);
    const by = said['list.sort'] === 'field' ? query.get(said['list.sortParameter']) : null;
    const known = [
      place,
      size,
      said['list.sortParameter'],
      said['version.name'],
      ...model.fields.map(({ name }) => name),
    ];
    if (said['request.unknownFields'] === 'reject' && [...query.keys()].some((name) => !known.includes(name)))
      return refuse('status.invalid', 'a parameter is unknown');
    let found = [...tableOf(model).rows.values()]
      .filter((row) => isLive(row) || said['delete.listed'])
      .map((row) => show(model, row));
    for (const { name } of model.fields)
      if (said['list.filter'] === 'equality' && query.has(name))
        found = found.filter((item) => String(item[name]) === query.get(name));
    if (by !== null) found.sort((a, b) => Number(a[by.replace('-', '')]) - Number(b[by.replace('-', '')]));
    if (by?.startsWith('-')) found.reverse();
    const total = found.length;
    if (place !== undefined && size !== undefined) {
      const most = Math.min(Number(query.get(size) ?? said['list.defaultSize']), said['list.maxSize']);
      const start =
        said['list.paging'] === 'page'
          ? (Number(query.get(place) ?? 1) - 1) * most
          : Number(query.get(place));
      found = found.slice(start, start + most);
    }
    const body = put(said['response.records'], found);
    if (said['response.total'] === 'pointer') put(said['response.totalPointer'], total, body as Shown);
    return {
      status: 200,
      body,
      ...(said['response.total'] === 'header'
        ? { headers: { [said['response.totalHeader']]: `${total}` } }
        : {}),
    };
  }

  function show(model: Model, row: Row): Shown {
    const shown: Shown = {};
    for (const field of model.fields) {
      const own = row.get(field.name) ?? null;
      const value =
        field.lines && inFull && own ? linesOf(row, field).map((line) => show(lineModel(field), line)) : own;
      if (value !== null || said['response.unset'] === 'null') shown[field.name] = value;
      if (value !== null && breaks.wrongType === field.key)
        shown[field.name] = typeof value === 'string' ? [value] : String(value);
    }
    return shown;
  }

  function one(status: number, model: Model, row: Row): Reply {
    return { status, body: put(said['response.record'], show(model, row)) };
  }

  function refuse(setting: Failing, detail: string): Reply {
    return error(said[setting], detail);
  }

  function error(status: number, detail: string): Reply {
    if (said['errors.form'] === 'empty') return { status };
    if (said['errors.form'] === 'simple') return { status, body: { error: detail, violations: [] } };
    return { status, body: { status, detail }, headers: { 'content-type': 'application/problem+json' } };
  }

  function count(): number {
    return [...tables.values()].reduce((sum, { rows }) => sum + [...rows.values()].filter(isLive).length, 0);
  }

  function tableOf(model: Model): Table {
    return tables.get(model.name) ?? { last: 0, rows: new Map() };
  }

  function lineModel(field: Field): Model {
    return catalogue.models.get(field.lines ?? '') as Model;
  }
}

function isLive(row: Row): boolean {
  return !row.get('deleted');
}

function credentialsOf(said: Profile): Record<string, string> {
  const [password, pair] = ['letmein', Buffer.from('tiny:letmein').toString('base64')];
  const header = {
    none: [],
    bearer: ['authorization', `Bearer ${password}`],
    basic: ['authorization', `Basic ${pair}`],
    apiKey: [said['auth.header'].toLowerCase(), password],
  };
  const [name, value] = header[said['auth.scheme']];
  return name === undefined || value === undefined ? {} : { [name]: value };
}

/** Puts a value at a JSON pointer; at "" it is the whole. */
function put(pointer: string, value: unknown, root: Shown = {}): unknown {
  const names = pointer.split('/').slice(1);
  const last = names.pop();
  if (last === undefined) return value;
  let place = root;
  for (const name of names) {
    place[name] ??= {};
    place = place[name] as Shown;
  }
  place[last] = value;
  return root;
}
