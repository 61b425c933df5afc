import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import type { Records } from '../store.ts';
import { createIdsOfWork } from './ids.ts';
import { createBatches } from './rows.ts';
import { codeOf, isAway, isConflict } from './trouble.ts';
import { createSingle, createTurns, createWork, NO_PART, NOT_SINGLE } from './work.ts';
import { addRecords, changeRecords, type RecordChange, type RecordRow } from './writes.ts';

/** After so many attempts, each of a hundred concurrent writers of a record has succeeded. */
const MOST_ATTEMPTS = 50;
const CROWDED_ATTEMPTS = 5;
const LONGEST_PAUSE = 50;

/**
 * The ways to try work, in order: with the last known version of the one record it reads, with the version in the
 * database, in a transaction, and in one that first looks up the parts it writes to. The first is usually enough.
 */
type Way = 'seen' | 'read' | 'whole' | 'careful';

/**
 * Runs work as one statement if possible, and otherwise as SERIALIZABLE transactions. They run concurrently, and run
 * again after a conflict. After a conflict, transactions of this replica in one session run one after the other.
 */
export function createTransactions(
  options: Pick<Parameters<typeof createWork>[0], 'ids' | 'layout' | 'seen' | 'texts'> &
    Pick<Parameters<typeof createSingle>[0], 'read'> & { readonly pool: pg.Pool },
) {
  const { pool, seen } = options;
  const queues = new Map<string, Promise<unknown>>();
  const turns = createTurns();
  const add = createBatches<RecordRow, void>(async (space, _, rows) => {
    await pool.query(addRecords('add', space, rows));
    return [];
  });
  const change = createBatches<RecordChange, boolean>(async (space, model, changes) => {
    const { rows } = await pool.query(changeRecords(space, model, changes));
    const changed = new Set(rows.map(({ id }) => Number(id)));
    return changes.map(({ row }) => changed.has(row.id));
  });
  /** The spaces in which transactions of this replica wait until one has succeeded, after too many conflicts. */
  const crowded = new Set<string>();
  return async <Result>(space: string, work: (records: Records) => Promise<Result>): Promise<Result> => {
    try {
      if (!crowded.has(space)) return await attempt(space, work, 'seen');
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    return inTurn(space, () => persist(space, work).finally(() => crowded.delete(space)));
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
        return await attempt(space, work, 'whole');
      } catch (error) {
        if (!isConflict(error) || attempts === MOST_ATTEMPTS) throw error;
        if (attempts === CROWDED_ATTEMPTS) crowded.add(space);
        await wait(Math.random() * Math.min(attempts * 2, LONGEST_PAUSE));
      }
  }

  async function attempt<Result>(
    space: string,
    work: (records: Records) => Promise<Result>,
    way: Way,
    ids = createIdsOfWork(options.ids),
  ): Promise<Result> {
    const single =
      way === 'seen' || way === 'read'
        ? createSingle({ ...options, space, turns }, way === 'seen')
        : undefined;
    let opened: Promise<pg.PoolClient> | undefined;
    const begin = () => {
      opened ??= beginOn(pool);
      return opened;
    };
    const current = createWork({ ...options, ids, space, single, begin });
    let failed: unknown;
    let next: Way;
    try {
      const result = await work(current.records);
      if (await finish()) return result;
      next = single?.isGuess() ? 'read' : 'whole';
    } catch (error) {
      failed = error;
      if (error === NOT_SINGLE) next = 'whole';
      else if (way !== 'careful' && codeOf(error) === NO_PART) next = 'careful';
      // The last known version can be out of date.
      else if (single?.isGuess() && !isAway(error)) next = 'read';
      else throw error;
    } finally {
      if (opened) await letGo(opened, failed);
      single?.end(failed);
    }
    ids.again();
    return attempt(space, work, next, ids);

    /** Stores everything. Returns whether the read versions were current. */
    async function finish(): Promise<boolean> {
      const only = opened || way === 'careful' ? undefined : current.only();
      const read = single?.read();
      if (!read && !only?.isNew) {
        await endWhole();
        return true;
      }
      if (read && current.isEmpty()) return !single?.isGuess();
      if (!only) throw NOT_SINGLE;
      const { record, row } = only;
      if (read && (row.model !== read.model || row.id !== read.id)) throw NOT_SINGLE;
      if (!read) await add(space, '', row);
      else if (!(await change(space, row.model, { row, was: read.was }))) return false;
      seen.note(space, row.model, row.id, { text: row.data, record });
      return true;
    }

    async function endWhole(): Promise<void> {
      const last = way === 'careful' ? undefined : current.last();
      if (last) {
        const client = await begin();
        // Sends the end of the transaction without waiting for the statement.
        await Promise.all([client.query(last), client.query('commit')]);
        return;
      }
      await current.finish();
      if (opened) await (await opened).query('commit');
    }
  }
}

async function beginOn(pool: pg.Pool): Promise<pg.PoolClient> {
  const client = await pool.connect();
  // It is sent together with the first statement. If it fails, that statement fails, too.
  client.query('begin isolation level serializable').catch(ignore);
  return client;
}

/** Returns a connection to the pool, or closes one that does not respond. */
async function letGo(opened: Promise<pg.PoolClient>, failed: unknown): Promise<void> {
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
