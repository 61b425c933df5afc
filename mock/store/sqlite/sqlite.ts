import type { Change, Keeper, Tables } from '../keeper.ts';
import { createMemoryStore } from '../memory.ts';
import { type Layout, type Store, StoreAway } from '../store.ts';
import type { Table } from '../table.ts';
import { fullError, inTransaction, isSpent, openDatabase, type Place } from './file.ts';
import { createLayers, type Layers, type Row } from './layers.ts';
import { createReserve, NO_RESERVE } from './reserve.ts';
import { prepare, type Statements } from './statements.ts';
import { createTables } from './tables.ts';

/**
 * Opens a store in a SQLite file, and creates the file if there is none. The store loads a table on its first use if it
 * fits in memory, and otherwise reads it in the file. Each transaction is in the file before it resolves. Throws
 * UsageError for a file that can't be used, and does not change it.
 */
export function createSqliteStore(
  path: string,
  layout: Layout,
  {
    hasReserve = true,
    memory = Number.POSITIVE_INFINITY,
    sync = 'normal',
  }: {
    readonly sync?: 'normal' | 'full' | undefined;
    readonly hasReserve?: boolean;
    /** Bytes of JSON that all tables in memory can have. */
    readonly memory?: number | undefined;
  } = {},
): Store {
  const database = openDatabase(path, sync, { layout });
  try {
    const reserve = hasReserve ? createReserve(path) : NO_RESERVE;
    return createMemoryStore(layout, createKeeper({ database, path, reserve }, layout, memory));
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The state of a session, and its rows. It writes only to rows that no other state uses. */
type Held = { readonly state: number; readonly isOwn: boolean; readonly rows: ReadonlyMap<string, Row> };

/** Keeps the records of a store in a database; its schema is in file.ts. */
export function createKeeper(place: Place, layout: Layout, memory: number): Keeper {
  const { database, reserve } = place;
  const sql = prepare(database);
  const { forget, settle, tableOf } = createTables(place, sql, layout, memory);
  const layers = createLayers(sql, layout, forget);
  const states = createStates(sql, layers, tableOf);
  const held = new Map<string, Held>();
  const run = <Result>(work: () => Result, hasNew = false) =>
    layers.watch((watched) => inTransaction(place, hasNew, () => watched(work)));
  let holds = 0;
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
      const hasNew = [...changes.values()].some((change) => change.hasNew);
      const after = run(() => write(session, changes, tables), hasNew);
      // Only after the file has everything.
      held.set(session, after);
      const written = [...changes.keys()].flatMap((model) => {
        const [row, table] = [after.rows.get(model), tables.get(model)];
        const other = row && table && settle(row.id, model, table);
        return other ? [[model, other] as const] : [];
      });
      return new Map(written);
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
    hold: (snapshot) => {
      if (database.isOpen) run(() => hold(states.ofSnapshot(snapshot)));
    },
    freeze: (session) => {
      const { state } = heldBy(session);
      const name = run(() => hold(state));
      held.set(session, shared(state));
      return () => {
        if (database.isOpen) run(() => forgetSession(name));
      };
    },
    close: () => {
      if (!database.isOpen) return;
      database.close();
      reserve.close();
    },
  };

  /** Keeps a state as a session that the next start removes. Returns its name. */
  function hold(state: number): string {
    holds += 1;
    const name = `@held-${holds}`;
    sql.addSession.run(name, '@none', state);
    return name;
  }

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
    for (const [model, change] of changes) {
      const table = tables.get(model);
      if (!table) continue;
      const { row, isWhole } = layers.ownRow(state, model, rows.get(model), change.isCleared);
      rows.set(model, row);
      layers.keepRecords(row, model, table, isWhole ? undefined : change.before);
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
function createStates(sql: Statements, layers: Layers, tableOf: (row: number, model: string) => Table) {
  return {
    tablesOf: (state: number): Tables =>
      new Map(
        sql.tables
          .all(state)
          .map(({ held, model }) => [String(model), tableOf(Number(held), String(model))] as const),
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
