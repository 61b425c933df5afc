import type { PoolClient } from 'pg';
import type { RecordValues } from '../../../../spec/wire/record-codec.ts';
import type { Records } from '../../store.ts';
import type { Ids } from '../ids.ts';
import { type Ask, findRecords, type Indexed, readRecords, type Statement } from '../rows.ts';
import { patient, SCHEMA } from '../schema.ts';
import type { Seen } from '../seen.ts';
import { addRecords, OWN, type RecordRow, toRow } from '../writes.ts';
import { createOwner } from './owner.ts';
import type { Single } from './single.ts';

/** The code of what fails for want of a part that is the session's alone. */
export const NO_PART = '23502';

/** What a transaction is to write to a model; undefined stands for a record to remove. */
type Pending = Map<number, RecordValues | undefined>;

export type WorkOptions = {
  readonly space: string;
  readonly ids: Ids;
  readonly indexed: Indexed;
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
  only(): { readonly row: RecordRow; readonly record: RecordValues; readonly isNew: boolean } | undefined;
  /** Whether nothing is to be written. */
  isEmpty(): boolean;
  /** The statement that is all that is left to do; undefined where more than one is, or none. */
  last(): Statement | undefined;
  /** Writes what waits, and the ids to go on from. */
  finish(): Promise<void>;
};

/** So many at once, so that no statement gets too long. */
const AT_ONCE = 1000;

export function createWork(options: WorkOptions): Work {
  const { begin, ids, indexed, isNew = false, seen, single, space } = options;
  const pending = new Map<string, Pending>();
  /** By model that was cleared, the last id since. */
  const counted = new Map<string, number>();
  /** Ids that were given or are in use; any other that is put has to be passed over. */
  const known = new Map<string, Set<number>>();
  /** Ids that were given and have no record yet: where somebody else took one, after a clear, the work runs again. */
  const fresh = new Map<string, Set<number>>();
  let client: Promise<PoolClient> | undefined;
  const open = () => {
    single?.refuseMore();
    client ??= begin();
    return client;
  };
  const ask: Ask = async (statement) => (await open()).query(statement);
  const reading = { ask, space, seen, indexed };
  const own = createOwner(ask, space);
  const records: Records = {
    get: async (model, id) => {
      const waits = pending.get(model);
      if (waits?.has(id)) return waits.get(id);
      const isFirst = !client && known.size + pending.size + counted.size === 0;
      const record =
        single && isFirst ? await single.get(model, id) : (await readRecords(reading, model, [id]))[0];
      if (record) note(known, model, id);
      return record;
    },
    find: async (model, query) => {
      await flush(model);
      const found = await findRecords(reading, model, query);
      for (const { id } of found.records) note(known, model, Number(id));
      return found;
    },
    nextId: async (model) => {
      single?.refuseMore();
      const last = isNew ? (counted.get(model) ?? 0) : counted.get(model);
      if (last !== undefined && last >= Number.MAX_SAFE_INTEGER)
        throw new RangeError(`${model} ${last} has the last id there is`);
      if (last !== undefined) counted.set(model, last + 1);
      const id = last === undefined ? await ids.next(space, model) : last + 1;
      note(known, model, id);
      note(fresh, model, id);
      return id;
    },
    put: async (model, record) => {
      const id = Number(record.id);
      if (isNew || counted.has(model)) counted.set(model, Math.max(counted.get(model) ?? 0, id));
      else if (!known.get(model)?.has(id)) await ids.passOver(space, model, id);
      note(known, model, id);
      waitsOf(model).set(id, record);
    },
    remove: async (model, id) => {
      waitsOf(model).set(id, undefined);
    },
    clear: async (model) => {
      pending.delete(model);
      counted.set(model, 0);
      if (isNew) return;
      // From here on nobody else is given an id of the model.
      await count([model]);
      await own([model]);
      const text = `${OWN} delete from ${SCHEMA}.record r using own where r.part = own.part`;
      await ask({ name: 'clear', ...patient(text, [space, model]) });
    },
  };
  return {
    records,
    only: () => {
      const rows = plainRows();
      const [row] = rows;
      const record = row && pending.get(row.model)?.get(row.id);
      return record && rows.length === 1 ? { row, record, isNew: isFresh(row) } : undefined;
    },
    isEmpty: () => pending.size + counted.size === 0,
    last: () => {
      const rows = plainRows();
      const [statement, ...more] = rows.length <= AT_ONCE ? writesOf(rows) : [];
      return more.length === 0 ? statement : undefined;
    },
    finish: async () => {
      await own([...pending.keys()].sort());
      for (const model of pending.keys()) await flush(model);
      if (counted.size > 0) await count([...counted.keys()]);
    },
  };

  async function count(models: readonly string[]): Promise<void> {
    const text = `insert into ${SCHEMA}.counter (space, model, last)
      select $1, * from unnest($2::text[], $3::bigint[])
      on conflict (space, model) do update set last = excluded.last`;
    await ask({ name: 'count', text, values: [space, models, models.map((model) => counted.get(model))] });
  }

  function note(seen: Map<string, Set<number>>, model: string, id: number): void {
    seen.set(model, (seen.get(model) ?? new Set()).add(id));
  }

  function waitsOf(model: string): Pending {
    const waits = pending.get(model) ?? new Map();
    pending.set(model, waits);
    return waits;
  }

  function isFresh({ id, model }: RecordRow): boolean {
    return fresh.get(model)?.has(id) === true;
  }

  /** None where anything else is to be done. */
  function plainRows(): RecordRow[] {
    const hasRemovals = [...pending.values()].some((waits) => [...waits.values()].includes(undefined));
    return hasRemovals || counted.size > 0 ? [] : [...pending].flatMap(rowsOf);
  }

  function rowsOf([model, waits]: readonly [string, Pending]): RecordRow[] {
    return [...waits.values()].flatMap((record) => (record ? toRow(model, record, indexed) : []));
  }

  function writesOf(rows: readonly RecordRow[]): Statement[] {
    const groups = { add: rows.filter(isFresh), put: rows.filter((row) => !isFresh(row)) };
    return (['add', 'put'] as const).flatMap((kind) =>
      groups[kind].length > 0 ? addRecords(kind, space, groups[kind]) : [],
    );
  }

  async function flush(model: string): Promise<void> {
    const waits = pending.get(model);
    pending.delete(model);
    if (!waits || waits.size === 0) return;
    await own([model]);
    const rows = rowsOf([model, waits]);
    for (let from = 0; from < rows.length; from += AT_ONCE)
      for (const statement of writesOf(rows.slice(from, from + AT_ONCE))) await ask(statement);
    for (const id of waits.keys()) fresh.get(model)?.delete(id);
    const gone = [...waits].flatMap(([id, record]) => (record ? [] : id));
    if (gone.length === 0) return;
    const text = `${OWN} delete from ${SCHEMA}.record r using own where r.part = own.part and r.id = any ($3::bigint[])`;
    await ask({ name: 'remove', text, values: [space, model, gone] });
  }
}
