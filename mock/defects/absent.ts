import { OPERATIONS } from '../../spec/catalogue/catalogue.ts';
import { choicesOf, WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { createRecordCodec, type RecordValues } from '../../spec/wire/record-codec.ts';
import type { Service } from '../decoration.ts';
import type { Reply } from '../operations/reply.ts';
import {
  type At,
  type DefectTable,
  each,
  fieldsIf,
  has,
  isWritable,
  models,
  modelsIf,
  onWrites,
  someWritable,
  writable,
} from './defect.ts';
import { forgive, reads, violationsOf } from './on-body.ts';
import { deletes, draftOf, isOne, updates } from './on-engine.ts';
import { breaks, broken, type Call, operationOf, redirect, responds, sentIn, textOf } from './on-wire.ts';
import { isNamed, isShownAsStored, outsideOf } from './values.ts';

/** Greater than any ID that a service has given to a record. */
const FAR = 1_000_000_000;

const lacking = each(models(), ({ model }) => OPERATIONS.filter((operation) => !has(model, operation)));
const onOne = each(models(), ({ model }) =>
  (['retrieve', 'update', 'delete'] as const).filter((operation) => has(model, operation)),
);

/** Names near that of the model: the last letter doubled, and the last letter lost. */
const misspelled = each(models(), ({ catalogue, model: { name } }) =>
  [`${name}${name.at(-1)}`, name.slice(0, -1)].filter(
    (other) => other !== '' && !catalogue.models.has(other),
  ),
);

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

/** Methods, operations, models, and records that do not exist (section 4, rules 1 and 3), and unusual input. */
export const ABSENT: DefectTable = {
  ...onMethods((absent, method) => ({
    [`${absent}-works`]: {
      places: models('update'),
      response: onMethod(method, (call, next, at) => next(redirect(at, call, 'POST'))),
    },
    [`${absent}-stores`]: {
      places: modelsIf(['update'], someWritable),
      response: onMethod(method, async (call, next, at) => {
        await next(redirect(at, call, 'POST'));
        return next();
      }),
    },
    [`${absent}-breaks`]: {
      places: models('update'),
      response: breaks('any', (call) => call.method === method),
    },
  })),
  'absent.operation-works': {
    places: lacking,
    response: responds('detail', (call, _, at, service) => perform(call, at, service)),
  },
  'absent.operation-stores': {
    places: lacking,
    response: responds('detail', async (call, next, at, service) => {
      await perform(call, at, service);
      return next();
    }),
  },
  'absent.operation-breaks': { places: lacking, response: breaks('detail') },
  'absent.misspelt-answered': {
    anyName: true,
    places: misspelled,
    response: responds('any', (call, next, at) =>
      call.name === at.detail ? next(redirect(at, call)) : next(),
    ),
  },
  'absent.misspelt-breaks': {
    anyName: true,
    places: misspelled,
    response: breaks('any', ({ name }, { detail }) => name === detail),
  },
  'absent.unknown-id-answered': {
    places: onOne,
    response: responds('detail', async ({ id }, next, { model }, { replies }) =>
      Number(id) > FAR ? replies.record(200, model, { id: Number(id) }) : next(),
    ),
  },
  'absent.unknown-id-breaks': { places: onOne, response: breaks('detail', ({ id }) => Number(id) > FAR) },
  'absent.unknown-id-created': {
    places: modelsIf(['create', 'update'], someWritable),
    record: updates(async (own, id, draft) => {
      const result = await own.update(id, draft);
      if (id > FAR && !isOne(result)) await own.create(draftOf(draft.values));
      return result;
    }),
  },
  'absent.unknown-id-takes-another': {
    places: models('delete'),
    record: deletes(async (own, id) => {
      const newest = (await own.list({})).records.at(-1);
      const result = await own.delete(id);
      if (id > FAR && !isOne(result) && newest) await own.delete(Number(newest.id));
      return result;
    }),
  },
  ...onMethods((absent, method) => ({
    [`${absent}-creates`]: {
      places: each(models('create'), ['all', 'unknown-id']),
      response: responds('any', (call, next, at) => {
        const isThere = at.detail === 'all' ? call.id === undefined : Number(call.id) > FAR;
        if (call.method !== method || !isThere) return next();
        return next(redirect(at, { request: call.request }, 'POST'));
      }),
    },
    [`${absent}-updates-read-only`]: {
      places: modelsIf([], ({ model }) => !has(model, 'update')),
      response: onMethod(method, (call, _, at, service) => perform({ ...call, method: 'POST' }, at, service)),
    },
  })),
  'absent.delete-all-works': {
    onEmpty: true,
    places: each(models('create', 'list', 'retrieve', 'delete'), ['answered', 'refused']),
    response: responds('any', async (call, next, { detail, model }, { engine, replies }) => {
      if (call.method !== 'DELETE' || call.id !== undefined) return next();
      for (const { id } of (await engine(model).list({})).records) await engine(model).delete(Number(id));
      return detail === 'refused' ? next() : replies.records(model, [], 0);
    }),
  },
  'input.breaks-on-junk': {
    places: each(writable('create'), (at) => {
      const isForm = at.profile['request.encoding'] === 'form';
      const without = [
        ...(outsideOf(at).length > 0 ? [] : ['wrong-type']),
        // A form can't express null, and deep nesting can't be read.
        ...(isForm ? ['nested', 'null'] : []),
      ];
      return Object.keys(JUNK).filter((kind) => !without.includes(kind));
    }),
    response: breaks(['create'], (call, at) => {
      const value = sentIn(call, at)[at.field.name];
      return value !== undefined && JUNK[at.detail]?.(value, at) === true;
    }),
  },
  'input.breaks-without-required': {
    places: fieldsIf(['create'], (at) => isWritable(at) && at.field.required),
    response: breaks(['create'], (call, at) => sentIn(call, at)[at.field.name] === undefined),
  },
  ...onWrites((operation) => ({
    [`input.breaks-outside-list-on-${operation}`]: {
      places: each(
        fieldsIf([operation], (at) => isWritable(at) && at.field.choices !== undefined),
        outsideOf,
      ),
      response: breaks([operation], (call, at) => {
        const value = sentIn(call, at)[at.field.name];
        return value !== undefined && isNamed(value as Value, at.detail);
      }),
    },
    [`input.takes-wrong-type-on-${operation}`]: {
      places: fieldsIf(
        [operation],
        (at) => isWritable(at) && !at.field.lines && choicesOf(at) === undefined && isShownAsStored(at),
      ),
      request: reads(operation, (draft, sent, { field }) =>
        violationsOf(draft, field).length > 0 ? forgive(draft, field, sent[field.name]) : draft,
      ),
    },
  })),
  'input.breaks-on-body': {
    places: each(models('create'), Object.keys(BODIES)),
    response: breaks(['create'], ({ request }, { detail }) => BODIES[detail]?.test(textOf(request)) === true),
  },
  'input.breaks-on-id': {
    places: each(models(), Object.keys(IDS)),
    response: breaks(['retrieve'], ({ id = '' }, { detail }) => IDS[detail]?.test(id) === true),
  },
  'input.reads-id-loosely': {
    places: each(models(), ['fraction', 'exponent', 'quote', 'semicolon']),
    response: responds(['retrieve'], (call, next, at) => {
      const { id = '', request } = call;
      const digits = Number.parseInt(id, 10);
      if (!IDS[at.detail]?.test(id) || Number.isNaN(digits)) return next();
      return next(redirect(at, { request, id: String(digits) }));
    }),
  },
};

function onMethods(rows: (absent: string, method: string) => DefectTable): DefectTable {
  return { ...rows('absent.put', 'PUT'), ...rows('absent.patch', 'PATCH') };
}

/** Replaces responses to requests with a method to a record. */
function onMethod(method: string, respond: Parameters<typeof responds>[1]) {
  return responds('any', (call, next, at, service) =>
    call.method === method && call.id !== undefined ? respond(call, next, at, service) : next(),
  );
}

/** Does what a call requests with the engine, which has every operation of every model. */
async function perform(call: Call, at: At, service: Service): Promise<Reply> {
  const { engine, replies } = service;
  const { model, profile } = at;
  const id = Number(call.id);
  const operation = operationOf(call);
  if (operation === 'delete') {
    const gone = await engine(model).delete(id);
    return isOne(gone) ? replies.deleted(model, gone.record) : broken(service);
  }
  if (operation !== 'create' && operation !== 'update') {
    const { records, total } = await engine(model).list({});
    return replies.records(model, records, total);
  }
  const draft = draftOf(valuesIn(call, at));
  const result = await (operation === 'create'
    ? engine(model).create(draft)
    : engine(model).update(id, draft));
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
