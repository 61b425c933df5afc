import pg from 'pg';
import { UsageError } from '../../../spec/files/usage-error.ts';
import { showPlace } from '../place.ts';
import { migrate } from './schema.ts';
import { explain, whyNot } from './trouble.ts';

/** The connections of one replica. */
export type Pools = {
  /** Reads, and what needs no transaction. */
  readonly reads: pg.Pool;
  /** Transactions that behave as if one ran after the other. */
  readonly writes: pg.Pool;
  /** A connection beside the pools, as for LISTEN. */
  client(name: string): pg.Client;
  /** The name of the connection that a replica listens on: by it the others know that it is there. */
  listens(replica: string): string;
  /** The address without its password. */
  readonly shown: string;
  close(): Promise<void>;
};

/** As many for reads, and as many for writes. */
const CONNECTIONS = 10;
const MOST_CONNECTIONS = 200;
const CONNECT_MS = 10_000;

/** Connects, and makes or migrates the tables. Throws UsageError where that can't be done, with the way out. */
export async function openPools(address: string, replica: string): Promise<Pools> {
  const { connections, shown, url } = readAddress(address);
  const common = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: `record-model-mock ${replica}`,
  };
  const open = (settings: string) => {
    const pool = new pg.Pool({
      ...common,
      max: connections,
      options: settings,
      pipeline: true,
    } as pg.PoolConfig);
    // Of a connection that nobody uses: the next who asks gets another one, or is told.
    pool.on('error', () => undefined);
    return pool;
  };
  // A crash may lose the last numbers given, together with all that used them: commits are written in order.
  const reads = open('-c synchronous_commit=off -c lock_timeout=10s');
  const writes = open('-c default_transaction_isolation=serializable');
  let closed: Promise<unknown> | undefined;
  const close = async () => {
    closed ??= Promise.all([reads.end(), writes.end()]);
    await closed;
  };
  try {
    const client = await connect(reads, shown);
    try {
      await migrate(client, shown);
    } finally {
      client.release();
    }
  } catch (error) {
    await close();
    throw explain(error, shown);
  }
  return {
    reads,
    writes,
    shown,
    close,
    client: (name) => new pg.Client({ ...common, application_name: name }),
    listens: (one) => `record-model-mock listens ${one}`,
  };
}

/** Whoever can't connect has to look at the address, whatever went wrong. */
async function connect(pool: pg.Pool, shown: string): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw new UsageError(`${shown}: ${whyNot(error) ?? (error as Error).message}`);
  }
}

/** `?connections=20` is for us, and all else for PostgreSQL. */
function readAddress(address: string): { url: string; shown: string; connections: number } {
  const url = parse(address);
  const text = url.searchParams.get('connections');
  url.searchParams.delete('connections');
  const shown = showPlace(address);
  const connections = text === null ? CONNECTIONS : Number(text);
  if (!Number.isInteger(connections) || connections < 1 || connections > MOST_CONNECTIONS)
    throw new UsageError(
      `${shown}: connections is ${JSON.stringify(text)}; expected a whole number from 1 to ${MOST_CONNECTIONS}`,
    );
  return { url: url.href, shown, connections };
}

function parse(address: string): URL {
  try {
    return new URL(address);
  } catch {
    throw new UsageError(
      'the address of the database is malformed; expected postgres://USER:PASSWORD@HOST:PORT/DATABASE, with % for what is no letter or digit',
    );
  }
}
