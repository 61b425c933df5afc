import { randomUUID } from 'node:crypto';
import type { SessionRecords, Store } from '../store.ts';
import { createIds } from './ids.ts';
import { openPools } from './pools.ts';
import { type Ask, type Indexed, readRecord, readRecords } from './rows.ts';
import { createSpaces, type Space } from './spaces.ts';
import { createTransactions } from './transactions.ts';
import { translate } from './trouble.ts';

/**
 * Keeps everything in a PostgreSQL database, which any number of mocks may share. Throws UsageError where the database
 * can't be used.
 */
export async function createPostgresStore(address: string, indexed: Indexed = new Map()): Promise<Store> {
  const replica = randomUUID();
  const pools = await openPools(address, replica);
  const ids = createIds(pools.reads);
  const spaces = createSpaces(pools.writes, ids, indexed);
  const transactions = createTransactions(pools.writes, ids, indexed);
  const told = <Result>(asked: Promise<Result>) => translate(asked, pools.shown);
  return {
    begin: (snapshot, work) => told(spaces.begin(snapshot, work)),
    open: async (session, snapshot) => recordsOf(await told(spaces.open(session, snapshot))),
    sessions: () => told(spaces.sessions()),
    drop: (session) => told(spaces.drop(session)),
    save: (session, snapshot) => told(spaces.save(session, snapshot)),
    restore: (session, snapshot) => told(spaces.restore(session, snapshot)),
    snapshots: () => told(spaces.snapshots()),
    forget: (snapshot) => told(spaces.forget(snapshot)),
    close: pools.close,
  };

  function recordsOf({ from, id: space }: Space): SessionRecords {
    const ask: Ask = (statement) => pools.reads.query(statement);
    return {
      from,
      get: (model, id) => told(readRecord(ask, space, model, id)),
      find: (model, query) => told(readRecords(ask, space, model, query, indexed)),
      transaction: (work) => told(transactions(space, work)),
    };
  }
}
