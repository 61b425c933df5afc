import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { UsageError } from '../../../spec/files/usage-error.ts';
import { useDirectory } from '../../../testing/temporary-directory.ts';
import { createMock } from '../../mock.ts';
import { createMemoryStore } from '../memory.ts';
import { DEFAULT_LAYOUT, type SessionRecords, StoreAway, StoreFull } from '../store.ts';
import { openDatabase } from './file.ts';
import { createKeeper, createSqliteStore } from './sqlite.ts';

const directory = useDirectory();
const NONE = DEFAULT_LAYOUT;
const put = (session: SessionRecords, id: number, text = 'a') =>
  session.transaction((records) => records.put('a', { id, text }));

/** Creates a closed file with `count` records. */
async function makeFile(name: string, count = 3): Promise<string> {
  const path = directory.path(name);
  const store = createSqliteStore(path, NONE);
  const session = await store.open('default', '@none');
  await session.transaction(async (records) => {
    for (let id = 1; id <= count; id++) await records.put('a', { id, text: 'x'.repeat(500) });
  });
  await store.close();
  return path;
}

/** Returns the message of the refusal. The file and the files next to it must not change. */
function refusalOf(path: string, options = {}): string {
  const bytes = statSync(path, { throwIfNoEntry: false })?.isFile() && readFileSync(path);
  const beside = readdirSync(directory.path());
  let message = 'not refused';
  try {
    void createSqliteStore(path, NONE, options).close();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    message = error.message;
  }
  if (bytes) expect(readFileSync(path).equals(bytes)).toBe(true);
  expect(readdirSync(directory.path())).toEqual(beside);
  return message;
}

test('a file that another process uses is rejected, and opens after that process ends', async () => {
  const path = await makeFile('used.db');
  const store = createSqliteStore(path, NONE);
  expect(refusalOf(path)).toMatch(
    /used\.db is in use by another process\. Stop that process, or read the records of that mock with GET \/__mock\/state\./,
  );
  await put(await store.open('default', '@none'), 9);
  await store.close();
  await store.close();
  const again = createSqliteStore(path, NONE);
  expect(await (await again.open('default', '@none')).get('a', 9)).toEqual({ id: 9, text: 'a' });
  await again.close();
  expect(readdirSync(directory.path())).toEqual(['used.db']);
});

test('a path that is not a data file is rejected and unchanged', async () => {
  const other = directory.path('other.db');
  const database = new DatabaseSync(other);
  database.exec('CREATE TABLE mine (id)');
  database.close();
  mkdirSync(directory.path('folder'));
  expect(refusalOf(other)).toMatch(
    /other\.db is the database of another application\. Name a data file of the mock, or a new file\./,
  );
  expect(refusalOf(directory.write('text.db', 'hello'))).toMatch(
    /text\.db is not a SQLite database\. Name a data file of the mock, or a new file\./,
  );
  expect(refusalOf(directory.path('folder'))).toMatch(/folder is not a regular file\. Name a data file/);
  expect(refusalOf(directory.path('no/where.db'))).toMatch(
    /where\.db can't be created because there is no directory \S+\/no\. Create it first\.$/,
  );
});

