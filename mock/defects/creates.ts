import { typeSetting } from '../../spec/profile/profile.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { ModelEngine } from '../engine/engine.ts';
import {
  type At,
  type ChangeRecords,
  type DefectTable,
  each,
  fieldsIf,
  isOptional,
  isWritable,
  models,
  modelsIf,
  onWrites,
  someWritable,
  writable,
} from './defect.ts';
import { rejects, violationsOf } from './on-body.ts';
import {
  creates,
  draftOf,
  hides,
  isOne,
  lists,
  neighborOf,
  noting,
  overlap,
  shows,
  storesValue,
  updates,
  withValues,
} from './on-engine.ts';
import { breaks, broken, onSuccess, redirect, responds } from './on-wire.ts';
import { otherValue } from './values.ts';

const OPERATION_RULES = ['list', 'retrieve', 'create', 'create-required', 'update', 'delete'].map(
  (name) => `operations.${name}`,
);
const inOperations = each(models(), ({ model }) => model.operations);
const inRecords = each(models(), ({ model }) =>
  model.operations.filter((operation) => operation !== 'delete'),
);

/** The source leaves the values of an optional field open, so a service can reject the value of a client. */
const hasOpenValues = ({ field, references }: At) =>
  field.type === 'select'
    ? field.choices === undefined
    : !field.required &&
      field.type !== 'bool' &&
      field.lines === undefined &&
      !references.has(field.key) &&
      typeSetting(field) === undefined;

/** Retrieves another record than the one that is found. */
function retrieves(
  other: (own: ModelEngine, found: RecordValues, at: At) => Promise<RecordValues | undefined>,
): ChangeRecords {
  return (own, at) => ({
    retrieve: async (id) => {
      const found = await own.retrieve(id);
      const record = isOne(found) && (await other(own, found.record, at));
      return record ? { kind: 'record', record } : found;
    },
  });
}

