import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Layout } from '../store.ts';
import { createLazyTable, createTable, putRecord, type Table } from '../table.ts';
import type { Statements } from './statements.ts';

/** Each layer of a table costs a little when it is read; beyond so many a table is written anew as a whole. */
const MOST_LAYERS = 8;

/** A table of the database: `hasBase` where it stands upon what was there before. */
export type Row = { readonly id: number; readonly hasBase: boolean };

/** The tables of one model in a database, each a layer upon another one or a whole. */
export type Layers = {
  /** What a table holds, read when it is first asked for. */
  tableOf(row: number, model: string): Table;
  /** The table that only this state has; all has to be written to it where it does not stand upon what was there. */
  ownRow(
    state: number,
    model: string,
    own: Row | undefined,
    isCleared: boolean,
  ): { readonly row: Row; readonly isWhole: boolean };
  keepRecord(row: Row, id: number, table: Table): void;
  /** Removes a table that nobody holds any more, and what it stood upon. */
  release(row: number): void;
};

export function createLayers(sql: Statements, layout: Layout): Layers {
  const known = new Map<number, Table>();
  return { tableOf, ownRow, keepRecord, release };

  function tableOf(row: number, model: string): Table {
    const table = known.get(row) ?? createLazyTable(() => read(row, model));
    known.set(row, table);
    return table;
  }

  function keepRecord(row: Row, id: number, table: Table): void {
    const record = table.all.get(id);
    // A record that is removed is noted where a base has it, or where the last id would be forgotten.
    if (record || (row.hasBase && id < table.lastId) || id === table.lastId)
      sql.putRecord.run(row.id, id, record ? JSON.stringify(record) : null);
    else sql.removeRecord.run(row.id, id);
  }

  function ownRow(state: number, model: string, own: Row | undefined, isCleared: boolean) {
    if (own && !isCleared) return { row: own, isWhole: false };
    const found = sql.held.get(state, model);
    const shared = found && Number(sql.usesOfTable.get(found.id ?? null, found.id ?? null)?.uses) > 1;
    if (found && !shared && !isCleared)
      return { row: { id: Number(found.id), hasBase: found.base !== null }, isWhole: false };
    const isWhole = isCleared || !found || Number(found.depth) >= MOST_LAYERS;
    const base = isWhole ? null : Number(found.id);
    const id = Number(sql.addTable.run(base, isWhole ? 0 : Number(found.depth) + 1).lastInsertRowid);
    sql.hold.run(state, model, id);
    if (found) release(Number(found.id));
    return { row: { id, hasBase: !isWhole }, isWhole };
  }

  function release(id: number): void {
    if (Number(sql.usesOfTable.get(id, id)?.uses) > 0) return;
    const base = sql.table.get(id)?.base ?? null;
    sql.removeRecords.run(id);
    sql.removeTable.run(id);
    if (base !== null) release(Number(base));
  }

  function read(row: number, model: string): Table {
    const table = createTable(layout, model, {});
    const layers: number[] = [];
    let lastId = 0;
    let layer = sql.table.get(row);
    while (layer) {
      layers.unshift(Number(layer.id));
      lastId = Math.max(lastId, Number(layer.last_id));
      layer = sql.table.get(layer.base ?? null);
    }
    for (const { id, body } of layers.length === 1 ? sql.records.iterate(row) : overlay(layers)) {
      if (body !== null) putRecord(table, JSON.parse(String(body)) as RecordValues);
      lastId = Math.max(lastId, Number(id));
    }
    table.lastId = lastId;
    return table;
  }

  /** The rows of all layers in the order of their ids; of two with one id the upper one's. */
  function overlay(layers: readonly number[]) {
    const rows = new Map(layers.flatMap((layer) => sql.records.all(layer).map((one) => [one.id, one])));
    return [...rows.values()].sort((one, other) => Number(one.id) - Number(other.id));
  }
}
