import type pg from 'pg';
import { createMemoryStore } from '../memory.ts';
import type { Layout, NewRecords, Records, Replicas, RetireLimits } from '../store.ts';
import { idAfter } from '../table.ts';
import { LOCK_SPACE } from './parts.ts';
import { inTransaction } from './pools.ts';
import type { Reading, Statement } from './records.ts';
import { lock, longStatement, SCHEMA } from './schema.ts';
import { createWriter, type Writer } from './transactions.ts';

/** Whether a session `s` has the same records as the snapshot $2: no own part, and no missing one. */
const UNCHANGED = `s.began = $2 and not exists (
    select from (select model, part from ${SCHEMA}.part where space = s.id) own
    full join (
      select p.model, p.part from ${SCHEMA}.part p join ${SCHEMA}.space b on b.id = p.space
      where b.kind = 'snapshot' and b.name = $2
    ) begun using (model, part)
    where own.model is null or begun.model is null
  )`;

const OF_SESSION = `where kind = 'session' and name = $1`;

/** A session as the database has it. */
export type Space = { readonly id: string; readonly from: string; readonly isNew: boolean };

/** Arbitrary advisory-lock key. */
const LOCK = 7_265_637;
/** An ID that no space has. */
const NONE = '0';
const FIND = `select id, began from ${SCHEMA}.space where kind = $1 and name = $2`;

type Kind = 'session' | 'snapshot';
type Query = (text: string, ...values: unknown[]) => Promise<readonly Record<string, unknown>[]>;

/** Manages sessions and snapshots: where their records are, not the records themselves. */
export function createSpaces(pool: pg.Pool, { layout, seen }: Pick<Reading, 'layout' | 'seen'>) {
  return {
    begin: (snapshot: string, work: (records: NewRecords) => Promise<void>) =>
      inTransaction(pool, async (client, sent) => {
        await client.query(lock(LOCK));
        const ask = asking(client);
        if (await find(ask, 'snapshot', snapshot)) return false;
        const space = await make(ask, 'snapshot', snapshot, '');
        const written = {
          ask: (statement: Statement) => client.query(statement),
          owned: Promise.resolve([]),
        };
        const writer = createWriter({ ...written, layout, seen, sent, space });
        const filled = await writer.run((records) => fill(work, layout, records, writer));
        if (filled.status === 'rejected') throw filled.reason;
        await writer.send();
        sent.push(ask(`update ${SCHEMA}.part set owned = false where space = $1`, space));
        return true;
      }),
    open: async (session: string, snapshot: string): Promise<Space> => {
      const known = await find((text, ...values) => plain(text, values), 'session', session);
      if (known) return known;
      return change(async (ask) => {
        // Another replica can have been faster.
        const now = await find(ask, 'session', session);
        if (now) return now;
        const id = await make(ask, 'session', session, snapshot);
        const source = await find(ask, 'snapshot', snapshot);
        if (source) await share(ask, source.id, id);
        return { id, from: snapshot, isNew: true };
      });
    },
    ofSnapshot: (snapshot: string) => find((text, ...values) => plain(text, values), 'snapshot', snapshot),
    sessions: () => list('session'),
    snapshots: async () => (await list('snapshot')).map(({ name }) => name),
    drop: (session: string) => change((ask) => remove(ask, 'session', session)),
    /** Drops a session unless it was used since, or has writes since the snapshot `start`. Returns whether it did. */
    retire: (session: string, used: string, start?: string) =>
      change(async (ask) => {
        const known = await findLocked(ask, 'session', session);
        if (!known) return false;
        // A replica that is about to use the session waits, and creates it again.
        const text = `select id from ${SCHEMA}.space where id = $1 and used = $2 for update`;
        const [unused] = await ask(text, known.id, used);
        if (!unused) return false;
        if (start !== undefined) {
          const text = `select from ${SCHEMA}.space s where s.id = $1 and ${UNCHANGED}`;
          if ((await ask(text, unused.id, start)).length === 0) return false;
        }
        await remove(ask, 'session', session);
        return true;
      }),
    forget: (snapshot: string) => change((ask) => remove(ask, 'snapshot', snapshot)),
    save: (session: string, snapshot: string) =>
      change(async (ask) => {
        const source = await findLocked(ask, 'session', session);
        if (!source) return;
        await ask(`update ${SCHEMA}.part set owned = false where space = $1`, source.id);
        const target =
          (await find(ask, 'snapshot', snapshot))?.id ?? (await make(ask, 'snapshot', snapshot, ''));
        await replace(ask, source.id, target);
      }),
    restore: (session: string, snapshot: string) =>
      change(async (ask) => {
        const target = await findLocked(ask, 'session', session);
        if (!target) return;
        await replace(ask, (await find(ask, 'snapshot', snapshot))?.id, target.id);
      }),
  };

  /** Changes sessions and snapshots, one change at a time across replicas. */
  function change<Result>(run: (ask: Query) => Promise<Result>): Promise<Result> {
    return inTransaction(pool, async (client) => {
      await client.query(lock(LOCK));
      return run(asking(client));
    });
  }

  async function plain(text: string, values: unknown[]) {
    return (await pool.query(text, values)).rows;
  }

  async function list(kind: Kind): Promise<{ name: string; from: string }[]> {
    const rows = await plain(`select name, began from ${SCHEMA}.space where kind = $1 order by id`, [kind]);
    return rows.map(({ began, name }) => ({ name: String(name), from: String(began) }));
  }
}

/**
 * Stores the records of a new space. Records that the work may read again wait in memory until its end. Added ones go
 * to the database while the work goes on.
 */
