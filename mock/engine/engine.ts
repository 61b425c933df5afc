import { marksDeleted, showsMarked } from '../../spec/binding.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { fieldOf, isDeleted } from '../../spec/catalogue/roles.ts';
import { onceFor } from '../../spec/once-for.ts';
import { movesOf, type Profile, profileAt, under } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Found, linksTo, type Query, type SessionRecords } from '../store/store.ts';
import { NOBODY, secondOf } from './computed.ts';
import {
  givenLines,
  idOf,
  type LineRelation,
  linesOf,
  type RecordReader,
  type RecordSemantics,
  refreshParents,
  refuseUnknownIds,
  settle,
  type UnitOfWork,
  withLines,
} from './relations.ts';
import { type Draft, pointerTo, type Violation } from './violation.ts';

export type OneRecord = { readonly kind: 'record'; readonly record: RecordValues };
export type UnknownRecord = {
  readonly kind: 'unknown-record';
  /** There was one, and it is deleted. */
  readonly deleted?: boolean;
};
/** Nothing was stored. */
export type Invalid = { readonly kind: 'invalid'; readonly violations: readonly Violation[] };

/** Which records of a list are wanted. Without `liveOnly`, the profile decides (`delete.effect`). */
export type ListQuery = Omit<Query, 'liveOnly'> & Partial<Pick<Query, 'liveOnly'>>;

/** The five operations of section 4. A draft with violations stores nothing. */
export type ModelEngine = {
  retrieve(id: number): Promise<OneRecord | UnknownRecord>;
  list(query: ListQuery): Promise<Found>;
  create(draft: Draft): Promise<OneRecord | Invalid>;
  update(id: number, draft: Draft): Promise<OneRecord | UnknownRecord | Invalid>;
  /** Gives the record as it was left. */
  delete(id: number, user?: number): Promise<OneRecord | UnknownRecord>;
};

export type Engine = (model: Model) => ModelEngine;

export function createEngine(semantics: RecordSemantics, records: SessionRecords, clock: () => Date): Engine {
  const { profile, relations } = semantics;
  const partial = under(profile, { 'request.update': 'partial', 'request.null': 'clear' });
  const reader: RecordReader = { ...semantics, records };
  const write = <Result>(run: (work: UnitOfWork) => Promise<Result>, user = NOBODY): Promise<Result> =>
    records.transaction((own) => run({ ...semantics, records: own, now: secondOf(clock()), user }));
  return onceFor((model) => ({
    retrieve: async (id) => {
      const record = await records.get(model.name, id);
      if (!record || (isDeleted(model, record) && !showsMarked(profile, model.name).retrieve))
        return unknown(record);
      const shown = relations.ofParent(model).length > 0 ? await withLines(reader, model, record) : record;
      return { kind: 'record', record: shown };
    },
    list: async (query) => {
      const found = await records.find(model.name, {
        liveOnly: !showsMarked(profile, model.name).list,
        ...query,
      });
      if (relations.ofParent(model).length === 0) return found;
      const shown = found.records.map((record) => withLines(reader, model, record));
      return { records: await Promise.all(shown), total: found.total };
    },
    create: (draft) => write((work) => create(work, model, draft), draft.user),
    update: (id, draft) =>
      write(
        (work) => update(draft.isPartial ? { ...work, profile: partial } : work, model, id, draft),
        draft.user,
      ),
    delete: (id, user) => write((work) => remove(work, model, id), user),
  }));
}

