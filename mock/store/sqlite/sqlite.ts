import type { DatabaseSync } from 'node:sqlite';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { createMemoryStore, type Keeper, type TableChange, type Tables } from '../memory.ts';
import type { Layout, Store } from '../store.ts';
import { Table } from '../table.ts';
import {
  type DataFile,
  explainDamage,
  type FileOptions,
  inTransaction,
  openDatabase,
  removeFile,
} from './file.ts';

/**
 * Opens a store in memory that writes each transaction to a SQLite file before it resolves. Creates the file if there is
 * none, and otherwise reads it. Throws UsageError for a file that can't be used, and does not change it. A new file that
 * got no records does not stay.
 */
export function createSqliteStore(path: string, layout: Layout, options: FileOptions = {}): Store {
  const { database, isCreated } = openDatabase(path, { ...options, api: layout.api });
  try {
    const keeper = createKeeper({ database, path }, layout);
    const close = () => {
      const isEmpty = isCreated && database.isOpen && !database.prepare('SELECT 1 FROM space').get();
      keeper.close();
      if (isEmpty) removeFile(path);
    };
    return createMemoryStore(layout, { ...keeper, close });
  } catch (error) {
    database.close();
    if (isCreated) removeFile(path);
    throw error;
  }
}

type Kind = 'session' | 'snapshot';
type Statements = ReturnType<typeof prepare>;

/** Every statement on the schema in file.ts. */
function prepare(database: DatabaseSync) {
  const one = (text: string) => database.prepare(text);
  return {
    spaces: one('SELECT id, name, began FROM space WHERE kind = ? ORDER BY id'),
    space: one('SELECT id FROM space WHERE kind = ? AND name = ?'),
    addSpace: one('INSERT INTO space (kind, name, began) VALUES (?, ?, ?)'),
    removeSpace: one('DELETE FROM space WHERE id = ?'),
    parts: one('SELECT model, part FROM space_part WHERE space = ?'),
    part: one('SELECT part FROM space_part WHERE space = ? AND model = ?'),
    copyParts: one('INSERT INTO space_part SELECT ?, model, part FROM space_part WHERE space = ?'),
    setPart: one('INSERT OR REPLACE INTO space_part VALUES (?, ?, ?)'),
    removeParts: one('DELETE FROM space_part WHERE space = ?'),
    found: one('SELECT base, last_id FROM part WHERE id = ?'),
    addPart: one('INSERT INTO part (base, last_id) VALUES (?, 0)'),
    setLastId: one('UPDATE part SET last_id = ? WHERE id = ?'),
    isUsed: one(
      'SELECT 1 FROM space_part WHERE part = ?1 UNION ALL SELECT 1 FROM part WHERE base = ?1 LIMIT ?2 - 1, 1',
    ),
    removePart: one('DELETE FROM part WHERE id = ?'),
    records: one('SELECT id, data FROM record WHERE part = ?'),
    put: one('INSERT OR REPLACE INTO record VALUES (?, ?, ?)'),
    remove: one('DELETE FROM record WHERE part = ? AND id = ?'),
    copyRecords: one('INSERT INTO record SELECT ?, id, data FROM record WHERE part = ?'),
    removeRecords: one('DELETE FROM record WHERE part = ?'),
  };
}