async function fill(
  work: (records: NewRecords) => Promise<void>,
  layout: Layout,
  { put: add }: Records,
  { passOver }: Writer,
): Promise<void> {
  const memory = createMemoryStore(layout);
  const lasts = new Map<string, number>();
  const use = (model: string, id: number) => lasts.set(model, Math.max(lasts.get(model) ?? 0, id));
  await memory.begin('new', (records) =>
    work({
      ...records,
      nextId: async (model) => {
        const id = idAfter(lasts.get(model) ?? 0, model);
        use(model, id);
        return id;
      },
      put: (model, record) => {
        use(model, Number(record.id));
        return records.put(model, record);
      },
      clear: async (model) => {
        lasts.set(model, 0);
        await records.clear(model);
      },
      add: (model, record) => {
        use(model, Number(record.id));
        return add(model, record);
      },
    }),
  );
  const waiting = await memory.open('all', 'new');
  for await (const { model, records } of waiting.readAll([...lasts.keys()]))
    for (const record of records) await add(model, record);
  for (const [model, last] of lasts) await passOver(model, last);
}

function asking(client: pg.ClientBase): Query {
  return async (text, ...values) => (await client.query(longStatement(text, values))).rows;
}

async function find(ask: Query, kind: Kind, name: string): Promise<Space | undefined> {
  const [row] = await ask(FIND, kind, name);
  return row && { id: String(row.id), from: String(row.began), isNew: false };
}

/** Finds a space, and lets no other transaction write to it. */
async function findLocked(ask: Query, kind: Kind, name: string): Promise<Space | undefined> {
  const known = await find(ask, kind, name);
  if (known) await ask(LOCK_SPACE, known.id);
  return known;
}

async function make(ask: Query, kind: Kind, name: string, from: string): Promise<string> {
  const [row] = await ask(
    `insert into ${SCHEMA}.space (kind, name, began) values ($1, $2, $3) returning id`,
    kind,
    name,
    from,
  );
  return String(row?.id);
}

/** Gives an empty space the records and IDs of another. Leaves out parts with an owner, because they are new. */
async function share(ask: Query, source: string, target: string): Promise<void> {
  await ask(
    `insert into ${SCHEMA}.part (space, model, part, base, owned, last, live, deleted, changed)
     select $2, model, part, base, false, last, live, deleted, changed
     from ${SCHEMA}.part where space = $1 and not owned`,
    source,
    target,
  );
}

async function replace(ask: Query, source: string | undefined, target: string): Promise<void> {
  const old = await empty(ask, target);
  await share(ask, source ?? NONE, target);
  await erase(ask, old);
}

/** Removes all parts from a space, and returns them and their bases. */
async function empty(ask: Query, space: string): Promise<unknown[]> {
  const rows = await ask(`delete from ${SCHEMA}.part where space = $1 returning part, base`, space);
  return rows.flatMap(({ base, part }) => (base === null ? [part] : [part, base]));
}

async function remove(ask: Query, kind: Kind, name: string): Promise<void> {
  const known = await findLocked(ask, kind, name);
  if (!known) return;
  const old = await empty(ask, known.id);
  await ask(`delete from ${SCHEMA}.space where id = $1`, known.id);
  await erase(ask, old);
}

/** Removes the records of parts that no session and no snapshot uses. */
async function erase(ask: Query, parts: readonly unknown[]): Promise<void> {
  await ask(
    `delete from ${SCHEMA}.record where part in (
       select unnest($1::bigint[])
       except select part from ${SCHEMA}.part where part = any ($1)
       except select base from ${SCHEMA}.part where base = any ($1))`,
    parts,
  );
}

/** The data of a session other than its records, and the time of its last use. */
type Extras = Pick<Replicas, 'extra' | 'change' | 'touch'> & {
  /** Returns the idle sessions; if more than `max` are left, also the oldest ones without writes. */
  unneeded(limits: RetireLimits): Promise<
    readonly {
      readonly name: string;
      /** The time of its last use. */
      readonly used: string;
      readonly idle: boolean;
      /** The number of sessions that are not idle. */
      readonly others: number;
    }[]
  >;
};

export function createExtras(pool: pg.Pool): Extras {
  return {
    extra: async (session) => {
      const { rows } = await pool.query(`select extra from ${SCHEMA}.space ${OF_SESSION}`, [session]);
      return rows[0]?.extra ?? undefined;
    },
    change: (session, run) =>
      inTransaction(pool, async (client) => {
        const text = `select extra from ${SCHEMA}.space ${OF_SESSION} for no key update`;
        const { rows } = await client.query(text, [session]);
        const { extra, result } = run(rows[0]?.extra ?? undefined);
        await client.query(`update ${SCHEMA}.space set extra = $2 ${OF_SESSION}`, [session, extra]);
        return result;
      }),
    touch: async (session) => {
      await pool.query(`update ${SCHEMA}.space set used = clock_timestamp() ${OF_SESSION}`, [session]);
    },
    unneeded: async ({ idle, kept, max, start }) => {
      const text = `with known as (
          select id, name, began, used, used < clock_timestamp() - $1::float8 * interval '1 millisecond' as idle
          from ${SCHEMA}.space where kind = 'session' and name <> $3
        )
        select name, used::text, idle, others::integer
        from known s, (select count(*) as others from known where not idle) counted
        where idle or (others > $4 and ${UNCHANGED})
        order by s.used`;
      const { rows } = await pool.query(text, [idle, start, kept, max]);
      return rows;
    },
  };
}
