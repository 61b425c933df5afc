import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import { fieldOf, isDeleted } from '../../spec/catalogue/roles.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { ModelEngine } from '../engine/engine.ts';
import type { Draft } from '../engine/violation.ts';
import {
  type At,
  type ChangeRecords,
  type DefectTable,
  each,
  fieldsIf,
  isWritable,
  models,
  modelsIf,
  someWritable,
  writable,
  writableOf,
} from './defect.ts';
import {
  ALL,
  deletes,
  draftOf,
  isOne,
  neighborOf,
  noting,
  overlap,
  showing,
  shows,
  stores,
  updates,
  withValues,
} from './on-engine.ts';
import { broken, isSuccess, responds } from './on-wire.ts';
import { isOrigin, otherValue, shifted } from './values.ts';

const severalWritable = ({ model }: At) => writableOf(model).length > 1;
const isPartial = ({ profile }: At) => profile['request.update'] === 'partial';
/** The fields that an update can omit while it changes another one. */
const omitted = fieldsIf(
  ['create', 'update'],
  (at) => isWritable(at) && severalWritable(at) && isPartial(at),
);
const plainFields = ({ model }: At) =>
  writableOf(model).filter(({ lines, type }) => type !== 'select' && lines === undefined);
const hasUpdated = ({ model }: At) => fieldOf(model, 'updated') !== undefined;

