import { randomUUID } from 'node:crypto';
import {
  DEFAULT_LAYOUT,
  type Found,
  type Layout,
  type Query,
  type ReadableRecords,
  type SessionRecords,
  type Store,
} from '../store.ts';
import { findStatement, runFind } from './find.ts';
import { flattenPart } from './parts.ts';
import { openPeers } from './peers.ts';
import { explain, openPools, translate } from './pools.ts';
import { createBatches, createSeen, type Reading, readAll, readRecords } from './records.ts';
import { createSpaces, type Space } from './spaces.ts';
import { createTransactions } from './transactions.ts';

/** Maximum number of queries at the same time that look at all records of a model, out of ten connections. */
const MOST_SCANS = 4;

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
  const { shown, watch } = pools;
  const told = <Result>(ask: () => Promise<Result>) => watch.run(() => translate(ask(), shown));
  const peers = await watch
    .run(() => openPeers(pools, replica))
    .catch(async (error) => {
      await pools.close();
      throw explain(error, shown);
    });
  const seen = createSeen();
  const readingOf = (space: string): Reading => ({
    ask: (statement) => pools.reads.query(statement),
    space,
    seen,
    layout,
  });
  const read = createBatches((space, model, ids: readonly number[]) =>
    readRecords(readingOf(space), model, ids),
  );
  const scan = createLane(MOST_SCANS);
  // Several clients often read the same page.
  const search = createBatches<{ readonly model: string; readonly query: Query }, Found>(
    async (space, _, same) => {
      const [{ model, query }] = same as [(typeof same)[number]];
      const statement = findStatement(layout, space, model, query);
      const run = () => told(() => runFind(readingOf(space), model, query, statement));
      const found = await (statement.isScan ? scan(run) : run());
      return same.map(() => found);
    },
  );
  const flatten = createBatches<undefined, void>(async (space, model) => {
    await flattenPart(pools.writes, space, model);
    return [];
  });
  const onWorn = (space: string, model: string) => void flatten(space, model, undefined).catch(() => {});
  const transactions = createTransactions({ pool: pools.writes, layout, seen, onWorn });
  const { change, extra, ofSnapshot, open, ...spaces } = eachTold(createSpaces(pools, { layout, seen }));
  return {
    ...spaces,
    open: async (session, snapshot) => recordsOf(await open(session, snapshot)),
    read: async (snapshot) => {
      const space = await ofSnapshot(snapshot);
      return space && readableOf(space.id);
    },
    check: watch.check,
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
    return {
      get: (model, id) => told(() => read(space, model, id)),
      find: (model, query) => search(space, `${model} ${JSON.stringify(query)}`, { model, query }),
    };
  }

  function recordsOf({ from, id: space, isNew }: Space): SessionRecords {
    return {
      from,
      isNew,
      ...readableOf(space),
      readAll: (models) => readAll(pools.reads, space, models, told),
      transaction: (work) => told(() => transactions(space, work)),
    };
  }
}

/** Returns a function that runs at most `most` queries at a time. The others wait, and run in the order of their calls. */
function createLane(most: number): <Result>(run: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (run) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