/** Writes the changes of a store to a database, and reads them at the start. */
export function createKeeper(place: DataFile, layout: Layout): Keeper {
  const { database } = place;
  const sql = prepare(database);
  const run = (work: () => void) => inTransaction(place, work);
  const spaceOf = (kind: Kind, name: string) => sql.space.get(kind, name)?.id as SpaceId | undefined;
  const addSpace = (kind: Kind, name: string, began: string): SpaceId =>
    sql.addSpace.run(kind, name, began).lastInsertRowid;
  const drop = (kind: Kind, name: string) => {
    const space = spaceOf(kind, name);
    if (space === undefined) return;
    removeParts(sql, space);
    sql.removeSpace.run(space);
  };
  const tableOf = createReader(sql, layout);
  const tablesOf = (space: unknown): Tables => {
    try {
      const rows = sql.parts.all(Number(space));
      return new Map(rows.map(({ model, part }) => [String(model), tableOf(Number(part), String(model))]));
    } catch (error) {
      throw explainDamage(error, place.path);
    }
  };
  // A killed start can leave these sessions.
  for (const { name } of sql.spaces.all('session'))
    if (String(name).startsWith('@')) run(() => drop('session', String(name)));
  return {
    snapshots: new Map(sql.spaces.all('snapshot').map(({ id, name }) => [String(name), tablesOf(id)])),
    sessions: new Map(
      sql.spaces
        .all('session')
        .map(({ began, id, name }) => [String(name), { from: String(began), tables: () => tablesOf(id) }]),
    ),
    open: (session, from) => run(() => copyParts(sql, addSpace('session', session, from), 'snapshot', from)),
    append: (session, changes) =>
      run(() => {
        const space = spaceOf('session', session);
        for (const [model, change] of changes) if (space) writeChange(sql, space, model, change);
      }),
    drop: (session) => run(() => drop('session', session)),
    save: (session, snapshot) =>
      run(() => {
        const space = spaceOf('snapshot', snapshot) ?? addSpace('snapshot', snapshot, '@none');
        copyParts(sql, space, 'session', session);
      }),
    restore: (session, snapshot) =>
      run(() => {
        const space = spaceOf('session', session);
        if (space) copyParts(sql, space, 'snapshot', snapshot);
      }),
    forget: (snapshot) => run(() => drop('snapshot', snapshot)),
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

/** Returns a function that reads the table of a part. Spaces that share a part share the table. */
function createReader(sql: Statements, layout: Layout) {
  const known = new Map<number, WeakRef<Table>>();
  return function tableOf(part: number, model: string): Table {
    const found = known.get(part)?.deref();
    if (found) return found;
    const { base = null, last_id: lastId } = sql.found.get(part) ?? {};
    const records = new Map(base === null ? [] : tableOf(Number(base), model).records);
    for (const { data, id } of sql.records.iterate(part))
      if (data === null) records.delete(Number(id));
      else records.set(Number(id), JSON.parse(String(data)) as RecordValues);
    const table = new Table(layout, model, {}, records.values(), Number(lastId));
    known.set(part, new WeakRef(table));
    return table;
  };
}

type SpaceId = number | bigint;

function writeChange(sql: Statements, space: SpaceId, model: string, change: TableChange): void {
  const { before, isCleared, table } = change;
  const { hasBase, part } = ownPart(sql, space, model, isCleared);
  for (const id of before.keys()) {
    const record = table.records.get(id);
    if (record) sql.put.run(part, id, JSON.stringify(record));
    else if (hasBase) sql.put.run(part, id, null);
    else sql.remove.run(part, id);
  }
  sql.setLastId.run(table.lastId, part);
}

/** Returns a part that only this space uses: an empty one after a clear. */
function ownPart(sql: Statements, space: SpaceId, model: string, isCleared: boolean) {
  const known = sql.part.get(space, model)?.part ?? null;
  const { base = null } = (known !== null && sql.found.get(known)) || {};
  if (known !== null && !isCleared && !sql.isUsed.get(known, 2))
    return { part: known, hasBase: base !== null };
  const hasBase = known !== null && !isCleared;
  const part = sql.addPart.run(hasBase ? (base ?? known) : null).lastInsertRowid;
  // A part that has a base is copied, because bases have none. It has few records.
  if (hasBase && base !== null) sql.copyRecords.run(part, known);
  sql.setPart.run(space, model, part);
  if (known !== null) release(sql, Number(known));
  return { part, hasBase };
}

/** Replaces the parts of a space with those of another one; with none if it does not exist. */
function copyParts(sql: Statements, space: SpaceId, kind: Kind, name: string): void {
  removeParts(sql, space);
  const from = sql.space.get(kind, name)?.id ?? null;
  sql.copyParts.run(space, from);
}

function removeParts(sql: Statements, space: SpaceId): void {
  const parts = sql.parts.all(space);
  sql.removeParts.run(space);
  for (const { part } of parts) release(sql, Number(part));
}

/** Removes a part that nothing uses, and then its base. */
function release(sql: Statements, part: number): void {
  if (sql.isUsed.get(part, 1)) return;
  const base = sql.found.get(part)?.base ?? null;
  sql.removeRecords.run(part);
  sql.removePart.run(part);
  if (base !== null) release(sql, Number(base));
}
