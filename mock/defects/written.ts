import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import { fieldOf, isDeleted } from '../../spec/catalogue/roles.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { ModelEngine } from '../engine/engine.ts';
import type { Draft } from '../engine/violation.ts';
import { type At, type ChangeRecords, type Changes, onWrites, type Written, writableOf } from './defect.ts';
import {
  ALL,
  creates,
  deletes,
  draftOf,
  FAR,
  findOne,
  isOne,
  lists,
  neighborOf,
  noting,
  one,
  overlap,
  showing,
  shows,
  stores,
  storesValue,
  updates,
  without,
  withValues,
} from './on-engine.ts';
import { sentLast, violationsOf } from './requests.ts';
import { linesIn, MANGLERS, nameOf, otherValue, plainFields, shifted } from './values.ts';

/** Changes to what creates, updates, and deletes store and show (sections 1 and 4). */
export const WRITTEN: Changes<ChangeRecords> = {
  ...onWrites((operation) => {
    const drops = operation === 'create' ? 'drops' : 'ignores';
    const dropping = storesValue(operation, () => undefined);
    const keepsText = operation === 'create' ? 'kept.mangles-text' : 'kept.mangles-text-on-update';
    return {
      [`${operation}.${drops}-field`]: dropping,
      [`${operation}.${drops}-field-and-shows-it`]: (own, at) =>
        shows([operation], (record, { field: { name } }, { [name]: value }) =>
          value === undefined ? record : { ...record, [name]: value },
        )({ ...own, ...dropping(own, at) }, at),
      [`${operation}.alters-field`]: storesValue(operation, (value, at) => otherValue(at, value)),
      [`${operation}.keeps-first-item`]: storesValue(operation, (value) =>
        Array.isArray(value) ? value.slice(0, 1) : value,
      ),
      [keepsText]: storesValue(operation, (value, { detail }) =>
        typeof value === 'string' ? (MANGLERS[detail]?.(value) ?? value) : value,
      ),
      [`readonly.stored-on-${operation}`]: storesReadonly(operation),
      [`lines.readonly-stored-on-${operation}`]: remembers(
        operation,
        (_, at) => sentLast.get(at),
        (values) => values,
        (record, value, at) => inLines(record, at, (line) => ({ ...line, [at.detail]: value })),
      ),
    };
  }),
  'refused.create-stored': creates(async (own, draft, { field }) => {
    const result = await own.create(draft);
    if (!isOne(result) && violationsOf(draft, field).length > 0) await own.create(draftOf(draft.values));
    return result;
  }),
  'refused.update-stored': updates(async (own, id, draft, at) => {
    const { field } = at;
    const before = await findOne(own, id);
    const result = await own.update(id, draft);
    if (before && result.kind === 'invalid' && violationsOf(draft, field).length > 0)
      await own.update(id, draftOf({ ...draft.values, [field.name]: otherValue(at, before[field.name]) }));
    return result;
  }),
  'create.answers-another-value': shows(['create'], (record, at, sent) => {
    const { name, required } = at.field;
    if (sent[name] === undefined) return record;
    return { ...record, [name]: required ? otherValue(at, record[name]) : null };
  }),
  'create.changes-neighbor': creates((own, draft, at) =>
    noting(own.create(draft), ({ id }) => passOn(own, id, draft, at)),
  ),
  'create.stores-nothing': (own, at) => {
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
  'create.reuses-id': (own) => {
    const made: number[] = [];
    return {
      create: async (draft) => {
        const last = made.at(-1);
        const again = last === undefined ? undefined : await own.update(last, draft);
        return again && isOne(again) ? again : noting(own.create(draft), ({ id }) => made.push(Number(id)));
      },
    };
  },
  'create.reuses-deleted-id': (own) => {
    const free: number[] = [];
    return {
      delete: (id) => noting(own.delete(id), () => free.push(id)),
      create: (draft) => {
        const id = draft.violations.length === 0 ? free.pop() : undefined;
        return own.create(id === undefined ? draft : { ...draft, values: { ...draft.values, id } });
      },
    };
  },
  'create.shares-id-at-once': (own) => {
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
  'create.answers-another-record': creates(async (own, draft) => {
    const result = await own.create(draft);
    const other = isOne(result) ? await neighborOf(own, result.record.id) : undefined;
    return withValues(result, other ? { id: other.id ?? null } : {});
  }),
  'create.answers-unknown-id': shows(['create'], (record) => ({ ...record, id: Number(record.id) + 1000 })),
  'create.swaps-fields': stores('create', (values, { detail, field: { name } }) => {
    const [first, second] = [values[name], values[detail]];
    if (first === undefined || second === undefined) return values;
    return { ...values, [name]: second, [detail]: first };
  }),
  'update.answers-old-value': updates(async (own, id, draft, { field: { name } }) => {
    const before = await findOne(own, id);
    const result = await own.update(id, draft);
    return before ? withValues(result, { [name]: before[name] ?? null }) : result;
  }),
  'update.loses-field': stores('update', (values, { field }) => ({ [field.name]: null, ...values })),
  'update.changes-other-field': updates(async (own, id, draft, at) => {
    const { name } = at.field;
    const before = await findOne(own, id);
    const value = before ? otherValue(at, before[name]) : null;
    return own.update(id, { ...draft, values: { [name]: value, ...draft.values } });
  }),
  'update.changes-neighbor': updates((own, id, draft, at) =>
    noting(own.update(id, draft), () => passOn(own, id, draft, at)),
  ),
  'update.not-repeatable': updates(async (own, id, draft, { field: { name } }) => {
    const { values } = draft;
    const before = await findOne(own, id);
    const isSame = before && JSON.stringify(before[name]) === JSON.stringify(values[name]);
    return own.update(id, isSame ? { ...draft, values: { ...values, [name]: null } } : draft);
  }),
  'update.ignores-value': storesValue('update', (value, { detail }) =>
    String(value) === detail ? undefined : value,
  ),
  'update.loses-computed-field': onceUpdated((record, { field }) => ({ ...record, [field.name]: null })),
  'update.touches-origin': onceUpdated((record, { field: { name } }) => ({
    ...record,
    [name]: shifted(record[name]),
  })),
  'update.stores-nothing': updates(async (own, id, draft, { model }) => {
    const before = await findOne(own, id);
    const isHealthy = draft.violations.length > 0 || !before || isDeleted(model, before);
    return isHealthy ? own.update(id, draft) : one({ ...before, ...draft.values });
  }),
  'update.stores-in-neighbor': updates(async (own, id, draft) =>
    own.update(Number((await neighborOf(own, id))?.id ?? id), draft),
  ),
  'update.loses-concurrent': updates(async (own, id, draft, { model }) => {
    const before = await findOne(own, id);
    await overlap();
    const old = before ? plainFields(model).map(({ name }) => [name, before[name] ?? null]) : [];
    return own.update(id, { ...draft, values: { ...Object.fromEntries(old), ...draft.values } });
  }),
  'update.leaves-copy': updates((own, id, draft, { catalogue, model }) =>
    noting(own.update(id, draft), (record) => own.create(draftOf(sendable(model, record, catalogue)))),
  ),
  'update.answers-another-id': shows(['update'], (record) => ({ ...record, id: Number(record.id) - 1 })),
  'update.sets-updated-back': onceUpdated((record, { model }) => {
    return { ...record, [fieldOf(model, 'updated')?.name ?? '']: '2001-01-01T00:00:00Z' };
  }),
  'update.stores-few-of-many': updates(async (own, id, draft, { detail }) => {
    if (Object.keys(draft.values).length < 2) return own.update(id, draft);
    return withValues(await own.update(id, firstOf(draft, detail === 'first' ? 1 : 0)), draft.values);
  }),
  'update.drops-all-but-first': updates((own, id, draft) => own.update(id, firstOf(draft, 1))),
  'update.answers-without-field': showsOmitted(() => null),
  'update.answers-other-value': showsOmitted((value, at) => otherValue(at, value)),
  'update.answers-other-origin': shows(['update'], (record, { field: { name } }) => ({
    ...record,
    [name]: shifted(record[name]),
  })),
  'delete.does-nothing': deletes(async (own, id) => withValues(await own.retrieve(id), { deleted: true })),
  'delete.takes-neighbor': deletes(async (own, id, { detail }) => {
    const other = await neighborOf(own, id, detail);
    return noting(own.delete(id), () => other && own.delete(Number(other.id)));
  }),
  'delete.takes-wrong-record': deletes(async (own, id) =>
    own.delete(Number((await neighborOf(own, id))?.id ?? id)),
  ),
  'delete.changes-neighbor': deletes(async (own, id, at) => {
    const { name } = at.field;
    const other = await neighborOf(own, id, at.detail);
    const changed = other && draftOf({ [name]: otherValue(at, other[name]) });
    return noting(own.delete(id), () => changed && own.update(Number(other.id), changed));
  }),
  'delete.leaves-listed': keepingDeleted((own, gone) => ({
    list: async (query) => {
      const { records, total } = await own.list(query);
      const shown = records.map((record) => gone.get(record.id) ?? record);
      const left = [...gone.values()].filter((record) => !shown.includes(record));
      return { records: [...shown, ...left], total: total + left.length };
    },
  })),
  'delete.leaves-readable': keepingDeleted((own, gone) => ({
    retrieve: async (id) => {
      const record = gone.get(id);
      return record ? one(record) : own.retrieve(id);
    },
  })),
  'delete.lets-update': (own) => {
    const gone = new Map<number, RecordValues>();
    return {
      delete: (id) => noting(own.delete(id), (record) => gone.set(id, record)),
      update: async (id, draft) => {
        const record = gone.get(id);
        return record && draft.violations.length === 0
          ? one({ ...record, ...draft.values })
          : own.update(id, draft);
      },
    };
  },
  'absent.unknown-id-created': updates(async (own, id, draft) => {
    const result = await own.update(id, draft);
    if (id > FAR && !isOne(result)) await own.create(draftOf(draft.values));
    return result;
  }),
  'absent.unknown-id-takes-another': deletes(async (own, id) => {
    const newest = (await own.list({})).records.at(-1);
    const result = await own.delete(id);
    if (id > FAR && !isOne(result) && newest) await own.delete(Number(newest.id));
    return result;
  }),
  'readonly.id-names-updated': updates(async (own, id, draft) => {
    const named = await idNamed(own, draft.values);
    return own.update(named ?? id, { ...draft, values: without(draft.values, 'id') });
  }),
  'readonly.id-overwrites': creates(async (own, sent) => {
    const draft = { ...sent, values: without(sent.values, 'id') };
    const named = await idNamed(own, sent.values);
    const result = named === undefined ? undefined : await own.update(named, draft);
    return result && isOne(result) ? result : own.create(draft);
  }),
  'readonly.deleted-revives': (own, { field: { name } }) => {
    const gone = new Map<number, RecordValues>();
    const back = new Map<number, RecordValues>();
    return {
      delete: (id) => {
        back.delete(id);
        return noting(own.delete(id), (record) => gone.set(id, record));
      },
      retrieve: async (id) => {
        const record = back.get(id);
        return record ? one(record) : own.retrieve(id);
      },
      update: async (id, draft) => {
        const record = gone.get(id);
        if (!record || draft.values[name] !== false)
          return own.update(id, { ...draft, values: without(draft.values, name) });
        back.set(id, { ...record, [name]: false });
        return one({ ...record, [name]: false });
      },
    };
  },
  'readonly.stored-beside-others': storesReadonly('update'),
  'lines.drops-part': stores('create', (values, at) =>
    inLines(values, at, (line) => without(line, at.detail)),
  ),
  'kept.alters-edge': storesValue('create', (value, at) =>
    value !== null && nameOf(value) === at.detail ? otherValue(at, value) : value,
  ),
};

/** Gives the record next to another one the value of the field that was sent. */
async function passOn(own: ModelEngine, id: unknown, { values }: Draft, { detail, field: { name } }: At) {
  const value = values[name];
  const other = value === undefined ? undefined : await neighborOf(own, id, detail);
  if (other && value !== undefined) await own.update(Number(other.id), draftOf({ [name]: value }));
}

/** Changes each record wherever it is shown, from its first update on. */
function onceUpdated(alter: (record: RecordValues, at: At) => RecordValues): ChangeRecords {
  return (own, at) => {
    const updated = new Set<unknown>();
    const shown = showing(own, ALL, (record) => (updated.has(record.id) ? alter(record, at) : record));
    const update: ModelEngine['update'] = async (id, draft) => {
      const result = await noting(own.update(id, draft), (record) => updated.add(record.id));
      return isOne(result) ? one(alter(result.record, at)) : result;
    };
    return { ...shown, update };
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
      const before = await findOne(own, id);
      return noting(own.delete(id), () => before && gone.set(id, before));
    };
    return { ...show(own, gone), delete: remove };
  };
}

/** Shows a record with a value of the write that changed it last. */
function remembers(
  operation: Written,
  pick: (draft: Draft, at: At) => Value | undefined,
  storable: (values: RecordValues, at: At) => RecordValues,
  show: (record: RecordValues, value: Value, at: At) => RecordValues,
): ChangeRecords {
  return (own, at) => {
    const kept = new Map<number, Value>();
    const shown = (record: RecordValues, value = kept.get(Number(record.id))) =>
      value === undefined ? record : show(record, value, at);
    const write = async <Found extends { kind: string }>(result: Promise<Found>, draft: Draft) => {
      const found = await result;
      const value = pick(draft, at);
      if (!isOne(found) || (value === undefined && operation === 'create')) return found;
      if (value !== undefined) kept.set(Number(found.record.id), value);
      return { ...found, record: shown(found.record, value) };
    };
    const cut = (draft: Draft) => ({ ...draft, values: storable(draft.values, at) });
    const create: ModelEngine['create'] = (draft) => write(own.create(cut(draft)), draft);
    const update: ModelEngine['update'] = (id, draft) => write(own.update(id, cut(draft)), draft);
    const others = showing(own, ALL, (record) => shown(record));
    return { ...others, ...(operation === 'create' ? { create } : { update }) };
  };
}

/** Stores the value of the client in place of the computed one. */
function storesReadonly(operation: Written) {
  return remembers(
    operation,
    ({ values }, { field }) => values[field.name],
    // A record is found by its ID, so a sent ID is stored, and not only shown.
    (values, { field: { name } }) =>
      operation === 'create' && name === 'id' ? values : without(values, name),
    (record, value, { field }) => ({ ...record, [field.name]: value }),
  );
}

/** Returns the ID of the record that a body names; undefined if there is none. */
async function idNamed(own: ModelEngine, { id }: RecordValues): Promise<number | undefined> {
  const named = Number.isInteger(id) ? await findOne(own, Number(id)) : undefined;
  return named && Number(named.id);
}

function firstOf({ values, violations }: Draft, count: number): Draft {
  return { values: Object.fromEntries(Object.entries(values).slice(0, count)), violations };
}

function inLines(
  values: RecordValues,
  { field }: At,
  change: (line: RecordValues) => RecordValues,
): RecordValues {
  if (!Array.isArray(values[field.name])) return values;
  return { ...values, [field.name]: linesIn(values, field).map(change) };
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