/** Updates and deletes (sections 1 and 4). */
export const UPDATES: DefectTable = {
  'update.answers-old-value': {
    places: writable('create', 'update'),
    record: updates(async (own, id, draft, { field: { name } }) => {
      const before = await own.retrieve(id);
      const result = await own.update(id, draft);
      return isOne(before) ? withValues(result, { [name]: before.record[name] ?? null }) : result;
    }),
  },
  'update.loses-field': {
    places: omitted,
    record: stores('update', (values, { field }) => ({ [field.name]: null, ...values })),
  },
  'update.changes-other-field': {
    places: omitted,
    record: updates(async (own, id, { values, violations }, at) => {
      const { name } = at.field;
      const before = await own.retrieve(id);
      const value = isOne(before) ? otherValue(at, before.record[name]) : null;
      return own.update(id, { values: { [name]: value, ...values }, violations });
    }),
  },
  'update.changes-neighbor': {
    places: each(writable('create', 'update'), ['below', 'above']),
    record: updates(async (own, id, draft, { detail, field: { name } }) => {
      const result = await own.update(id, draft);
      const value = draft.values[name];
      if (!isOne(result) || value === undefined) return result;
      const other = await neighborOf(own, id, detail);
      if (other) await own.update(Number(other.id), draftOf({ [name]: value }));
      return result;
    }),
  },
  'update.not-repeatable': {
    places: fieldsIf(['create', 'update'], (at) => isWritable(at) && at.field.lines === undefined),
    record: updates(async (own, id, { values, violations }, { field: { name } }) => {
      const before = await own.retrieve(id);
      const same = isOne(before) && JSON.stringify(before.record[name]) === JSON.stringify(values[name]);
      return own.update(id, { values: same ? { ...values, [name]: null } : values, violations });
    }),
  },
  'update.loses-computed-field': {
    places: fieldsIf(['create', 'update'], ({ field }) => field.required && field.readonly),
    record: onceUpdated((record, { field }) => ({ ...record, [field.name]: null })),
  },
  'update.touches-origin': {
    places: fieldsIf(['create', 'update'], isOrigin),
    record: onceUpdated((record, { field: { name } }) => ({ ...record, [name]: shifted(record[name]) })),
  },
  'update.stores-nothing': {
    places: modelsIf(['create', 'update'], someWritable),
    record: updates(async (own, id, draft, { model }) => {
      const before = await own.retrieve(id);
      const isHealthy = draft.violations.length > 0 || !isOne(before) || isDeleted(model, before.record);
      return isHealthy ? own.update(id, draft) : withValues(before, draft.values);
    }),
  },
  'update.stores-in-neighbor': {
    places: modelsIf(['create', 'update'], someWritable),
    record: updates(async (own, id, draft) =>
      own.update(Number((await neighborOf(own, id))?.id ?? id), draft),
    ),
  },
  'update.loses-concurrent': {
    places: modelsIf(['create', 'update'], (at) => isPartial(at) && plainFields(at).length > 1),
    record: updates(async (own, id, { values, violations }, at) => {
      const before = await own.retrieve(id);
      await overlap();
      const old = isOne(before) ? plainFields(at).map(({ name }) => [name, before.record[name] ?? null]) : [];
      return own.update(id, { values: { ...Object.fromEntries(old), ...values }, violations });
    }),
  },
  'update.leaves-copy': {
    places: modelsIf(['create', 'update'], someWritable),
    record: updates(async (own, id, draft, at) => {
      const result = await own.update(id, draft);
      if (isOne(result)) await own.create(draftOf(sendable(at.model, result.record, at.catalogue)));
      return result;
    }),
  },
  'update.answers-another-id': {
    places: models('create', 'update'),
    record: shows(['update'], (record) => ({ ...record, id: Number(record.id) - 1 })),
  },
  'update.sets-updated-back': {
    places: modelsIf(['create', 'update'], hasUpdated),
    record: onceUpdated((record, { model }) => {
      return { ...record, [fieldOf(model, 'updated')?.name ?? '']: '2001-01-01T00:00:00Z' };
    }),
  },
  'retrieve.changes-updated': {
    places: modelsIf(['create', 'retrieve'], hasUpdated),
    record: (own, at) => {
      const name = fieldOf(at.model, 'updated')?.name ?? '';
      let times = 0;
      return shows(['retrieve'], (record) => {
        const time = Date.parse(String(record[name])) + ++times * 1000;
        return { ...record, [name]: new Date(time).toISOString() };
      })(own, at);
    },
  },
  'update.stores-few-of-many': {
    places: each(modelsIf(['create', 'update'], severalWritable), ['first', 'none']),
    record: updates(async (own, id, draft, { detail }) => {
      if (Object.keys(draft.values).length < 2) return own.update(id, draft);
      return withValues(await own.update(id, firstOf(draft, detail === 'first' ? 1 : 0)), draft.values);
    }),
  },
  'update.drops-all-but-first': {
    places: modelsIf(['create', 'update'], severalWritable),
    record: updates((own, id, draft) => own.update(id, firstOf(draft, 1))),
  },
  'update.answers-without-field': { places: omitted, record: showsOmitted(() => null) },
  'update.answers-other-value': {
    places: omitted,
    record: showsOmitted((value, at) => otherValue(at, value)),
  },
  'update.answers-other-origin': {
    places: fieldsIf(['create', 'update'], isOrigin),
    record: shows(['update'], (record, { field: { name } }) => ({
      ...record,
      [name]: shifted(record[name]),
    })),
  },
  'delete.does-nothing': {
    places: models('create', 'delete'),
    record: deletes(async (own, id) => withValues(await own.retrieve(id), { deleted: true })),
  },
  'delete.takes-neighbor': {
    places: each(models('create', 'delete'), ['below', 'above']),
    record: deletes(async (own, id, { detail }) => {
      const other = await neighborOf(own, id, detail);
      const result = await own.delete(id);
      if (isOne(result) && other) await own.delete(Number(other.id));
      return result;
    }),
  },
  'delete.takes-wrong-record': {
    places: models('create', 'delete'),
    record: deletes(async (own, id) => own.delete(Number((await neighborOf(own, id))?.id ?? id))),
  },
  'delete.changes-neighbor': {
    places: each(writable('create', 'delete'), ['below', 'above']),
    record: deletes(async (own, id, at) => {
      const { name } = at.field;
      const other = await neighborOf(own, id, at.detail);
      const result = await own.delete(id);
      if (isOne(result) && other)
        await own.update(Number(other.id), draftOf({ [name]: otherValue(at, other[name]) }));
      return result;
    }),
  },
  'delete.leaves-listed': {
    places: models('create', 'delete'),
    record: keepingDeleted((own, gone) => ({
      list: async (query) => {
        const { kind, records, total } = await own.list(query);
        const shown = records.map((record) => gone.get(record.id) ?? record);
        const left = [...gone.values()].filter((record) => !shown.includes(record));
        return { kind, records: [...shown, ...left], total: total + left.length };
      },
    })),
  },
  'delete.leaves-readable': {
    places: models('create', 'delete'),
    record: keepingDeleted((own, gone) => ({
      retrieve: async (id) => {
        const record = gone.get(id);
        return record ? { kind: 'record', record } : own.retrieve(id);
      },
    })),
  },
  'delete.breaks-retrieve': {
    places: models('create', 'delete'),
    response: (inner, at, service) => {
      const gone = new Set<string | undefined>();
      return responds(['retrieve', 'delete'], async ({ id, method }, next) => {
        if (method === 'GET') return gone.has(id) ? broken(service) : next();
        const reply = await next();
        if (isSuccess(reply)) gone.add(id);
        return reply;
      })(inner, at, service);
    },
  },
  'delete.lets-update': {
    places: models('create', 'delete', 'update'),
    record: (own) => {
      const gone = new Map<number, RecordValues>();
      return {
        delete: (id) => noting(own.delete(id), (record) => gone.set(id, record)),
        update: async (id, draft) => {
          const record = gone.get(id);
          if (!record || draft.violations.length > 0) return own.update(id, draft);
          return { kind: 'record', record: { ...record, ...draft.values } };
        },
      };
    },
  },
  'delete.breaks-twice': {
    places: models('create', 'delete'),
    response: responds(['delete'], async (_, next, __, service) => {
      const reply = await next();
      return isSuccess(reply) ? reply : broken(service);
    }),
  },
};

