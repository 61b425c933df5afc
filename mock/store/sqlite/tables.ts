import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Layout, Query } from '../store.ts';
import { createTable, type Table } from '../table.ts';
import { ownerField } from './derived-columns.ts';
import { explainDamage, type Place } from './file.ts';
import type { FileRow } from './file-content.ts';
import { createFileTable, isFileTable } from './file-table.ts';
import { chainOf } from './layers.ts';
import type { Statements } from './statements.ts';

/**
 * Opens the tables of a database, by their rows there. `memory` is the number of bytes of JSON that all tables in memory
 * can have.
 */
export function createTables(place: Place, sql: Statements, layout: Layout, memory: number) {
  const budget = createBudget(memory);
  const known = new Map<number, Table>();
  /** The rows of tables that are not in memory. */
  const fileRows = new Map<number, FileRow>();
  let last: Promise<unknown> = Promise.resolve();
  return { tableOf, settle, forget };

  /** Returns a table, which is opened on its first use. Callers don't write to it. */
  function tableOf(row: number, model: string): Table {
    const table = known.get(row) ?? createLazyTable(sql, row, () => open(row, model));
    known.set(row, table);
    return table;
  }

  /** Loads a table, unless it does not fit in memory. */
  function open(row: number, model: string): Table {
    try {
      if (budget.take(row, Number(sql.table.get(row)?.bytes))) return load(row, model);
      return inFile(row, model, {});
    } catch (error) {
      throw explainDamage(error, place.path);
    }
  }

  function load(row: number, model: string): Table {
    const lastId = Number(sql.table.get(row)?.last_id);
    return createTable(layout, model, { owner: {}, records: recordsOf(row), lastId });
  }

  function* recordsOf(row: number): Generator<RecordValues> {
    for (const { body } of rowsOf(chainOf(sql, row)))
      if (body !== null) yield JSON.parse(String(body)) as RecordValues;
  }

  /** Returns the rows of all layers in the order of their IDs. An upper layer replaces the rows of a lower one. */
  function rowsOf([top = 0, ...bases]: readonly number[]) {
    if (bases.length === 0) return sql.records.iterate(top);
    const all = [...bases.toReversed(), top].flatMap((layer) => sql.records.all(layer));
    const rows = new Map(all.map((one) => [one.id, one]));
    return [...rows.values()].sort((one, other) => Number(one.id) - Number(other.id));
  }

  function inFile(row: number, model: string, owner: object): Table {
    const field = ownerField(layout, model);
    return createFileTable({ place, sql, mark: layout.mark, field, inTurn }, fileRow(row), owner);
  }

  function inTurn<Result>(search: () => Promise<Result>): Promise<Result> {
    const run = last.then(search);
    last = run.catch(() => undefined);
    return run;
  }

  function fileRow(row: number): FileRow {
    const one = fileRows.get(row) ?? { id: row, layers: chainOf(sql, row), version: 0, isGone: false };
    fileRows.set(row, one);
    return one;
  }

  /** Notes that a row has all changes of a table. Returns the table to use from now on if this one does not fit in memory. */
  function settle(row: number, model: string, table: Table): Table | undefined {
    if (isFileTable(table)) {
      const one = fileRow(row);
      one.version += 1;
      table.settle(one);
      return undefined;
    }
    if (budget.take(row, Number(sql.table.get(row)?.bytes))) return undefined;
    return inFile(row, model, table.owner);
  }

  /** Forgets removed tables. */
  function forget(rows: readonly number[]): void {
    for (const id of rows) {
      budget.release(id);
      known.delete(id);
      const row = fileRows.get(id);
      if (row) row.isGone = true;
      fileRows.delete(id);
    }
  }
}

/** Returns a table that is opened on its first use. Counting its records is no use. */
function createLazyTable(sql: Statements, row: number, open: () => Table): Table {
  let opened: Table | undefined;
  const table = () => {
    opened ??= open();
    return opened;
  };
  return {
    owner: {},
    get lastId() {
      return table().lastId;
    },
    get records() {
      return table().records;
    },
    get: (id) => table().get(id),
    find: (query) => {
      const counts = opened || !isCount(query) ? undefined : sql.table.get(row);
      if (!counts) return table().find(query);
      return { records: [], total: Number(counts.live) + (query.liveOnly ? 0 : Number(counts.deleted)) };
    },
    put: (record) => table().put(record),
    remove: (id) => table().remove(id),
    nextId: (model) => table().nextId(model),
    copy: (owner) => table().copy(owner),
  };
}

/** Whether a query only counts the records of a model. */
function isCount({ filters = [], size, sort = [], where = [] }: Query): boolean {
  return size === 0 && filters.length + sort.length + where.length === 0;
}

/** Manages the bytes of the tables in memory, by their rows in the file. */
function createBudget(most: number) {
  const taken = new Map<number, number>();
  let all = 0;
  const release = (row: number) => {
    all -= taken.get(row) ?? 0;
    taken.delete(row);
  };
  return {
    release,
    /** Returns whether the table fits. */
    take: (row: number, bytes: number): boolean => {
      release(row);
      if (all + bytes > most) return false;
      taken.set(row, bytes);
      all += bytes;
      return true;
    },
  };
}
