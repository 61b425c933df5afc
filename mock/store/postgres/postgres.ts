import { randomUUID } from 'node:crypto';
import {
  createQueue,
  DEFAULT_LAYOUT,
  type Layout,
  type ReadableRecords,
  type SessionRecords,
  type Store,
} from '../store.ts';
import { findRecords } from './find.ts';
import { openPeers } from './peers.ts';
import { explain, openPools, translate } from './pools.ts';
import { type Reading, readAll, readRecords } from './records.ts';
import { createSpaces, type Space } from './spaces.ts';
import { transact } from './transactions.ts';

/**
 * Keeps everything in a PostgreSQL database, which any number of mocks may share. Throws UsageError where the database
 * can't be used, or with `mustExist` where no mock has written to it.
 */
export async function createPostgresStore(
  address: string,
  layout: Layout = DEFAULT_LAYOUT,
  mustExist = false,
): Promise<Store> {
  const replica = randomUUID();
  const pools = await openPools(address, replica, { api: layout.api, mustExist });
  const { shown } = pools;
  const told = <Result>(ask: () => Promise<Result>) => translate(ask(), shown);
  const peers = await openPeers(pools, replica).catch(async (error) => {
    await pools.close();
    throw explain(error, shown);
  });
  const readingOf = (space: string): Reading => ({
    ask: (statement) => pools.reads.query(statement),
    space,
    layout,
  });
  const { change, extra, ofSnapshot, open, ...spaces } = eachTold(createSpaces(pools, layout));
  return {
    ...spaces,
    open: async (session, snapshot) => recordsOf(await open(session, snapshot)),
    read: async (snapshot) => {
      const space = await ofSnapshot(snapshot);
      return space && readableOf(space.id);
    },
    check: () => told(pools.check),
    close: async () => {
      await Promise.all([peers.close(), pools.close()]);
    },
    replicas: {
      number: peers.number,
      ask: (question) => told(() => peers.ask(question)),
      answer: peers.answer,
      change,
      extra,
    },
  };

  /** Returns functions that reject with the errors that callers of a store expect. */
  function eachTold<Functions extends object>(functions: Functions): Functions {
    const all = Object.entries(functions).map(([name, run]) => [
      name,
      (...args: unknown[]) => told(() => run(...args)),
    ]);
    return Object.fromEntries(all);
  }

  function readableOf(space: string): ReadableRecords {
    const reading = readingOf(space);
    return {
      get: async (model, id) => (await told(() => readRecords(reading, model, [id])))[0],
      find: (model, query) => told(() => findRecords(reading, model, query)),
    };
  }

  function recordsOf({ from, id: space, isNew }: Space): SessionRecords {
    // One after the other, so that a session does not use all connections to wait for its turn.
    const inTurn = createQueue();
    return {
      from,
      isNew,
      ...readableOf(space),
      readAll: (models) => readAll(pools.reads, space, models, told),
      transaction: (work) => inTurn(() => told(() => transact(pools.writes, { layout, space }, work))),
    };
  }
}
