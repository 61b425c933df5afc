import { setImmediate } from 'node:timers/promises';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { allOf, conditionsOf } from '../condition.ts';
import { comparison, isMarked } from '../order.ts';
import { searchRecords } from '../search.ts';
import type { Found, Query } from '../store.ts';
import { idAfter, type Table } from '../table.ts';
import { explainDamage, type Place } from './file.ts';
import { columnsFor, createValues, fieldsOf, narrowSql, type Row, selectSql } from './selects.ts';
import type { Statements } from './statements.ts';
import { createTop } from './top.ts';

/** A table whose records are in the file, with the changes that the file does not have yet. */
export type FileTable = Table & {
  /** Notes that a row of the file has all changes. */
  settle(row: FileRow): void;
};

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
type Source = {
  readonly place: Place;
  readonly sql: Statements;
  /** The field that marks a deleted record. */
  readonly mark: string | undefined;
  /** The field that the column `owner` has. */
  readonly field: string | undefined;
};

/** A search reads this number of records, and then lets other work of the process run. */
const PART = 1000;

/** A search that writes interrupt this often no longer lets other work run. */
const MOST_TRIES = 3;

export function isFileTable(table: Table): table is FileTable {
  return 'settle' in table;
}

/** What a table keeps in memory. */
type Content = {
  readonly row: FileRow;
  /** The changes that the file does not have. Removed records are undefined. */
  readonly changes: ReadonlyMap<number, RecordValues | undefined>;
  readonly live: number;
  readonly deleted: number;
  readonly lastId: number;
};

/** Returns a table that reads the file for each call, so that it uses no memory for its records. */
export function createFileTable(source: Source, row: FileRow, owner: object): FileTable {
  const counts = source.sql.table.get(row.id);
  const [live, deleted, lastId] = [counts?.live, counts?.deleted, counts?.last_id].map(Number);
  return tableOf(source, { row, changes: new Map(), live: live ?? 0, deleted: deleted ?? 0, lastId: lastId ?? 0 }, owner);
}

