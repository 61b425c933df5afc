import { closeSync, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { PRIVATE } from '../../../spec/files/save-file.ts';
import { UsageError, whyFailed } from '../../../spec/files/usage-error.ts';
import { type Api, type OwnApi, refuseOtherApi } from '../api.ts';
import { type Layout, StoreDamaged, StoreFull } from '../store.ts';
import { deriveColumns } from './derived-columns.ts';
import type { Reserve } from './reserve.ts';

/** Says in a file of SQLite whose it is: "RMCK". */
const APPLICATION = 0x52_4d_43_4b;

/**
 * From one version of the schema to the next. A session and a snapshot have a state, which says for each model where
 * its records are. States and tables are shared until they are written to: a table may hold only what differs from a
 * base, where a record without a body is one that is removed. Each table has the counts of the records that it shows,
 * with those of its base.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE sessions (name TEXT PRIMARY KEY, origin TEXT NOT NULL, state INTEGER NOT NULL);
   CREATE INDEX sessions_by_state ON sessions (state);
   CREATE TABLE snapshots (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, state INTEGER NOT NULL);
   CREATE INDEX snapshots_by_state ON snapshots (state);
   CREATE TABLE states (id INTEGER PRIMARY KEY);
   CREATE TABLE state_tables (
     state INTEGER NOT NULL, model TEXT NOT NULL, held INTEGER NOT NULL, PRIMARY KEY (state, model)
   ) WITHOUT ROWID;
   CREATE INDEX state_tables_by_held ON state_tables (held);
   CREATE TABLE tables (id INTEGER PRIMARY KEY, base INTEGER, depth INTEGER NOT NULL, last_id INTEGER NOT NULL);
   CREATE INDEX tables_by_base ON tables (base);
   CREATE TABLE records (held INTEGER NOT NULL, id INTEGER NOT NULL, body TEXT, PRIMARY KEY (held, id)) WITHOUT ROWID;`,
  'CREATE TABLE api (title TEXT NOT NULL, version TEXT NOT NULL, hash TEXT NOT NULL)',
  // The values of these columns follow from the records and the layout (derived-columns.ts).
  `ALTER TABLE records ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE records ADD COLUMN owner INTEGER;
   CREATE INDEX records_by_owner ON records (held, owner) WHERE owner IS NOT NULL;
   ALTER TABLE tables ADD COLUMN live INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE tables ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE tables ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
   CREATE TABLE layout (text TEXT NOT NULL);`,
];

/** Bytes that every file of SQLite begins with (its file format, 1.3). */
const HEADER = 100;
const MAGIC = 'SQLite format 3\0';

/** Opens or makes the database of a store, which no other process may use meanwhile. Throws UsageError. */
export function openDatabase(
  path: string,
  sync: 'normal' | 'full',
  {
    layout,
    migrations = MIGRATIONS,
  }: { readonly layout?: Layout; readonly migrations?: readonly string[] } = {},
): DatabaseSync {
  const version = readVersion(path, migrations.length);
  let database: DatabaseSync | undefined;
  try {
    if (version > 0) refuseDamaged(path);
    if (version === 0) createPrivate(path);
    database = new DatabaseSync(path, { timeout: 0 });
    // One process uses the file, so SQLite needs no shared memory.
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE');
    migrate(database, version, migrations);
    if (layout?.api) takeApi(database, layout.api, path);
    if (layout) deriveColumns(database, layout);
    database.exec('COMMIT');
    database.exec('PRAGMA journal_mode = WAL');
    database.exec(`PRAGMA synchronous = ${sync}`);
    // Takes the lock, which is kept from now on.
    database.exec('BEGIN IMMEDIATE; COMMIT');
    // Reading the log of a killed process leaves this file, which no process uses now.
    rmSync(`${path}-shm`, { force: true });
    return database;
  } catch (error) {
    database?.close();
    throw explain(error, path);
  }
}

/**
 * Creates a file that only its owner can read. SQLite gives its mode to the log, and says why a file can't be written.
 */
function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'a', PRIVATE));
  } catch {}
}