test('a new file without records is deleted', async () => {
  const path = directory.path('unused.db');
  const store = createSqliteStore(path, NONE);
  const failing = store.begin('@start', async (records) => {
    await records.put('a', { id: 1 });
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  await store.close();
  expect(existsSync(path)).toBe(false);
});

test('a damaged or truncated file is rejected', async () => {
  const path = await makeFile('whole.db', 200);
  const bytes = readFileSync(path);
  const half = directory.path('half.db');
  writeFileSync(half, bytes.subarray(0, bytes.length / 2));
  const mixed = directory.path('mixed.db');
  bytes.fill(0xff, 4096 * 9, 4096 * 12);
  writeFileSync(mixed, bytes);
  for (const damaged of [half, mixed])
    expect(refusalOf(damaged)).toMatch(
      new RegExp(
        `^${damaged.replaceAll('.', '\\.')} is damaged\\. Copy it, then try to recover the copy with: sqlite3 COPY \\.recover\\. SQLite reports: .+\\.$`,
      ),
    );
});

test('if a file is damaged while a mock runs, the response and the log name the file', async () => {
  const data = directory.path('mock.db');
  // More than SQLite keeps in memory, so that it reads the pages again.
  const warehouse = Array.from({ length: 4000 }, (_, index) => ({
    id: index + 1,
    name: 'a',
    comments: 'x'.repeat(2000),
  }));
  const first = await createMock({ data, fixtures: 'none' });
  await first.setState({ warehouse });
  await first.close();
  const logged: unknown[] = [];
  await using mock = await createMock({ data, onError: (error) => logged.push(error) });
  const file = openSync(data, 'r+');
  writeSync(file, Buffer.alloc(788 * 4096, 0xff), 0, undefined, 12 * 4096);
  closeSync(file);
  const ask = (path: string, init?: RequestInit) => mock.fetch(new Request(`http://127.0.0.1${path}`, init));
  const message = expect.stringMatching(
    /^\S+mock\.db was damaged while the mock used it\. Stop the mock, and restore the file from a backup, or recover a copy with: sqlite3 COPY \.recover\. SQLite reports: .+\.$/,
  );
  const headers = { 'content-type': 'application/json' };
  for (const answer of [
    await ask('/api/model/warehouse/1', { method: 'POST', headers, body: '{"name":"c"}' }),
    await ask('/api/model/warehouse/9', { method: 'DELETE' }),
    await ask('/__mock/reset', { method: 'POST' }),
  ])
    expect([answer.status, await answer.json()]).toEqual([500, expect.objectContaining({ detail: message })]);
  expect(logged).toHaveLength(3);
  for (const error of logged) expect((error as Error).message).toEqual(message);
});

test('a file without write permission is rejected', async () => {
  const path = await makeFile('read-only.db');
  chmodSync(path, 0o444);
  chmodSync(directory.path(), 0o555);
  const isRoot = process.getuid?.() === 0;
  // Root may write to everything.
  if (isRoot) process.seteuid?.(65_534);
  try {
    expect(refusalOf(path)).toMatch(
      /read-only\.db can't be written\. Check the permissions of the file and of its directory\. SQLite reports: disk I\/O error\./,
    );
    expect(refusalOf(directory.path('new.db'))).toMatch(
      /new\.db can't be written\. Check the permissions of the file and of its directory\. SQLite reports: unable to open database file\./,
    );
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(directory.path(), 0o755);
  }
});

test('a file of another format is rejected', async () => {
  const path = await makeFile('other.db');
  const database = new DatabaseSync(path);
  database.exec('PRAGMA user_version = 3');
  database.close();
  expect(refusalOf(path)).toMatch(
    /other\.db has format 3, but this release supports only 5\. Dump it with the release that wrote it \(record-model dump\), and load the dump into a new file \(record-model load\)\.$/,
  );
});

test('a file that needs more memory than the limit is rejected', async () => {
  const path = await makeFile('large.db', 3000);
  expect(refusalOf(path, { memory: 2 ** 20 })).toMatch(
    /large\.db needs about \d MiB of memory, but the mock can use only 1 MiB\. Start the mock with a higher limit \(--max-memory\), or keep the records in PostgreSQL \(--data postgres:\/\/…\)\.$/,
  );
  await createSqliteStore(path, NONE, { memory: 20 * 2 ** 20 }).close();
});

test('a write to a full disk stores nothing, and a later write that fits is stored', async () => {
  const { database } = openDatabase(directory.path('full.db'));
  const store = createMemoryStore(NONE, createKeeper({ database, path: 'full.db' }, NONE));
  const session = await store.open('default', '@none');
  await put(session, 1);
  const pages = Number(database.prepare('PRAGMA page_count').get()?.page_count);
  database.exec(`PRAGMA max_page_count = ${pages + 2}`);
  const long = put(session, 2, 'x'.repeat(100_000));
  await expect(long).rejects.toThrow(StoreFull);
  await expect(long).rejects.toThrow(
    'Nothing was stored because there is no space left for full.db. Free some space. SQLite reports: database or disk is full.',
  );
  expect(await session.get('a', 2)).toBeUndefined();
  await put(session, 3);
  database.exec(`PRAGMA max_page_count = ${pages + 100}`);
  await put(session, 2, 'x'.repeat(100_000));
  expect((await session.find('a', { liveOnly: true })).total).toBe(3);
  await store.close();
});

test('a write to a session that was deleted meanwhile is rejected', async () => {
  const store = createSqliteStore(directory.path('ended.db'), NONE);
  const session = await store.open('a', '@none');
  const late = session.transaction(async (records) => {
    await records.put('a', { id: 1 });
    await store.drop('a');
  });
  await expect(late).rejects.toThrow(StoreAway);
  await store.close();
});

test('a session in a file stores only its changes, and nothing after its delete', async () => {
  const path = directory.path('shared.db');
  const store = createSqliteStore(path, NONE);
  await store.begin('@start', async (records) => {
    for (let id = 1; id <= 1000; id++) await records.put('a', { id, text: 'x'.repeat(200) });
  });
  for (let index = 0; index < 50; index++) {
    const session = await store.open(`session-${index}`, '@start');
    if (index % 2) await put(session, 1001 + index);
    else await session.transaction((records) => records.remove('a', 1));
    expect((await session.find('a', { liveOnly: true, size: 0 })).total).toBe(index % 2 ? 1001 : 999);
  }
  await store.close();
  const size = readFileSync(path).length;
  expect(size).toBeLessThan(600_000);
  const again = createSqliteStore(path, NONE);
  expect(await (await again.open('session-1', '@none')).get('a', 1002)).toEqual({ id: 1002, text: 'a' });
  expect(await (await again.open('session-0', '@none')).get('a', 1)).toBeUndefined();
  for (const { name } of await again.sessions()) await again.drop(name);
  await again.forget('@start');
  await again.close();
  const database = new DatabaseSync(path);
  for (const table of ['space', 'space_part', 'part', 'record'])
    expect([table, database.prepare(`SELECT count(*) AS count FROM ${table}`).get()]).toEqual([
      table,
      { count: 0 },
    ]);
  database.close();
});

// With a sort for each record, this takes minutes.
test('many records of a file are loaded quickly, even if the last one was removed', async () => {
  const path = await makeFile('many.db', 30_000);
  const store = createSqliteStore(path, NONE);
  const session = await store.open('default', '@none');
  await session.transaction((records) => records.remove('a', 30_000));
  await store.close();
  const again = createSqliteStore(path, NONE);
  const loaded = await again.open('default', '@none');
  expect((await loaded.find('a', { liveOnly: true, size: 1, sort: [] })).total).toBe(29_999);
  expect(await loaded.transaction((records) => records.nextId('a'))).toBe(30_001);
  await again.close();
});
