import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { comparison, isMarked } from '../order.ts';
import type { Found, Query } from '../store.ts';
import type { Place } from './file.ts';
import { createValues, selectSql } from './selects.ts';
import type { Statements } from './statements.ts';

/** A row of the file, which several tables can read. */
export type FileRow = {
  readonly id: number;
  /** The row and its bases, the topmost first. */
  readonly layers: readonly number[];
  /** The number of the last write to the row. */
  version: number;
  /** Whether its records were removed. */
  isGone: boolean;
};

/** Where the records of a model are read. */
export type Source = {
  readonly place: Place;
  readonly sql: Statements;
  /** The field that marks a deleted record. */
  readonly mark: string | undefined;
  /** The field that the column `owner` has. */
  readonly field: string | undefined;
  /** Runs searches one after the other, so that the first of many ends early. */
  readonly inTurn: <Result>(search: () => Promise<Result>) => Promise<Result>;
};

/** The part of a table in the file that is in memory. */
export type Content = {
  row: FileRow;
  /** The changes that the file does not have. Removed records are undefined. */
  readonly changes: Map<number, RecordValues | undefined>;
  /** The number of the last change. */
  version: number;
  live: number;
  deleted: number;
  lastId: number;
};

/** Returns the record with an ID. */
export function readRecord({ sql }: Source, { changes, row }: Content, id: number): RecordValues | undefined {
  if (changes.has(id)) return changes.get(id);
  for (const layer of row.layers) {
    const found = sql.record.get(layer, id);
    if (found) return found.body === null ? undefined : (JSON.parse(String(found.body)) as RecordValues);
  }
  return undefined;
}

/** Returns those of some records that there are. */
export function readShown(
  source: Source,
  content: Content,
  ids: readonly number[],
  { liveOnly }: Query,
): RecordValues[] {
  const found = ids.map((id) => readRecord(source, content, id)).filter((record) => record !== undefined);
  return liveOnly ? found.filter((record) => !isMarked(record, source.mark)) : found;
}

/** Returns the IDs of the records that link to a parent, and of those that did before the last changes. */
export function idsOwnedBy({ field, sql }: Source, { changes, row }: Content, parent: number): number[] {
  const stored = row.layers.flatMap((layer) => sql.owned.all(layer, parent).map(({ id }) => Number(id)));
  const changed = [...changes].filter(([, record]) => field !== undefined && record?.[field] === parent);
  const ids = new Set([...stored, ...changed.map(([id]) => id)]);
  return [...ids].sort((one, other) => one - other);
}

/** Returns a part of all records. */
export function readPage(
  { mark, place }: Source,
  { changes, deleted, live, row }: Content,
  { liveOnly, offset = 0, size = Number.POSITIVE_INFINITY }: Query,
): Found {
  const total = liveOnly ? live : live + deleted;
  if (size === 0) return { records: [], total };
  // Each changed record can be before the page.
  const from = Math.max(0, Math.min(offset, Number.MAX_SAFE_INTEGER) - changes.size);
  const { bind, values } = createValues();
  const changed = () =>
    `id NOT IN (SELECT value FROM json_each(${bind(JSON.stringify([...changes.keys()]))}))`;
  const conditions = [...(liveOnly ? ['NOT deleted'] : []), ...(changes.size > 0 ? [changed()] : [])];
  const limit = bind(Number.isSafeInteger(offset + size) ? offset + size - from : -1);
  const text = selectSql(row.layers, 'id, body', { conditions });
  const statement = place.database.prepare(`${text} ORDER BY id LIMIT ${limit} OFFSET ${bind(from)}`);
  const stored = statement.all(...values).map(({ body }) => JSON.parse(String(body)) as RecordValues);
  const records = [...stored, ...changedRecords(changes, liveOnly, mark)];
  return { records: records.sort(comparison([])).slice(offset - from, offset - from + size), total };
}

/** Returns the changed records that there are. */
export function changedRecords(
  changes: Content['changes'],
  liveOnly: boolean,
  mark: string | undefined,
): RecordValues[] {
  const records = [...changes.values()].filter((record) => record !== undefined);
  return liveOnly ? records.filter((record) => !isMarked(record, mark)) : records;
}
