import { setTimeout as delay } from 'node:timers/promises';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Engine, ModelEngine, OneRecord } from '../engine/engine.ts';
import type { Draft } from '../engine/violation.ts';
import type { At, ChangeRecords, Written } from './defect.ts';

type EngineResult = { readonly kind: string };

/** Greater than any ID that a service has given to a record. */
export const FAR = 1_000_000_000;

export const ALL = ['retrieve', 'list', 'create', 'update', 'delete'] as const;

/** Replaces operations on the records of one model. */
export function onEngine(model: Model, change: (own: ModelEngine) => Partial<ModelEngine>) {
  return {
    engine: (inner: Engine): Engine => {
      const own = inner(model);
      const changed = { ...own, ...change(own) };
      return (asked) => (asked.name === model.name ? changed : inner(asked));
    },
  };
}

/** Changes the records in the results of some operations. The stored records do not change. */
export function showing(
  own: ModelEngine,
  operations: readonly (keyof ModelEngine)[],
  alter: (record: RecordValues, sent: RecordValues) => RecordValues,
): Partial<ModelEngine> {
  const shown = async <Found extends EngineResult>(result: Promise<Found>, sent: RecordValues = {}) => {
    const found = await result;
    return isOne(found) ? { ...found, record: alter(found.record, sent) } : found;
  };
  const all: ModelEngine = {
    retrieve: (id) => shown(own.retrieve(id)),
    list: async (query) => {
      const found = await own.list(query);
      return { ...found, records: found.records.map((record) => alter(record, {})) };
    },
    create: (draft) => shown(own.create(draft), draft.values),
    update: (id, draft) => shown(own.update(id, draft), draft.values),
    delete: (id, user) => shown(own.delete(id, user)),
  };
  return Object.fromEntries(operations.map((name) => [name, all[name]]));
}

export function shows(
  operations: readonly (keyof ModelEngine)[],
  alter: (record: RecordValues, at: At, sent: RecordValues) => RecordValues,
): ChangeRecords {
  return (own, at) => showing(own, operations, (record, sent) => alter(record, at, sent));
}

/** Stores other values than the ones that a create or an update sends. */
export function stores(
  operation: Written,
  alter: (values: RecordValues, at: At) => RecordValues,
): ChangeRecords {
  return ({ create, update }, at) => {
    const altered = (draft: Draft): Draft => ({ ...draft, values: alter(draft.values, at) });
    return operation === 'create'
      ? { create: (draft) => create(altered(draft)) }
      : { update: (id, draft) => update(id, altered(draft)) };
  };
}

/** Stores another value of the field than the one that is sent; undefined stores none. */
export function storesValue(
  operation: Written,
  alter: (value: Value, at: At) => Value | undefined,
): ChangeRecords {
  return stores(operation, (values, at) => {
    const { name } = at.field;
    const value = values[name];
    if (value === undefined) return values;
    const other = alter(value, at);
    return other === undefined ? without(values, name) : { ...values, [name]: other };
  });
}

export function creates(
  work: (own: ModelEngine, draft: Draft, at: At) => ReturnType<ModelEngine['create']>,
): ChangeRecords {
  return (own, at) => ({ create: (draft) => work(own, draft, at) });
}

export function updates(
  work: (own: ModelEngine, id: number, draft: Draft, at: At) => ReturnType<ModelEngine['update']>,
): ChangeRecords {
  return (own, at) => ({ update: (id, draft) => work(own, id, draft, at) });
}

export function deletes(
  work: (own: ModelEngine, id: number, at: At) => ReturnType<ModelEngine['delete']>,
): ChangeRecords {
  return (own, at) => ({ delete: (id) => work(own, id, at) });
}

/** Changes the records of a list, filtered and sorted as requested, before a page is taken from them. */
export function lists(
  change: (records: readonly RecordValues[], at: At) => readonly RecordValues[],
): (own: ModelEngine, at: At) => Pick<ModelEngine, 'list'> {
  return (own, at) => ({
    list: async ({ offset = 0, size = Number.POSITIVE_INFINITY, ...others }) => {
      const records = change((await own.list(others)).records, at);
      return { records: records.slice(offset, offset + size), total: records.length };
    },
  });
}

export function isOne(result: EngineResult): result is OneRecord {
  return result.kind === 'record';
}

export function one(record: RecordValues): OneRecord {
  return { kind: 'record', record };
}

/** Returns the record with an ID; undefined if there is none. */
export async function findOne(own: ModelEngine, id: number): Promise<RecordValues | undefined> {
  const found = await own.retrieve(id);
  return isOne(found) ? found.record : undefined;
}

/** Calls `note` if the result is a record. */
export async function noting<Found extends EngineResult>(
  result: Promise<Found>,
  note: (record: RecordValues) => unknown,
): Promise<Found> {
  const found = await result;
  if (isOne(found)) await note(found.record);
  return found;
}

/** Returns a result with other values, if it is a record. */
export function withValues<Found extends EngineResult>(result: Found, values: RecordValues): Found {
  return isOne(result) ? { ...result, record: { ...result.record, ...values } } : result;
}

export function without<Of>(values: Readonly<Record<string, Of>>, name: string): Record<string, Of> {
  const { [name]: _, ...others } = values;
  return others;
}

/** Returns the record nearest to another one, below it or `above`. */
export async function neighborOf(own: ModelEngine, id: unknown, side = 'below') {
  const { records } = await own.list({});
  return side === 'above'
    ? records.find((record) => Number(record.id) > Number(id))
    : records.findLast((record) => Number(record.id) < Number(id));
}

/** Returns a draft of valid values. */
export function draftOf(values: RecordValues): Draft {
  return { values, violations: [] };
}

/** Waits until requests that were sent at the same time overlap. A healthy service responds in less time. */
export function overlap(): Promise<void> {
  return delay(5);
}
