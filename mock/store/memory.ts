import { setImmediate as turn } from 'node:timers/promises';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import {
  DEFAULT_LAYOUT,
  type Layout,
  type ReadableRecords,
  type Records,
  type SessionRecords,
  type Store,
  StoreAway,
} from './store.ts';
import { Table } from './table.ts';

/** The tables of a session or a snapshot, by model. Those of a snapshot never change. */
export type Tables = ReadonlyMap<string, Table>;

/** The changes of a transaction to a model, to undo them or to write them to a file. */
export type TableChange = {
  readonly table: Table;
  /** Whether the transaction cleared the model, and the table before. */
  readonly isCleared: boolean;
  readonly cleared: Table | undefined;
  /** The changed records as they were before, by ID; undefined for new ones. After a clear, there are only new ones. */
  readonly before: Map<number, RecordValues | undefined>;
};

/** Writes changes to a file. Each method writes everything or throws StoreFull. */
export type Keeper = {
  /** The content of the file when it was opened. */
  readonly snapshots: ReadonlyMap<string, Tables>;
  readonly sessions: ReadonlyMap<string, { readonly from: string; tables(): Tables }>;
  open(session: string, from: string): void;
  append(session: string, changes: ReadonlyMap<string, TableChange>): void;
  drop(session: string): void;
  save(session: string, snapshot: string): void;
  restore(session: string, snapshot: string): void;
  forget(snapshot: string): void;
  close(): void;
};

/** The session that fills a snapshot. */
const BEGINNING = '@beginning';
const NOTHING: Tables = new Map();
const MOST_IN_PART = 1000;

/** Keeps everything in memory. A session shares its tables until it writes to them. */
export function createMemoryStore(
  layout: Layout = DEFAULT_LAYOUT,
  keeper?: Keeper,
  snapshots = new Map(keeper?.snapshots),
): Store {
  const sessions = new Map<string, MemorySession>();
  const hold = (name: string, from: string, tables: () => Tables): MemorySession => {
    const beginning = () => snapshots.get(from);
    const session = createSession({ name, from, tables, beginning, layout, keeper });
    sessions.set(name, session);
    return session;
  };
  for (const [name, { from, tables }] of keeper?.sessions ?? []) hold(name, from, tables);
  const add = (name: string, from: string): MemorySession => {
    keeper?.open(name, from);
    const tables = snapshots.get(from) ?? NOTHING;
    return hold(name, from, () => tables);
  };
  const drop = (name: string) => {
    keeper?.drop(name);
    sessions.get(name)?.end();
    sessions.delete(name);
  };
  const save = (name: string, session: MemorySession, snapshot: string) => {
    const tables = session.share();
    keeper?.save(name, snapshot);
    snapshots.set(snapshot, tables);
  };
  const inTurn = createQueue();
  return {
    begin: (snapshot, work) =>
      inTurn(async () => {
        if (snapshots.has(snapshot)) return false;
        const session = add(BEGINNING, '@none');
        try {
          await session.transaction(work);
          save(BEGINNING, session, snapshot);
        } finally {
          drop(BEGINNING);
        }
        return true;
      }),
    open: async (name, from) => {
      const known = sessions.get(name);
      return known ? { ...known, isNew: false } : add(name, from);
    },
    sessions: async () => [...sessions].map(([name, { from }]) => ({ name, from })),
    // The least recently used one is first.
    touch: async (name) => {
      const session = sessions.get(name);
      if (!session) return;
      sessions.delete(name);
      sessions.set(name, session);
      session.usedAt = performance.now();
    },
    retire: async ({ idle, kept, max, start }) => {
      const limit = performance.now() - idle;
      const gone: string[] = [];
      let left = sessions.size - Number(sessions.has(kept));
      for (const [name, { from, isChanged, usedAt }] of sessions) {
        if (usedAt > limit && left <= max) break;
        if (name === kept || (usedAt > limit && (from !== start || isChanged()))) continue;
        drop(name);
        gone.push(name);
        left -= 1;
      }
      return gone;
    },
    drop: async (name) => drop(name),
    // Between two transactions, so that it saves no half of one.
    save: async (name, snapshot) => {
      const session = sessions.get(name);
      await session?.transaction(async () => save(name, session, snapshot));
    },
    restore: async (name, snapshot) => {
      const session = sessions.get(name);
      await session?.transaction(async () => {
        keeper?.restore(name, snapshot);
        session.share(snapshots.get(snapshot) ?? NOTHING);
      });
    },
    snapshots: async () => [...snapshots.keys()],
    read: async (snapshot) => {
      const tables = snapshots.get(snapshot);
      return tables && readableOf(() => tables);
    },
    forget: async (snapshot) => {
      keeper?.forget(snapshot);
      snapshots.delete(snapshot);
    },
    close: async () => {
      for (const session of sessions.values()) await session.transaction(async () => {});
      sessions.clear();
      keeper?.close();
    },
    fork: () => createMemoryStore(layout, undefined, new Map(snapshots)),
  };
}

