import { setTimeout as delay } from 'node:timers/promises';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Engine, OneRecord } from '../engine/engine.ts';
import type { Draft } from '../engine/violation.ts';
import type { At, ChangeRecords, Records, Written } from './defect.ts';

type Work = (...args: unknown[]) => Promise<unknown>;
type Result = { readonly kind: string };

export const ALL = ['retrieve', 'list', 'create', 'update', 'delete'] as const;

/** Replaces operations of one model; other models are not affected. */
export function onEngine(model: Model, change: (inner: Engine) => Partial<Engine>) {
  return {
    engine: (inner: Engine): Engine => {
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

/** Returns the engine with the change of a defect at one place. */
export function changeRecords(inner: Engine, at: At, change: ChangeRecords): Engine {
  const own = forAll<Records>((name, args) => (inner[name] as Work)(at.model, ...args));
  const changed = { ...own, ...change(own, at) };
  const forModel = forAll<Engine>((name, [, ...args]) => (changed[name] as Work)(...args));
  return onEngine(at.model, () => forModel).engine(inner);
}

function forAll<Of>(work: (name: keyof Engine, args: unknown[]) => Promise<unknown>): Of {
  return Object.fromEntries(ALL.map((name) => [name, (...args: unknown[]) => work(name, args)])) as Of;
}

/** Changes the records in the results of some operations. The stored records do not change. */
export function showing<Inner extends Engine | Records>(
  inner: Inner,
  operations: readonly (keyof Engine)[],
  alter: (record: RecordValues, sent: RecordValues) => RecordValues,
): Partial<Inner> {
  const all = forAll<Inner>(async (name, args) => {
    const result = (await (inner[name] as Work)(...args)) as Awaited<ReturnType<Engine[keyof Engine]>>;
    const { values = {} } = args.at(-1) as Partial<Draft>;
    if (result.kind === 'record') return { ...result, record: alter(result.record, values) };
    if (result.kind !== 'records') return result;
    return { ...result, records: result.records.map((record) => alter(record, {})) };
  });
  return Object.fromEntries(operations.map((name) => [name, all[name]])) as Partial<Inner>;
}

export function shows(
  operations: readonly (keyof Engine)[],
  alter: (record: RecordValues, at: At, sent: RecordValues) => RecordValues,
): ChangeRecords {
  return (own, at) => showing(own, operations, (record, sent) => alter(record, at, sent));
}

/** Shows no value of a field. */
export function hides(operation: keyof Engine): ChangeRecords {
  return shows([operation], (record, { field }) => ({ ...record, [field.name]: null }));
}

/** Stores other values than the ones that a create or an update sends. */
export function stores(
  operation: Written,
  alter: (values: RecordValues, at: At) => RecordValues,
): ChangeRecords {
  return ({ create, update }, at) => {
    const altered = ({ values, violations }: Draft): Draft => ({ values: alter(values, at), violations });
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

/** Shows a record with a value of the write that changed it last. */
export function remembers(
  operation: Written,
  pick: (draft: Draft, at: At) => Value | undefined,
  storable: (values: RecordValues, at: At) => RecordValues,
  show: (record: RecordValues, value: Value, at: At) => RecordValues,
): ChangeRecords {
  return (own, at) => {
    const kept = new Map<number, Value>();
    const shown = (record: RecordValues, value = kept.get(Number(record.id))) =>
      value === undefined ? record : show(record, value, at);
    const write = async <Found extends Result>(result: Promise<Found>, draft: Draft) => {
      const found = await result;
      const value = pick(draft, at);
      if (!isOne(found) || (value === undefined && operation === 'create')) return found;
      if (value !== undefined) kept.set(Number(found.record.id), value);
      return { ...found, record: shown(found.record, value) };
    };
    const cut = (draft: Draft) => ({ ...draft, values: storable(draft.values, at) });
    const create: Records['create'] = (draft) => write(own.create(cut(draft)), draft);
    const update: Records['update'] = (id, draft) => write(own.update(id, cut(draft)), draft);
    const others = showing(own, ALL, (record) => shown(record));
    return { ...others, ...(operation === 'create' ? { create } : { update }) };
  };
}

export function creates(
  work: (own: Records, draft: Draft, at: At) => ReturnType<Engine['create']>,
): ChangeRecords {
  return (own, at) => ({ create: (draft) => work(own, draft, at) });
}

export function updates(
  work: (own: Records, id: number, draft: Draft, at: At) => ReturnType<Engine['update']>,
): ChangeRecords {
  return (own, at) => ({ update: (id, draft) => work(own, id, draft, at) });
}

export function deletes(
  work: (own: Records, id: number, at: At) => ReturnType<Engine['delete']>,
): ChangeRecords {
  return (own, at) => ({ delete: (id) => work(own, id, at) });
}

/** Changes the records of a list, filtered and sorted as requested, before a page is taken from them. */
export function lists(
  change: (records: readonly RecordValues[], at: At) => readonly RecordValues[],
): (own: Records, at: At) => Pick<Records, 'list'> {
  return (own, at) => ({
    list: async ({ offset = 0, size = Number.POSITIVE_INFINITY, ...others }) => {
      const records = change((await own.list(others)).records, at);
      return { kind: 'records', records: records.slice(offset, offset + size), total: records.length };
    },
  });
}

/** Lists with another query than the requested one. */
export function queries(
  change: (query: Parameters<Records['list']>[0], at: At) => Parameters<Records['list']>[0],
): ChangeRecords {
  return (own, at) => ({ list: (query) => own.list(change(query, at)) });
}

export function isOne(result: Result): result is OneRecord {
  return result.kind === 'record';
}

/** Calls `note` if the result is a record. */
export async function noting<Found extends Result>(
  result: Promise<Found>,
  note: (record: RecordValues) => void,
): Promise<Found> {
  const found = await result;
  if (isOne(found)) note(found.record);
  return found;
}

/** Returns a result with other values, if it is a record. */
export function withValues<Found extends Result>(result: Found, values: RecordValues): Found {
  return isOne(result) ? { ...result, record: { ...result.record, ...values } } : result;
}

export function without<Of>(values: Readonly<Record<string, Of>>, name: string): Record<string, Of> {
  const { [name]: _, ...others } = values;
  return others;
}

/** Returns the record nearest to another one, below it or `above`. */
export async function neighborOf(own: Records, id: unknown, side = 'below') {
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
