import type { DatabaseSync } from 'node:sqlite';

export type Statements = ReturnType<typeof prepare>;

/** Every statement on the schema in file.ts, except those that depend on a query. */
export function prepare(database: DatabaseSync) {
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
    table: one('SELECT id, base, depth, last_id, live, deleted, bytes FROM tables WHERE id = ?'),
    lastTable: one('SELECT max(id) AS id FROM tables'),
    addTable: one('INSERT INTO tables (id, base, depth, last_id) VALUES (?, NULL, 0, 0)'),
    addLayer: one(
      `INSERT INTO tables (id, base, depth, last_id, live, deleted, bytes)
       SELECT ?, ?, ?, last_id, live, deleted, bytes FROM tables WHERE id = ?`,
    ),
    usesOfTable: one(
      `SELECT (SELECT count(*) FROM state_tables WHERE held = ?)
            + (SELECT count(*) FROM tables WHERE base = ?) AS uses`,
    ),
    count: one(
      `UPDATE tables SET last_id = ?, live = live + ?, deleted = deleted + ?, bytes = bytes + ? WHERE id = ?`,
    ),
    removeTable: one('DELETE FROM tables WHERE id = ?'),
    records: one('SELECT id, body FROM records WHERE held = ?'),
    record: one('SELECT body FROM records WHERE held = ? AND id = ?'),
    /** The IDs of records with an owner. */
    owned: one('SELECT id FROM records WHERE held = ? AND owner = ?'),
    /** The ID at a place after another one. */
    idAfter: one('SELECT id FROM records WHERE held = ? AND id > ? ORDER BY id LIMIT 1 OFFSET ?'),
    putRecord: one(
      `INSERT INTO records (held, id, body, deleted, owner) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (held, id) DO UPDATE SET body = excluded.body, deleted = excluded.deleted, owner = excluded.owner`,
    ),
    copyRecords: one(
      `INSERT OR REPLACE INTO records (held, id, body, deleted, owner)
       SELECT ?, id, body, deleted, owner FROM records WHERE held = ?`,
    ),
    removeRecord: one('DELETE FROM records WHERE held = ? AND id = ?'),
    removeRecords: one('DELETE FROM records WHERE held = ?'),
  };
}