type MemorySession = SessionRecords & {
  /** Takes other tables, if any, and returns them. The session then copies each table before it writes to it. */
  share(tables?: Tables): Tables;
  /** Whether it has other records or IDs than the snapshot that it began with, or that snapshot is gone. */
  isChanged(): boolean;
  /** Rejects all later transactions, because the session no longer exists. */
  end(): void;
  /** The time of the last use, in milliseconds since the start of the process. */
  usedAt: number;
};

/** The records of tables that other ones can replace. */
function readableOf(tables: () => Tables): ReadableRecords {
  return {
    get: async (model, id) => tables().get(model)?.records.get(id),
    find: async (model, query) => tables().get(model)?.find(query) ?? { records: [], total: 0 },
  };
}

/** The records of a session, which shares its tables until it writes to them. */
function createSession(options: {
  readonly name: string;
  readonly from: string;
  readonly tables: () => Tables;
  /** Returns the current content of the snapshot that it began with. */
  readonly beginning: () => Tables | undefined;
  readonly layout: Layout;
  readonly keeper: Keeper | undefined;
}): MemorySession {
  const { beginning, from, keeper, layout, name } = options;
  let tables: Tables | undefined;
  /** The list of tables that only this session uses. Until the first write, the session uses that of the snapshot. */
  let ownList: Map<string, Table> | undefined;
  /** Marks the tables that only this session uses. */
  let owner = {};
  let isEnded = false;
  const inTurn = createQueue();
  /** Those of the current transaction. */
  let changes = new Map<string, TableChange>();
  const all = (): Tables => {
    tables ??= options.tables();
    return tables;
  };
  const set = (model: string, table = new Table(layout, model, owner)): Table => {
    ownList ??= new Map(all());
    tables = ownList.set(model, table);
    return table;
  };
  const share = (shared = all()): Tables => {
    owner = {};
    ownList = undefined;
    tables = shared;
    return shared;
  };
  /** Returns the changes of a model, with a table that only this session uses. */
  const changing = (model: string): TableChange => {
    const known = changes.get(model);
    if (known) return known;
    const found = all().get(model);
    const table = found?.owner === owner ? found : set(model, found?.copy(owner));
    const change = { table, isCleared: false, cleared: undefined, before: new Map() };
    changes.set(model, change);
    return change;
  };
  const note = ({ before, table }: TableChange, id: number) => {
    if (!before.has(id)) before.set(id, table.records.get(id));
  };
  const records: Records = {
    ...readableOf(all),
    nextId: async (model) => changing(model).table.nextId(),
    put: async (model, record) => {
      const change = changing(model);
      const id = Number(record.id);
      note(change, id);
      change.table.put(record);
    },
    remove: async (model, id) => {
      const change = changing(model);
      note(change, id);
      change.table.remove(id);
    },
    clear: async (model) => {
      const change = changes.get(model);
      if (change && !change.isCleared) undoRecords(change);
      const cleared = change?.isCleared ? change.cleared : all().get(model);
      changes.set(model, { table: set(model), isCleared: true, cleared, before: new Map() });
    },
  };
  const runOrUndo: MemorySession['transaction'] = async (work) => {
    changes = new Map();
    try {
      const result = await work(records);
      if (isEnded)
        throw new StoreAway(`The session ${name} ended during the request. Send the request again.`);
      if (changes.size > 0) keeper?.append(name, changes);
      return result;
    } catch (error) {
      for (const [model, change] of changes)
        if (change.isCleared) set(model, change.cleared);
        else undoRecords(change);
      throw error;
    }
  };
  return {
    from,
    isNew: true,
    usedAt: performance.now(),
    get: records.get,
    find: records.find,
    readAll: async function* (models) {
      // Between two transactions, so that it reads no half of one.
      const found = await inTurn(async () =>
        models.map((model) => all().get(model)?.find({ liveOnly: false }).records ?? []),
      );
      for (const [index, model] of models.entries()) {
        const given = found[index] ?? [];
        for (let from = 0; from === 0 || from < given.length; from += MOST_IN_PART) {
          yield { model, records: given.slice(from, from + MOST_IN_PART) };
          // Other requests run between two parts.
          await turn();
        }
      }
    },
    transaction: (work) => inTurn(() => runOrUndo(work)),
    share,
    isChanged: () => {
      const [one, other] = [all(), beginning()];
      // Tables are copied before the first write, so that those without writes stay the same object.
      return one.size !== other?.size || [...one].some(([model, table]) => other.get(model) !== table);
    },
    end: () => {
      isEnded = true;
    },
  };
}

function undoRecords({ before, table }: TableChange): void {
  for (const [id, record] of before)
    if (record) table.put(record);
    else table.remove(id);
}

/** Returns a function that runs works one after the other. A work that rejects does not stop the next one. */
export function createQueue(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const run = last.then(work);
    last = run.catch(() => undefined);
    return run;
  };
}
