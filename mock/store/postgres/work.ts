import type { PoolClient } from 'pg';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Layout, Records } from '../store.ts';
import { findRecords, type Reading } from './find.ts';
import type { Ids } from './ids.ts';
import { type Ask, type Row, readRecords, type Seen, type Statement } from './rows.ts';
import { longStatement, SCHEMA } from './schema.ts';
import { isAway } from './trouble.ts';
import { addRecords, clearModel, type RecordRow, removeRecords, toRow } from './writes.ts';

/** Thrown if one statement can't do the work. */
export const NOT_SINGLE = new Error('one statement will not do');

/** Maximum number of rows in one statement. */
const AT_ONCE = 1000;

/** The SQLSTATE of a write to a part that the session does not own. */
export const NO_PART = '23502';

/** Creates one attempt at a transaction. Its writes wait until a read needs them, or until the end. */
export function createWork(
  options: Omit<Reading, 'ask' | 'tidy'> & {
    readonly ids: Ids;
    /** Begins the transaction in the database. */
    readonly begin: () => Promise<PoolClient>;
    /** Does the first read. */
    readonly single?: ReturnType<typeof createSingle> | undefined;
    /** Whether this transaction creates the space. It then counts its IDs itself. */
    readonly isNew?: boolean;
  },
) {
  const { begin, ids, layout, isNew = false, seen, single, space, texts } = options;
  const pending = createPending(space, layout);
  /** The last ID since it was cleared, by model. */
  const counted = new Map<string, number>();
  /** IDs that were assigned here or are in use. The counter must pass over any other. */
  const known = new Map<string, Set<number>>();
  let client: Promise<PoolClient> | undefined;
  const open = () => {
    single?.refuseMore();
    client ??= begin();
    return client;
  };
  const ask: Ask = async (statement) => (await open()).query(statement);
  const reading = { ask, space, seen, layout, texts };
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
      // From now on, other transactions get no ID of the model.
      await count([model]);
      await own([model]);
      for (const statement of clearModel(space, model)) await ask(statement);
    },
  };
  return {
    records,
    /** Returns the record to write if it is the only write. */
    only: () => (counted.size > 0 ? undefined : pending.only()),
    /** Whether there is nothing to write. */
    isEmpty: () => pending.models().length + counted.size === 0,
    /** Returns the remaining statement; undefined if there is none, or more than one. */
    last: () => {
      const statements = counted.size > 0 ? undefined : pending.whole();
      return statements?.length === 1 ? statements[0] : undefined;
    },
    /** Does the waiting writes, and stores the last IDs. */
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

/** In a transaction: creates missing parts, and those on top of parts that other spaces use. */
function createOwner(ask: Ask, space: string): (models: readonly string[]) => Promise<void> {
  const owned = new Set<string>();
  return async (models) => {
    const wanted = models.filter((model) => !owned.has(model));
    if (wanted.length === 0) return;
    const text = `select p.model, p.part, p.base, p.owned, exists (
        select from ${SCHEMA}.part o where o.part = p.part and o.space <> p.space or o.base = p.part
      ) as shared
      from ${SCHEMA}.part p where p.space = $1 and p.model = any ($2)`;
    const { rows } = await ask({ name: 'parts', text, values: [space, wanted] });
    for (const model of wanted) {
      const part = rows.find((row) => row.model === model);
      if (!part) await make(model);
      else if (part.owned !== true && part.shared === true) await cover(model, part);
      else if (part.owned !== true) await take(model);
      owned.add(model);
    }
  };

  async function make(model: string): Promise<void> {
    const text = `insert into ${SCHEMA}.part (space, model, part, owned)
      values ($1, $2, nextval('${SCHEMA}.part_ids'), true)`;
    await ask({ name: 'make-part', text, values: [space, model] });
  }

  async function take(model: string): Promise<void> {
    const text = `update ${SCHEMA}.part set owned = true where space = $1 and model = $2`;
    await ask({ name: 'take-part', text, values: [space, model] });
  }

  /** Makes the part the base of a new one. A part that has a base is copied, because bases have none. */
  async function cover(model: string, { base, part }: Row): Promise<void> {
    const text = `update ${SCHEMA}.part
      set part = nextval('${SCHEMA}.part_ids'), owned = true, base = coalesce(base, part)
      where space = $1 and model = $2 returning part`;
    const { rows } = await ask({ name: 'cover-part', text, values: [space, model] });
    if (base === null) return;
    const copy = `insert into ${SCHEMA}.record (part, id, deleted, owner, data, plain, fields)
      select $1::bigint, id, deleted, owner, data, plain, fields from ${SCHEMA}.record where part = $2`;
    // Few rows of the part differ from the base, but PostgreSQL expects as many as in other parts.
    await ask({ text: 'set local enable_seqscan = off', values: [] });
    await ask({ name: 'copy-part', ...longStatement(copy, [rows[0]?.part, part]) });
    await ask({ text: 'set local enable_seqscan = on', values: [] });
  }
}

/** The waiting writes of a transaction. */
function createPending(space: string, layout: Layout) {
  const waiting = new Map<string, Map<number, RecordValues | undefined>>();
  const fresh = new Map<string, Set<number>>();
  return {
    /** Returns the waiting write of a record; its `record` is undefined for a removal. */
    get: (model: string, id: number) => {
      const waits = waiting.get(model);
      return waits?.has(id) ? { record: waits.get(id) } : undefined;
    },
    put: (model: string, id: number, record: RecordValues | undefined) => {
      waiting.set(model, (waiting.get(model) ?? new Map()).set(id, record));
    },
    /** Notes that this work assigned an ID. If another transaction took it after a clear, its record stays. */
    given: (model: string, id: number) => {
      fresh.set(model, (fresh.get(model) ?? new Set()).add(id));
    },
    clear: (model: string) => {
      waiting.delete(model);
    },
    models: (): readonly string[] => [...waiting.keys()],
    /** Returns the record if it is the only waiting write; `isNew` if its ID was assigned here. */
    only: () => {
      const rows = plainRows();
      const [row] = rows ?? [];
      const record = row && waiting.get(row.model)?.get(row.id);
      return record && rows?.length === 1 ? { row, record, isNew: isFresh(row) } : undefined;
    },
    /** Returns the statements of all writes; undefined if there are removals, or too many records. */
    whole: () => {
      const rows = plainRows();
      return rows && rows.length <= AT_ONCE ? writesOf(rows) : undefined;
    },
    /** Returns the waiting writes of a model as statements, and forgets them. */
    take: (model: string): readonly Statement[] => {
      const waits = waiting.get(model) ?? new Map<number, RecordValues | undefined>();
      const rows = rowsOf([model, waits]);
      const statements = Array.from({ length: Math.ceil(rows.length / AT_ONCE) }, (_, part) =>
        writesOf(rows.slice(part * AT_ONCE, (part + 1) * AT_ONCE)),
      );
      const gone = [...waits].flatMap(([id, record]) => (record ? [] : id));
      waiting.delete(model);
      for (const id of waits.keys()) fresh.get(model)?.delete(id);
      return [...statements.flat(), ...(gone.length > 0 ? [removeRecords(space, model, gone)] : [])];
    },
  };

  function isFresh({ id, model }: RecordRow): boolean {
    return fresh.get(model)?.has(id) === true;
  }

  /** Returns undefined if there are removals. */
  function plainRows(): RecordRow[] | undefined {
    const hasRemovals = [...waiting.values()].some((waits) => [...waits.values()].includes(undefined));
    return hasRemovals ? undefined : [...waiting].flatMap(rowsOf);
  }

  function rowsOf([model, waits]: readonly [
    string,
    ReadonlyMap<number, RecordValues | undefined>,
  ]): RecordRow[] {
    return [...waits.values()].flatMap((record) => (record ? toRow(model, record, layout) : []));
  }

  function writesOf(rows: readonly RecordRow[]): Statement[] {
    const groups = { add: rows.filter(isFresh), put: rows.filter((row) => !isFresh(row)) };
    return (['add', 'put'] as const).flatMap((kind) =>
      groups[kind].length > 0 ? addRecords(kind, space, groups[kind]) : [],
    );
  }
}

/**
 * Reads the one record that most work reads, and all that it changes. With `guesses`, it is the version that this
 * replica saw last, and otherwise that of the database, outside of a transaction. One statement changes it if it is
 * still that version.
 */
export function createSingle(
  options: {
    readonly space: string;
    readonly seen: Seen;
    /** Lets one transaction of this replica at a time read and write a record. */
    readonly turns: ReturnType<typeof createTurns>;
    readonly read: (space: string, model: string, id: number) => Promise<RecordValues | undefined>;
  },
  guesses: boolean,
) {
  const { read, seen, space, turns } = options;
  let one: { readonly model: string; readonly id: number } | undefined;
  let turn: ReturnType<typeof turns.take> | undefined;
  let was = '';
  let isGuess = false;
  return {
    /** Throws NOT_SINGLE for a second record. */
    get: async (model: string, id: number) => {
      if (one) throw NOT_SINGLE;
      one = { model, id };
      turn = turns.take(`${space} ${model} ${id}`);
      await turn;
      const last = guesses ? seen.last(space, model, id) : undefined;
      isGuess = last !== undefined;
      const record = last?.record ?? (await read(space, model, id));
      // No record has an empty text.
      was = last?.text ?? (record ? JSON.stringify(record) : '');
      return record;
    },
    /** Throws NOT_SINGLE if a record was read, because a transaction would not notice its changes. */
    refuseMore: () => {
      if (one) throw NOT_SINGLE;
    },
    /** Returns the version that was read; undefined before the read. */
    read: () => one && { ...one, was },
    /** Whether the version is the last known one, not that of the database. */
    isGuess: () => isGuess,
    end: (error: unknown) => {
      turn?.then((letGo) => letGo(error)).catch(() => undefined);
    },
  };
}

/** Creates one queue per name. */
export function createTurns() {
  const taken = new Map<string, Promise<void>>();
  return {
    /**
     * Waits for the turn. Returns a function that ends it. If the database does not respond, the waiting callers get
     * the error.
     */
    take: async (name: string) => {
      while (taken.has(name)) await taken.get(name);
      const { promise, reject, resolve } = Promise.withResolvers<void>();
      promise.catch(() => undefined);
      taken.set(name, promise);
      return (error?: unknown) => {
        if (taken.get(name) === promise) taken.delete(name);
        if (error !== undefined && isAway(error)) reject(error);
        else resolve();
      };
    },
  };
}
