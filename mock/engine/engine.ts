import type { Model } from '../../spec/catalogue/catalogue.ts';
import { isDeleted } from '../../spec/catalogue/roles.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Query, SessionRecords } from '../store/store.ts';
import { createSecondsClock, NOBODY } from './computed.ts';
import { refreshParents } from './derived.ts';
import { refuseUnknownLines, withLines } from './lines.ts';
import { refuseDanglingLinks } from './links.ts';
import { change, erase, insert, updateOf } from './mutations.ts';
import { refuseTransitions } from './transitions.ts';
import type { RecordReader, RecordSemantics, UnitOfWork } from './unit-of-work.ts';
import type { Draft, Violation } from './violation.ts';

export type OneRecord = { readonly kind: 'record'; readonly record: RecordValues };
export type ManyRecords = {
  readonly kind: 'records';
  readonly records: readonly RecordValues[];
  /** The number of all records that were asked for, whatever the page. */
  readonly total: number;
};
export type UnknownRecord = {
  readonly kind: 'unknown-record';
  /** There was one, and it is deleted. */
  readonly deleted?: boolean;
};
/** Nothing was stored. */
export type Invalid = { readonly kind: 'invalid'; readonly violations: readonly Violation[] };

/** Which records of a list are wanted. */
export type ListQuery = Omit<Query, 'liveOnly'>;

/**
 * The five operations of section 4 over records in canonical values. A draft with violations stores nothing; it is
 * taken so that one answer names all that is wrong, and so that an unknown record is known as such first.
 */
export type Engine = {
  retrieve(model: Model, id: number): Promise<OneRecord | UnknownRecord>;
  list(model: Model, query: ListQuery): Promise<ManyRecords>;
  create(model: Model, draft: Draft): Promise<OneRecord | Invalid>;
  update(model: Model, id: number, draft: Draft): Promise<OneRecord | UnknownRecord | Invalid>;
  /** Gives the record as it was left. */
  delete(model: Model, id: number, user?: number): Promise<OneRecord | UnknownRecord>;
};

export type EngineOptions = {
  readonly semantics: RecordSemantics;
  readonly records: SessionRecords;
  readonly clock: () => Date;
};

/** The operations on the records of one session. */
export function createEngine({ semantics, records, clock }: EngineOptions): Engine {
  const { profile, relations } = semantics;
  const reader: RecordReader = { ...semantics, records };
  const now = createSecondsClock(clock);
  const write = <Result>(run: (work: UnitOfWork) => Promise<Result>, user = NOBODY): Promise<Result> =>
    records.transaction((own) => run({ ...semantics, records: own, now: now(), user }));
  return {
    retrieve: async (model, id) => {
      const record = await records.get(model.name, id);
      if (!record || (isDeleted(model, record) && !profile['delete.readable'])) return unknown(record);
      const shown = relations.ofParent(model).length > 0 ? await withLines(reader, model, record) : record;
      return { kind: 'record', record: shown };
    },
    list: async (model, query) => {
      const found = await records.find(model.name, { ...query, liveOnly: !profile['delete.listed'] });
      const hasLines = relations.ofParent(model).length > 0;
      const shown = hasLines
        ? await Promise.all(found.records.map((record) => withLines(reader, model, record)))
        : found.records;
      return { kind: 'records', records: shown, total: found.total };
    },
    create: (model, draft) => write((work) => create(work, model, draft), draft.user),
    update: (model, id, draft) => write((work) => update(work, model, id, draft), draft.user),
    delete: (model, id, user) => write((work) => remove(work, model, id), user),
  };
}

async function create(work: UnitOfWork, model: Model, draft: Draft): Promise<OneRecord | Invalid> {
  const violations = [
    ...draft.violations,
    ...(await refuseUnknownLines(work, model, draft.values)),
    ...(await refuseDanglingLinks(work, model, draft.values)),
  ];
  if (violations.length > 0) return { kind: 'invalid', violations };
  const record = await insert(work, model, draft.values);
  await refreshParents(work, model, record);
  return recordResult(work, model, record);
}

async function update(
  work: UnitOfWork,
  model: Model,
  id: number,
  { values, violations: sent }: Draft,
): Promise<OneRecord | UnknownRecord | Invalid> {
  const before = await work.records.get(model.name, id);
  if (!before || isDeleted(model, before)) return unknown(before);
  const violations = [
    ...sent,
    ...(await refuseTransitions(work, model, before, values)),
    ...(await refuseUnknownLines(work, model, values, id)),
    ...(await refuseDanglingLinks(work, model, values)),
  ];
  if (violations.length > 0) return { kind: 'invalid', violations };
  const record = await change(work, model, before, updateOf(model, values, work.profile));
  await refreshParents(work, model, before, record);
  return recordResult(work, model, record);
}

async function remove(work: UnitOfWork, model: Model, id: number): Promise<OneRecord | UnknownRecord> {
  const before = await work.records.get(model.name, id);
  if (!before || isDeleted(model, before)) return unknown(before);
  const shown = await withLines(work, model, before);
  const left = await erase(work, model, before);
  await refreshParents(work, model, left);
  const marked = await work.records.get(model.name, id);
  if (marked) return recordResult(work, model, marked);
  const lines = work.relations.ofParent(model).map(({ field }) => [field.name, shown[field.name] ?? null]);
  return { kind: 'record', record: { ...left, ...Object.fromEntries(lines) } };
}

/** A record that is deleted can be neither changed nor deleted again. */
function unknown(found: RecordValues | undefined): UnknownRecord {
  return { kind: 'unknown-record', deleted: found !== undefined };
}

async function recordResult(reader: RecordReader, model: Model, record: RecordValues): Promise<OneRecord> {
  return { kind: 'record', record: await withLines(reader, model, record) };
}
