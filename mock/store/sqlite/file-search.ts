import { setImmediate } from 'node:timers/promises';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { allOf, conditionsOf } from '../condition.ts';
import { comparison } from '../order.ts';
import type { Found, Query } from '../store.ts';
import { explainDamage } from './file.ts';
import { type Content, changedRecords, readShown, type Source } from './file-content.ts';
import { columnsFor, createValues, fieldsOf, narrowSql, type Row, selectSql } from './selects.ts';
import { createTop } from './top.ts';

/** A search reads this number of records, and then lets other work of the process run. */
const PART = 500;

/** A search that writes interrupt this often no longer lets other work run. */
const MOST_TRIES = 3;

/** Looks at all records of a table. Resolves to undefined if they were removed. */
export async function searchFile(source: Source, content: Content, query: Query): Promise<Found | undefined> {
  try {
    for (let tries = 1; !content.row.isGone; tries++) {
      const found = await searchOnce(source, content, query, tries < MOST_TRIES);
      if (found) return found;
    }
    return undefined;
  } catch (error) {
    throw explainDamage(error, source.place.path);
  }
}

/** The same in one state of the table. Resolves to undefined if a write came between two parts. */
async function searchOnce(
  source: Source,
  content: Content,
  query: Query,
  letsOthersRun: boolean,
): Promise<Found | undefined> {
  const { liveOnly, sort = [], withTotal = true } = query;
  const { changes } = content;
  const isSame = createComparison(content);
  const holds = allOf(conditionsOf(query));
  const top = createTop(comparison(sort), query);
  const isEnough = () => !withTotal && sort.length === 0 && changes.size === 0 && top.isFull();
  do {
    for (const part of readParts(source, content, query, top.isWhole)) {
      for (const record of part) if (!changes.has(Number(record.id)) && holds(record)) top.add(record);
      if (isEnough()) break;
      if (letsOthersRun) await setImmediate();
      if (!isSame()) return undefined;
    }
    for (const record of changedRecords(changes, liveOnly, source.mark)) if (holds(record)) top.add(record);
  } while (top.goOn());
  const { records, total } = top.end();
  if (top.isWhole) return { records, total };
  const ids = records.map(({ id }) => Number(id));
  return { records: readShown(source, content, ids, query), total };
}

/** Returns a function that returns whether the table is as it was. */
function createComparison(content: Content): () => boolean {
  const { row, version } = content;
  const { version: rowVersion } = row;
  return () =>
    content.row === row && content.version === version && row.version === rowVersion && !row.isGone;
}

/** Returns an ID that is less than those of all matching records, so that the next page by ID needs no search from the start. */
function idBefore({ filters = [] }: Query): number {
  const limits = filters.map(({ field, operator, values: [value] }) =>
    field === 'id' && operator === 'gt' && Number.isSafeInteger(value) ? Number(value) : -Infinity,
  );
  return Math.max(Number.MIN_SAFE_INTEGER, ...limits);
}

/** Yields the records that can match, a part at a time, with all fields or those that the query needs. */
function* readParts(
  { place, sql }: Source,
  { row }: Content,
  query: Query,
  isWhole: boolean,
): Generator<readonly RecordValues[]> {
  const { bind, values } = createValues();
  const range = `id > ${bind(null)} AND id <= ${bind(null)}`;
  const conditions = [...(query.liveOnly ? ['NOT deleted'] : []), ...narrowSql(query, bind)];
  const { columns, toRecord } = columnsFor(isWhole ? undefined : fieldsOf(query), bind);
  const text = selectSql(row.layers, columns, { conditions, range });
  const statement = place.database.prepare(`${text} ORDER BY id`);
  statement.setReturnArrays(true);
  const [, , ...others] = values;
  const endAfter = (id: number) => {
    const ends = row.layers.map((layer) => sql.idAfter.get(layer, id, PART - 1)?.id);
    return Math.min(...ends.map((end) => Number(end ?? Number.MAX_SAFE_INTEGER)));
  };
  for (let from = idBefore(query), to = from; from < Number.MAX_SAFE_INTEGER; from = to) {
    to = endAfter(from);
    const rows = statement.all(from, to, ...others) as unknown as Row[];
    yield rows.map(toRecord);
  }
}
