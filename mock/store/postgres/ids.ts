import type { Pool } from 'pg';
import { createBatches } from './rows.ts';
import { SCHEMA } from './schema.ts';

/** Assigns IDs outside of transactions, so that no ID is used twice, even if a transaction fails. */
export type Ids = ReturnType<typeof createIds>;

const NEXT = {
  name: 'next-ids',
  text: `insert into ${SCHEMA}.counter as c (space, model, last) values ($1, $2, $3::bigint)
    on conflict (space, model) do update set last = c.last + $3::bigint
    where c.last <= ${Number.MAX_SAFE_INTEGER} - $3::bigint
    returning last`,
};
const PASS = {
  name: 'pass-over',
  text: `insert into ${SCHEMA}.counter as c (space, model, last) values ($1, $2, $3::bigint)
    on conflict (space, model) do update set last = $3::bigint where c.last < $3::bigint`,
};

export function createIds(pool: Pool) {
  const next = createBatches<undefined, number>(give);
  return {
    next: (space: string, model: string) => next(space, model, undefined),
    /** Assigns no ID up to this one from now on. */
    passOver: async (space: string, model: string, id: number) => {
      await pool.query({ ...PASS, values: [space, model, id] });
    },
  };

  async function give(
    space: string,
    model: string,
    asked: readonly undefined[],
  ): Promise<(number | Promise<number>)[]> {
    const { rows } = await pool.query({ ...NEXT, values: [space, model, asked.length] });
    const last = rows[0]?.last;
    if (last !== undefined) return asked.map((_, index) => Number(last) - asked.length + 1 + index);
    // The remaining IDs can be enough for the first callers.
    if (asked.length > 1) return asked.map(async (one) => (await give(space, model, [one]))[0] ?? Number.NaN);
    throw new RangeError(
      `No ID is left for ${model} after ${Number.MAX_SAFE_INTEGER}. Reset the session, or use lower IDs.`,
    );
  }
}

/** The IDs of one work. It gets the same ones when it runs `again`, because nothing of it was stored. */
export function createIdsOfWork(ids: Ids): Ids & { again(): void } {
  const given = new Map<string, number[]>();
  let used = new Map<string, number>();
  return {
    ...ids,
    again: () => {
      used = new Map();
    },
    next: async (space: string, model: string) => {
      const known = given.get(model) ?? [];
      given.set(model, known);
      const place = used.get(model) ?? 0;
      used.set(model, place + 1);
      const id = known[place] ?? (await ids.next(space, model));
      known[place] = id;
      return id;
    },
  };
}
