import type pg from 'pg';
import type { Replicas, RetireLimits } from '../store.ts';
import { inTransaction } from './pools.ts';
import { SCHEMA } from './schema.ts';

/** What belongs to a session beside its records, and how long ago it was used. */
export type Extras = Pick<Replicas, 'extra' | 'change' | 'touch'> & {
  /** Returns the sessions that nobody used for long; if more than `max` are left, also those without writes, oldest first. */
  unneeded(limits: RetireLimits): Promise<readonly Unneeded[]>;
};

export type Unneeded = {
  readonly name: string;
  /** When it was used last. */
  readonly used: string;
  readonly idle: boolean;
  /** How many sessions are there that somebody used. */
  readonly others: number;
};

/** Whether a session `s` has the same records as the snapshot $2: no part of its own, and none that is gone. */
export const UNCHANGED = `s.began = $2 and not exists (
    select from (select model, part from ${SCHEMA}.part where space = s.id) own
    full join (
      select p.model, p.part from ${SCHEMA}.part p join ${SCHEMA}.space b on b.id = p.space
      where b.kind = 'snapshot' and b.name = $2
    ) begun using (model, part)
    where own.model is null or begun.model is null
  )`;

const OF_SESSION = `where kind = 'session' and name = $1`;

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
