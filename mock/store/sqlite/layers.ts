import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { isMarked } from '../order.ts';
import type { Layout } from '../store.ts';
import type { Table } from '../table.ts';
import { difference, ownerField, sum } from './derived-columns.ts';
import type { Statements } from './statements.ts';

/** Each layer slows down reading a table. With more layers, those on the lowest one are merged. */
const MOST_LAYERS = 8;

/** A table in the file. `hasBase` means that it has only the changes to another one. */
export type Row = { readonly id: number; readonly hasBase: boolean };

export type Layers = ReturnType<typeof createLayers>;

/** Returns a table in the file and its bases, the topmost first. */
export function chainOf(sql: Statements, row: number): number[] {
  const base = sql.table.get(row)?.base ?? null;
  return base === null ? [row] : [row, ...chainOf(sql, Number(base))];
}

/**
 * Manages tables in a database. Each is a whole table, or a layer on another one. `forget` gets the tables that a
 * transaction removed.
 */
export function createLayers(sql: Statements, layout: Layout, forget: (rows: readonly number[]) => void) {
  // No ID is used twice while the file is open, so that a search notices that its table was removed.
  let lastRow = Number(sql.lastTable.get()?.id ?? 0);
  let released: number[] = [];
  return { ownRow, keepRecords, release, watch };

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
    const [lowest = base, ...others] = chainOf(sql, base).reverse();
    sql.addLayer.run(id, lowest, 1, base);
    for (const layer of others) sql.copyRecords.run(id, layer);
  }

  /** Writes the changed records, which were others before, or all records of a table in memory. */
  function keepRecords(
    { hasBase, id: held }: Row,
    model: string,
    table: Table,
    before: ReadonlyMap<number, RecordValues | undefined> | undefined,
  ): void {
    const owner = ownerField(layout, model);
    const ids = before ?? table.records ?? new Map<number, RecordValues>();
    const changed = [...ids.keys()].map((id) => {
      const record = table.get(id);
      const counted = difference(before?.get(id), record, layout.mark);
      if (record) sql.putRecord.run(held, id, JSON.stringify(record), ...derived(record, owner));
      // The base can have the record.
      else if (hasBase) sql.putRecord.run(held, id, null, 0, null);
      else sql.removeRecord.run(held, id);
      return counted;
    });
    const { bytes, deleted, live } = sum(changed);
    sql.count.run(table.lastId, live, deleted, bytes, held);
  }

  function derived(record: RecordValues, owner: string | undefined): [deleted: number, owner: number | null] {
    const value = owner === undefined ? null : record[owner];
    return [isMarked(record, layout.mark) ? 1 : 0, Number.isSafeInteger(value) ? Number(value) : null];
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

  /** Runs a transaction, and afterwards forgets the tables that it removed. */
  function watch<Result>(transaction: (watched: <One>(work: () => One) => One) => Result): Result {
    const result = transaction((work) => {
      // The transaction can run the work twice.
      released = [];
      return work();
    });
    forget(released);
    return result;
  }
}
