import type { DatabaseSync } from 'node:sqlite';
import type { Change, Keeper, Tables } from '../keeper.ts';
import type { Layout } from '../store.ts';
import { StoreAway } from '../store.ts';
import { inTransaction } from './file.ts';
import { createLayers, type Row } from './layers.ts';
import { prepare } from './statements.ts';
import { createStates } from './states.ts';

/** The state of a session, and the tables that it alone has: only to these it writes. */
type Held = { readonly state: number; readonly isOwn: boolean; readonly rows: ReadonlyMap<string, Row> };

/** Keeps the records of a store in a database; its schema is in file.ts. */
export function createKeeper(database: DatabaseSync, path: string, layout: Layout): Keeper {
  const sql = prepare(database);
  const layers = createLayers(sql, layout);
  const states = createStates(sql, layers);
  const held = new Map<string, Held>();
  const run = <Result>(work: () => Result) => inTransaction(database, path, work);
  // What was left by a start that did not end.
  for (const { name } of sql.ownSessions.all()) run(() => forgetSession(String(name)));
  return {
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
      });
      held.set(session, shared(state));
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
        if (before) states.release(Number(before.state));
      });
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
      if (database.isOpen) database.close();
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

/** A state that others may have too. */
function shared(state: number): Held {
  return { state, isOwn: false, rows: new Map() };
}
