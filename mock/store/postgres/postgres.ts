import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { createQueue } from '../memory.ts';
import {
  DEFAULT_LAYOUT,
  type Layout,
  type ReadableRecords,
  type Replicas,
  type RetireLimits,
  type SessionRecords,
  type Store,
  StoreAway,
} from '../store.ts';
import { findRecords } from './find.ts';
import { openPeers } from './peers.ts';
import { explain, inTransaction, openPools, type Pools, translate } from './pools.ts';
import { type Reading, readAll, readRecord, type Statement } from './records.ts';
import { lock, longStatement, SCHEMA } from './schema.ts';
import { BEGIN, createWriter, LOCK_SPACE, transact } from './transactions.ts';

/** Keeps everything in PostgreSQL, which several mocks can share. Throws UsageError. */
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
  const { change, extra, ofSnapshot, open, ...spaces } = eachTold(createSpaces(pools, layout));
  return {
    ...spaces,
    open: async (session, snapshot) => recordsOf(await open(session, snapshot)),
    read: async (snapshot) => {
      const space = await ofSnapshot(snapshot);
      return space && readableOf(space.id);
    },
    check: () =>
      told(pools.check).catch((error) => {
        // Probes are open to all clients. The address of the database is for the log and the control API only.
        const detail = 'The database does not respond. Send the request again.';
        throw error instanceof StoreAway ? new StoreAway(detail) : error;
      }),
    close: async () => {
      await Promise.all([peers.close(), pools.close()]);
    },
    replicas: {
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
    const reading: Reading = { ask: (statement) => pools.reads.query(statement), space, layout };
    return {
      get: (model, id) => told(() => readRecord(reading, model, id)),
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

export type Space = { readonly id: string; readonly from: string; readonly isNew: boolean };

type Kind = 'session' | 'snapshot';
type AskRows = (text: string, ...values: unknown[]) => Promise<readonly Record<string, unknown>[]>;

/** Arbitrary advisory-lock key. */
const LOCK = 7_265_637;

const OF_SESSION = `where kind = 'session' and name = $1`;

/** Whether a session `s` has the same records as a snapshot: no own part, and no missing one. */
const isUnchanged = (snapshot: string) => `s.began = ${snapshot} and not exists (
    select from (select model, part from ${SCHEMA}.part where space = s.id) own
    full join (
      select p.model, p.part from ${SCHEMA}.part p join ${SCHEMA}.space b on b.id = p.space
      where b.kind = 'snapshot' and b.name = ${snapshot}
    ) begun using (model, part)
    where own.model is null or begun.model is null
  )`;

/** Selects the idle sessions; if more than $3 are left, also the oldest ones without writes. */
const UNNEEDED = `with known as (
    select id, name, began, used, used < clock_timestamp() - $1::float8 * interval '1 millisecond' as idle
    from ${SCHEMA}.space where kind = 'session' and name <> $2
  )
  select id, name, used::text, idle, others::integer
  from known s, (select count(*) as others from known where not idle) counted
  where idle or (others > $3 and ${isUnchanged('$4')})
  order by s.used`;

/** Selects a session that was not used since, and that has no writes unless $3. */
const UNUSED = `select from ${SCHEMA}.space s where id = $1 and used = $2 and ($3 or ${isUnchanged('$4')}) for update`;

/** Manages sessions and snapshots: where their records are, and the data of sessions other than their records. */
function createSpaces({ reads, writes }: Pools, layout: Layout) {
  const ask: AskRows = async (text, ...values) => (await writes.query(text, values)).rows;
  const list = async (kind: Kind) => {
    const rows = await ask(`select name, began from ${SCHEMA}.space where kind = $1 order by id`, kind);
    return rows.map(({ began, name }) => ({ name: String(name), from: String(began) }));
  };
  const begin: Store['begin'] = (snapshot, work) =>
    inTransaction(
      writes,
      async (client, sent) => {
        await client.query(lock(LOCK));
        const ask = asking(client);
        if (await find(ask, 'snapshot', snapshot)) return false;
        const space = await make(ask, 'snapshot', snapshot, '');
        const written = {
          ask: (statement: Statement) => client.query(statement),
          owned: Promise.resolve([]),
        };
        const writer = createWriter({ ...written, layout, sent, space });
        await work(writer.records);
        await writer.send();
        sent.push(ask(`update ${SCHEMA}.part set owned = false where space = $1`, space));
        return true;
      },
      BEGIN,
    );
  const change: Replicas['change'] = (session, run) =>
    inTransaction(reads, async (client) => {
      const text = `select extra from ${SCHEMA}.space ${OF_SESSION} for no key update`;
      const { rows } = await client.query(text, [session]);
      const { extra, result } = run(rows[0]?.extra ?? undefined);
      await client.query(`update ${SCHEMA}.space set extra = $2 ${OF_SESSION}`, [session, extra]);
      return result;
    });
  return {
    begin,
    open: async (session: string, snapshot: string): Promise<Space> =>
      (await find(ask, 'session', session)) ??
      alter(async (ask) => {
        // Another replica can have been faster.
        const known = await find(ask, 'session', session);
        if (known) return known;
        const id = await make(ask, 'session', session, snapshot);
        const source = await find(ask, 'snapshot', snapshot);
        if (source) await share(ask, source.id, id);
        return { id, from: snapshot, isNew: true };
      }),
    ofSnapshot: (snapshot: string) => find(ask, 'snapshot', snapshot),
    sessions: () => list('session'),
    snapshots: async () => (await list('snapshot')).map(({ name }) => name),
    drop: (session: string) => alter((ask) => remove(ask, 'session', session)),
    forget: (snapshot: string) => alter((ask) => remove(ask, 'snapshot', snapshot)),
    save: (session: string, snapshot: string) =>
      alter(async (ask) => {
        const source = await findLocked(ask, 'session', session);
        if (!source) return;
        await ask(`update ${SCHEMA}.part set owned = false where space = $1`, source.id);
        const known = await find(ask, 'snapshot', snapshot);
        await replace(ask, source.id, known?.id ?? (await make(ask, 'snapshot', snapshot, '')));
      }),
    restore: (session: string, snapshot: string) =>
      alter(async (ask) => {
        const target = await findLocked(ask, 'session', session);
        if (target) await replace(ask, (await find(ask, 'snapshot', snapshot))?.id, target.id);
      }),
    extra: async (session: string): Promise<string | undefined> => {
      const { rows } = await reads.query(`select extra from ${SCHEMA}.space ${OF_SESSION}`, [session]);
      return rows[0]?.extra ?? undefined;
    },
    change,
    touch: async (session: string): Promise<void> => {
      await reads.query(`update ${SCHEMA}.space set used = clock_timestamp() ${OF_SESSION}`, [session]);
    },
    retire: async ({ idle: time, kept, max, start }: RetireLimits): Promise<readonly string[]> => {
      const gone: string[] = [];
      let retired = 0;
      for (const { id, idle, name, others, used } of await ask(UNNEEDED, time, kept, max, start)) {
        if (!idle && Number(others) - retired <= max) continue;
        const isGone = await alter(async (ask) => {
          await ask(LOCK_SPACE, id);
          // A replica that is about to use the session waits, and creates it again.
          if ((await ask(UNUSED, id, used, idle, start)).length === 0) return false;
          await remove(ask, 'session', String(name));
          return true;
        });
        if (isGone) gone.push(String(name));
        if (isGone && !idle) retired += 1;
      }
      return gone;
    },
  };

  /** Alters sessions and snapshots, one change at a time across replicas. */
  function alter<Result>(run: (ask: AskRows) => Promise<Result>): Promise<Result> {
    return inTransaction(writes, async (client) => {
      await client.query(lock(LOCK));
      return run(asking(client));
    });
  }
}

function asking(client: pg.ClientBase): AskRows {
  return async (text, ...values) => (await client.query(longStatement(text, values))).rows;
}

async function find(ask: AskRows, kind: Kind, name: string): Promise<Space | undefined> {
  const [row] = await ask(`select id, began from ${SCHEMA}.space where kind = $1 and name = $2`, kind, name);
  return row && { id: String(row.id), from: String(row.began), isNew: false };
}

/** Finds a space, and lets no other transaction write to it. */
async function findLocked(ask: AskRows, kind: Kind, name: string): Promise<Space | undefined> {
  const known = await find(ask, kind, name);
  if (known) await ask(LOCK_SPACE, known.id);
  return known;
}

async function make(ask: AskRows, kind: Kind, name: string, from: string): Promise<string> {
  const text = `insert into ${SCHEMA}.space (kind, name, began) values ($1, $2, $3) returning id`;
  return String((await ask(text, kind, name, from))[0]?.id);
}

/** Gives an empty space the records and IDs of another. Leaves out parts with an owner, because they are new. */
async function share(ask: AskRows, source: string, target: string): Promise<void> {
  const columns = 'last, live, deleted';
  await ask(
    `insert into ${SCHEMA}.part (space, model, part, base, owned, ${columns})
     select $2, model, part, base, false, ${columns} from ${SCHEMA}.part where space = $1 and not owned`,
    source,
    target,
  );
}

/** Gives a space the records and IDs of another, or none. Removes the records that no session or snapshot uses then. */
async function replace(ask: AskRows, source: string | undefined, target: string): Promise<void> {
  const old = await ask(`delete from ${SCHEMA}.part where space = $1 returning part, base`, target);
  if (source !== undefined) await share(ask, source, target);
  await ask(
    `delete from ${SCHEMA}.record where part in (
       select unnest($1::bigint[])
       except select part from ${SCHEMA}.part where part = any ($1)
       except select base from ${SCHEMA}.part where base = any ($1))`,
    old.flatMap(({ base, part }) => (base === null ? [part] : [part, base])),
  );
}

async function remove(ask: AskRows, kind: Kind, name: string): Promise<void> {
  const known = await findLocked(ask, kind, name);
  if (!known) return;
  await replace(ask, undefined, known.id);
  await ask(`delete from ${SCHEMA}.space where id = $1`, known.id);
}