/** The version of the schema that a file has; 0 where there is none yet. Nothing is written. */
function readVersion(path: string, known: number): number {
  if (!existsSync(path)) {
    if (existsSync(dirname(path))) return 0;
    throw new UsageError(
      `${path} can't be created because there is no directory ${dirname(path)}. Create it first.`,
    );
  }
  if (!statSync(path).isFile())
    throw new UsageError(`${path} is not a regular file. Name a data file of the mock, or a new file.`);
  const header = readHeader(path);
  if (header.length === 0) return 0;
  if (header.length < HEADER || header.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new UsageError(`${path} is not a SQLite database. Name a data file of the mock, or a new file.`);
  if (header.readUInt32BE(68) !== APPLICATION)
    throw new UsageError(
      `${path} is the database of another application. Name a data file of the mock, or a new file.`,
    );
  const version = header.readUInt32BE(60);
  if (version > known)
    throw new UsageError(
      `${path} has format ${version}, but this release supports only up to ${known}. Update record-model, or dump the file with the later release and load the dump here.`,
    );
  return version;
}

function readHeader(path: string): Buffer {
  try {
    const file = openSync(path, 'r');
    try {
      const header = Buffer.alloc(HEADER);
      return header.subarray(0, readSync(file, header, 0, HEADER, 0));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new UsageError(`${path} can't be read because ${whyFailed(error)}.`);
  }
}

/** In a file with more bytes, the start checks no records, because that takes a second or more for each gigabyte. */
const LARGE = 256 * 1024 * 1024;

/** Checks the file before the mock writes to it, or next to it. */
function refuseDamaged(path: string): void {
  // If a log is next to the file, SQLite reads it too. Without one, `immutable` keeps SQLite from creating files.
  const place = pathToFileURL(path);
  if (!existsSync(`${path}-wal`)) place.searchParams.set('immutable', '1');
  const database = new DatabaseSync(place, { readOnly: true, timeout: 0 });
  try {
    const found = statSync(path).size > LARGE ? checkLarge(database) : check(database);
    if (found !== 'ok') throw new UsageError(damaged(path, found.split('\n').at(-1) ?? ''));
  } finally {
    database.close();
  }
}

function check(database: DatabaseSync, table?: string): string {
  const argument = table === undefined ? '1' : `"${table}"`;
  return String(database.prepare(`PRAGMA quick_check(${argument})`).get()?.quick_check);
}

/** Checks all tables but that of records. SQLite reports a file that is cut off, and damaged records when it reads them. */
function checkLarge(database: DatabaseSync): string {
  const tables = database.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'records'",
  );
  const found = tables.all().map(({ name }) => check(database, String(name)));
  return found.find((one) => one !== 'ok') ?? 'ok';
}

function migrate(database: DatabaseSync, version: number, migrations: readonly string[]): void {
  if (version === migrations.length) return;
  for (const step of migrations.slice(version)) database.exec(step);
  database.exec(`PRAGMA application_id = ${APPLICATION}; PRAGMA user_version = ${migrations.length}`);
}

/** Notes whose records the file has, or throws UsageError if they are of another API. */
function takeApi(database: DatabaseSync, api: OwnApi, path: string): void {
  const stored = database.prepare('SELECT title, version, hash FROM api').get() as Api | undefined;
  const isUsed = database.prepare('SELECT 1 FROM sessions UNION SELECT 1 FROM snapshots').get();
  if (isUsed) {
    const filled = stored ? [] : database.prepare(FILLED).all();
    const models = filled.map(({ model }) => String(model));
    refuseOtherApi(api, { stored, models, shown: path });
    if (stored) return;
  }
  database.exec('DELETE FROM api');
  database.prepare('INSERT INTO api VALUES (?, ?, ?)').run(api.title, api.version, api.hash);
}

/** The models that have records. */
const FILLED = `SELECT DISTINCT model FROM state_tables JOIN tables ON tables.id = held
  WHERE EXISTS (SELECT 1 FROM records WHERE records.held IN (tables.id, tables.base))`;

type SqliteError = Error & { readonly errcode?: number };

/** Returns the error of SQLite in terms of the user who named the file (https://sqlite.org/rescode.html). */
function explain(error: unknown, path: string): unknown {
  const { errcode = 0, message } = error as SqliteError;
  const full = `${path} can't be written because the disk is full. Free some space. SQLite reports: ${message}.`;
  if (isFull(error)) return new UsageError(full);
  switch (errcode & 0xff) {
    case 5: // BUSY
    case 6: // LOCKED
      return new UsageError(
        `${path} is in use by another process. Stop that process, or read the records of that mock with GET /__mock/state.`,
      );
    case 3: // PERM
    case 8: // READONLY
    case 10: // IOERR
    case 14: // CANTOPEN
      return new UsageError(
        `${path} can't be written. Check the permissions of the file and of its directory. SQLite reports: ${message}.`,
      );
    case 11: // CORRUPT
    case 26: // NOTADB
      return new UsageError(damaged(path, message));
    default:
      return error;
  }
}

function damaged(path: string, found: string): string {
  return `${path} is damaged. Copy it, then try to recover the copy with: sqlite3 COPY .recover. SQLite reports: ${found}.`;
}

/** The disk is full, or the user's quota is used up. */
const NO_ROOM = [13, 10 | (3 << 8)];

/** A database with the path that the user gave, and space for removals. */
export type Place = { readonly database: DatabaseSync; readonly path: string; readonly reserve: Reserve };

/**
 * Runs work in a transaction. If the disk is full, work that stores no new records gets the reserve. Throws StoreFull
 * if that is not enough, and StoreDamaged if the file is damaged.
 */
export function inTransaction<Result>(place: Place, hasNew: boolean, work: () => Result): Result {
  const { database, reserve } = place;
  try {
    const result = attempt(database, work);
    if (reserve.isSpent()) reserve.renew();
    return result;
  } catch (error) {
    if (!isFull(error)) throw explainDamage(error, place.path);
    // A removal needs space in the log, too.
    const isNew = !hasNew && reserve.giveUp();
    emptyLog(database);
    if (!isNew) throw fullError(place, (error as SqliteError).message);
  }
  try {
    const result = attempt(database, work);
    emptyLog(database);
    reserve.renew();
    return result;
  } catch (error) {
    throw isFull(error) ? fullError(place, (error as SqliteError).message) : explainDamage(error, place.path);
  }
}

function attempt<Result>(database: DatabaseSync, work: () => Result): Result {
  try {
    database.exec('BEGIN');
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function isFull(error: unknown): boolean {
  return NO_ROOM.includes((error as SqliteError).errcode ?? 0);
}

export function fullError({ path, reserve }: Place, found: string): StoreFull {
  // Without a reserve, a reset can fail, too.
  const advice = reserve.isHeld() || reserve.isSpent() ? ', or reset or delete sessions' : '';
  return new StoreFull(
    `Nothing was stored because there is no space left for ${path}. Free some space${advice}. SQLite reports: ${found}.`,
  );
}

/** Free pages in the file with which new records need no space on the disk. */
const ENOUGH_PAGES = 64;

/** Whether new records would use the space that removals and resets need. */
export function isSpent({ database, reserve }: Place): boolean {
  if (!reserve.isSpent()) return false;
  reserve.renew();
  if (!reserve.isSpent()) return false;
  return Number(database.prepare('PRAGMA freelist_count').get()?.freelist_count) < ENOUGH_PAGES;
}

/** Returns the error of a damaged file with its path; others as they are. */
export function explainDamage(error: unknown, path: string): unknown {
  const { errcode = 0, message } = error as SqliteError;
  const isDamage = [11, 26].includes(errcode & 0xff) || error instanceof SyntaxError;
  if (!isDamage) return error;
  return new StoreDamaged(
    `${path} was damaged while the mock used it. Stop the mock, and restore the file from a backup, or recover a copy with: sqlite3 COPY .recover. SQLite reports: ${message}.`,
  );
}

/** Empties the log into the file as far as possible. The log keeps its space on the disk for the next writes. */
function emptyLog(database: DatabaseSync): void {
  try {
    database.exec('PRAGMA wal_checkpoint(RESTART)');
  } catch {
    // The disk has no space for that either.
  }
}