/** Changes each record wherever it is shown, from its first update on. */
function onceUpdated(alter: (record: RecordValues, at: At) => RecordValues): ChangeRecords {
  return (own, at) => {
    const updated = new Set<unknown>();
    return {
      ...showing(own, ALL, (record) => (updated.has(record.id) ? alter(record, at) : record)),
      update: async (id, draft) => {
        const result = await own.update(id, draft);
        if (!isOne(result)) return result;
        updated.add(id);
        return { kind: 'record', record: alter(result.record, at) };
      },
    };
  };
}

/** Changes the field in the response to an update that omits it. */
function showsOmitted(alter: (value: Value | undefined, at: At) => Value) {
  return shows(['update'], (record, at, sent) => {
    const { name } = at.field;
    return Object.hasOwn(sent, name) ? record : { ...record, [name]: alter(record[name], at) };
  });
}

/** Keeps each record as it was before its delete. */
function keepingDeleted(
  show: (own: ModelEngine, gone: ReadonlyMap<unknown, RecordValues>) => Partial<ModelEngine>,
): ChangeRecords {
  return (own) => {
    const gone = new Map<unknown, RecordValues>();
    const remove: ModelEngine['delete'] = async (id) => {
      const before = await own.retrieve(id);
      return noting(own.delete(id), () => isOne(before) && gone.set(id, before.record));
    };
    return { ...show(own, gone), delete: remove };
  };
}

function firstOf({ values, violations }: Draft, count: number): Draft {
  return { values: Object.fromEntries(Object.entries(values).slice(0, count)), violations };
}

/** Returns the values that a create of the same record would send. */
function sendable(model: Model, record: RecordValues, catalogue: Catalogue): RecordValues {
  return Object.fromEntries(
    writableOf(model).map(({ lines, name }) => {
      const value = record[name] ?? null;
      const line = lines === undefined ? undefined : catalogue.models.get(lines);
      if (!line || !Array.isArray(value)) return [name, value];
      return [name, value.map((item) => sendable(line, item as RecordValues, catalogue))];
    }),
  );
}
