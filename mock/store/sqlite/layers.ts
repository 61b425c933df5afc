import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { isMarked } from '../order.ts';
import type { Layout, Query } from '../store.ts';
import { createTable, type Table } from '../table.ts';
import { difference, ownerField, sum } from './derived-columns.ts';
import { explainDamage, type Place } from './file.ts';
import { createFileTable, type FileRow, isFileTable } from './file-table.ts';
import type { Statements } from './statements.ts';

/** Each layer slows down reading a table. With more layers, those on the lowest one are merged. */
const MOST_LAYERS = 8;

/** A table in the file. `hasBase` means that it has only the changes to another one. */
export type Row = { readonly id: number; readonly hasBase: boolean };

export type Layers = ReturnType<typeof createLayers>;

/** Manages tables in a database. Each is a whole table, or a layer on another one. */
export function createLayers(options: {
  readonly place: Place;
  readonly sql: Statements;
  readonly layout: Layout;
  /** Bytes of JSON that all tables in memory can have. */
  readonly memory: number;
}) {
  const { layout, memory, place, sql } = options;
  const budget = createBudget(memory);
  const known = new Map<number, Table>();
  /** The rows of tables that are not in memory. */
  const fileRows = new Map<number, FileRow>();
  let lastRow = Number(sql.lastTable.get()?.id ?? 0);
  let released: number[] = [];
  return { tableOf, ownRow, keepRecords, release, settle, watch };

  /** Returns a table, which is opened on its first use. Callers don't write to it. */
  function tableOf(row: number, model: string): Table {
    const table = known.get(row) ?? createLazyTable(row, () => open(row, model));
    known.set(row, table);
    return table;
  }

  /** Returns a table that is opened on its first use. Its counts need no use. */
  function createLazyTable(row: number, openTable: () => Table): Table {
    let opened: Table | undefined;
    const table = () => {
      opened ??= openTable();
      return opened;
    };
    return {
      owner: {},
      get lastId() {
        return table().lastId;
      },
      get: (id) => table().get(id),
      find: (query) => {
        if (opened || !isCount(query)) return table().find(query);
        const counts = sql.table.get(row);
        if (!counts) return table().find(query);
        return { records: [], total: Number(counts.live) + (query.liveOnly ? 0 : Number(counts.deleted)) };
      },
      put: (record) => table().put(record),
      remove: (id) => table().remove(id),
      nextId: (model) => table().nextId(model),
      copy: (owner) => table().copy(owner),
    };
  }

  /** Loads a table, unless it does not fit in memory. */
  function open(row: number, model: string): Table {
    try {
      if (!budget.take(row, Number(sql.table.get(row)?.bytes))) return inFile(row, model, {});
      return read(row, model);
    } catch (error) {
      throw explainDamage(error, place.path);
    }
  }

  function inFile(row: number, model: string, owner: object): Table {
    const field = ownerField(layout, model);
    return createFileTable({ place, sql, mark: layout.mark, field }, fileRow(row), owner);
  }

  function fileRow(row: number): FileRow {
    const one = fileRows.get(row) ?? { id: row, layers: chainOf(row), version: 0, isGone: false };
    fileRows.set(row, one);
    return one;
  }

  /** Returns a table and its bases, the topmost first. */
  function chainOf(row: number): number[] {
    const base = sql.table.get(row)?.base ?? null;
    return base === null ? [row] : [row, ...chainOf(Number(base))];
  }

  /** Writes the records with the given IDs, or all records of a table in memory. */
  function keepRecords(
    row: Row,
    model: string,
    table: Table,
    before: ReadonlyMap<number, RecordValues | undefined> | undefined,
  ): void {
    const owner = ownerField(layout, model);
    const ids = before ?? table.records ?? new Map();
    const changed = [...ids.keys()].map((id) => {
      const record = table.get(id);
      const counted = difference(before?.get(id), record, layout.mark);
      if (record) sql.putRecord.run(row.id, id, JSON.stringify(record), ...derived(record, owner));
      // The base can have the record.
      else if (row.hasBase) sql.putRecord.run(row.id, id, null, 0, null);
      else sql.removeRecord.run(row.id, id);
      return counted;
    });
    const { bytes, deleted, live } = sum(changed);
    sql.count.run(table.lastId, live, deleted, bytes, row.id);
  }

  function derived(record: RecordValues, owner: string | undefined): [deleted: number, owner: number | null] {
    const value = owner === undefined ? null : record[owner];
    return [isMarked(record, layout.mark) ? 1 : 0, Number.isSafeInteger(value) ? Number(value) : null];
  }

  /** Returns a row that only this state uses. If it has no base, the caller writes the whole table to it. */
  function ownRow(state: number, model: string, own: Row | undefined, isCleared: boolean) {
    if (own && !isCleared) return { row: own, isWhole: false };
    const found = sql.held.get(state, model);
    const isShared = found && Number(sql.usesOfTable.get(found.id ?? null, found.id ?? null)?.uses) > 1;
    if (found && !isShared && !isCleared)
      return { row: { id: Number(found.id), hasBase: found.base !== null }, isWhole: false };
    lastRow += 1;
    const id = lastRow;
    const isWhole = isCleared || !found;
    if (isWhole) sql.addTable.run(id);
    else addLayer(id, Number(found.id), Number(found.depth));
    sql.hold.run(state, model, id);
    if (found) release(Number(found.id));
    return { row: { id, hasBase: !isWhole }, isWhole };
  }

  function addLayer(id: number, base: number, depth: number): void {
    if (depth < MOST_LAYERS) {
      sql.addLayer.run(id, base, depth + 1, base);
      return;
    }
    const [lowest = base, ...others] = chainOf(base).reverse();
    sql.addLayer.run(id, lowest, 1, base);
    for (const layer of others) sql.copyRecords.run(id, layer);
  }

  /** Removes a table that no state uses, and its bases. */
  function release(id: number): void {
    if (Number(sql.usesOfTable.get(id, id)?.uses) > 0) return;
    const base = sql.table.get(id)?.base ?? null;
    sql.removeRecords.run(id);
    sql.removeTable.run(id);
    released.push(id);
    if (base !== null) release(Number(base));
  }

  /** Runs a transaction. Afterwards, the tables that it removed use no memory. */
  function watch<Result>(transaction: (watched: <One>(work: () => One) => One) => Result): Result {
    const result = transaction((work) => {
      // The transaction can run the work twice.
      released = [];
      return work();
    });
    for (const id of released) {
      budget.release(id);
      known.delete(id);
      const row = fileRows.get(id);
      if (row) row.isGone = true;
      fileRows.delete(id);
    }
    return result;
  }

  /** Notes that the file has all changes of a table. Returns the table to use from now on if it does not fit in memory. */
  function settle(row: Row, model: string, table: Table): Table | undefined {
    if (isFileTable(table)) {
      const one = fileRow(row.id);
      one.version += 1;
      table.settle(one);
      return undefined;
    }
    if (budget.take(row.id, Number(sql.table.get(row.id)?.bytes))) return undefined;
    return inFile(row.id, model, table.owner);
  }

  function read(row: number, model: string): Table {
    const table = createTable(layout, model, { lastId: Number(sql.table.get(row)?.last_id), owner: {} });
    const [top = row, ...bases] = chainOf(row);
    for (const { body } of bases.length === 0 ? sql.records.iterate(top) : overlay([...bases.reverse(), top]))
      if (body !== null) table.put(JSON.parse(String(body)) as RecordValues);
    return table;
  }

  /** Returns the rows of all layers in the order of their IDs. An upper layer replaces the rows of a lower one. */
  function overlay(layers: readonly number[]) {
    const rows = new Map(layers.flatMap((layer) => sql.records.all(layer).map((one) => [one.id, one])));
    return [...rows.values()].sort((one, other) => Number(one.id) - Number(other.id));
  }
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
