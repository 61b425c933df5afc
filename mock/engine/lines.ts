/**
 * The lines of records. A line is a record that names its parent, so that no line is stored twice. The parent's field
 * has the IDs of its lines only if no link names the parent, or after the parent is marked as deleted.
 */
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { isDeleted } from '../../spec/catalogue/roles.ts';
import { profileAt } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { linksTo } from '../store/store.ts';
import type { LineRelation } from './links.ts';
import type { RecordReader, UnitOfWork } from './unit-of-work.ts';
import { pointerTo, type Violation } from './violation.ts';

/** The lines a record has now, by id; those of a deleted record are the ones it was deleted with. */
export async function linesOf(
  { records }: RecordReader,
  { field, line, link }: LineRelation,
  parent: RecordValues,
): Promise<readonly RecordValues[]> {
  const held = parent[field.name];
  if (Array.isArray(held)) {
    const found = await Promise.all(held.map((id) => records.get(line.name, Number(id))));
    return found.flatMap((one) => (one && (isDeleted(line, parent) || !isDeleted(line, one)) ? [one] : []));
  }
  if (link === undefined) return [];
  const filters = [linksTo(link, parent.id ?? null)];
  return (await records.find(line.name, { filters, liveOnly: true })).records;
}

/** The record with its lines, in full or as ids (`types.lines`); the same object where its model has none. */
export async function withLines(
  reader: RecordReader,
  model: Model,
  record: RecordValues,
): Promise<RecordValues> {
  const relations = reader.relations.ofParent(model);
  if (relations.length === 0) return record;
  const shown: Record<string, Value> = { ...record };
  for (const relation of relations) {
    const found = await linesOf(reader, relation, record);
    // Only ids may lead in a circle; the document refuses models whose lines in full would have no end.
    shown[relation.field.name] =
      profileAt(reader.profile, relation.field.key)['types.lines'] === 'ids'
        ? found.map((line) => line.id ?? null)
        : await Promise.all(found.map((line) => withLines(reader, relation.line, line)));
  }
  return shown;
}

/** Lines given as ids (`types.lines: ids`) that are no records, or the record itself. */
export async function refuseUnknownLines(
  reader: RecordReader,
  model: Model,
  values: RecordValues,
  ownId?: number,
  pointer = '',
): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const { field, line } of reader.relations.ofParent(model)) {
    const items = values[field.name];
    for (const [index, item] of (Array.isArray(items) ? items : []).entries()) {
      const at = pointerTo(pointerTo(pointer, field.name), index);
      if (typeof item === 'object') {
        violations.push(...(await refuseUnknownLines(reader, line, item as RecordValues, undefined, at)));
      } else if (!reader.isElsewhere?.(line.name)) {
        const found = await reader.records.get(line.name, Number(item));
        if (!found || isDeleted(line, found) || (line === model && found.id === ownId))
          violations.push({
            pointer: at,
            message: `must be the ID of an existing ${line.name} record, but is ${item}`,
          });
      }
    }
  }
  return violations;
}

/** The lines that are given for a relation: none for null, undefined when the field is not named. */
export function givenLines(values: RecordValues, { field }: LineRelation): readonly Value[] | undefined {
  const items = values[field.name];
  if (items === undefined) return undefined;
  return Array.isArray(items) ? items : [];
}

/** Returns the ID in a line, which is an ID alone or an object with values; null if it has none. */
export function idOf(item: Value): Value {
  return typeof item === 'object' && item !== null ? ((item as RecordValues).id ?? null) : item;
}

/** Stores a record without lines, with what follows from its values and from its parent. */
export async function putDerived(
  work: UnitOfWork,
  model: Model,
  record: RecordValues,
  before?: RecordValues,
): Promise<RecordValues> {
  const parent = await parentOf(work, model, record);
  return put(work, model, work.computed.compute(model, { record, before, parent }));
}

/** Stores a record with lines after what follows from others was worked out again, in its lines too. */
export async function settle(
  work: UnitOfWork,
  model: Model,
  record: RecordValues,
  before?: RecordValues,
): Promise<RecordValues> {
  const { computed, relations } = work;
  const lines: RecordValues[] = [];
  for (const relation of relations.ofParent(model))
    for (const line of await linesOf(work, relation, record)) {
      const settled = computed.compute(relation.line, { record: line, before: line, parent: record });
      const isSame = settled === line;
      lines.push(
        isSame ? line : await put(work, relation.line, computed.touch(relation.line, settled, work)),
      );
    }
  const parent = await parentOf(work, model, record);
  return put(work, model, computed.compute(model, { record, before, parent, lines }));
}

/** Lets the totals of the parents follow: of those the record has, and those it had before. */
export async function refreshParents(
  work: UnitOfWork,
  model: Model,
  ...states: readonly RecordValues[]
): Promise<void> {
  for (const { parent: parentModel, link } of work.relations.ofLine(model))
    for (const id of new Set(states.map((record) => record[link]))) {
      const parent = await work.records.get(parentModel.name, Number(id));
      if (!parent || isDeleted(parentModel, parent)) continue;
      const settled = await settle(work, parentModel, parent, parent);
      if (settled === parent) continue;
      const touched = work.computed.touch(parentModel, settled, work);
      await refreshParents(work, parentModel, await put(work, parentModel, touched));
    }
}

async function parentOf(
  { records, relations }: RecordReader,
  model: Model,
  record: RecordValues,
): Promise<RecordValues | undefined> {
  for (const { parent, link } of relations.ofLine(model)) {
    const found = await records.get(parent.name, Number(record[link]));
    if (found && !isDeleted(parent, found)) return found;
  }
  return undefined;
}

async function put({ records }: UnitOfWork, model: Model, record: RecordValues): Promise<RecordValues> {
  await records.put(model.name, record);
  return record;
}
