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
    places: inOperations,
    response: responds('detail', async (_, __, { profile }, { replies }) =>
      replies.refusal({ status: profile['status.noOperation'], detail: 'There is no such operation.' }),
    ),
  },
  'operations.failing': { places: inOperations, response: breaks('detail') },
  'operations.failing-afterwards': {
    places: inOperations,
    response: onSuccess('detail', (_, __, ___, service) => broken(service)),
  },
  'operations.answering-nothing': {
    places: inRecords,
    response: onSuccess('detail', (reply) => ({ ...reply, body: '' })),
  },
  'operations.answering-a-page': {
    places: inRecords,
    response: responds('detail', async () => {
      const body = '<!doctype html><title>Sign in</title>';
      return { status: 200, headers: { 'content-type': 'text/html' }, body };
    }),
  },
  'operations.answering-one-for-many': {
    places: models(),
    response: onSuccess(['list'], (reply) => ({ ...reply, body: '{"id":1}' })),
  },
  'operations.misspelt-model': {
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
    places: models(),
    record: retrieves(async (own, { id }) => (await neighborOf(own, id)) ?? neighborOf(own, id, 'above')),
  },
  'retrieve.answers-first': {
    places: models(),
    record: retrieves(async (own) => (await own.list({})).records[0]),
  },
  'retrieve.drops-field': { places: fieldsIf([], isOptional), record: hides('retrieve') },
  'retrieve.mixes-fields': {
    places: writable(),
    record: retrieves(async (own, found, { field: { name } }) => {
      const other = await neighborOf(own, found.id);
      return other && { ...found, [name]: other[name] ?? null };
    }),
  },
  'refused.create-stored': {
    places: writable('create'),
    record: creates(async (own, draft, { field }) => {
      const result = await own.create(draft);
      if (!isOne(result) && violationsOf(draft, field).length > 0) await own.create(draftOf(draft.values));
      return result;
    }),
  },
  'refused.update-stored': {
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
  ...onWrites((operation) => {
    const drops = operation === 'create' ? 'drops' : 'ignores';
    const places = writable('create', operation);
    const dropping = storesValue(operation, () => undefined);
    return {
      [`${operation}.${drops}-field`]: { places, record: dropping },
      [`${operation}.${drops}-field-and-shows-it`]: {
        places,
        record: (own, at) =>
          shows([operation], (record, { field: { name } }, { [name]: value }) =>
            value === undefined ? record : { ...record, [name]: value },
          )({ ...own, ...dropping(own, at) }, at),
      },
      [`${operation}.alters-field`]: {
        places,
        record: storesValue(operation, (value, at) => otherValue(at, value)),
      },
      [`${operation}.refuses-field`]: {
        places: fieldsIf(
          ['create', operation],
          (at) => isWritable(at) && (operation === 'update' || !hasOpenValues(at)),
        ),
        request: rejects(operation, 'cannot be sent', (wire) => wire !== undefined),
      },
    };
  }),
  'create.answers-another-value': {
    places: writable('create'),
    record: shows(['create'], (record, at, sent) => {
      const { name, required } = at.field;
      if (sent[name] === undefined) return record;
      return { ...record, [name]: required ? otherValue(at, record[name]) : null };
    }),
  },
  'create.changes-neighbor': {
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
    places: modelsIf(['create'], someWritable),
    record: creates(async (own, draft) => {
      const result = await own.create(draft);
      if (!isOne(result)) return result;
      const other = await neighborOf(own, result.record.id);
      return withValues(result, other ? { id: other.id ?? null } : {});
    }),
  },
  'create.answers-unknown-id': {
    places: models('create'),
    record: shows(['create'], (record) => ({ ...record, id: Number(record.id) + 1000 })),
  },
};
