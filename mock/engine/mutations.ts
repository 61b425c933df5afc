/** Changes of records together with what hangs on them: their lines, and the values that follow from others. */

import type { Model } from '../../spec/catalogue/catalogue.ts';
import { fieldOf } from '../../spec/catalogue/roles.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { putDerived, refreshParents, settle } from './derived.ts';
import type { LineRelation } from './line-relations.ts';
import { givenLines, idOf, linesOf } from './lines.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Adds a record and the lines given with it. */
export async function insert(work: UnitOfWork, model: Model, values: RecordValues): Promise<RecordValues> {
  const relations = work.relations.ofParent(model);
  const id = await freeId(work, model, relations);
  let record = work.computed.complete(model, id, withoutLines(values, relations), work);
  if (relations.length === 0) return putDerived(work, model, record);
  await work.records.put(model.name, record);
  for (const relation of relations)
    record = await placeLines(work, relation, record, givenLines(values, relation) ?? []);
  return settle(work, model, record);
}

/**
 * Changes the values that are given. Of the lines that are given, one with the id of a line of the record is a
 * change of it, and every other a new one; lines that are not given are erased.
 */
export async function change(
  work: UnitOfWork,
  model: Model,
  before: RecordValues,
  values: RecordValues,
): Promise<RecordValues> {
  const relations = work.relations.ofParent(model);
  const changed = { ...before, ...withoutLines(values, relations) };
  let record = work.computed.touch(model, changed, work);
  if (relations.length === 0) return putDerived(work, model, record, before);
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
export async function erase(work: UnitOfWork, model: Model, record: RecordValues): Promise<RecordValues> {
  const { computed, profile, records, relations } = work;
  const held = await Promise.all(
    relations
      .ofParent(model)
      .map(async (relation) => [relation, await linesOf(work, relation, record)] as const),
  );
  // A model without the field has no mark (section 2.0). What is removed is left as it was.
  const mark = profile['delete.effect'] === 'mark' ? fieldOf(model, 'deleted') : undefined;
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

/** What an update stores: an update in full unsets what is not sent, in a line too (`request.update`). */
export function updateOf(model: Model, values: RecordValues, profile: Profile): RecordValues {
  if (profile['request.update'] !== 'full') return values;
  const writable = model.fields.filter((field) => !field.readonly);
  return { ...Object.fromEntries(writable.map(({ name }) => [name, null])), ...values };
}

/** Passes over ids that lines name already: the new record would have lines that it was not given. */
async function freeId(work: UnitOfWork, model: Model, relations: readonly LineRelation[]): Promise<number> {
  const id = await work.records.nextId(model.name);
  for (const { line, link } of relations) {
    if (link === undefined) continue;
    const { total } = await work.records.find(line.name, { where: [[link, id]], liveOnly: true, size: 0 });
    if (total > 0) return freeId(work, model, relations);
  }
  return id;
}

/**
 * Gives a record its lines: from values with the id of a line it has, that line changed; from other values new
 * ones; those named by id alone from wherever they were. Gives the record as it then is.
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
      await moveLine(work, relation, Number(item), own);
      ids.push(item);
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

/** Gives a line another parent, whose totals are worked out later; those of the one it had are now. */
async function moveLine(
  work: UnitOfWork,
  { line, link }: LineRelation,
  id: number,
  own: RecordValues,
): Promise<void> {
  const moved = await work.records.get(line.name, id);
  if (!moved || link === undefined) return;
  await work.records.put(line.name, work.computed.touch(line, { ...moved, ...own }, work));
  await refreshParents(work, line, moved);
}

function withoutLines(values: RecordValues, relations: readonly LineRelation[]): RecordValues {
  if (relations.length === 0) return values;
  const names = relations.map(({ field }) => field.name);
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
}
