import type { Pool } from 'pg';
import { SCHEMA } from './schema.ts';

/** Gives ids outside of transactions, so that one is never given twice, whatever becomes of who asked. */
export type Ids = {
  next(space: string, model: string): Promise<number>;
  /** Passes over ids up to this one. */
  passOver(space: string, model: string, id: number): Promise<void>;
};

type Asked = { readonly resolve: (id: number) => void; readonly reject: (error: unknown) => void };

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

/** Those who ask while another statement is on its way share the next one. */
export function createIds(pool: Pool): Ids {
  const waiting = new Map<string, Asked[]>();
  return {
    next: (space, model) =>
      new Promise((resolve, reject) => {
        const key = `${space} ${model}`;
        const known = waiting.get(key);
        const asked: Asked = { resolve, reject };
        if (known) known.push(asked);
        else void serve(key, space, model, [asked]);
      }),
    passOver: async (space, model, id) => {
      await pool.query({ ...PASS, values: [space, model, id] });
    },
  };

  async function serve(key: string, space: string, model: string, first: Asked[]): Promise<void> {
    for (let now = first; now.length > 0; now = waiting.get(key) ?? []) {
      waiting.set(key, []);
      await answer(space, model, now);
    }
    waiting.delete(key);
  }

  async function answer(space: string, model: string, asked: readonly Asked[]): Promise<void> {
    try {
      const { rows } = await pool.query({ ...NEXT, values: [space, model, asked.length] });
      const last = rows[0]?.last;
      if (last !== undefined)
        for (const [index, { resolve }] of asked.entries()) resolve(Number(last) - asked.length + 1 + index);
      else if (asked.length > 1) for (const one of asked) await answer(space, model, [one]);
      else throw new RangeError(`${model} ${Number.MAX_SAFE_INTEGER} has the last id there is`);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}