function tableOf(source: Source, content: Content, owner: object): FileTable {
  const { field, mark, place, sql } = source;
  const changes = new Map(content.changes);
  let { deleted, lastId, live, row } = content;
  let version = 0;
  return {
    owner,
    get lastId() {
      return lastId;
    },
    get: (id) => explained(() => get(id)),
    find: (query) => explained(() => find(query)),
    put: (record) => explained(() => change(Number(record.id), record)),
    remove: (id) => explained(() => change(id, undefined)),
    nextId: (model) => {
      lastId = idAfter(lastId, model);
      return lastId;
    },
    copy: (other) => tableOf(source, { row, changes, live, deleted, lastId }, other),
    settle: (one) => {
      row = one;
      changes.clear();
    },
  };

  function explained<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw explainDamage(error, place.path);
    }
  }

  function get(id: number): RecordValues | undefined {
    if (changes.has(id)) return changes.get(id);
    for (const layer of row.layers) {
      const found = sql.record.get(layer, id);
      if (found) return found.body === null ? undefined : (JSON.parse(String(found.body)) as RecordValues);
    }
    return undefined;
  }

  function change(id: number, record: RecordValues | undefined): void {
    count(get(id), -1);
    count(record, 1);
    changes.set(id, record);
    version += 1;
    if (record) lastId = Math.max(lastId, id);
  }

  function count(record: RecordValues | undefined, sign: 1 | -1): void {
    if (!record) return;
    if (isMarked(record, mark)) deleted += sign;
    else live += sign;
  }

  function find(query: Query): Found | Promise<Found | undefined> {
    const { filters = [], sort = [], where = [] } = query;
    const id = where.find(([name]) => name === 'id');
    if (id) return searchRecords(shown([Number(id[1])], query), query);
    const link = where.find(([name, value]) => name === field && Number.isSafeInteger(value));
    if (link) return searchRecords(shown(idsOwnedBy(Number(link[1])), query), query);
    if (where.length + filters.length + sort.length === 0) return page(query);
    return search(query);
  }

  /** Returns those of some records that there are. */
  function shown(ids: readonly number[], { liveOnly }: Query): RecordValues[] {
    const found = ids.map(get).filter((record) => record !== undefined);
    return liveOnly ? found.filter((record) => !isMarked(record, mark)) : found;
  }

  function idsOwnedBy(parent: number): number[] {
    const stored = row.layers.flatMap((layer) => sql.owned.all(layer, parent).map(({ id }) => Number(id)));
    const changed = [...changes].filter(([, record]) => field !== undefined && record?.[field] === parent);
    const ids = new Set([...stored, ...changed.map(([id]) => id)]);
    return [...ids].sort((one, other) => one - other);
  }

  /** Returns a part of all records. */
  function page({ liveOnly, offset = 0, size = Number.POSITIVE_INFINITY }: Query): Found {
    const total = liveOnly ? live : live + deleted;
    if (size === 0) return { records: [], total };
    // Each changed record can be before the page.
    const from = Math.max(0, offset - changes.size);
    const { bind, values } = createValues();
    const conditions = [
      ...(liveOnly ? ['NOT deleted'] : []),
      ...(changes.size > 0
        ? [`id NOT IN (SELECT value FROM json_each(${bind(JSON.stringify([...changes.keys()]))}))`]
        : []),
    ];
    const limit = bind(Number.isSafeInteger(offset + size) ? offset + size - from : -1);
    const start = bind(Math.min(from, Number.MAX_SAFE_INTEGER));
    const text = `${selectSql(row.layers, 'id, body', { conditions })} ORDER BY id LIMIT ${limit} OFFSET ${start}`;
    const stored = place.database
      .prepare(text)
      .all(...values)
      .map(({ body }) => JSON.parse(String(body)) as RecordValues);
    if (changes.size === 0) return { records: stored, total };
    const records = [...stored, ...changedRecords(liveOnly)].sort(comparison([]));
    return { records: records.slice(offset - from, offset - from + size), total };
  }

  function changedRecords(liveOnly: boolean): RecordValues[] {
    const records = [...changes.values()].filter((record) => record !== undefined);
    return liveOnly ? records.filter((record) => !isMarked(record, mark)) : records;
  }

  /** Looks at all records. Resolves to undefined if they were removed. */
  async function search(query: Query): Promise<Found | undefined> {
    try {
      for (let tries = 1; !row.isGone; tries++) {
        const found = await searchOnce(query, tries < MOST_TRIES);
        if (found) return found;
      }
      return undefined;
    } catch (error) {
      throw explainDamage(error, place.path);
    }
  }

  /** The same in one state of the table. Resolves to undefined if a write came between two parts. */
  async function searchOnce(query: Query, letsOthersRun: boolean): Promise<Found | undefined> {
    const { liveOnly, sort = [], withTotal = true } = query;
    const seen = [row, row.version, version] as const;
    const isSame = () => seen[0] === row && seen[1] === row.version && seen[2] === version && !row.isGone;
    const holds = allOf(conditionsOf(query));
    const top = createTop(comparison(sort), query);
    const isEnough = () => !withTotal && sort.length === 0 && changes.size === 0 && top.isFull();
    do {
      for (const part of parts(query, top.isWhole)) {
        for (const record of part) if (!changes.has(Number(record.id)) && holds(record)) top.add(record);
        if (isEnough()) break;
        if (letsOthersRun) await setImmediate();
        if (!isSame()) return undefined;
      }
      for (const record of changedRecords(liveOnly)) if (holds(record)) top.add(record);
    } while (top.goOn());
    const { records, total } = top.end();
    if (top.isWhole) return { records, total };
    return { records: shown(records.map(({ id }) => Number(id)), query), total };
  }

  /** Yields the records that can match, a part at a time, with all fields or those that the query needs. */
  function* parts(query: Query, isWhole: boolean): Generator<readonly RecordValues[]> {
    const { bind, values } = createValues();
    const range = `id > ${bind(null)} AND id <= ${bind(null)}`;
    const conditions = [...(query.liveOnly ? ['NOT deleted'] : []), ...narrowSql(query, bind)];
    const { columns, toRecord } = columnsFor(isWhole ? undefined : fieldsOf(query), bind);
    const statement = place.database.prepare(`${selectSql(row.layers, columns, { conditions, range })} ORDER BY id`);
    statement.setReturnArrays(true);
    const [, , ...others] = values;
    for (let from = Number.MIN_SAFE_INTEGER, to = from; from < Number.MAX_SAFE_INTEGER; from = to) {
      to = endOfPart(from);
      const rows = statement.all(from, to, ...others) as unknown as Row[];
      yield rows.map(toRecord);
    }
  }

  /** Returns the last ID of a part that begins after an ID. */
  function endOfPart(from: number): number {
    const ends = row.layers.map((layer) => sql.idAfter.get(layer, from, PART - 1)?.id);
    return Math.min(...ends.map((id) => Number(id ?? Number.MAX_SAFE_INTEGER)));
  }
}
