import { closeSync, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { PRIVATE } from '../../../spec/files/save-file.ts';
import { UsageError, whyFailed } from '../../../spec/files/usage-error.ts';
import { type Api, refuseOtherApi, StoreDamaged, StoreFull } from '../store.ts';

/** Says in a file of SQLite whose it is: "RMCK". */
const APPLICATION = 0x52_4d_43_4b;

/** The format of the file. Earlier releases had 1 to 4. */
const FORMAT = 5;

/**
 * A space is a session or a snapshot, and has one part for each model. Spaces share a part until one of them writes to
 * it: then it gets a part with the changes to the other one, its base. There, a record without data is removed from the
 * base. A base has no base.
 */
const SCHEMA = `
  CREATE TABLE api (title TEXT NOT NULL, version TEXT NOT NULL, hash TEXT NOT NULL);
  CREATE TABLE space (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, began TEXT NOT NULL, UNIQUE (kind, name)
  );
  CREATE TABLE part (id INTEGER PRIMARY KEY, base INTEGER, last_id INTEGER NOT NULL);
  CREATE INDEX part_by_base ON part (base) WHERE base IS NOT NULL;
  CREATE TABLE space_part (
    space INTEGER NOT NULL, model TEXT NOT NULL, part INTEGER NOT NULL, PRIMARY KEY (space, model)
  ) WITHOUT ROWID;
  CREATE INDEX space_part_by_part ON space_part (part);
  CREATE TABLE record (part INTEGER NOT NULL, id INTEGER NOT NULL, data TEXT, PRIMARY KEY (part, id)) WITHOUT ROWID;
  PRAGMA application_id = ${APPLICATION};
  PRAGMA user_version = ${FORMAT};`;

/** Bytes that every file of SQLite begins with (its file format, 1.3). */
const HEADER = 100;
const MAGIC = 'SQLite format 3\0';

export type FileOptions = {
  readonly api?: Api | undefined;
  /** Whether a write survives only the end of the process (`normal`), or also a power failure (`full`). */
  readonly sync?: 'normal' | 'full' | undefined;
  /** Bytes of memory that the records can use. */
  readonly memory?: number | undefined;
};

/** Opens or creates the file, and locks it. Throws UsageError, and leaves no new file then. */
export function openDatabase(path: string, options: FileOptions = {}) {
  const { api, memory = Number.POSITIVE_INFINITY, sync = 'normal' } = options;
  const isNew = isNewFile(path);
  const isCreated = createPrivate(path);
  let database: DatabaseSync | undefined;
  try {
    if (!isNew) refuseDamaged(path);
    database = new DatabaseSync(path, { timeout: 0 });
    // One process uses the file, so SQLite needs no shared memory.
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE');
    if (isNew) database.exec(SCHEMA);
    refuseLarge(database, path, memory);
    if (api) takeApi(database, api, path);
    database.exec('COMMIT');
    database.exec('PRAGMA journal_mode = WAL');
    database.exec(`PRAGMA synchronous = ${sync}`);
    // Takes the lock, which is kept from now on.
    database.exec('BEGIN IMMEDIATE; COMMIT');
    // Reading the log of a killed process leaves this file, which no process uses now.
    rmSync(`${path}-shm`, { force: true });
    return { database, isCreated };
  } catch (error) {
    database?.close();
    // Another process can use the file in the meantime.
    if (isCreated && !isLocked(error)) removeFile(path);
    throw explain(error, path);
  }
}

/** Refuses a file with more bytes than the records can use. Records need about as much memory as in the file. */
function refuseLarge(database: DatabaseSync, path: string, memory: number): void {
  const { bytes } = database
    .prepare(
      'SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size',
    )
    .get() as { readonly bytes: number };
  if (bytes <= memory) return;
  const [needs, has] = [bytes, memory].map((one) => Math.ceil(one / 2 ** 20));
  throw new UsageError(
    `${path} needs about ${needs} MiB of memory, but the mock can use only ${has} MiB. Start the mock with a higher limit (--max-memory), or keep the records in PostgreSQL (--data postgres://…).`,
  );
}

/** Creates a file that only its owner can read, unless there is one. SQLite gives its mode to the log. */
function createPrivate(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', PRIVATE));
    return true;
  } catch {
    return false;
  }
}

export function removeFile(path: string): void {
  for (const file of [path, `${path}-journal`, `${path}-wal`]) rmSync(file, { force: true });
}

