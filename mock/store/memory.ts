import { setImmediate as turn } from 'node:timers/promises';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Change, Keeper, Tables } from './keeper.ts';
import {
  DEFAULT_LAYOUT,
  type Layout,
  type NewRecords,
  needsSpace,
  type ReadableRecords,
  type Records,
  type RecordsPart,
  type SessionRecords,
  type Store,
  StoreAway,
} from './store.ts';
import { createTable, type Table } from './table.ts';

/** The session that fills a snapshot. */
const BEGINNING = '@beginning';
/** A session that fills a snapshot writes to the file after this number of changes. */
const FILLED_AT_ONCE = 1000;
const NOTHING: Tables = new Map();

/** Keeps everything in memory. A session shares its tables until it writes to them. */
export function createMemoryStore(layout: Layout = DEFAULT_LAYOUT, keeper?: Keeper): Store {
  return storeOf(new Map(keeper?.snapshots), layout, keeper);
}

function storeOf(snapshots: Map<string, Tables>, layout: Layout, keeper?: Keeper): Store {
  const sessions = new Map<string, MemorySession>();
  const hold = (name: string, from: string, tables: Tables): MemorySession => {
    const beginning = () => snapshots.get(from);
    const session = createSession({ name, from, tables, beginning, layout, keeper });
    sessions.set(name, session);
    return session;
  };
  for (const [name, { from, tables }] of keeper?.sessions ?? []) hold(name, from, tables);
  const add = (name: string, from: string): MemorySession => {
    keeper?.open(name, from);
    return hold(name, from, snapshots.get(from) ?? NOTHING);
  };
  const drop = (name: string) => {
    keeper?.drop(name);
    sessions.get(name)?.end();
    sessions.delete(name);
  };
  const save = (name: string, session: MemorySession, snapshot: string) => {
    keeper?.save(name, snapshot);
    snapshots.set(snapshot, session.freeze());
  };
  let last: Promise<unknown> = Promise.resolve();
  const begin: Store['begin'] = async (snapshot, work) => {
    if (snapshots.has(snapshot)) return false;
    const session = add(BEGINNING, '@none');
    try {
      await session.fill(work);
      save(BEGINNING, session, snapshot);
    } finally {
      drop(BEGINNING);
    }
    return true;
  };
  return {
    begin: (snapshot, work) => {
      const run = last.then(() => begin(snapshot, work));
      last = run.catch(() => undefined);
      return run;
    },
    open: async (name, from) => sessions.get(name) ?? add(name, from),
    sessions: async () => [...sessions.keys()],
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
        session.replace(snapshots.get(snapshot) ?? NOTHING);
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
    fork: () => {
      for (const snapshot of snapshots.keys()) keeper?.hold(snapshot);
      return storeOf(new Map(snapshots), layout);
    },
  };
}

type MemorySession = SessionRecords & {
  /** Runs the first work of a session. If it fails, the session is unusable, because nothing undoes its writes. */
  fill(work: (records: NewRecords) => Promise<void>): Promise<void>;
  /** Returns the current tables. The session then copies each table before it writes to it. */
  freeze(): Tables;
  replace(tables: Tables): void;
  /** Rejects all later transactions, because the session no longer exists. */
  end(): void;
};

/** The records of tables that other ones can replace. */
function readableOf(tables: () => Tables): ReadableRecords {
  return {
    get: async (model, id) => tables().get(model)?.get(id),
    find: async (model, query) => {
      for (;;) {
        const table = tables().get(model);
        const found = table ? await table.find(query) : { records: [], total: 0 };
        if (found) return found;
        if (tables().get(model) === table)
          throw new StoreAway('The session ended during the request. Send the request again.');
      }
    },
  };
}

