/** Values that follow from others: a record's own, those of its lines, and the totals of its parents. */

import type { Model } from '../../spec/catalogue/catalogue.ts';
import { isDeleted } from '../../spec/catalogue/roles.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { linesOf } from './lines.ts';
import type { RecordReader, UnitOfWork } from './unit-of-work.ts';

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
