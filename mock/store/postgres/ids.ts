import type { Ask, Statement } from './rows.ts';
import { SCHEMA } from './schema.ts';

/** The IDs that one transaction assigns. No other transaction of the space assigns any before it ends. */
export type Ids = ReturnType<typeof createIds>;

const LAST = `select last from ${SCHEMA}.counter where space = $1 and model = $2`;

const COUNT = `insert into ${SCHEMA}.counter (space, model, last)
  select $1, * from unnest($2::text[], $3::bigint[])
  on conflict (space, model) do update set last = excluded.last`;

export function createIds(ask: Ask, space: string) {
  const counters = new Map<string, Promise<{ last: number; isChanged: boolean }>>();
  const counterOf = (model: string) => {
    const counter = counters.get(model) ?? read(model);
    counters.set(model, counter);
    return counter;
  };
  return {
    next: async (model: string) => {
      const counter = await counterOf(model);
      counter.last = idAfter(model, counter.last);
      counter.isChanged = true;
      return counter.last;
    },
    /** Assigns no ID up to this one from now on. */
    passOver: async (model: string, id: number) => {
      const counter = await counterOf(model);
      if (id <= counter.last) return;
      counter.last = id;
      counter.isChanged = true;
    },
    /** Continues after another ID, because the records were removed. */
    restart: (model: string, last: number) => {
      counters.set(model, Promise.resolve({ last, isChanged: true }));
    },
    /** Returns the statements that store the last IDs. */
    statements: async (): Promise<Statement[]> => {
      const models: string[] = [];
      const lasts: number[] = [];
      for (const [model, counter] of counters) {
        const { isChanged, last } = await counter;
        if (!isChanged) continue;
        models.push(model);
        lasts.push(last);
      }
      return models.length > 0 ? [{ name: 'count', text: COUNT, values: [space, models, lasts] }] : [];
    },
  };

  async function read(model: string) {
    const { rows } = await ask({ name: 'last-id', text: LAST, values: [space, model] });
    return { last: Number(rows[0]?.last ?? 0), isChanged: false };
  }
}

/** Returns the next ID. Throws RangeError if there is none. */
export function idAfter(model: string, last: number): number {
  if (last >= Number.MAX_SAFE_INTEGER)
    throw new RangeError(`No ID is left for ${model} after ${last}. Reset the session, or use lower IDs.`);
  return last + 1;
}
