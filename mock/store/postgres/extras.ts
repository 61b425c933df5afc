import type pg from 'pg';
import type { Replicas } from '../store.ts';
import { inTransaction } from './pools.ts';
import { SCHEMA } from './schema.ts';

/** What belongs to a session beside its records, and how long ago it was used. */
export type Extras = Pick<Replicas, 'extra' | 'change' | 'touch'> & {
  /** The sessions to drop. */
  idle(
    idle: number,
    max: number,
    kept: string,
  ): Promise<readonly { readonly name: string; readonly used: string }[]>;
};

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
    idle: async (idle, max, kept) => {
      const text = `select name, used::text from (
          select name, used, row_number() over (order by used desc) as place
          from ${SCHEMA}.space where kind = 'session' and name <> $3
        ) one
        where place > $2 or used < clock_timestamp() - $1::float8 * interval '1 millisecond'`;
      const { rows } = await pool.query(text, [idle, max, kept]);
      return rows;
    },
  };
}