/** Operations, retrieves, and creates (section 4). */
export const CREATES: DefectTable = {
  'operations.missing': {
    violates: 'does not have an operation',
    rules: OPERATION_RULES,
    places: inOperations,
    response: responds('detail', async (_, __, { profile }, { replies }) =>
      replies.refusal({ status: profile['status.noOperation'], detail: 'There is no such operation.' }),
    ),
  },
  'operations.failing': {
    violates: 'returns a server error for an operation',
    rules: OPERATION_RULES,
    places: inOperations,
    response: breaks('detail'),
  },
  'operations.failing-afterwards': {
    violates: 'performs an operation, but returns a server error',
    rules: OPERATION_RULES,
    places: inOperations,
    response: onSuccess('detail', (_, __, ___, service) => broken(service)),
  },
  'operations.answering-nothing': {
    violates: 'returns no record for an operation',
    rules: OPERATION_RULES,
    places: inRecords,
    response: onSuccess('detail', (reply) => ({ ...reply, body: '' })),
  },
  'operations.answering-a-page': {
    violates: 'returns an HTML page for an operation',
    rules: OPERATION_RULES,
    places: inRecords,
    response: responds('detail', async () => {
      const body = '<!doctype html><title>Sign in</title>';
      return { status: 200, headers: { 'content-type': 'text/html' }, body };
    }),
  },
  'operations.answering-one-for-many': {
    violates: 'returns a single record for a list',
    rules: ['operations.list'],
    places: models(),
    response: onSuccess(['list'], (reply) => ({ ...reply, body: '{"id":1}' })),
  },
  'operations.misspelt-model': {
    violates: 'accepts only another spelling of a model name',
    rules: OPERATION_RULES,
    anyName: true,
    places: models(),
    response: responds('any', async (call, next, at, { replies }) => {
      if (call.name === `${at.model.name}s`) return next(redirect(at, call));
      if (call.name !== at.model.name) return next();
      const detail = `There is no model ${call.name}.`;
      return replies.refusal({ status: at.profile['status.unknownModel'], detail });
    }),
  },
  'retrieve.answers-neighbor': {
    violates: 'returns another record for a retrieve',
    rules: ['operations.retrieve', 'list.agrees'],
    places: models(),
    record: retrieves(async (own, { id }) => (await neighborOf(own, id)) ?? neighborOf(own, id, 'above')),
  },
  'retrieve.answers-first': {
    violates: 'returns the first record for every retrieve',
    rules: ['operations.retrieve', 'list.agrees'],
    places: models(),
    record: retrieves(async (own) => (await own.list({})).records[0]),
  },
  'retrieve.drops-field': {
    violates: 'returns no value of an optional field in a retrieve',
    rules: ['create.keeps-field', 'list.agrees'],
    places: fieldsIf([], isOptional),
    record: hides('retrieve'),
  },
  'retrieve.mixes-fields': {
    violates: 'returns a field of a record with the value of another one in a retrieve',
    rules: ['create.keeps-field', 'list.agrees'],
    places: writable(),
    record: retrieves(async (own, found, { field: { name } }) => {
      const other = await neighborOf(own, found.id);
      return other && { ...found, [name]: other[name] ?? null };
    }),
  },
  'refused.create-stored': {
    violates: 'rejects a create with an invalid field, but stores the other fields',
    rules: ['required.on-create', 'values.refused-on-create', 'fields.wrong-type-on-create'],
    places: writable('create'),
    record: creates(async (own, draft, { field }) => {
      const result = await own.create(draft);
      if (!isOne(result) && violationsOf(draft, field).length > 0) await own.create(draftOf(draft.values));
      return result;
    }),
  },
  'refused.update-stored': {
    violates: 'rejects an update with an invalid field, but changes the field',
    rules: ['values.refused-on-update', 'fields.wrong-type-on-update'],
    places: writable('update'),
    record: updates(async (own, id, draft, at) => {
      const { name } = at.field;
      const before = await own.retrieve(id);
      const result = await own.update(id, draft);
      if (isOne(before) && result.kind === 'invalid' && violationsOf(draft, at.field).length > 0)
        await own.update(id, draftOf({ ...draft.values, [name]: otherValue(at, before.record[name]) }));
      return result;
    }),
  },
  ...onWrites((operation, written, kept) => {
    const drops = operation === 'create' ? 'drops' : 'ignores';
    const places = writable('create', operation);
    const dropping = storesValue(operation, () => undefined);
    return {
      [`${operation}.${drops}-field`]: {
        violates: `does not store a field of ${written}`,
        rules: [kept],
        places,
        record: dropping,
      },
      [`${operation}.${drops}-field-and-shows-it`]: {
        violates: `does not store a field of ${written}, but returns it as stored`,
        rules: [kept],
        places,
        record: (own, at) =>
          shows([operation], (record, { field: { name } }, { [name]: value }) =>
            value === undefined ? record : { ...record, [name]: value },
          )({ ...own, ...dropping(own, at) }, at),
      },
      [`${operation}.alters-field`]: {
        violates: `stores another value than the one that is sent with ${written}`,
        rules: [kept],
        places,
        record: storesValue(operation, (value, at) => otherValue(at, value)),
      },
      [`${operation}.refuses-field`]: {
        violates: `rejects ${written} with a writable field`,
        rules:
          operation === 'create'
            ? ['operations.create', 'operations.create-required']
            : ['update.changes-field', 'operations.update'],
        places: fieldsIf(
          ['create', operation],
          (at) => isWritable(at) && (operation === 'update' || !hasOpenValues(at)),
        ),
        request: rejects(operation, 'cannot be sent', (wire) => wire !== undefined),
      },
    };
  }),
  'create.answers-another-value': {
    violates: 'stores a field of a create, but returns another value',
    rules: ['create.keeps-field'],
    places: writable('create'),
    record: shows(['create'], (record, at, sent) => {
      const { name, required } = at.field;
      if (sent[name] === undefined) return record;
      return { ...record, [name]: required ? otherValue(at, record[name]) : null };
    }),
  },
  'create.changes-neighbor': {
    violates: 'stores a field of a create in another record too',
    rules: ['create.distinct'],
    places: writable('create'),
    record: creates(async (own, draft, { field: { name } }) => {
      const result = await own.create(draft);
      const value = draft.values[name];
      if (!isOne(result) || value === undefined) return result;
      const other = await neighborOf(own, result.record.id);
      if (other) await own.update(Number(other.id), draftOf({ [name]: value }));
      return result;
    }),
  },
  'create.stores-nothing': {
    violates: 'returns a record for a create, but does not store it',
    rules: ['operations.retrieve', 'create.keeps-field', 'create.distinct', 'list.shows-record'],
    places: models('create'),
    record: (own, at) => {
      const gone = new Set<number>();
      const none = { kind: 'unknown-record' } as const;
      return {
        ...lists((records) => records.filter(({ id }) => !gone.has(Number(id))))(own, at),
        retrieve: async (id) => (gone.has(id) ? none : own.retrieve(id)),
        update: async (id, draft) => (gone.has(id) ? none : own.update(id, draft)),
        delete: async (id) => (gone.has(id) ? none : own.delete(id)),
        create: (draft) => noting(own.create(draft), ({ id }) => gone.add(Number(id))),
      };
    },
  },
  'create.reuses-id': {
    violates: 'overwrites the previous record with each create',
    rules: ['create.distinct', 'advice.create-at-once'],
    places: models('create'),
    record: (own) => {
      const made: number[] = [];
      return {
        create: async (draft) => {
          const last = made.at(-1);
          const again = last === undefined ? undefined : await own.update(last, draft);
          return again && isOne(again) ? again : noting(own.create(draft), ({ id }) => made.push(Number(id)));
        },
      };
    },
  },
  'create.reuses-deleted-id': {
    violates: 'gives a created record the ID of a deleted record',
    rules: ['advice.id-not-reused'],
    places: models('create', 'delete'),
    record: (own) => {
      const free: number[] = [];
      return {
        delete: (id) => noting(own.delete(id), () => free.push(id)),
        create: (draft) => {
          const id = draft.violations.length === 0 ? free.pop() : undefined;
          return own.create(id === undefined ? draft : { ...draft, values: { ...draft.values, id } });
        },
      };
    },
  },
  'create.shares-id-at-once': {
    violates: 'gives concurrent creates the same ID',
    rules: ['advice.create-at-once'],
    places: models('create'),
    record: (own) => {
      const underWay: ReturnType<ModelEngine['create']>[] = [];
      return {
        create: (draft) => {
          if (draft.violations.length > 0) return own.create(draft);
          const end = () => {
            underWay.length = 0;
          };
          underWay[0] ??= own.create(draft).finally(overlap).finally(end);
          return underWay[0];
        },
      };
    },
  },
  'create.answers-another-record': {
    violates: 'returns the ID of another record for a create',
    rules: ['operations.create', 'create.keeps-field', 'create.distinct'],
    places: modelsIf(['create'], someWritable),
    record: creates(async (own, draft) => {
      const result = await own.create(draft);
      if (!isOne(result)) return result;
      const other = await neighborOf(own, result.record.id);
      return withValues(result, other ? { id: other.id ?? null } : {});
    }),
  },
  'create.answers-unknown-id': {
    violates: 'returns an ID that no record has for a create',
    rules: ['operations.retrieve'],
    places: models('create'),
    record: shows(['create'], (record) => ({ ...record, id: Number(record.id) + 1000 })),
  },
};
