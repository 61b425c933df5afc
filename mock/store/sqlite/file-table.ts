import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { isMarked } from '../order.ts';
import { searchRecords } from '../search.ts';
import type { Found, Query } from '../store.ts';
import { idAfter, type Table } from '../table.ts';
import { explainDamage } from './file.ts';
import {
  type Content,
  type FileRow,
  idsOwnedBy,
  readPage,
  readRecord,
  readShown,
  type Source,
} from './file-content.ts';
import { searchFile } from './file-search.ts';

/** A table whose records are in the file, with the changes that the file does not have yet. */
export type FileTable = Table & {
  /** Notes that a row of the file has all changes. */
  settle(row: FileRow): void;
};

export function isFileTable(table: Table): table is FileTable {
  return 'settle' in table;
}

/** Returns a table that reads the file for each call, so that it uses no memory for its records. */
export function createFileTable(source: Source, row: FileRow, owner: object): FileTable {
  const counts = source.sql.table.get(row.id);
  return tableOf(
    source,
    {
      row,
      changes: new Map(),
      version: 0,
      live: Number(counts?.live),
      deleted: Number(counts?.deleted),
      lastId: Number(counts?.last_id),
    },
    owner,
  );
}

function tableOf(source: Source, content: Content, owner: object): FileTable {
  const explained = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw explainDamage(error, source.place.path);
    }
  };
  return {
    owner,
    get lastId() {
      return content.lastId;
    },
    get: (id) => explained(() => readRecord(source, content, id)),
    find: (query) => explained(() => find(source, content, query)),
    put: (record) => explained(() => change(source, content, Number(record.id), record)),
    remove: (id) => explained(() => change(source, content, id, undefined)),
    nextId: (model) => {
      content.lastId = idAfter(content.lastId, model);
      return content.lastId;
    },
    copy: (other) => tableOf(source, { ...content, changes: new Map(content.changes) }, other),
    settle: (row) => {
      content.row = row;
      content.changes.clear();
    },
  };
}

function change(source: Source, content: Content, id: number, record: RecordValues | undefined): void {
  const count = (one: RecordValues | undefined, sign: 1 | -1) => {
    if (!one) return;
    if (isMarked(one, source.mark)) content.deleted += sign;
    else content.live += sign;
  };
  count(readRecord(source, content, id), -1);
  count(record, 1);
  content.changes.set(id, record);
  content.version += 1;
  if (record) content.lastId = Math.max(content.lastId, id);
}

function find(source: Source, content: Content, query: Query): Found | Promise<Found | undefined> {
  const { filters = [], sort = [], where = [] } = query;
  const id = where.find(([name]) => name === 'id');
  if (id) return searchRecords(readShown(source, content, [Number(id[1])], query), query);
  const { field } = source;
  const link = where.find(([name, value]) => name === field && Number.isSafeInteger(value));
  if (link) {
    const ids = idsOwnedBy(source, content, Number(link[1]));
    return searchRecords(readShown(source, content, ids, query), query);
  }
  if (where.length + filters.length + sort.length === 0) return readPage(source, content, query);
  return source.inTurn(() => searchFile(source, content, query));
}