/** The records of a session, which shares its tables until it writes to them. */
function createSession(options: {
  readonly name: string;
  readonly from: string;
  readonly tables: Tables;
  /** Returns the current content of the snapshot that it began with. */
  readonly beginning: () => Tables | undefined;
  readonly layout: Layout;
  readonly keeper: Keeper | undefined;
}): MemorySession {
  const { beginning, from, layout, keeper, name, tables: first } = options;
  const tables = createOwnTables(first, layout);
  let isEnded = false;
  let last: Promise<unknown> = Promise.resolve();
  /** The steps that undo a rejected transaction, the last first. */
  let undo: (() => void)[] | undefined;
  /** The changes to write to the file at the end of the transaction. */
  let changes: Map<string, Change> | undefined;
  /** The number of changed records since the last write to the file. */
  let noted = 0;
  let isFilling = false;
  const records: Records = {
    ...readableOf(tables.all),
    nextId: async (model) => {
      note(model);
      return tables.own(model).nextId(model);
    },
    put: async (model, record) => {
      const table = tables.own(model);
      const id = Number(record.id);
      const before = table.get(id);
      if (changes && keeper?.isFull() && needsSpace(before, record)) keeper.refuse();
      noteForUndo(table, id, before);
      note(model, { id, before, isNew: before === undefined });
      table.put(record);
      if (isFilling && noted >= FILLED_AT_ONCE) writeChanges();
    },
    remove: async (model, id) => {
      const table = tables.own(model);
      const before = table.get(id);
      noteForUndo(table, id, before);
      note(model, { id, before, isNew: false });
      table.remove(id);
    },
    clear: async (model) => {
      const known = tables.get(model);
      tables.set(model);
      changes?.set(model, { isCleared: true, hasNew: false, before: new Map() });
      if (known) undo?.push(() => tables.set(model, known));
    },
  };
  return {
    from,
    get: records.get,
    find: records.find,
    readAll,
    transaction: (work) => inTurn(() => runOrUndo(() => work(records))),
    fill: (work) => {
      isFilling = true;
      return keep(() => work(keeper ? { ...records, add: records.put } : records));
    },
    freeze: () => tables.share(tables.all()),
    replace: (snapshot) => void tables.share(snapshot),
    isChanged: () => !isSame(tables.all(), beginning()),
    end: () => {
      isEnded = true;
    },
  };

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = last.then(work);
    last = run.catch(() => undefined);
    return run;
  }

  async function* readAll(models: readonly string[]): AsyncGenerator<RecordsPart> {
    // Between two transactions, so that it reads no half of one.
    const { parts, release } = await inTurn(async () => {
      const own = models.map((model) => tables.get(model));
      if (own.every((table) => !table || table.records))
        return {
          parts: partsOf(
            models,
            own.map((table) => [...(table?.records?.values() ?? [])]),
          ),
        };
      const frozen = tables.share(tables.all());
      return {
        parts: pagesOf(
          models,
          readableOf(() => frozen),
        ),
        release: keeper?.freeze(name),
      };
    });
    try {
      yield* parts;
    } finally {
      release?.();
    }
  }

  async function runOrUndo<Result>(work: () => Promise<Result>): Promise<Result> {
    const steps: (() => void)[] = [];
    undo = steps;
    try {
      const result = await (keeper ? keep(work) : work());
      if (isEnded)
        throw new StoreAway(`The session ${name} ended during the request. Send the request again.`);
      return result;
    } catch (error) {
      for (const step of steps.toReversed()) step();
      throw error;
    } finally {
      undo = undefined;
    }
  }

  async function keep<Result>(work: () => Promise<Result>): Promise<Result> {
    changes = keeper && new Map();
    try {
      const result = await work();
      writeChanges();
      return result;
    } finally {
      changes = undefined;
      noted = 0;
    }
  }

  /** Writes the changes so far to the file, which can take over tables that don't fit in memory. */
  function writeChanges(): void {
    if (!keeper || !changes || changes.size === 0) return;
    for (const [model, table] of keeper.write(name, changes, tables.all())) tables.set(model, table);
    changes.clear();
    noted = 0;
  }

  function note(model: string, changed?: { id: number; before: RecordValues | undefined; isNew: boolean }) {
    if (!changes) return;
    const change = changes.get(model) ?? { isCleared: false, hasNew: false, before: new Map() };
    changes.set(model, change);
    if (!changed) return;
    const { before, id, isNew } = changed;
    if (isNew) change.hasNew = true;
    if (!change.before.has(id)) change.before.set(id, before);
    noted += 1;
  }

  function noteForUndo(table: Table, id: number, before: RecordValues | undefined): void {
    undo?.push(() => (before ? table.put(before) : table.remove(id)));
  }
}

const MOST_IN_PART = 1000;

/** Returns the given records of models in parts. Other requests run between two parts. */
async function* partsOf(
  models: readonly string[],
  all: readonly (readonly RecordValues[])[],
): AsyncGenerator<RecordsPart> {
  for (const [index, model] of models.entries()) {
    const given = all[index] ?? [];
    for (let from = 0; from === 0 || from < given.length; from += MOST_IN_PART) {
      yield { model, records: given.slice(from, from + MOST_IN_PART) };
      await turn();
    }
  }
}

/** Does the same with records that are found page by page. */
async function* pagesOf(models: readonly string[], { find }: ReadableRecords): AsyncGenerator<RecordsPart> {
  for (const model of models) {
    let last: Value = Number.MIN_SAFE_INTEGER;
    for (let isFirst = true; ; isFirst = false) {
      const filters = [{ field: 'id', type: 'int', operator: 'gt', values: [last] }] as const;
      const page = { filters, liveOnly: false, size: MOST_IN_PART, withTotal: false };
      const { records } = await find(model, page);
      if (isFirst || records.length > 0) yield { model, records };
      if (records.length < MOST_IN_PART) break;
      last = records.at(-1)?.id ?? last;
      await turn();
    }
  }
}

/** Tables are copied before the first write, so that those without writes stay the same object. */
function isSame(one: Tables, other: Tables | undefined): boolean {
  if (one === other) return true;
  return one.size === other?.size && [...one].every(([model, table]) => other.get(model) === table);
}

/** Keeps the tables of a session, each of which is shared with a snapshot until the session writes to it. */
function createOwnTables(beginning: Tables, layout: Layout) {
  let tables = beginning;
  /** The list of tables that only this session uses. Until the first write, the session uses that of the snapshot. */
  let ownList: Map<string, Table> | undefined;
  /** Marks the tables that only this session uses. */
  let owner = {};
  const make = (model: string) => createTable(layout, model, { owner });
  const set = (model: string, table = make(model)) => {
    ownList ??= new Map(tables);
    tables = ownList.set(model, table);
  };
  return {
    all: () => tables,
    get: (model: string) => tables.get(model),
    /** Returns the table of a model to write to: a copy of a shared one, or a new one. */
    own: (model: string) => {
      const known = tables.get(model);
      if (known?.owner === owner) return known;
      const table = known ? known.copy(owner) : make(model);
      set(model, table);
      return table;
    },
    /** Replaces a table with one that only this session uses; with an empty one if `table` is absent. */
    set,
    /** Replaces all tables with shared ones. */
    share: (shared: Tables) => {
      owner = {};
      ownList = undefined;
      tables = shared;
      return shared;
    },
  };
}
