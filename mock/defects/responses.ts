import { placeIn } from '../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { valueAt } from '../../spec/wire/json-pointer.ts';
import { pointerFor } from '../../spec/wire/model-place.ts';
import { createRecordCodec, type RecordValues } from '../../spec/wire/record-codec.ts';
import type { Service } from '../decoration.ts';
import { splitTarget } from '../http/http.ts';
import type { Reply } from '../operations/reply.ts';
import { type At, type ChangeResponse, type Changes, onWrites } from './defect.ts';
import { draftOf, FAR, isOne, without } from './on-engine.ts';
import {
  breaks,
  broken,
  type Call,
  isSuccess,
  onBody,
  onShown,
  onSuccess,
  operationOf,
  redirect,
  responds,
  sentIn,
  textOf,
  type Wire,
} from './on-wire.ts';
import { isNamed, wrongForm } from './values.ts';

const SHOWING = ['retrieve', 'list', 'create', 'update'] as const;

const withWrongType = (wire: Wire, { field }: At) => ({ ...wire, [field.name]: wrongForm(field) });
const withNull = (wire: Wire, { field }: At) => ({ ...wire, [field.name]: null });

/** Values that make the service fail. */
const JUNK: Readonly<Record<string, (value: unknown, at: At) => boolean>> = {
  null: (value) => value === null,
  'wrong-type': (value, at) =>
    WIRE_TYPES[at.field.type]
      .counterSamples(at)
      .some((sample) => JSON.stringify(sample) === JSON.stringify(value)),
  'long-text': (value) => typeof value === 'string' && value.length > 16_384,
  nested: (value) => depthOf(value) > 4,
};

/** Unreadable bodies that make the service fail. */
const BODIES: Readonly<Record<string, RegExp>> = {
  empty: /^$/,
  unfinished: /^\{"$/,
  list: /^\[\]$/,
  null: /^null$/,
  text: /^"[^"]*"$/,
  prototype: /__proto__/,
};

/** IDs that are not integers or are out of range. */
const IDS: Readonly<Record<string, RegExp>> = {
  word: /^[a-z]+$/,
  negative: /^-\d+$/,
  fraction: /^\d+\.\d+$/,
  exponent: /^\d+e\d+$/,
  hexadecimal: /^0x/,
  huge: /^\d{19,}$/,
  'null-character': /\0/,
  quote: /'/,
  semicolon: /;/,
  path: /\//,
};

