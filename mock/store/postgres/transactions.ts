import type pg from 'pg';
import type { ReadableRecords, Records } from '../store.ts';
import { addChanges, type Changes } from './changes.ts';
import { createIds } from './ids.ts';
import { LOCK_SPACE, OWNED, ownParts } from './parts.ts';
import { type Ask, createBatches, readRecords } from './rows.ts';
import { findRecords, type Reading } from './search/find.ts';
import { isAway, isBlocked } from './trouble.ts';
import { createWorkRun } from './work.ts';
import { statementsOf } from './writes.ts';

/**
 * Begins a transaction. Its turn comes within 20 seconds, or it fails. If its replica stops in the middle, the database
 * ends it after the same time, so that other replicas can write.
 */
const BEGIN = `begin; set local lock_timeout = '20s'; set local idle_in_transaction_session_timeout = '20s'`;

/** Maximum number of statements that are sent without waiting for the first of them. */
const MOST_SENT = 10;

type Work = (records: Records) => Promise<unknown>;
type Results = readonly PromiseSettledResult<unknown>[];
type Options = Pick<Reading, 'layout' | 'seen'>;

/**
 * Runs the work of requests in transactions. Those of a space run one after the other, in all replicas. Work that comes
 * together, or while the last transaction of this replica is running, is one transaction.
 */
export function createTransactions({ pool, ...options }: Options & { readonly pool: pg.Pool }) {
  const transact = createBatches<Work, unknown>(async (space, _, works) => {
    const results = await runEach(space, works);
    return results.map((one) => (one.status === 'fulfilled' ? one.value : Promise.reject(one.reason)));
  });
  return <Result>(space: string, work: (records: Records) => Promise<Result>) =>
    transact(space, '', work) as Promise<Result>;

  async function runEach(space: string, works: readonly Work[]): Promise<Results> {
    try {
      return await runTogether(space, works);
    } catch (reason) {
      if (works.length === 1 || isAway(reason) || isBlocked(reason))
        return works.map(() => ({ status: 'rejected', reason }));
      // One of them caused the error. The others can succeed.
      const results: Results[] = [];
      for (const work of works) results.push(await runEach(space, [work]));
      return results.flat();
    }
  }

  async function runTogether(space: string, works: readonly Work[]): Promise<Results> {
    const transaction = openTransaction(pool, space);
    let failed: unknown;
    try {
      return await runWorks(works, { ...options, ...transaction, space });
    } catch (error) {
      failed = error;
      throw error;
    } finally {
      await transaction.end(failed);
    }
  }
}

/** Runs works in a transaction as if one came after the other, stores their changes, and ends the transaction. */
export async function runWorks(
  works: readonly Work[],
  options: Options &
    Pick<ReturnType<typeof openTransaction>, 'ask' | 'commit' | 'owned'> & { readonly space: string },
): Promise<Results> {
  const { ask, commit, layout, owned, space } = options;
  const [ids, reads] = [createIds(ask, space), createReads(options)];
  const run = async (work: Work, earlier: Changes) => {
    const current = createWorkRun({ earlier, ids, layout, reads });
    const [result] = await Promise.allSettled([work(current.records)]);
    return { ...current, result };
  };
  const changes: Changes = new Map();
  const nothing: Changes = new Map();
  // First, all of them run at once, so that their reads are few statements.
  const runs = await Promise.all(works.map(async (work) => ({ work, first: await run(work, nothing) })));
  const results: PromiseSettledResult<unknown>[] = [];
  for (const { first, work } of runs) {
    const last = first.isAffectedBy(changes) ? await run(work, changes) : first;
    results.push(last.result);
    if (last.result.status === 'fulfilled') addChanges(changes, last.changes);
  }
  for (const [model, { last }] of changes) if (last !== undefined) ids.restart(model, last);
  const known = changes.size > 0 ? await owned() : new Set();
  await ownParts(ask, space, [...changes.keys()].filter((model) => !known.has(model)).toSorted());
  const sent: Promise<unknown>[] = [];
  for (const statement of [...(await ids.statements()), ...statementsOf(changes, options)]) {
    if (sent.length >= MOST_SENT) await Promise.all(sent.splice(0));
    sent.push(ask(statement));
  }
  // Sends the end of the transaction without waiting for the last statements.
  await Promise.all([...sent, commit()]);
  return results;
}

/** Reads records in a transaction, each at most once. */
function createReads(reading: Reading): ReadableRecords {
  const known = new Map<string, ReturnType<ReadableRecords['get']>>();
  const read = createBatches((_, model, ids: readonly number[]) => readRecords(reading, model, ids));
  return {
    get: (model, id) => {
      const record = known.get(`${model} ${id}`) ?? read('', model, id);
      known.set(`${model} ${id}`, record);
      return record;
    },
    find: (model, query) => findRecords(reading, model, query),
  };
}

/** Creates a transaction that begins with its first statement, as soon as it is the turn of this replica. */
function openTransaction(pool: pg.Pool, space: string) {
  let opened: ReturnType<typeof open> | undefined;
  let failed: unknown;
  const open = async () => {
    const client = await pool.connect();
    // They are sent together with the first statement.
    const begun = Promise.all([
      client.query(BEGIN),
      client.query({ name: 'turn', text: LOCK_SPACE, values: [space] }),
      client.query({ name: 'owned', text: OWNED, values: [space] }),
    ]);
    begun.catch(() => {});
    return { client, begun };
  };
  const ask: Ask = async (statement) => {
    opened ??= open();
    try {
      const { begun, client } = await opened;
      const found = client.query(statement);
      found.catch(() => {});
      // If the transaction does not begin, its error is the cause of the other one.
      await begun;
      return await found;
    } catch (error) {
      failed ??= error;
      throw error;
    }
  };
  return {
    ask,
    /** Returns the models whose parts the space owns. */
    owned: async () => {
      opened ??= open();
      const [, , { rows }] = await (await opened).begun;
      return new Set(rows.map(({ model }) => String(model)));
    },
    commit: async () => {
      if (failed !== undefined) throw failed;
      if (opened) await (await opened).client.query('commit');
    },
    /** Returns the connection to the pool, or closes one that does not respond. */
    end: async (error: unknown) => {
      const { client } = (await opened?.catch(() => undefined)) ?? {};
      try {
        if (error !== undefined) await client?.query('rollback');
        client?.release();
      } catch (error) {
        client?.release(error as Error);
      }
    },
  };
}
