import pg from 'pg';
import { UsageError } from '../../../spec/files/usage-error.ts';
import { StoreAway, StoreFull, showPlace } from '../store.ts';
import { LONG, longStatement, type OpenOptions, openSchema } from './schema.ts';

/** The connections of one replica. */
export type Pools = Awaited<ReturnType<typeof openPools>>;

/** The connections for reads, and again for writes. */
const CONNECTIONS = 10;
const MOST_CONNECTIONS = 200;
/** Seconds to wait for a connection. */
const BOUND = 5;
const LONGEST_CONNECT = 600;
/** Milliseconds after which the replica gives up a statement and its connection, because the server hangs. */
const STATEMENT_TIMEOUT = 30_000;

/** Connects, and creates the tables. With `mustExist`, throws UsageError if there are none. */
export async function openPools(address: string, replica: string, options: OpenOptions = {}) {
  const { connections, seconds, shown, url } = readAddress(address);
  const common = {
    connectionString: url,
    connectionTimeoutMillis: seconds * 1000,
    // `dump` reads everything in one query.
    query_timeout: options.mustExist ? LONG : STATEMENT_TIMEOUT,
    keepAlive: true,
    application_name: `record-model-mock ${replica}`,
  };
  const open = new Set<pg.ClientBase>();
  /** Closes all connections without a message, because a database that hangs would ignore it. */
  const hangUp = () => {
    for (const client of open)
      (client as pg.ClientBase & { readonly connection: pg.Connection }).connection.stream.destroy();
  };
  const openPool = (settings = '') => {
    // A statement is planned once, and not again for each of its values. Compiling one takes longer than running it.
    const options = `-c plan_cache_mode=force_generic_plan -c jit=off ${settings}`;
    const pool = new pg.Pool({ ...common, max: connections, options, pipeline: true } as pg.PoolConfig);
    // An idle connection failed. The next request gets another one, or an error.
    pool.on('error', () => undefined);
    // A connection in use failed. Its current or next statement rejects.
    pool.on('connect', (client) => {
      client.on('error', () => undefined);
      open.add(client);
    });
    pool.on('remove', (client) => open.delete(client));
    return pool;
  };
  // A crash can lose its last writes: the clock, faults, and times of use of sessions.
  const reads = openPool('-c synchronous_commit=off -c lock_timeout=10s');
  const writes = openPool();
  let isConnected = false;
  let closed: Promise<unknown> | undefined;
  const close = async () => {
    // A database that hangs ignores the end of a connection.
    const late = setTimeout(hangUp, seconds * 1000);
    closed ??= Promise.all([reads.end(), writes.end()]);
    await closed;
    clearTimeout(late);
  };
  try {
    (await reads.connect()).release();
    isConnected = true;
    await inTransaction(writes, (own) => openSchema(own, shown, options));
  } catch (error) {
    await close();
    // Each error of the first connection concerns the address or the server.
    throw isConnected ? explain(error, shown) : unusable(error, shown);
  }
  return {
    /** For reads, and for writes without a transaction. */
    reads,
    /** For writes that must last. */
    writes,
    /** The address without its password. */
    shown,
    close,
    /** Creates a connection outside the pools, for example for LISTEN. */
    client: (name: string) => {
      const made = new pg.Client({ ...common, application_name: name });
      open.add(made);
      // Its current or next statement rejects.
      made.on('error', () => undefined);
      made.on('end', () => open.delete(made));
      return made;
    },
    check: async (): Promise<void> => {
      await reads.query({ text: 'select 1', values: [], query_timeout: seconds * 1000 } as pg.QueryConfig);
    },
    /** Returns the name of the connection that a replica listens on. The other replicas find it by this name. */
    listens: (one: string) => `record-model-mock listens ${one}`,
  };
}

/** Takes `connections` and `connect_timeout` from the query. The rest is for the driver and PostgreSQL. */
function readAddress(address: string) {
  const url = URL.parse(address);
  if (!url)
    throw new UsageError(
      'The address of the database is malformed. Use postgres://USER:PASSWORD@HOST:PORT/DATABASE, and percent-encode special characters.',
    );
  const shown = showPlace(address);
  const take = (name: string, otherwise: number, most: number): number => {
    const text = url.searchParams.get(name);
    url.searchParams.delete(name);
    const number = text === null ? otherwise : Number(text);
    if (Number.isInteger(number) && number >= 1 && number <= most) return number;
    throw new UsageError(
      `${name} must be a whole number from 1 to ${most} in ${shown}, but is ${JSON.stringify(text)}.`,
    );
  };
  const connections = take('connections', CONNECTIONS, MOST_CONNECTIONS);
  const seconds = take('connect_timeout', BOUND, LONGEST_CONNECT);
  return { url: url.href, shown, connections, seconds };
}