/** Whether there is no file yet, or an empty one. Throws UsageError for a file that is no store. Nothing is written. */
function isNewFile(path: string): boolean {
  if (!existsSync(path)) {
    if (existsSync(dirname(path))) return true;
    throw new UsageError(
      `${path} can't be created because there is no directory ${dirname(path)}. Create it first.`,
    );
  }
  const advice = 'Name a data file of the mock, or a new file.';
  if (!statSync(path).isFile()) throw new UsageError(`${path} is not a regular file. ${advice}`);
  const header = readHeader(path);
  if (header.length === 0) return true;
  if (header.length < HEADER || header.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new UsageError(`${path} is not a SQLite database. ${advice}`);
  if (header.readUInt32BE(68) !== APPLICATION)
    throw new UsageError(`${path} is the database of another application. ${advice}`);
  const format = header.readUInt32BE(60);
  if (format !== FORMAT)
    throw new UsageError(
      `${path} has format ${format}, but this release supports only ${FORMAT}. Dump it with the release that wrote it (record-model dump), and load the dump into a new file (record-model load).`,
    );
  return false;
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

/** Checks the file before the mock writes to it, or next to it. */
function refuseDamaged(path: string): void {
  // If a log is next to the file, SQLite reads it too. Without one, `immutable` keeps SQLite from creating files.
  const place = pathToFileURL(path);
  if (!existsSync(`${path}-wal`)) place.searchParams.set('immutable', '1');
  const database = new DatabaseSync(place, { readOnly: true, timeout: 0 });
  try {
    const found = String(database.prepare('PRAGMA quick_check(1)').get()?.quick_check);
    if (found !== 'ok') throw new UsageError(damaged(path, found.split('\n').at(-1) ?? ''));
  } finally {
    database.close();
  }
}

/** Notes whose records the file has, or throws UsageError if they are of another API. */
function takeApi(database: DatabaseSync, api: Api, path: string): void {
  const stored = database.prepare('SELECT title, version, hash FROM api').get() as Api | undefined;
  if (stored && database.prepare('SELECT 1 FROM space').get()) {
    refuseOtherApi(api, stored, path);
    return;
  }
  database.exec('DELETE FROM api');
  database.prepare('INSERT INTO api VALUES (?, ?, ?)').run(api.title, api.version, api.hash);
}

type SqliteError = Error & { readonly errcode?: number };

/** Returns the error of SQLite in terms of the user who named the file (https://sqlite.org/rescode.html). */
function explain(error: unknown, path: string): unknown {
  const { errcode = 0, message } = error as SqliteError;
  const full = `${path} can't be written because the disk is full. Free some space. SQLite reports: ${message}.`;
  if (isFull(error)) return new UsageError(full);
  if (isLocked(error))
    return new UsageError(
      `${path} is in use by another process. Stop that process, or read the records of that mock with GET /__mock/state.`,
    );
  switch (errcode & 0xff) {
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

/** Whether another process uses the file: BUSY or LOCKED. */
function isLocked(error: unknown): boolean {
  return [5, 6].includes(((error as SqliteError).errcode ?? 0) & 0xff);
}

function damaged(path: string, found: string): string {
  return `${path} is damaged. Copy it, then try to recover the copy with: sqlite3 COPY .recover. SQLite reports: ${found}.`;
}

/** The disk is full, or the user's quota is used up. */
const NO_ROOM = [13, 10 | (3 << 8)];

export type DataFile = { readonly database: DatabaseSync; readonly path: string };

/** Runs work in a transaction. Throws StoreFull if the disk is full, and StoreDamaged if the file is damaged. */
export function inTransaction({ database, path }: DataFile, work: () => void): void {
  try {
    database.exec('BEGIN');
    work();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
    if (!isFull(error)) throw explainDamage(error, path);
    try {
      // Empties the log into the file as far as possible. The next writes, such as removals, get its space on the disk.
      database.exec('PRAGMA wal_checkpoint(RESTART)');
    } catch {
      // The disk has no space for that either.
    }
    throw new StoreFull(
      `Nothing was stored because there is no space left for ${path}. Free some space. SQLite reports: ${(error as SqliteError).message}.`,
    );
  }
}

function isFull(error: unknown): boolean {
  return NO_ROOM.includes((error as SqliteError).errcode ?? 0);
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