/** Changes to responses: operations, fields, absent things (section 4, rules 1 and 3), and unusual input. */
export const RESPONSES: Changes<ChangeResponse> = {
  'operations.missing': responds('detail', async (_, __, { profile }, { replies }) =>
    replies.refusal({ status: profile['status.noOperation'], detail: 'There is no such operation.' }),
  ),
  'operations.failing': breaks('detail'),
  'operations.failing-afterwards': onSuccess('detail', (_, __, ___, service) => broken(service)),
  'operations.answering-nothing': onSuccess('detail', (reply) => ({ ...reply, body: '' })),
  'operations.answering-a-page': responds('detail', async () => {
    const body = '<!doctype html><title>Sign in</title>';
    return { status: 200, headers: { 'content-type': 'text/html' }, body };
  }),
  'operations.answering-one-for-many': onSuccess(['list'], (reply) => ({ ...reply, body: '{"id":1}' })),
  'operations.misspelled-model': responds('any', async (call, next, at, { replies }) => {
    if (call.name === `${at.model.name}s`) return next(redirect(at, call));
    if (call.name !== at.model.name) return next();
    const detail = `There is no model ${call.name}.`;
    return replies.refusal({ status: at.profile['status.unknownModel'], detail });
  }),
  'delete.breaks-retrieve': (inner, at, service) => {
    const gone = new Set<string | undefined>();
    return responds(['retrieve', 'delete'], async ({ id, method }, next) => {
      if (method === 'GET') return gone.has(id) ? broken(service) : next();
      const reply = await next();
      if (isSuccess(reply)) gone.add(id);
      return reply;
    })(inner, at, service);
  },
  'delete.breaks-twice': responds(['delete'], async (_, next, __, service) => {
    const reply = await next();
    return isSuccess(reply) ? reply : broken(service);
  }),
  'list.mixes-models': responds(['list'], async (call, next, at) => {
    const reply = await next();
    if (!isSuccess(reply)) return reply;
    const pointerOf = (name: string) => pointerFor(at.profile['response.records'], name);
    for (const model of at.catalogue.models.values()) {
      if (model.name === at.model.name) continue;
      const other = await next(redirect({ catalogue: at.catalogue, model }, call));
      const found = isSuccess(other) ? valueAt(JSON.parse(other.body), pointerOf(model.name)) : undefined;
      if (!Array.isArray(found) || found.length === 0) continue;
      return onBody(reply, pointerOf(at.model.name), (records) =>
        Array.isArray(records) ? [...records, found.at(-1)] : records,
      );
    }
    return reply;
  }),
  'list.plain-empty': onPlainList(() => []),
  'list.plain-omits-newest': onPlainList((records) => {
    const newest = Math.max(...records.map(({ id }) => Number(id)));
    return records.filter(({ id }) => id !== newest);
  }),
  'list.plain-lacks-required': onPlainList((records, { field }) =>
    records.map((record) => without(record, field.name)),
  ),
  'list.plain-wrong-type': onPlainList((records, at) => records.map((record) => withWrongType(record, at))),
  'list.plain-drops-field': onPlainList((records, at) => records.map((record) => withNull(record, at))),
  ...onMethods((absent, method) => ({
    [`${absent}-works`]: onMethod(method, (call, next, at) => next(redirect(at, call, 'POST'))),
    [`${absent}-stores`]: onMethod(method, async (call, next, at) => {
      await next(redirect(at, call, 'POST'));
      return next();
    }),
    [`${absent}-breaks`]: breaks('any', (call) => call.method === method),
    [`${absent}-creates`]: responds('any', (call, next, at) => {
      const isThere = at.detail === 'all' ? call.id === undefined : Number(call.id) > FAR;
      if (call.method !== method || !isThere) return next();
      return next(redirect(at, { request: call.request }, 'POST'));
    }),
    [`${absent}-updates-read-only`]: onMethod(method, (call, _, at, service) =>
      perform({ ...call, method: 'POST' }, at, service),
    ),
  })),
  'absent.operation-works': responds('detail', (call, _, at, service) => perform(call, at, service)),
  'absent.operation-stores': responds('detail', async (call, next, at, service) => {
    await perform(call, at, service);
    return next();
  }),
  'absent.operation-breaks': breaks('detail'),
  'absent.misspelled-answered': responds('any', (call, next, at) =>
    call.name === at.detail ? next(redirect(at, call)) : next(),
  ),
  'absent.misspelled-breaks': breaks('any', ({ name }, { detail }) => name === detail),
  'absent.unknown-id-answered': responds('detail', async ({ id }, next, { model }, { replies }) =>
    Number(id) > FAR ? replies.record(200, model, { id: Number(id) }) : next(),
  ),
  'absent.unknown-id-breaks': breaks('detail', ({ id }) => Number(id) > FAR),
  'absent.delete-all-works': responds('any', async (call, next, { detail, model }, { engine, replies }) => {
    if (call.method !== 'DELETE' || call.id !== undefined) return next();
    for (const { id } of (await engine(model).list({})).records) await engine(model).delete(Number(id));
    return detail === 'refused' ? next() : replies.records(model, [], 0);
  }),
  'input.breaks-on-junk': breaks(['create'], (call, at) => {
    const value = sentIn(call, at)[at.field.name];
    return value !== undefined && JUNK[at.detail]?.(value, at) === true;
  }),
  'input.breaks-without-required': breaks(
    ['create'],
    (call, at) => sentIn(call, at)[at.field.name] === undefined,
  ),
  'input.breaks-on-body': breaks(
    ['create'],
    ({ request }, { detail }) => BODIES[detail]?.test(textOf(request)) === true,
  ),
  'input.breaks-on-id': breaks(['retrieve'], ({ id = '' }, { detail }) => IDS[detail]?.test(id) === true),
  'input.reads-id-loosely': responds(['retrieve'], (call, next, at) => {
    const { id = '', request } = call;
    const digits = Number.parseInt(id, 10);
    if (!IDS[at.detail]?.test(id) || Number.isNaN(digits)) return next();
    return next(redirect(at, { request, id: String(digits) }));
  }),
  ...onWrites((operation) => ({
    [`input.breaks-outside-list-on-${operation}`]: breaks([operation], (call, at) => {
      const value = sentIn(call, at)[at.field.name];
      return value !== undefined && isNamed(value as Value, at.detail);
    }),
    [`readonly.breaks-${operation}`]: breaks([operation], (call, at) =>
      Object.hasOwn(sentIn(call, at), at.field.name),
    ),
  })),
  'fields.missing': onShown('detail', (wire, { field }) => without(wire, field.name)),
  'fields.null': onShown('detail', withNull),
  'fields.wrong-type': onShown('detail', withWrongType),
  'fields.id-as-text': onShown('detail', (wire) => ({ ...wire, id: String(wire.id) })),
  'fields.wrong-type-in-line': onLines(SHOWING, (line, { catalogue, detail, field }) => {
    const part = catalogue.models.get(field.lines ?? '')?.fields.find(({ name }) => name === detail);
    return part ? { ...line, [part.name]: wrongForm(part) } : line;
  }),
  'fields.missing-in-line': onLines(SHOWING, (line, { detail }) => without(line, detail)),
  'fields.missing-id-in-line': onLines('detail', (line) => without(line, 'id')),
  'fields.same-id-in-line': onLines('detail', (line) => ({ ...without(line, 'id'), id: 424242 })),
  'fields.value-outside-list': onShown('detail', (wire, at) => {
    return { ...wire, [at.field.name]: WIRE_TYPES.select.counterSamples(at)[0] };
  }),
  'fields.excluded-shown': onShown(SHOWING, (wire, { detail }) => ({ ...wire, [detail]: null })),
  'fields.excluded-shown-in-some': onShown(['retrieve'], (wire, { detail }) =>
    Number(wire.id) % 2 === 0 ? { ...wire, [detail]: null } : wire,
  ),
  'fields.unknown-shown': onShown('detail', (wire) => ({ ...wire, internalNote: 'x' })),
  'fields.wrong-type-when-unset': onShown('detail', (wire, at) =>
    (wire[at.field.name] ?? null) === null ? withWrongType(wire, at) : wire,
  ),
  'fields.wrong-type-once-updated': retrievedAfter('update', withWrongType),
  'fields.null-once-updated': retrievedAfter('update', withNull),
  'fields.wrong-type-once-deleted': retrievedAfter('delete', withWrongType),
};

