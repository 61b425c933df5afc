import { execFile, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';

const named = process.env.POSTGRES_BIN || undefined;
const bin =
  named ??
  globSync('/usr/lib/postgresql/*/bin')
    .sort((one, other) => version(other) - version(one))
    .find((folder) => existsSync(join(folder, 'initdb')));

/** Whether PostgreSQL is missing. Its tests are then skipped, except in continuous integration. */
export const NO_POSTGRES = bin === undefined && process.env.CI !== 'true';

const HOW =
  'install it with: apt-get install -y postgresql — or set POSTGRES_BIN to the folder with initdb and postgres';

if (NO_POSTGRES) console.warn(`skipped: PostgreSQL was not found; ${HOW}`);

/** An order of strings that is not that of the stores: accents and case come last. */
const COLLATION = "locale_provider icu icu_locale 'und-u-ks-level2' locale 'C'";

export type TestPostgres = Awaited<ReturnType<typeof startPostgres>>;

let shared: Promise<TestPostgres> | undefined;

/** The server of this worker, which starts when a test first asks for it, and ends with the worker. */
export function workerPostgres(): Promise<TestPostgres> {
  shared ??= startPostgres();
  return shared;
}

/** The address of a new, empty database of the worker's server. */
export async function newDatabase(): Promise<string> {
  return (await workerPostgres()).database();
}

/** Runs a server until it gets the message to crash, or until the process that started it ends. Then its files go, too. */
const KEPT = '"$@" & if read -r crash; then kill -QUIT $!; wait; else kill -INT $!; wait; rm -rf "$0"; fi';

/**
 * Starts the PostgreSQL of this machine on a free port; throws with how to get one when there is none. Only a durable
 * one would outlive a power cut, which no test makes. Its files are in a temporary directory, gone when it is stopped.
 */
export async function startPostgres({ isDurable = false } = {}) {
  if (bin === undefined || !existsSync(join(bin, 'initdb')))
    throw new Error(`${named ?? 'PostgreSQL'} was not found; ${HOW}`);
  const folder = bin;
  const directory = mkdtempSync(join(tmpdir(), 'record-model-postgres-'));
  const as = userToBe();
  if (as.uid !== undefined && as.gid !== undefined) chownSync(directory, as.uid, as.gid);
  chmodSync(directory, 0o700);
  const data = join(directory, 'data');
  const flags = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await promisify(execFile)(join(folder, 'initdb'), ['-D', data, ...flags], { ...as, cwd: directory });
  const port = await freePort();
  const admin = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let server: ReturnType<typeof spawn> | undefined;
  let made = 0;
  const start = async () => {
    const settings = [
      ...(isDurable ? [] : ['fsync=off', 'full_page_writes=off']),
      ...['max_connections=200', 'listen_addresses=127.0.0.1', `unix_socket_directories=${directory}`],
    ].flatMap((one) => ['-c', one]);
    const words = [join(folder, 'postgres'), '-D', data, '-p', `${port}`, ...settings];
    server = spawn('sh', ['-c', KEPT, directory, ...words], {
      ...as,
      cwd: directory,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    server.unref();
    (server.stdin as Socket).unref();
    await untilReady(admin);
  };
  const end = async (word: string) => {
    const running = server;
    server = undefined;
    if (!running) return;
    const gone = new Promise((resolve) => running.once('exit', resolve));
    running.ref();
    running.stdin?.end(word);
    await gone;
  };
  await start();
  return {
    /** The address of the database that is always there, whose user may do everything. */
    admin,
    /** Starts the server again at the same address. */
    start,
    /** Puts a line before those that say who may connect how (pg_hba.conf). */
    useRule: async (line: string) => {
      const file = join(data, 'pg_hba.conf');
      writeFileSync(file, `${line}\n${readFileSync(file, 'utf8')}`);
      await query(admin, 'select pg_reload_conf()');
    },
    /** Kills the server as a crash does. */
    crash: () => end('crash\n'),
    /** Returns the address of a new, empty database. */
    database: async () => {
      made += 1;
      await query(admin, `create database test_${made} template template0 encoding UTF8 ${COLLATION}`);
      return `postgres://postgres@127.0.0.1:${port}/test_${made}`;
    },
    [Symbol.asyncDispose]: () => end(''),
  };
}

/** Runs one statement, past the store. */
export async function query(url: string, statement: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

/** PostgreSQL refuses to run as root. */
function userToBe(): Pick<SpawnOptions, 'uid' | 'gid'> {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody'])
    try {
      const ask = (flag: string) =>
        Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }).toString());
      return { uid: ask('-u'), gid: ask('-g') };
    } catch {
      // The next one, then.
    }
  throw new Error('PostgreSQL does not run as root; expected a user postgres or nobody');
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; ; tries += 1)
    try {
      await query(url, 'select 1');
      return;
    } catch (error) {
      if (tries === 400) throw error;
      await wait(25);
    }
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

function version(folder: string): number {
  return Number(folder.split('/').at(-2));
}
