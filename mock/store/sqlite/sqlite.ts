import type { DatabaseSync } from 'node:sqlite';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Change, Keeper, Tables } from '../keeper.ts';
import { createMemoryStore } from '../memory.ts';
import { type Layout, type Store, StoreAway } from '../store.ts';
import { createLazyTable, createTable, putRecord, type Table } from '../table.ts';
import { explainDamage, fullError, inTransaction, isSpent, openDatabase, type Place } from './file.ts';
import { createReserve, NO_RESERVE } from './reserve.ts';

/**
 * Opens a store in a SQLite file, and creates the file if there is none. The store searches and sorts in memory. Each
 * transaction is in the file before it resolves. Throws UsageError for a file that can't be used, and does not change
 * it.
 */
export function createSqliteStore(
  path: string,
  layout: Layout,
  {
    hasReserve = true,
    sync = 'normal',
  }: { readonly sync?: 'normal' | 'full' | undefined; readonly hasReserve?: boolean } = {},
): Store {
  const database = openDatabase(path, sync, { api: layout.api });
  try {
    const reserve = hasReserve ? createReserve(path) : NO_RESERVE;
    return createMemoryStore(layout, createKeeper({ database, path, reserve }, layout));
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Each layer slows down reading a table. With more layers, the whole table is written again. */
const MOST_LAYERS = 8;

/** The state of a session, and its rows. It writes only to rows that no other state uses. */
type Held = { readonly state: number; readonly isOwn: boolean; readonly rows: ReadonlyMap<string, Row> };

/** Keeps the records of a store in a database; its schema is in file.ts. */
export function createKeeper(place: Place, layout: Layout): Keeper {
  const { database, path, reserve } = place;
  const sql = prepare(database);
  const layers = createLayers(sql, layout, path);
  const states = createStates(sql, layers);
  const held = new Map<string, Held>();
  const run = <Result>(work: () => Result, hasNew = false) => inTransaction(place, hasNew, work);
  // A killed start can leave these sessions.
  for (const { name } of sql.ownSessions.all()) run(() => forgetSession(String(name)));
  return {
    isFull: () => isSpent(place),
    refuse: () => {
      throw fullError(place, 'the reserve is used up');
    },
    snapshots: new Map(
      sql.snapshots.all().map(({ name, state }) => [String(name), states.tablesOf(Number(state))] as const),
    ),
    sessions: new Map(
      sql.sessions.all().map(({ name, origin, state }) => {
        held.set(String(name), shared(Number(state)));
        return [String(name), { from: String(origin), tables: states.tablesOf(Number(state)) }] as const;
      }),
    ),
    open: (session, from) => {
      const state = run(() => {
        const begun = states.ofSnapshot(from);
        sql.addSession.run(session, from, begun);
        return begun;
      }, true);
      held.set(session, shared(state));
    },
    write: (session, changes, tables) => {
      // Only after the file has everything.
      held.set(
        session,
        run(
          () => write(session, changes, tables),
          [...changes.values()].some(({ hasNew }) => hasNew),
        ),
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
        if (before) states.release(Number(before.state));
      }, true);
      held.set(session, shared(state));
    },
    restore: (session, snapshot) => {
      const state = run(() => {
        const begun = states.ofSnapshot(snapshot);
        sql.moveSession.run(begun, session);
        states.release(heldBy(session).state);
        return begun;
      });
      held.set(session, shared(state));
    },
    forget: (snapshot) => {
      run(() => {
        const before = sql.snapshot.get(snapshot);
        sql.removeSnapshot.run(snapshot);
        if (before) states.release(Number(before.state));
      });
    },
    close: () => {
      if (!database.isOpen) return;
      database.close();
      reserve.close();
    },
  };

  function heldBy(session: string): Held {
    const found = held.get(session);
    if (!found)
      throw new StoreAway(`The session ${session} ended during the request. Send the request again.`);
    return found;
  }

  function write(session: string, changes: ReadonlyMap<string, Change>, tables: Tables): Held {
    const before = heldBy(session);
    const state = before.isOwn ? before.state : states.own(session, before.state);
    const rows = new Map(before.rows);
    for (const [model, { ids, isCleared }] of changes) {
      const table = tables.get(model);
      if (!table) continue;
      const { row, isWhole } = layers.ownRow(state, model, rows.get(model), isCleared);
      rows.set(model, row);
      for (const id of isWhole ? table.all.keys() : ids) layers.keepRecord(row, id, table);
      if (isWhole || !ids.has(table.lastId)) sql.setLastId.run(table.lastId, row.id);
    }
    return { state, isOwn: true, rows };
  }

  function forgetSession(session: string): void {
    const state = sql.session.get(session)?.state;
    sql.removeSession.run(session);
    if (state !== undefined) states.release(Number(state));
  }
}

/** Returns a state that others can use, too. */
function shared(state: number): Held {
  return { state, isOwn: false, rows: new Map() };
}

/** Manages the states of sessions and snapshots. A state has one table per model. Several can share it. */
function createStates(sql: Statements, layers: ReturnType<typeof createLayers>) {
  return {
    tablesOf: (state: number): Tables =>
      new Map(
        sql.tables
          .all(state)
          .map(({ held, model }) => [String(model), layers.tableOf(Number(held), String(model))] as const),
      ),
    /** Returns the state of a snapshot, or a new empty one. */
    ofSnapshot: (snapshot: string) =>
      Number(sql.snapshot.get(snapshot)?.state ?? sql.addState.run().lastInsertRowid),
    /** Returns the state of a session if nothing else uses it, and otherwise a copy. */
    own(session: string, state: number) {
      if (Number(sql.usesOfState.get(state, state)?.uses) === 1) return state;
      const own = Number(sql.addState.run().lastInsertRowid);
      sql.copyState.run(own, state);
      sql.moveSession.run(own, session);
      return own;
    },
    /** Removes a state that no session and no snapshot uses. */
    release(state: number) {
      if (Number(sql.usesOfState.get(state, state)?.uses) > 0) return;
      const tables = sql.tables.all(state).map(({ held: id }) => Number(id));
      sql.removeTables.run(state);
      sql.removeState.run(state);
      for (const id of tables) layers.release(id);
    },
  };
}

/** A table in the file. `hasBase` means that it has only the changes to another one. */
type Row = { readonly id: number; readonly hasBase: boolean };

/** Manages tables in a database. Each is a whole table, or a layer on another one. */
function createLayers(sql: Statements, layout: Layout, path: string) {
  const known = new Map<number, Table>();
  return { tableOf, ownRow, keepRecord, release };

  /** Returns a table, which is read on its first use. */
  function tableOf(row: number, model: string): Table {
    const table = known.get(row) ?? createLazyTable(() => readOrExplain(row, model));
    known.set(row, table);
    return table;
  }

  function readOrExplain(row: number, model: string): Table {
    try {
      return read(row, model);
    } catch (error) {
      throw explainDamage(error, path);
    }
  }

  function keepRecord(row: Row, id: number, table: Table): void {
    const record = table.all.get(id);
    // A removal is noted if a base has the record, or if it has the last ID.
    if (record || (row.hasBase && id < table.lastId) || id === table.lastId)
      sql.putRecord.run(row.id, id, record ? JSON.stringify(record) : null);
    else sql.removeRecord.run(row.id, id);
  }

  /** Returns a row that only this state uses. If it has no base, the caller writes the whole table to it. */
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

  /** Removes a table that no state uses, and its bases. */
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

  /** Returns the rows of all layers in the order of their IDs. An upper layer replaces the rows of a lower one. */
  function overlay(layers: readonly number[]) {
    const rows = new Map(layers.flatMap((layer) => sql.records.all(layer).map((one) => [one.id, one])));
    return [...rows.values()].sort((one, other) => Number(one.id) - Number(other.id));
  }
}

type Statements = ReturnType<typeof prepare>;

/** Every statement on the schema in file.ts. */
function prepare(database: DatabaseSync) {
  const one = (text: string) => database.prepare(text);
  return {
    sessions: one('SELECT name, origin, state FROM sessions'),
    ownSessions: one("SELECT name FROM sessions WHERE name LIKE '@%'"),
    session: one('SELECT state FROM sessions WHERE name = ?'),
    addSession: one('INSERT INTO sessions (name, origin, state) VALUES (?, ?, ?)'),
    moveSession: one('UPDATE sessions SET state = ? WHERE name = ?'),
    removeSession: one('DELETE FROM sessions WHERE name = ?'),
    snapshots: one('SELECT name, state FROM snapshots ORDER BY id'),
    snapshot: one('SELECT state FROM snapshots WHERE name = ?'),
    saveSnapshot: one(
      'INSERT INTO snapshots (name, state) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET state = excluded.state',
    ),
    removeSnapshot: one('DELETE FROM snapshots WHERE name = ?'),
    addState: one('INSERT INTO states DEFAULT VALUES'),
    copyState: one(
      'INSERT INTO state_tables (state, model, held) SELECT ?, model, held FROM state_tables WHERE state = ?',
    ),
    removeState: one('DELETE FROM states WHERE id = ?'),
    usesOfState: one(
      `SELECT (SELECT count(*) FROM sessions WHERE state = ?)
            + (SELECT count(*) FROM snapshots WHERE state = ?) AS uses`,
    ),
    tables: one('SELECT model, held FROM state_tables WHERE state = ?'),
    removeTables: one('DELETE FROM state_tables WHERE state = ?'),
    hold: one(
      `INSERT INTO state_tables (state, model, held) VALUES (?, ?, ?)
       ON CONFLICT (state, model) DO UPDATE SET held = excluded.held`,
    ),
    held: one(
      `SELECT tables.id, base, depth FROM state_tables JOIN tables ON tables.id = held
       WHERE state = ? AND model = ?`,
    ),
    table: one('SELECT id, base, last_id FROM tables WHERE id = ?'),
    addTable: one('INSERT INTO tables (base, depth, last_id) VALUES (?, ?, 0)'),
    usesOfTable: one(
      `SELECT (SELECT count(*) FROM state_tables WHERE held = ?)
            + (SELECT count(*) FROM tables WHERE base = ?) AS uses`,
    ),
    setLastId: one('UPDATE tables SET last_id = ? WHERE id = ?'),
    removeTable: one('DELETE FROM tables WHERE id = ?'),
    records: one('SELECT id, body FROM records WHERE held = ?'),
    putRecord: one(
      `INSERT INTO records (held, id, body) VALUES (?, ?, ?)
       ON CONFLICT (held, id) DO UPDATE SET body = excluded.body`,
    ),
    removeRecord: one('DELETE FROM records WHERE held = ? AND id = ?'),
    removeRecords: one('DELETE FROM records WHERE held = ?'),
  };
}
