import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Change, Keeper, Tables } from './keeper.ts';
import { createOwnTables } from './own-tables.ts';
import { type Layout, type Records, type SessionRecords, StoreAway } from './store.ts';
import { findRecords, nextIdOf, putRecord, removeRecord, type Table } from './table.ts';

export type MemorySession = SessionRecords & {
  /** Stores what the work stores, which is not undone when it fails: the session is of no use then. */
  fill(work: (records: Records) => Promise<void>): Promise<void>;
  /** What the session has now; from then on it copies each table before it writes to it. */
  freeze(): Tables;
  replace(tables: Tables): void;
  /** Rejects all transactions from now on, because nobody would find what they store. */
  end(): void;
};

type SessionParts = {
  readonly name: string;
  readonly from: string;
  readonly tables: Tables;
  /** The snapshot that it began with, as it is now. */
  readonly beginning: () => Tables | undefined;
  readonly layout: Layout;
  readonly keeper: Keeper | undefined;
};

/** The records of a session, which shares its tables until it writes to them. */
export function createSession({
  beginning,
  from,
  layout,
  keeper,
  name,
  tables: first,
}: SessionParts): MemorySession {
  const tables = createOwnTables(first, layout);
  let isEnded = false;
  let last: Promise<unknown> = Promise.resolve();
  /** What to undo when a transaction rejects, the last first. */
  let undo: (() => void)[] | undefined;
  /** What is to be kept when a transaction ends. */
  let changes: Map<string, Change> | undefined;
  const records: Records = {
    get: async (model, id) => tables.get(model)?.all.get(id),
    find: async (model, query) => {
      const table = tables.get(model);
      return table ? findRecords(table, query) : { records: [], total: 0 };
    },
    nextId: async (model) => {
      note(model);
      return nextIdOf(tables.own(model), model);
    },
    put: async (model, record) => {
      const table = tables.own(model);
      const id = Number(record.id);
      noteForUndo(table, id);
      note(model, id);
      putRecord(table, record);
    },
    remove: async (model, id) => {
      const table = tables.own(model);
      noteForUndo(table, id);
      note(model, id);
      removeRecord(table, id);
    },
    clear: async (model) => {
      const known = tables.get(model);
      tables.set(model);
      changes?.set(model, { isCleared: true, ids: new Set() });
      if (known) undo?.push(() => tables.set(model, known));
    },
  };
  return {
    from,
    get: records.get,
    find: records.find,
    transaction: (work) => {
      const run = last.then(() => runOrUndo(() => work(records)));
      last = run.catch(() => undefined);
      return run;
    },
    fill: (work) => keep(() => work(records)),
    freeze: () => tables.share(tables.all()),
    replace: (snapshot) => void tables.share(snapshot),
    isChanged: () => !isSame(tables.all(), beginning()),
    end: () => {
      isEnded = true;
    },
  };

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
    const made = new Map<string, Change>();
    changes = keeper && made;
    try {
      const result = await work();
      if (made.size > 0) keeper?.write(name, made, tables.all());
      return result;
    } finally {
      changes = undefined;
    }
  }

  function note(model: string, id?: number): void {
    if (!changes) return;
    const change = changes.get(model) ?? { isCleared: false, ids: new Set() };
    changes.set(model, change);
    if (id !== undefined) change.ids.add(id);
  }

  function noteForUndo(table: Table, id: number): void {
    const before: RecordValues | undefined = table.all.get(id);
    undo?.push(() => (before ? putRecord(table, before) : removeRecord(table, id)));
  }
}

/** Tables are copied before the first write, so that those without writes stay the same object. */
function isSame(one: Tables, other: Tables | undefined): boolean {
  if (one === other) return true;
  return one.size === other?.size && [...one].every(([model, table]) => other.get(model) === table);
}
