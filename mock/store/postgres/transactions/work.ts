import type { PoolClient } from 'pg';
import type { Layout, Records } from '../../store.ts';
import type { Ids } from '../ids.ts';
import { type Ask, findRecords, readRecords, type Statement } from '../rows.ts';
import { longStatement, SCHEMA } from '../schema.ts';
import type { Seen } from '../seen.ts';
import { OWN } from '../writes.ts';
import { createOwner } from './owner.ts';
import { createPending, type Pending } from './pending.ts';
import type { Single } from './single.ts';

/** The code of what fails for want of a part that is the session's alone. */
export const NO_PART = '23502';

export type WorkOptions = {
  readonly space: string;
  readonly ids: Ids;
  readonly layout: Layout;
  readonly seen: Seen;
  /** Begins the transaction in the database. */
  readonly begin: () => Promise<PoolClient>;
  /** Reads what is read before anything else. */
  readonly single?: Single | undefined;
  /** Whether nobody else knows the space: its ids are counted here. */
  readonly isNew?: boolean;
};

/** One attempt at a transaction. What it writes waits until it is read or the end comes. */
export type Work = {
  readonly records: Records;
  /** The only record that is all there is to write; `isNew` where it has an id that was given here. */
  only(): ReturnType<Pending['only']>;
  /** Whether nothing is to be written. */
  isEmpty(): boolean;
  /** The statement that is all that is left to do; undefined where more than one is, or none. */
  last(): Statement | undefined;
  /** Writes what waits, and the ids to go on from. */
  finish(): Promise<void>;
};

export function createWork(options: WorkOptions): Work {
  const { begin, ids, layout, isNew = false, seen, single, space } = options;
  const pending = createPending(space, layout);
  /** By model that was cleared, the last id since. */
  const counted = new Map<string, number>();
  /** Ids that were given or are in use; any other that is put has to be passed over. */
  const known = new Map<string, Set<number>>();
  let client: Promise<PoolClient> | undefined;
  const open = () => {
    single?.refuseMore();
    client ??= begin();
    return client;
  };
  const ask: Ask = async (statement) => (await open()).query(statement);
  const reading = { ask, space, seen, layout };
  const own = createOwner(ask, space);
  const records: Records = {
    get: async (model, id) => {
      const waits = pending.get(model, id);
      if (waits) return waits.record;
      const isFirst = !client && known.size + counted.size === 0 && pending.models().length === 0;
      const record =
        single && isFirst ? await single.get(model, id) : (await readRecords(reading, model, [id]))[0];
      if (record) note(model, id);
      return record;
    },
    find: async (model, query) => {
      await flush(model);
      const found = await findRecords(reading, model, query);
      for (const { id } of found.records) note(model, Number(id));
      return found;
    },
    nextId: async (model) => {
      single?.refuseMore();
      const last = isNew ? (counted.get(model) ?? 0) : counted.get(model);
      if (last !== undefined && last >= Number.MAX_SAFE_INTEGER)
        throw new RangeError(
          `No ID is left for ${model} after ${last}. Reset the session, or use lower IDs.`,
        );
      if (last !== undefined) counted.set(model, last + 1);
      const id = last === undefined ? await ids.next(space, model) : last + 1;
      note(model, id);
      pending.given(model, id);
      return id;
    },
    put: async (model, record) => {
      const id = Number(record.id);
      if (isNew || counted.has(model)) counted.set(model, Math.max(counted.get(model) ?? 0, id));
      else if (!known.get(model)?.has(id)) await ids.passOver(space, model, id);
      note(model, id);
      pending.put(model, id, record);
    },
    remove: async (model, id) => {
      pending.put(model, id, undefined);
    },
    clear: async (model) => {
      pending.clear(model);
      counted.set(model, 0);
      if (isNew) return;
      // From here on nobody else is given an id of the model.
      await count([model]);
      await own([model]);
      const text = `${OWN} delete from ${SCHEMA}.record r using own where r.part = own.part`;
      await ask({ name: 'clear', ...longStatement(text, [space, model]) });
    },
  };
  return {
    records,
    only: () => (counted.size > 0 ? undefined : pending.only()),
    isEmpty: () => pending.models().length + counted.size === 0,
    last: () => {
      const statements = counted.size > 0 ? undefined : pending.whole();
      return statements?.length === 1 ? statements[0] : undefined;
    },
    finish: async () => {
      await own(pending.models().toSorted());
      for (const model of pending.models()) await flush(model);
      if (counted.size > 0) await count([...counted.keys()]);
    },
  };

  async function count(models: readonly string[]): Promise<void> {
    const text = `insert into ${SCHEMA}.counter (space, model, last)
      select $1, * from unnest($2::text[], $3::bigint[])
      on conflict (space, model) do update set last = excluded.last`;
    await ask({ name: 'count', text, values: [space, models, models.map((model) => counted.get(model))] });
  }

  function note(model: string, id: number): void {
    known.set(model, (known.get(model) ?? new Set()).add(id));
  }

  async function flush(model: string): Promise<void> {
    const statements = pending.take(model);
    if (statements.length > 0) await own([model]);
    for (const statement of statements) await ask(statement);
  }
}
