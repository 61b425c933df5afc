import type { PoolClient } from 'pg';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Records } from '../store.ts';
import type { Ids } from './ids.ts';
import { createOwner } from './owner.ts';
import { type Ask, type Indexed, readRecord, readRecords, type Statement, toRow } from './rows.ts';
import { patient, SCHEMA } from './schema.ts';

/** The code of what fails for want of a part that is the session's alone. */
export const NO_PART = '23502';

/** What a transaction is to write to a model; undefined stands for a record to remove. */
type Pending = Map<number, RecordValues | undefined>;

type Row = ReturnType<typeof toRow> & { readonly model: string };

export type WorkOptions = {
  readonly space: string;
  readonly ids: Ids;
  readonly indexed: Indexed;
  /** Begins the transaction in the database. */
  readonly begin: () => Promise<PoolClient>;
  /** Whether nobody else knows the space: its ids are counted here. */
  readonly isNew?: boolean;
};

/** One attempt at a transaction. What it writes waits until it is read or the end comes. */
export type Work = {
  readonly records: Records;
  /** The statement that is all that is left to do; undefined where more than one is. */
  last(): Statement | undefined;
  /** Writes what waits, and the ids to go on from. */
  finish(): Promise<void>;
};

/** Where a part is shared or absent, the statement fails (NO_PART), and so does the transaction. */
const ADD = `
  with own as (
    select model, part from ${SCHEMA}.part where space = $1 and model = any ($2) and owned for share
  )
  insert into ${SCHEMA}.record (part, id, deleted, owner, data)
  select own.part, given.id, given.deleted, given.owner, given.data
  from unnest($2::text[], $3::bigint[], $4::boolean[], $5::bigint[], $6::text[])
    as given (model, id, deleted, owner, data) left join own on own.model = given.model`;

const ADD_ONE = `
  with own as (select part from ${SCHEMA}.part where space = $1 and model = $2 and owned for share)
  insert into ${SCHEMA}.record (part, id, deleted, owner, data) values ((select part from own), $3, $4, $5, $6)`;

const OR_REPLACE = `
  on conflict (part, id) do update
  set deleted = excluded.deleted, owner = excluded.owner, data = excluded.data`;

/** The part of a model, which nobody shares or replaces before the transaction ends. */
const OWN = `with own as (select part from ${SCHEMA}.part where space = $1 and model = $2 and owned for share)`;

/** So many at once, so that no statement gets too long. */
const AT_ONCE = 1000;

export function createWork({ begin, ids, indexed, isNew = false, space }: WorkOptions): Work {
  const pending = new Map<string, Pending>();
  /** By model that was cleared, the last id since. */
  const counted = new Map<string, number>();
  /** Ids that were given or are in use; any other that is put has to be passed over. */
  const known = new Map<string, Set<number>>();
  /** Ids that were given and have no record yet: where somebody else took one, after a clear, the work runs again. */
  const fresh = new Map<string, Set<number>>();
  let client: Promise<PoolClient> | undefined;
  const open = () => {
    client ??= begin();
    return client;
  };
  const ask: Ask = async (statement) => (await open()).query(statement);
  const own = createOwner(ask, space);
  const records: Records = {
    get: async (model, id) => {
      const waits = pending.get(model);
      if (waits?.has(id)) return waits.get(id);
      const record = await readRecord(ask, space, model, id);
      if (record) note(known, model, id);
      return record;
    },
    find: async (model, query) => {
      await flush(model);
      const found = await readRecords(ask, space, model, query, indexed);
      for (const { id } of found.records) note(known, model, Number(id));
      return found;
    },
    nextId: async (model) => {
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
    last: () => {
      const rows = [...pending].flatMap(rowsOf);
      const isPlain = rows.length <= AT_ONCE && !hasRemovals() && counted.size === 0;
      const [statement, ...more] = isPlain ? writesOf(rows) : [];
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

  function hasRemovals(): boolean {
    return [...pending.values()].some((waits) => [...waits.values()].includes(undefined));
  }

  function rowsOf([model, waits]: readonly [string, Pending]): Row[] {
    return [...waits.values()].flatMap((record) =>
      record ? { model, ...toRow(model, record, indexed) } : [],
    );
  }

  function writesOf(rows: readonly Row[]): Statement[] {
    const isFresh = ({ id, model }: Row) => fresh.get(model)?.has(id) === true;
    const added = rows.filter(isFresh);
    const put = rows.filter((row) => !isFresh(row));
    return [...write('add', '', added), ...write('put', OR_REPLACE, put)];
  }

  function write(name: string, end: string, rows: readonly Row[]): Statement[] {
    const [row, ...others] = rows;
    if (!row) return [];
    const column = (of: keyof Row) => (others.length > 0 ? rows.map((one) => one[of]) : row[of]);
    const columns = (['model', 'id', 'deleted', 'owner', 'data'] as const).map(column);
    const statement = others.length > 0 ? { name, text: ADD } : { name: `${name}-one`, text: ADD_ONE };
    return [{ name: statement.name, text: statement.text + end, values: [space, ...columns] }];
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
