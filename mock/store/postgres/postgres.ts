import { randomUUID } from 'node:crypto';
import {
  DEFAULT_LAYOUT,
  type Layout,
  type Query,
  type ReadableRecords,
  type SessionRecords,
  type Store,
} from '../store.ts';
import { createIds } from './ids.ts';
import { openPeers } from './peers.ts';
import { openPools } from './pools.ts';
import { createBatches, createSeen, findRecords, type Reading, readRecords, readsAll } from './rows.ts';
import { createExtras, createSpaces, type Space } from './spaces.ts';
import { createTransactions } from './transactions.ts';
import { explain, translate } from './trouble.ts';

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
  const ids = createIds(pools.reads);
  const seen = createSeen();
  const readingOf = (space: string): Reading => ({
    ask: (statement) => pools.reads.query(statement),
    space,
    seen,
    layout,
  });
  const read = createBatches((space, model, asked: readonly number[]) =>
    readRecords(readingOf(space), model, asked),
  );
  const spaces = createSpaces(pools.writes, ids, layout, seen);
  const extras = createExtras(pools.reads);
  const { watch } = pools;
  const peers = await watch
    .run(() => openPeers(pools, replica))
    .catch(async (error) => {
      await pools.close();
      throw explain(error, pools.shown);
    });
  const transactions = createTransactions({ pool: pools.writes, ids, layout, seen, read });
  const alone = createTurns();
  const told = <Result>(ask: () => Promise<Result>) => watch.run(() => translate(ask(), pools.shown));
  return {
    begin: (snapshot, work) => told(() => spaces.begin(snapshot, work)),
    open: async (session, snapshot) => recordsOf(await told(() => spaces.open(session, snapshot))),
    sessions: async () => (await told(() => spaces.sessions())).map(({ name }) => name),
    drop: (session) => told(() => spaces.drop(session)),
    save: (session, snapshot) => told(() => spaces.save(session, snapshot)),
    restore: (session, snapshot) => told(() => spaces.restore(session, snapshot)),
    read: async (snapshot) => {
      const space = await told(() => spaces.ofSnapshot(snapshot));
      return space && readableOf(space.id);
    },
    snapshots: () => told(() => spaces.snapshots()),
    forget: (snapshot) => told(() => spaces.forget(snapshot)),
    check: watch.check,
    close: async () => {
      await Promise.all([peers.close(), pools.close()]);
    },
    replicas: {
      number: peers.number,
      ask: (question) => told(() => peers.ask(question)),
      answer: peers.answer,
      extra: (session) => told(() => extras.extra(session)),
      change: (session, run) => told(() => extras.change(session, run)),
      sessions: () => told(() => spaces.sessions()),
      touch: (session) => told(() => extras.touch(session)),
      retire: async (limits) => {
        const gone: string[] = [];
        let retired = 0;
        for (const { idle, name, others, used } of await told(() => extras.unneeded(limits))) {
          if (!idle && others - retired <= limits.max) continue;
          if (!(await told(() => spaces.retire(name, used, idle ? undefined : limits.start)))) continue;
          gone.push(name);
          if (!idle) retired += 1;
        }
        return gone;
      },
    },
  };

  function readableOf(space: string): ReadableRecords {
    const reading = readingOf(space);
    return {
      get: (model, id) => told(() => read(space, model, id)),
      find: (model, query) => alone(query, () => told(() => findRecords(reading, model, query))),
    };
  }

  function recordsOf({ from, id: space, isNew }: Space): SessionRecords {
    return {
      from,
      isNew,
      ...readableOf(space),
      transaction: (work) => told(() => transactions(space, work)),
    };
  }
}

/** Lets one query at a time read all records of a model, because they take a good part of the memory. */
function createTurns(): <Result>(query: Query, run: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (query, run) => {
    if (!readsAll(query)) return run();
    const next = last.then(run);
    last = next.catch(() => {});
    return next;
  };
}
