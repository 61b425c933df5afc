import type { DatabaseSync } from 'node:sqlite';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Change, Keeper, Tables } from './keeper.ts';
import type { Indexed } from './memory-session.ts';
import { inTransaction } from './sqlite-file.ts';
import { prepare } from './sqlite-statements.ts';
import { StoreAway } from './store.ts';
import { createLazyTable, createTable, putRecord, type Table } from './table.ts';

/** Each layer of a table costs a little when it is read; beyond so many a table is written anew as a whole. */
const MOST_LAYERS = 8;

type Row = { readonly id: number; readonly hasBase: boolean };
/** The state of a session, and the tables that it alone has: only to these it writes. */
type Held = { readonly state: number; readonly isOwn: boolean; readonly rows: ReadonlyMap<string, Row> };

/** Keeps the records of a store in a database; its schema is in sqlite-file.ts. */
export function createKeeper(database: DatabaseSync, path: string, indexed: Indexed): Keeper {
  const sql = prepare(database);
  const held = new Map<string, Held>();
  const run = <Result>(work: () => Result) => inTransaction(database, path, work);
  // What was left by a start that did not end.
  for (const { name } of sql.ownSessions.all()) run(() => forgetSession(String(name)));
  const known = new Map<number, Table>();
  return {
    snapshots: new Map(
      sql.snapshots.all().map(({ name, state }) => [String(name), tablesOf(Number(state))] as const),
    ),
    sessions: new Map(
      sql.sessions.all().map(({ name, origin, state }) => {
        held.set(String(name), { state: Number(state), isOwn: false, rows: new Map() });
        return [String(name), { from: String(origin), tables: tablesOf(Number(state)) }] as const;
      }),
    ),
    open: (session, from) => {
      const state = run(() => {
        const begun = stateOf(from);
        sql.addSession.run(session, from, begun);
        return begun;
      });
      held.set(session, { state, isOwn: false, rows: new Map() });
    },
    write: (session, changes, tables) => {
      // What is known of the session changes only once all of it is kept.
      held.set(
        session,
        run(() => write(session, changes, tables)),
      );
    },
    drop: (session) => {
      run(() => forgetSession(session));
      held.delete(session);
    },
    save: (session, snapshot) => {
      const { state } = heldBy(session);
      run(() => {
        const before = sql.snapshot.get(snapshot);
        sql.saveSnapshot.run(snapshot, state);
        if (before) releaseState(Number(before.state));
      });
      held.set(session, { state, isOwn: false, rows: new Map() });
    },
    restore: (session, snapshot) => {
      const state = run(() => {
        const begun = stateOf(snapshot);
        sql.moveSession.run(begun, session);
        releaseState(heldBy(session).state);
        return begun;
      });
      held.set(session, { state, isOwn: false, rows: new Map() });
    },
    forget: (snapshot) => {
      run(() => {
        const before = sql.snapshot.get(snapshot);
        sql.removeSnapshot.run(snapshot);
        if (before) releaseState(Number(before.state));
      });
    },
    close: () => {
      if (database.isOpen) database.close();
    },
  };

  function heldBy(session: string): Held {
    const found = held.get(session);
    if (!found) throw new StoreAway(`the session ${session} was ended meanwhile; try again.`);
    return found;
  }

  /** The state of a snapshot, or a new one that holds nothing. */
  function stateOf(snapshot: string): number {
    return Number(sql.snapshot.get(snapshot)?.state ?? sql.addState.run().lastInsertRowid);
  }

  function write(session: string, changes: ReadonlyMap<string, Change>, tables: Tables): Held {
    const before = heldBy(session);
    const state = before.isOwn ? before.state : ownState(session, before.state);
    const rows = new Map(before.rows);
    for (const [model, { ids, isCleared }] of changes) {
      const table = tables.get(model);
      if (!table) continue;
      const { row, isWhole } = ownRow(state, model, rows.get(model), isCleared);
      rows.set(model, row);
      for (const id of isWhole ? table.all.keys() : ids) keepRecord(row, id, table);
      if (isWhole || !ids.has(table.lastId)) sql.setLastId.run(table.lastId, row.id);
    }
    return { state, isOwn: true, rows };
  }

  function keepRecord(row: Row, id: number, table: Table): void {
    const record = table.all.get(id);
    // A record that is removed is noted where a base has it, or where the last id would be forgotten.
    if (record || (row.hasBase && id < table.lastId) || id === table.lastId)
      sql.putRecord.run(row.id, id, record ? JSON.stringify(record) : null);
    else sql.removeRecord.run(row.id, id);
  }

  /** The state of a session when nothing else has it, or else a copy of it. */
  function ownState(session: string, state: number): number {
    if (Number(sql.usesOfState.get(state, state)?.uses) === 1) return state;
    const own = Number(sql.addState.run().lastInsertRowid);
    sql.copyState.run(own, state);
    sql.moveSession.run(own, session);
    return own;
  }

  /** The table that only this state has; all has to be written to it where it does not stand upon what was there. */
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
    if (found) releaseTable(Number(found.id));
    return { row: { id, hasBase: !isWhole }, isWhole };
  }

  function forgetSession(session: string): void {
    const state = sql.session.get(session)?.state;
    sql.removeSession.run(session);
    if (state !== undefined) releaseState(Number(state));
  }

  function releaseState(state: number): void {
    if (Number(sql.usesOfState.get(state, state)?.uses) > 0) return;
    const tables = sql.tables.all(state).map(({ held: id }) => Number(id));
    sql.removeTables.run(state);
    sql.removeState.run(state);
    for (const id of tables) releaseTable(id);
  }

  function releaseTable(id: number): void {
    if (Number(sql.usesOfTable.get(id, id)?.uses) > 0) return;
    const base = sql.table.get(id)?.base ?? null;
    sql.removeRecords.run(id);
    sql.removeTable.run(id);
    if (base !== null) releaseTable(Number(base));
  }

  function tablesOf(state: number): Tables {
    return new Map(
      sql.tables.all(state).map(({ held: id, model }) => {
        const row = Number(id);
        const table = known.get(row) ?? createLazyTable(() => read(row, indexed.get(String(model)) ?? []));
        known.set(row, table);
        return [String(model), table] as const;
      }),
    );
  }

  function read(row: number, fields: readonly string[]): Table {
    const table = createTable(fields, {});
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