/** Changes the records on the wire in a list that is requested without a query, as the source shows it. */
function onPlainList(alter: (records: readonly Wire[], at: At) => readonly Wire[]) {
  return onSuccess(['list'], (reply, { request }, at) => {
    const { profile, model } = at;
    const asked = new URLSearchParams(splitTarget(request.target)[1]);
    asked.delete(placeIn(profile.version)?.name ?? '');
    if (asked.size > 0) return reply;
    return onBody(reply, pointerFor(profile['response.records'], model.name), (found) =>
      Array.isArray(found) ? alter(found, at) : found,
    );
  });
}

/** Changes the lines in responses. */
function onLines(on: Parameters<typeof onShown>[0], change: (line: Wire, at: At) => Wire) {
  return onShown(on, (wire, at) => {
    const lines = (wire[at.field.name] ?? []) as Wire[];
    return { ...wire, [at.field.name]: lines.map((line) => change(line, at)) };
  });
}

/** Changes the retrieves of records after an operation on them. */
function retrievedAfter(operation: 'update' | 'delete', alter: (wire: Wire, at: At) => Wire): ChangeResponse {
  return (inner, at, service) => {
    const done = new Set<number>();
    const noted = onSuccess([operation], (reply, { id }) => {
      done.add(Number(id));
      return reply;
    })(inner, at, service);
    const shown = onShown(['retrieve'], (wire) => (done.has(Number(wire.id)) ? alter(wire, at) : wire));
    return shown(noted, at, service);
  };
}

function onMethods(changes: (absent: string, method: string) => Changes<ChangeResponse>) {
  return { ...changes('absent.put', 'PUT'), ...changes('absent.patch', 'PATCH') };
}

/** Replaces responses to requests with a method to a record. */
function onMethod(method: string, respond: Parameters<typeof responds>[1]) {
  return responds('any', (call, next, at, service) =>
    call.method === method && call.id !== undefined ? respond(call, next, at, service) : next(),
  );
}

/** Does what a call requests with the engine, which has every operation of every model. */
async function perform(call: Call, at: At, service: Service): Promise<Reply> {
  const { replies } = service;
  const { model, profile } = at;
  const own = service.engine(model);
  const operation = operationOf(call);
  if (operation === 'delete') {
    const gone = await own.delete(Number(call.id));
    return isOne(gone) ? replies.deleted(model, gone.record) : broken(service);
  }
  if (operation !== 'create' && operation !== 'update') {
    const { records, total } = await own.list({});
    return replies.records(model, records, total);
  }
  const draft = draftOf(valuesIn(call, at));
  const result = await (operation === 'create' ? own.create(draft) : own.update(Number(call.id), draft));
  const status = profile[operation === 'create' ? 'status.created' : 'status.updated'];
  return isOne(result) ? replies.record(status, model, result.record) : broken(service);
}

function valuesIn(call: Call, at: At): RecordValues {
  try {
    const codec = createRecordCodec(at.catalogue, at.profile);
    return codec.decode(at.model.name, sentIn(call, at) as RecordValues);
  } catch {
    return {};
  }
}

function depthOf(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