async function create(work: UnitOfWork, model: Model, draft: Draft): Promise<OneRecord | Invalid> {
  const violations = [
    ...draft.violations,
    ...refuseMoves(model, {}, draft.values, work.profile),
    ...(await refuseUnknownIds(work, model, draft.values)),
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
    ...(await refuseUnknownIds(work, model, values, id)),
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

/** Returns the status changes that are not allowed (setting `transitions`), also in lines. */
async function refuseTransitions(
  reader: RecordReader,
  model: Model,
  before: RecordValues,
  values: RecordValues,
  pointer = '',
): Promise<Violation[]> {
  if (reader.profile.transitions === 'any') return [];
  const violations = refuseMoves(model, before, values, reader.profile, pointer);
  for (const relation of reader.relations.ofParent(model)) {
    const items = givenLines(values, relation) ?? [];
    for (const line of items.length > 0 ? await linesOf(reader, relation, before) : []) {
      const index = items.findIndex((item) => idOf(item) === line.id);
      const item = items[index];
      if (typeof item !== 'object') continue;
      const at = pointerTo(pointerTo(pointer, relation.field.name), index);
      violations.push(...(await refuseTransitions(reader, relation.line, line, item as RecordValues, at)));
    }
  }
  return violations;
}

/** Staying always is allowed, and so is a first value where the profile names none for a new record. */
function refuseMoves(
  model: Model,
  before: RecordValues,
  values: RecordValues,
  profile: Profile,
  pointer = '',
): Violation[] {
  if (profile.transitions === 'any') return [];
  return model.fields.flatMap((field) => {
    const moves = movesOf(field, profile);
    const [from, to] = [before[field.name] ?? null, values[field.name] ?? null];
    if (moves === undefined || to === null || from === to || (from === null && !moves.new)) return [];
    const targets = (from === null ? moves.new : moves[String(from)]) ?? [];
    if (targets.some((target) => String(target) === String(to))) return [];
    const allowed = [from ?? [], ...targets].flat().join(', ');
    const change = from === null ? `can't be ${to} in a new record` : `can't change from ${from} to ${to}`;
    const message = `${change}. Allowed values: ${allowed}`;
    return [{ pointer: pointerTo(pointer, field.name), message }];
  });
}

async function insert(work: UnitOfWork, model: Model, values: RecordValues): Promise<RecordValues> {
  const relations = work.relations.ofParent(model);
  const id = await freeId(work, model, relations);
  let record = work.computed.complete(model, id, withoutLines(values, relations), work);
  if (relations.length > 0) await work.records.put(model.name, record);
  for (const relation of relations)
    record = await placeLines(work, relation, record, givenLines(values, relation) ?? []);
  return settle(work, model, record);
}

/** Changes the given values. A given line without the ID of a line is new, and a line that is not given is erased. */
async function change(
  work: UnitOfWork,
  model: Model,
  before: RecordValues,
  values: RecordValues,
): Promise<RecordValues> {
  const relations = work.relations.ofParent(model);
  const changed = { ...before, ...withoutLines(values, relations) };
  let record = work.computed.touch(model, changed, work);
  for (const relation of relations) {
    const items = givenLines(values, relation);
    if (items === undefined) continue;
    const lines = await linesOf(work, relation, before);
    const named = new Set(items.map(idOf));
    for (const line of lines) if (!named.has(line.id ?? null)) await erase(work, relation.line, line);
    record = await placeLines(work, relation, record, items, lines);
  }
  return settle(work, model, record, before);
}

/** Removes a record and its lines, or marks them as deleted (`delete.effect`). Gives the record as it was left. */
async function erase(work: UnitOfWork, model: Model, record: RecordValues): Promise<RecordValues> {
  const { computed, profile, records, relations } = work;
  const held = await Promise.all(
    relations
      .ofParent(model)
      .map(async (relation) => [relation, await linesOf(work, relation, record)] as const),
  );
  // A model without the field has no mark (section 2.0). A removed record does not change.
  const mark = marksDeleted(model, profile) ? fieldOf(model, 'deleted') : undefined;
  const left = mark ? { ...computed.touch(model, record, work), [mark.name]: true } : record;
  if (mark) {
    const ids = held.map(([{ field }, lines]) => [field.name, lines.map((line) => line.id ?? null)]);
    await records.put(model.name, { ...left, ...Object.fromEntries(ids) });
  } else {
    await records.remove(model.name, Number(record.id));
  }
  for (const [{ line: lineModel }, lines] of held)
    for (const line of lines) await erase(work, lineModel, line);
  return left;
}

/** Returns the values to store (`request.null`). A full update also unsets missing fields (`request.update`). */
function updateOf(model: Model, values: RecordValues, profile: Profile): RecordValues {
  const isStored = ([name, value]: [string, unknown]) =>
    value !== null || profileAt(profile, `${model.name}.${name}`)['request.null'] === 'clear';
  const stored = Object.fromEntries(Object.entries(values).filter(isStored));
  if (profileAt(profile, model.name)['request.update'] !== 'full') return stored;
  const writable = model.fields.filter((field) => !field.readonly);
  return { ...Object.fromEntries(writable.map(({ name }) => [name, null])), ...stored };
}

/** Passes over ids that lines name already: the new record would have lines that it was not given. */
async function freeId(work: UnitOfWork, model: Model, relations: readonly LineRelation[]): Promise<number> {
  const id = await work.records.nextId(model.name);
  for (const { line, link } of relations) {
    if (link === undefined) continue;
    const { total } = await work.records.find(line.name, {
      filters: [linksTo(link, id)],
      liveOnly: true,
      size: 0,
    });
    if (total > 0) return freeId(work, model, relations);
  }
  return id;
}

/**
 * Stores the lines of a record. Values with the ID of one of its lines change that line. Other values create a line. An
 * ID only moves a line from its old parent. Returns the record with its lines.
 */
async function placeLines(
  work: UnitOfWork,
  relation: LineRelation,
  record: RecordValues,
  items: readonly Value[],
  before: readonly RecordValues[] = [],
): Promise<RecordValues> {
  const { line, link, field } = relation;
  const held = new Map(before.map((member) => [member.id ?? null, member]));
  const own = link === undefined ? {} : { [link]: record.id ?? null };
  const ids: Value[] = [];
  for (const item of items) {
    if (typeof item !== 'object' || item === null) {
      ids.push(item);
      const moved = link === undefined ? undefined : await work.records.get(line.name, Number(item));
      if (!moved) continue;
      await work.records.put(line.name, work.computed.touch(line, { ...moved, ...own }, work));
      // The totals of the new parent are computed later, those of the old one now.
      await refreshParents(work, line, moved);
      continue;
    }
    const { id = null, ...values } = item as RecordValues;
    const known = held.get(id);
    // One line can't be two: a second item with its id is a new line.
    held.delete(id);
    const given = { ...values, ...own };
    const placed = known
      ? await change(work, line, known, updateOf(line, given, work.profile))
      : await insert(work, line, given);
    ids.push(placed.id ?? null);
  }
  return link === undefined ? { ...record, [field.name]: ids } : record;
}

function withoutLines(values: RecordValues, relations: readonly LineRelation[]): RecordValues {
  if (relations.length === 0) return values;
  const names = relations.map(({ field }) => field.name);
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
}