/** Runs work in a transaction, which ends after the statements that the work put into `sent`. */
export async function inTransaction<Result>(
  pool: pg.Pool,
  run: (client: pg.PoolClient, sent: Promise<unknown>[]) => Promise<Result>,
  begin = 'begin',
): Promise<Result> {
  const client = await pool.connect();
  const sent: Promise<unknown>[] = [];
  try {
    const begun = client.query(begin);
    const [result] = await Promise.all([run(client, sent), begun]);
    await Promise.all([...sent, client.query(longStatement('commit'))]);
    client.release();
    return result;
  } catch (error) {
    const isWhole =
      !isAway(error) &&
      (await client.query('rollback').then(
        () => true,
        () => false,
      ));
    client.release(!isWhole);
    // Statements after the one that failed are rejected for another reason.
    const first = (await Promise.allSettled(sent)).find(({ status }) => status === 'rejected');
    throw first?.status === 'rejected' ? first.reason : error;
  }
}

/** Errors of the connection to PostgreSQL. Errors of the server have an SQLSTATE (PostgreSQL, appendix A). */
const SOCKET_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code ?? '');
}

/** Whether the database can't be reached, or accepts no statements now. */
function isAway(error: unknown): boolean {
  const code = codeOf(error);
  if (/^(08|53|57P|25006)/.test(code) || SOCKET_ERRORS.has(code)) return true;
  // Errors of the driver have no code.
  return code === '' && /connection|timeout|not queryable/i.test((error as Error).message ?? '');
}

/** Rejects with the error that callers of a store expect for one of the database or the driver. */
export async function translate<Result>(asked: Promise<Result>, shown: string): Promise<Result> {
  try {
    return await asked;
  } catch (error) {
    if (codeOf(error) === '53100')
      throw new StoreFull(`Nothing was stored because the disk of ${shown} is full. Free some space.`);
    // The session or snapshot of the part is gone.
    if (codeOf(error) === '23503')
      throw new StoreAway('The session ended during the request. Send the request again.');
    // The statement waited too long for other transactions.
    if (['40P01', '55P03'].includes(codeOf(error)))
      throw new StoreAway(`Too many concurrent writes to ${shown}. Send the request again.`);
    if (isAway(error))
      throw new StoreAway(
        `${shown} does not respond. Send the request again. The driver reports: ${(error as Error).message}.`,
      );
    throw error;
  }
}

/** Returns the error for a database that can't be used. Returns `error` itself if it may be a bug of the mock. */
export function explain(error: unknown, shown: string): unknown {
  if (error instanceof UsageError || (REASONS[codeOf(error)] === undefined && !isAway(error))) return error;
  return unusable(error, shown);
}

/** Returns the same for an error that only concerns the address or the server. */
function unusable(error: unknown, shown: string): UsageError {
  // Timeouts of the driver have no code.
  const code = codeOf(error);
  const why = REASONS[code] ?? 'the connection failed. Check the address and the server.';
  const isClear = code.startsWith('E') && code in REASONS;
  const report = isClear ? '' : ` The driver reports: ${(error as Error).message}.`;
  return new UsageError(`Can't use ${shown} because ${why}${report}`);
}

/** Why a database can't be used and what to do, by the code of the error. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens there. Start PostgreSQL, or correct the host and port.',
  ENOTFOUND: 'the host name is unknown. Correct the host.',
  EAI_AGAIN: 'the host name is unknown. Correct the host.',
  '28P01': 'the server rejects the user or password. Use postgres://USER:PASSWORD@HOST/DATABASE.',
  '28000': 'the server rejects the user or password. Use postgres://USER:PASSWORD@HOST/DATABASE.',
  '3D000': 'the database does not exist. Create it with createdb.',
  '42501': "the user can't create a schema. Run GRANT CREATE ON DATABASE, or use the owner of the database.",
  '25006': 'the server is read-only. Use the primary server, not a standby.',
};
