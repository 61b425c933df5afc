import type { Tables } from '../keeper.ts';
import type { Layers } from './layers.ts';
import type { Statements } from './statements.ts';

/** What sessions and snapshots hold: a state is a table for each model, and may be held by several. */
export type States = {
  tablesOf(state: number): Tables;
  /** The state of a snapshot, or a new one that holds nothing. */
  ofSnapshot(snapshot: string): number;
  /** The state of a session when nothing else has it, or else a copy of it. */
  own(session: string, state: number): number;
  /** Removes a state that nobody holds any more. */
  release(state: number): void;
};

export function createStates(sql: Statements, layers: Layers): States {
  return {
    tablesOf: (state) =>
      new Map(
        sql.tables
          .all(state)
          .map(({ held, model }) => [String(model), layers.tableOf(Number(held), String(model))] as const),
      ),
    ofSnapshot: (snapshot) => Number(sql.snapshot.get(snapshot)?.state ?? sql.addState.run().lastInsertRowid),
    own(session, state) {
      if (Number(sql.usesOfState.get(state, state)?.uses) === 1) return state;
      const own = Number(sql.addState.run().lastInsertRowid);
      sql.copyState.run(own, state);
      sql.moveSession.run(own, session);
      return own;
    },
    release(state) {
      if (Number(sql.usesOfState.get(state, state)?.uses) > 0) return;
      const tables = sql.tables.all(state).map(({ held: id }) => Number(id));
      sql.removeTables.run(state);
      sql.removeState.run(state);
      for (const id of tables) layers.release(id);
    },
  };
}
