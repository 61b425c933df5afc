import { setTimeout as delay } from 'node:timers/promises';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Decoration } from '../decoration.ts';
import type { Engine, ListQuery, ManyRecords, OneRecord } from '../engine/engine.ts';
import type { Draft } from '../engine/violation.ts';

/** Replaces operations of one model; other models are not affected. */
export function onEngine(model: Model, change: (inner: Engine) => Partial<Engine>): Decoration {
  return {
    engine: (inner) => {
      const changed: Engine = { ...inner, ...change(inner) };
      const of = (asked: Model) => (asked.name === model.name ? changed : inner);
      return {
        retrieve: (asked, id) => of(asked).retrieve(asked, id),
        list: (asked, query) => of(asked).list(asked, query),
        create: (asked, draft) => of(asked).create(asked, draft),
        update: (asked, id, draft) => of(asked).update(asked, id, draft),
        delete: (asked, id) => of(asked).delete(asked, id),
      };
    },
  };
}

type Result<Name extends keyof Engine> = ReturnType<Engine[Name]>;

/** Does one operation of a model in another way, with `inner` for the original ones. */
export function onRetrieve(
  model: Model,
  work: (inner: Engine, id: number) => Result<'retrieve'>,
): Decoration {
  return onEngine(model, (inner) => ({ retrieve: (_, id) => work(inner, id) }));
}

export function onCreate(model: Model, work: (inner: Engine, draft: Draft) => Result<'create'>): Decoration {
  return onEngine(model, (inner) => ({ create: (_, draft) => work(inner, draft) }));
}

export function onUpdate(
  model: Model,
  work: (inner: Engine, id: number, draft: Draft) => Result<'update'>,
): Decoration {
  return onEngine(model, (inner) => ({ update: (_, id, draft) => work(inner, id, draft) }));
}

export function onDelete(model: Model, work: (inner: Engine, id: number) => Result<'delete'>): Decoration {
  return onEngine(model, (inner) => ({ delete: (_, id) => work(inner, id) }));
}

/** Stores other values than the ones that a create or an update sends. */
export function onStoring(
  model: Model,
  operation: 'create' | 'update',
  alter: (values: RecordValues) => RecordValues,
): Decoration {
  const altered = ({ values, violations }: Draft): Draft => ({ values: alter(values), violations });
  return operation === 'create'
    ? onCreate(model, (inner, draft) => inner.create(model, altered(draft)))
    : onUpdate(model, (inner, id, draft) => inner.update(model, id, altered(draft)));
}

/** Changes the records in the responses of some operations. The stored records do not change. */
export function onShowing(
  model: Model,
  operations: readonly (keyof Engine)[],
  alter: (record: RecordValues, sent: RecordValues) => RecordValues,
): Decoration {
  return onEngine(model, (inner) => showing(inner, operations, alter));
}

export function showing(
  inner: Engine,
  operations: readonly (keyof Engine)[],
  alter: (record: RecordValues, sent: RecordValues) => RecordValues,
): Partial<Engine> {
  const one = <Found extends { readonly kind: string }>(result: Found, sent = {}): Found | OneRecord =>
    isOne(result) ? { kind: 'record', record: alter(result.record, sent) } : result;
  const many = (result: ManyRecords): ManyRecords => ({
    ...result,
    records: result.records.map((record) => alter(record, {})),
  });
  const all: Engine = {
    retrieve: async (model, id) => one(await inner.retrieve(model, id)),
    list: async (model, query) => many(await inner.list(model, query)),
    create: async (model, draft) => one(await inner.create(model, draft), draft.values),
    update: async (model, id, draft) => one(await inner.update(model, id, draft), draft.values),
    delete: async (model, id) => one(await inner.delete(model, id)),
  };
  return Object.fromEntries(operations.map((name) => [name, all[name]]));
}

export const ALL = ['retrieve', 'list', 'create', 'update', 'delete'] as const;

export function isOne(result: { readonly kind: string }): result is OneRecord {
  return result.kind === 'record';
}

/** A result whose record is noted, if it is one. */
export async function noting<Found extends { readonly kind: string }>(
  result: Promise<Found>,
  note: (record: RecordValues) => void,
): Promise<Found> {
  const found = await result;
  if (isOne(found)) note(found.record);
  return found;
}

/** A record with other values. */
export function withValues(record: OneRecord, values: RecordValues): OneRecord {
  return { kind: 'record', record: { ...record.record, ...values } };
}

export function without(values: RecordValues, name: string): RecordValues {
  return Object.fromEntries(Object.entries(values).filter(([other]) => other !== name));
}

/** Every record of a model that its list shows, in the order of ids. */
export async function allRecords(engine: Engine, model: Model): Promise<readonly RecordValues[]> {
  return (await engine.list(model, {})).records;
}

/** The record nearest to another one, below it or `above`. */
export async function neighborOf(
  engine: Engine,
  model: Model,
  id: number,
  side = 'below',
): Promise<RecordValues | undefined> {
  const records = await allRecords(engine, model);
  return side === 'above'
    ? records.find((record) => Number(record.id) > id)
    : records.findLast((record) => Number(record.id) < id);
}

/** The operations on a model without some of its records. */
export function hiding(inner: Engine, gone: ReadonlySet<number>): Partial<Engine> {
  const none = { kind: 'unknown-record' } as const;
  return {
    retrieve: async (model, id) => (gone.has(id) ? none : inner.retrieve(model, id)),
    update: async (model, id, draft) => (gone.has(id) ? none : inner.update(model, id, draft)),
    delete: async (model, id) => (gone.has(id) ? none : inner.delete(model, id)),
    list: listing(inner, (records) => records.filter((record) => !gone.has(Number(record.id)))),
  };
}

/** Lists whose records, filtered and sorted as asked for, are others before a page is taken from them. */
export function listing(
  inner: Engine,
  change: (records: readonly RecordValues[], query: ListQuery) => readonly RecordValues[],
): Engine['list'] {
  return async (model, query) => {
    const { offset = 0, size = Number.POSITIVE_INFINITY, ...others } = query;
    const records = change((await inner.list(model, others)).records, query);
    return { kind: 'records', records: records.slice(offset, offset + size), total: records.length };
  };
}

/** A draft of values that nothing is wrong with. */
export function draftOf(values: RecordValues) {
  return { values, violations: [] };
}

/** Waits for so long that requests that were sent at once overlap. A healthy service answers in less. */
export function overlap(): Promise<void> {
  return delay(5);
}
