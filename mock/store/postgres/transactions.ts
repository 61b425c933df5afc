import type pg from 'pg';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Found, Layout, Query, Records } from '../store.ts';
import { idAfter } from '../table.ts';
import { findRecords } from './find.ts';
import { clearStatement, LOCK_SPACE, OWNED, ownPart, type Part, storeStatement, toPart } from './parts.ts';
import { inTransaction } from './pools.ts';
import { type Ask, createBatches, type Reading, type Row, readRecords, type Seen, toRow } from './records.ts';
import { isAway, isBlocked } from './trouble.ts';

/**
 * Begins a transaction. Its turn comes within 20 seconds, or it fails. If its replica stops in the middle, the database
 * ends it after the same time, so that other replicas can write.
 */
const BEGIN = `begin; set local lock_timeout = '20s'; set local idle_in_transaction_session_timeout = '20s'`;

/** Maximum number of statements that are sent without waiting for the first of them. */
const MOST_SENT = 4;

/** Maximum number of records in one statement. */
const AT_ONCE = 1000;

type Work = (records: Records) => Promise<unknown>;
type Results = readonly PromiseSettledResult<unknown>[];
type Options = {
  readonly pool: pg.Pool;
  readonly layout: Layout;
  readonly seen: Seen;
  /** Called with a model whose part differs too much from its base. */
  readonly onWorn: (space: string, model: string) => void;
};

/** The new versions of records by model and ID; undefined for a removed record. */
type Changes = Map<string, Map<number, RecordValues | undefined>>;

/**
 * Runs the work of requests in transactions. Those of a space run one after the other, in all replicas. Work that comes
 * together, or while the last transaction of this replica is running, is one transaction.
 */
export function createTransactions({ layout, onWorn, pool, seen }: Options) {
  const transact = createBatches<Work, unknown>(async (space, _, works) => {
    const results = await runEach(space, works);
    return results.map((one) => (one.status === 'fulfilled' ? one.value : Promise.reject(one.reason)));
  });
  return <Result>(space: string, work: (records: Records) => Promise<Result>) =>
    transact(space, '', work) as Promise<Result>;

  async function runEach(space: string, works: readonly Work[]): Promise<Results> {
    try {
      return await runTogether(space, works);
    } catch (reason) {
      if (works.length === 1 || isAway(reason) || isBlocked(reason))
        return works.map(() => ({ status: 'rejected', reason }));
      // One of them caused the error. The others can succeed.
      const results: Results[] = [];
      for (const work of works) results.push(await runEach(space, [work]));
      return results.flat();
    }
  }

  async function runTogether(space: string, works: readonly Work[]): Promise<Results> {
    const worn = new Set<string>();
    const run = async (client: pg.PoolClient, sent: Promise<unknown>[]) => {
      const turn = client.query({ name: 'turn', text: LOCK_SPACE, values: [space] });
      const own = client.query({ name: 'owned', text: OWNED, values: [space] });
      const owned = Promise.all([own, turn]).then(([{ rows }]) => rows);
      owned.catch(() => {});
      const ask: Ask = async (statement) => {
        const asked = client.query(statement);
        asked.catch(() => {});
        // If the transaction does not begin, its error is the cause of the other one.
        await turn;
        return asked;
      };
      const writer = createWriter({ ask, layout, owned, seen, sent, space, worn });
      const results = await runWorks(works, writer);
      await writer.send();
      return results;
    };
    const results = await inTransaction(pool, run, BEGIN);
    for (const model of worn) onWorn(space, model);
    return results;
  }
}

/** Runs works as if one came after the other. Throws the error of one that fails after it wrote to the database. */
async function runWorks(works: readonly Work[], writer: Writer): Promise<Results> {
  const run = async (work: Work, isAhead: boolean) => {
    const current = createRun(writer, isAhead);
    const [result] = await Promise.allSettled([work(current.records)]);
    return { ...current, result };
  };
  // First, all of them run at once, so that their reads are few statements.
  const ahead = works.length > 1 ? await Promise.all(works.map((work) => run(work, true))) : [];
  const results: PromiseSettledResult<unknown>[] = [];
  const touched: Touched = new Map();
  for (const [index, work] of works.entries()) {
    const first = ahead[index];
    const last = first && !first.isAffectedBy(touched) ? first : await run(work, false);
    results.push(last.result);
    if (last.result.status === 'rejected') {
      if (last.hasWritten()) throw last.result.reason;
      continue;
    }
    await writer.take(last.changes);
    for (const [model, ids] of last.touched) for (const id of ids) note(touched, model, id);
  }
  return results;
}

/** IDs by model. All records of a model are those of the ID `ALL`. */
type Touched = Map<string, Set<number>>;
const ALL = Number.NaN;

function note(all: Touched, model: string, id: number): void {
  const ids = all.get(model);
  if (ids) ids.add(id);
  else all.set(model, new Set([id]));
}

/**
 * Starts a run of a work. One that runs ahead of earlier works writes nothing to the database. If it would have to, it
 * fails, and runs again in its turn.
 */
