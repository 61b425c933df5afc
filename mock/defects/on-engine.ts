import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Decoration } from '../decoration.ts';
import type { Engine, ListQuery, ManyRecords, OneRecord } from '../engine/engine.ts';

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

/** Changes how some operations show records; what is stored stays. */
export function showing(
  inner: Engine,
  operations: readonly (keyof Engine)[],
  alter: (record: RecordValues) => RecordValues,
): Partial<Engine> {
  const one = <Result extends { readonly kind: string }>(result: Result): Result | OneRecord =>
    isOne(result) ? { kind: 'record', record: alter(result.record) } : result;
  const many = (result: ManyRecords): ManyRecords => ({ ...result, records: result.records.map(alter) });
  const all: Engine = {
    retrieve: async (model, id) => one(await inner.retrieve(model, id)),
    list: async (model, query) => many(await inner.list(model, query)),
    create: async (model, draft) => one(await inner.create(model, draft)),
    update: async (model, id, draft) => one(await inner.update(model, id, draft)),
    delete: async (model, id) => one(await inner.delete(model, id)),
  };
  return Object.fromEntries(operations.map((name) => [name, all[name]]));
}

export const ALL = ['retrieve', 'list', 'create', 'update', 'delete'] as const;

export function isOne(result: { readonly kind: string }): result is OneRecord {
  return result.kind === 'record';
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

/** The record nearest to another one, below it or above. */
export async function neighbourOf(
  engine: Engine,
  model: Model,
  id: number,
  side: 'below' | 'above',
): Promise<RecordValues | undefined> {
  const records = await allRecords(engine, model);
  return side === 'below'
    ? records.findLast((record) => Number(record.id) < id)
    : records.find((record) => Number(record.id) > id);
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
