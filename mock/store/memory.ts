import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Records, SessionRecords, Store } from './store.ts';
import {
  copyTable,
  createTable,
  findRecords,
  nextIdOf,
  putRecord,
  removeRecord,
  type Table,
} from './table.ts';

/** By model, the fields that records are often found by: links of lines to their parents. */
type Indexed = ReadonlyMap<string, readonly string[]>;

/** A snapshot: tables that nobody writes to any more. */
type Snapshot = ReadonlyMap<string, Table>;

type MemorySession = SessionRecords & {
  /** Its records without transactions. */
  readonly unguarded: Records;
  /** What the session has now; from then on it copies each table before it writes to it. */
  freeze(): Snapshot;
  replace(snapshot: Snapshot): void;
};

export type MemoryStore = Store & {
  /** A store of its own with the same snapshots and no sessions. */
  fork(): MemoryStore;
};

/** Keeps everything in memory. A session shares its tables until it writes to them. */
export function createMemoryStore(indexed: Indexed = new Map()): MemoryStore {
  return storeOf(new Map(), indexed);
}

function storeOf(snapshots: Map<string, Snapshot>, indexed: Indexed): MemoryStore {
  const sessions = new Map<string, MemorySession>();
  return {
    begin: async (name, work) => {
      if (snapshots.has(name)) return false;
      const session = createSession('@none', new Map(), indexed);
      await work(session.unguarded);
      snapshots.set(name, session.freeze());
      return true;
    },
    open: async (name, from) => {
      const session = sessions.get(name) ?? createSession(from, snapshots.get(from) ?? new Map(), indexed);
      sessions.set(name, session);
      return session;
    },
    sessions: async () => [...sessions.keys()],
    drop: async (name) => {
      sessions.delete(name);
    },
    save: async (name, snapshot) => {
      const session = sessions.get(name);
      // Between two transactions, so that no half of one is kept.
      await session?.transaction(async () => {
        snapshots.set(snapshot, session.freeze());
      });
    },
    restore: async (name, snapshot) => {
      const [session, kept] = [sessions.get(name), snapshots.get(snapshot)];
      await session?.transaction(async () => session.replace(kept ?? new Map()));
    },
    snapshots: async () => [...snapshots.keys()],
    forget: async (snapshot) => {
      snapshots.delete(snapshot);
    },
    close: async () => sessions.clear(),
    fork: () => storeOf(new Map(snapshots), indexed),
  };
}

function createSession(from: string, beginning: Snapshot, indexed: Indexed): MemorySession {
  let tables: Snapshot = beginning;
  /** The list of tables when it is this session's alone; until the first write it is the snapshot's. */
  let ownTables: Map<string, Table> | undefined;
  /** Marks the tables that are this session's alone. */
  let owner = {};
  let last: Promise<unknown> = Promise.resolve();
  /** What to undo when a transaction rejects, the last first. */
  let undo: (() => void)[] | undefined;
  const records: Records = {
    get: async (model, id) => tables.get(model)?.all.get(id),
    find: async (model, query) => {
      const table = tables.get(model);
      return table ? findRecords(table, query) : { records: [], total: 0 };
    },
    nextId: async (model) => nextIdOf(ownTable(model), model),
    put: async (model, record) => {
      const table = ownTable(model);
      noteForUndo(table, Number(record.id));
      putRecord(table, record);
    },
    remove: async (model, id) => {
      const table = ownTable(model);
      noteForUndo(table, id);
      removeRecord(table, id);
    },
    clear: async (model) => {
      const known = tables.get(model);
      setTable(model, createTable(indexed.get(model) ?? [], owner));
      if (known) undo?.push(() => setTable(model, known));
    },
  };
  return {
    from,
    get: records.get,
    find: records.find,
    unguarded: records,
    transaction: (work) => {
      const run = last.then(() => runOrUndo(() => work(records)));
      last = run.catch(() => undefined);
      return run;
    },
    freeze: () => share(tables),
    replace: (snapshot) => {
      share(snapshot);
    },
  };

  async function runOrUndo<Result>(work: () => Promise<Result>): Promise<Result> {
    const steps: (() => void)[] = [];
    undo = steps;
    try {
      return await work();
    } catch (error) {
      for (const step of steps.toReversed()) step();
      throw error;
    } finally {
      undo = undefined;
    }
  }

  function noteForUndo(table: Table, id: number): void {
    const before: RecordValues | undefined = table.all.get(id);
    undo?.push(() => (before ? putRecord(table, before) : removeRecord(table, id)));
  }

  function ownTable(model: string): Table {
    const known = tables.get(model);
    if (known?.owner === owner) return known;
    const table = known ? copyTable(known, owner) : createTable(indexed.get(model) ?? [], owner);
    setTable(model, table);
    return table;
  }

  function setTable(model: string, table: Table): void {
    ownTables ??= new Map(tables);
    tables = ownTables.set(model, table);
  }

  function share(shared: Snapshot): Snapshot {
    owner = {};
    ownTables = undefined;
    tables = shared;
    return shared;
  }
}