function createRun(writer: Writer, isAhead: boolean) {
  const changes: Changes = new Map();
  const touched: Touched = new Map();
  const got: Touched = new Map();
  let [count, hasWritten, mustWait] = [0, false, false];
  const records: Records = {
    get: async (model, id) => {
      const own = changes.get(model);
      if (own?.has(id)) return own.get(id);
      note(got, model, id);
      return writer.get(model, id);
    },
    find: async (model, query) => {
      note(got, model, ALL);
      if (changes.has(model)) await write();
      return writer.find(model, query);
    },
    nextId: async (model) => {
      const id = await writer.nextId(model);
      // An earlier work can store a record with this ID, without asking for one.
      note(got, model, id);
      return id;
    },
    put: async (model, record) => {
      const id = Number(record.id);
      await writer.passOver(model, id);
      change(model, id, record);
      count += 1;
      if (count % AT_ONCE === 0 && !isAhead) await write();
    },
    remove: async (model, id) => change(model, id, undefined),
    clear: async (model) => {
      note(touched, model, ALL);
      await write();
      await writer.clear(model);
    },
  };
  return {
    records,
    touched,
    /** The changes that are not written. */
    changes,
    hasWritten: () => hasWritten,
    /** Whether it read something that earlier works changed. */
    isAffectedBy: (earlier: Touched) =>
      mustWait ||
      [...earlier].some(([model, ids]) => {
        const read = got.get(model);
        return read !== undefined && (read.has(ALL) || ids.has(ALL) || [...read].some((id) => ids.has(id)));
      }),
  };

  function change(model: string, id: number, record: RecordValues | undefined): void {
    note(touched, model, id);
    const own = changes.get(model);
    if (own) own.set(id, record);
    else changes.set(model, new Map([[id, record]]));
  }

  async function write(): Promise<void> {
    if (isAhead) {
      mustWait = true;
      throw new Error('The work runs again in its turn.');
    }
    hasWritten = true;
    await writer.take(changes);
  }
}

export type Writer = ReturnType<typeof createWriter>;

/** Reads and writes the records of a space in a transaction. Changes wait until it reads them, or are many. */
export function createWriter({
  ask,
  owned,
  sent,
  worn = new Set(),
  ...reading
}: Reading & {
  /** The parts that the space owns. */
  readonly owned: Promise<readonly Row[]>;
  /** Gets the statements that are to end before the transaction does. */
  readonly sent: Promise<unknown>[];
  /** Gets the models whose parts differ too much from their base. */
  readonly worn?: Set<string>;
}) {
  const { layout, space } = reading;
  const parts = new Map<string, Promise<Part>>();
  const own = new Map<string, Part>();
  const waiting: Changes = new Map();
  let count = 0;
  const known = new Map<string, Promise<RecordValues | undefined>>();
  const read = createBatches((_, model, ids: readonly number[]) =>
    readRecords({ ...reading, ask }, model, ids),
  );
  const partOf = (model: string): Promise<Part> => {
    const part = parts.get(model) ?? load(model);
    parts.set(model, part);
    return part;
  };
  return {
    /** Returns a record. Reads it at most once. */
    get: (model: string, id: number): Promise<RecordValues | undefined> => {
      const changed = waiting.get(model);
      if (changed?.has(id)) return Promise.resolve(changed.get(id));
      const name = `${model} ${id}`;
      const record = known.get(name) ?? read('', model, id);
      known.set(name, record);
      return record;
    },
    find: async (model: string, query: Query): Promise<Found> => {
      if (waiting.has(model)) await send();
      return findRecords({ ...reading, ask }, model, query);
    },
    nextId: async (model: string): Promise<number> => {
      const part = await partOf(model);
      part.last = idAfter(part.last, model);
      return part.last;
    },
    /** Assigns no ID up to this one from now on. */
    passOver: async (model: string, id: number): Promise<void> => {
      const part = await partOf(model);
      part.last = Math.max(part.last, id);
    },
    /** Takes changes over, and removes them from the given ones. */
    take: async (changes: Changes): Promise<void> => {
      while ([...changes.keys()].some((model) => !own.has(model)))
        await Promise.all([...changes.keys()].map(partOf));
      for (const [model, records] of changes) for (const [id, record] of records) add(model, id, record);
      changes.clear();
      if (count >= AT_ONCE) await send();
    },
    /** Stores a record of a new part. */
    add: async (model: string, record: RecordValues): Promise<void> => {
      await partOf(model);
      add(model, Number(record.id), record);
      if (count >= AT_ONCE) await send();
    },
    clear: async (model: string): Promise<void> => {
      const part = await partOf(model);
      await send();
      known.clear();
      await ask(clearStatement(space, model));
      Object.assign(part, { base: null, last: 0, storedLast: 0 });
    },
    /** Sends the changes, and the last IDs. */
    send,
  };

  async function load(model: string): Promise<Part> {
    const known = (await owned).find((row) => row.model === model);
    const part = known ? toPart(known) : await ownPart(ask, space, model);
    own.set(model, part);
    return part;
  }

  function add(model: string, id: number, record: RecordValues | undefined): void {
    const part = own.get(model);
    if (record && part) part.last = Math.max(part.last, id);
    const changed = waiting.get(model);
    if (changed) changed.set(id, record);
    else waiting.set(model, new Map([[id, record]]));
    count += 1;
  }

  async function send(): Promise<void> {
    const rows = [...waiting].flatMap(([model, records]) =>
      [...records].map(([id, record]) => ({ model, ...toRow(layout, model, id, record) })),
    );
    waiting.clear();
    count = 0;
    if (known.size > 0) for (const { id, model } of rows) known.delete(`${model} ${id}`);
    const changed = new Set(rows.map(({ model }) => model));
    for (let from = 0; from === 0 || from < rows.length; from += AT_ONCE) {
      const written = [...own].filter(([model, part]) => changed.has(model) || part.last !== part.storedLast);
      if (written.length === 0) break;
      const statement = storeStatement(space, written, rows.slice(from, from + AT_ONCE));
      for (const [, part] of written) part.storedLast = part.last;
      const stored = ask(statement).then(({ rows: kept }) => {
        for (const { model, worn: isWorn } of kept) if (isWorn === true) worn.add(String(model));
      });
      stored.catch(() => {});
      sent.push(stored);
      if (sent.length > MOST_SENT) await sent.shift();
    }
  }
}
