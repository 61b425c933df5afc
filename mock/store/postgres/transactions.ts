import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import type { Records } from '../store.ts';
import type { Ids } from './ids.ts';
import type { Indexed } from './rows.ts';
import { codeOf, isConflict } from './trouble.ts';
import { createWork, NO_PART } from './work.ts';

export type Transactions = <Result>(
  space: string,
  work: (records: Records) => Promise<Result>,
) => Promise<Result>;

/** By then each of a hundred that want the same record has had it. */
const MOST_ATTEMPTS = 50;
const LONGEST_PAUSE = 50;

/**
 * Runs work as SERIALIZABLE transactions: they run side by side, and one that another came between runs again. Those of
 * this replica that met another of their session wait for each other, so that they don't meet again.
 */
export function createTransactions(pool: pg.Pool, ids: Ids, indexed: Indexed): Transactions {
  const queues = new Map<string, Promise<unknown>>();
  return async (space, work) => {
    try {
      return await attempt(space, work);
    } catch (error) {
      if (!isConflict(error)) throw error;
      return inTurn(space, () => persist(space, work));
    }
  };

  function inTurn<Result>(space: string, run: () => Promise<Result>): Promise<Result> {
    const result = (queues.get(space) ?? Promise.resolve()).then(run);
    const end = result.then(ignore, ignore).then(() => {
      if (queues.get(space) === end) queues.delete(space);
    });
    queues.set(space, end);
    return result;
  }

  async function persist<Result>(
    space: string,
    work: (records: Records) => Promise<Result>,
  ): Promise<Result> {
    for (let attempts = 1; ; attempts += 1)
      try {
        return await attempt(space, work);
      } catch (error) {
        if (!isConflict(error) || attempts === MOST_ATTEMPTS) throw error;
        await wait(Math.random() * Math.min(attempts * 2, LONGEST_PAUSE));
      }
  }

  /** With `isCareful` it looks first where records have their place; most often there is no need. */
  async function attempt<Result>(
    space: string,
    work: (records: Records) => Promise<Result>,
    isCareful = false,
  ): Promise<Result> {
    let opened: Promise<pg.PoolClient> | undefined;
    const begin = () => {
      opened ??= beginOn(pool);
      return opened;
    };
    const current = createWork({ space, ids, indexed, begin });
    let failed: Error | undefined;
    try {
      const result = await work(current.records);
      const last = isCareful ? undefined : current.last();
      if (last) await runLast(last, opened);
      else await current.finish();
      if (opened && !last) await (await opened).query('commit');
      return result;
    } catch (error) {
      failed = error as Error;
      if (isCareful || codeOf(error) !== NO_PART) throw error;
    } finally {
      if (opened) await letGo(opened, failed);
    }
    return attempt(space, work, true);
  }

  /** With the end of the transaction on its heels, or as one of its own. */
  async function runLast(
    statement: pg.QueryConfig,
    opened: Promise<pg.PoolClient> | undefined,
  ): Promise<void> {
    const client = await opened;
    if (client) await Promise.all([client.query(statement), client.query('commit')]);
    else await pool.query(statement);
  }
}

async function beginOn(pool: pg.Pool): Promise<pg.PoolClient> {
  const client = await pool.connect();
  // It goes out together with the first statement; where it fails that one fails too.
  client.query('begin').catch(ignore);
  return client;
}

/** Gives a connection back, or closes one that does not answer any more. */
async function letGo(opened: Promise<pg.PoolClient>, failed: Error | undefined): Promise<void> {
  const client = await opened.catch(ignore);
  if (!client) return;
  try {
    if (failed) await client.query('rollback');
    client.release();
  } catch (error) {
    client.release(error as Error);
  }
}

function ignore(): undefined {
  return undefined;
}
