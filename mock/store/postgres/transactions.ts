import type pg from 'pg';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Records } from '../store.ts';
import { idAfter } from '../table.ts';
import { findRecords } from './find.ts';
import {
  clearStatement,
  LOCK_SPACE,
  OWNED,
  ownPart,
  type Part,
  type StoredRow,
  storeStatement,
  toPart,
} from './parts.ts';
import { inTransaction, isAway, isBlocked } from './pools.ts';
import { type Ask, createBatches, type DatabaseRow, type Reading, readRecords, toRow } from './records.ts';

/**
 * Begins a transaction. Its turn comes within 20 seconds, or it fails. If its replica stops in the middle, the database
 * ends it after the same time, so that other replicas can write. It reads few records, but PostgreSQL estimates the size
 * of an average part, and would read the whole table.
 */
const BEGIN = `begin; set local lock_timeout = '20s'; set local idle_in_transaction_session_timeout = '20s';
  set local enable_seqscan = off`;

/** Maximum number of statements that are sent without waiting for the first of them. */
const MOST_SENT = 4;

/** Maximum number of records in one statement, and of their characters, which a large last record can exceed. */
const AT_ONCE = 1000;
const LONGEST = 2 ** 23;

type Work = (records: Records) => Promise<unknown>;
type Results = readonly PromiseSettledResult<unknown>[];

/**
 * Runs the work of requests in transactions. Those of a space run one after the other, in all replicas. Work that comes
 * together, or while the last transaction of this replica is running, is one transaction.
 */
export function createTransactions({
  onWorn,
  pool,
  ...reading
}: Pick<Reading, 'layout' | 'seen'> & {
  readonly pool: pg.Pool;
  /** Called with a model whose part differs too much from its base. */
  readonly onWorn: (space: string, model: string) => void;
}) {
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
      const writer = createWriter({ ...reading, ask, owned, sent, space, worn });
      const results: PromiseSettledResult<unknown>[] = [];
      if (works.length > 1) await writer.readAhead(works);
      for (const work of works) results.push(await writer.run(work));
      await writer.send();
      return results;
    };
    const results = await inTransaction(pool, run, BEGIN);
    for (const model of worn) onWorn(space, model);
    return results;
  }
}

/** The new versions of records by model and ID; undefined for a removed record. */
type RecordChanges = Map<string, Map<number, RecordValues | undefined>>;

function note(changes: RecordChanges, model: string, id: number, record: RecordValues | undefined): void {
  const known = changes.get(model);
  if (known) known.set(id, record);
  else changes.set(model, new Map([[id, record]]));
}

/** Reads and writes the records of a space in a transaction. Changes wait until something reads them, or are many. */
export function createWriter({
  ask,
  isNew = false,
  owned,
  sent,
  worn = new Set(),
  ...reading
}: Reading & {
  /** Whether it only adds records, to a new space. */
  readonly isNew?: boolean;
  /** The parts that the space owns. */
  readonly owned: Promise<readonly DatabaseRow[]>;
  /** Gets the statements that must end before the transaction does. */
  readonly sent: Promise<unknown>[];
  /** Gets the models whose parts differ too much from their base. */
  readonly worn?: Set<string>;
}) {
  const { layout, space } = reading;
  const loading = new Map<string, Promise<Part>>();
  const parts = new Map<string, Part>();
  /** The changes of works that have ended. */
  const ended: RecordChanges = new Map();
  let [count, hasWritten] = [0, false];
  const known = new Map<string, Promise<RecordValues | undefined>>();
  const read = createBatches((_, model, ids: readonly number[]) =>
    readRecords({ ...reading, ask }, model, ids),
  );
  const partOf = (model: string): Promise<Part> => {
    const part = loading.get(model) ?? load(model);
    loading.set(model, part);
    return part;
  };
  const recordsOf = (changes: RecordChanges): Records => ({
    get: async (model, id) => {
      for (const all of [changes, ended]) if (all.get(model)?.has(id)) return all.get(model)?.get(id);
      const name = `${model} ${id}`;
      const record = known.get(name) ?? read('', model, id);
      known.set(name, record);
      return record;
    },
    find: async (model, query) => {
      if (changes.has(model) || ended.has(model)) await write(changes);
      const found = await findRecords({ ...reading, ask }, model, query);
      for (const record of found.records) known.set(`${model} ${record.id}`, Promise.resolve(record));
      return found;
    },
    nextId: async (model) => {
      const part = await partOf(model);
      part.last = idAfter(part.last, model);
      known.set(`${model} ${part.last}`, Promise.resolve(undefined));
      return part.last;
    },
    put: async (model, record) => {
      const id = Number(record.id);
      await passOver(model, id);
      note(changes, model, id, record);
      count += 1;
      if (count >= AT_ONCE) await write(changes);
    },
    remove: async (model, id) => {
      await partOf(model);
      note(changes, model, id, undefined);
    },
    clear: async (model) => {
      const part = await partOf(model);
      await write(changes);
      known.clear();
      await ask(clearStatement(space, model));
      Object.assign(part, { base: null, last: 0, storedLast: 0 });
    },
  });
  return {
    /** Reads what works read before they write, so that it is one statement. Each work then runs again. */
    readAhead: async (works: readonly Work[]): Promise<void> => {
      const stop = () => Promise.reject(new Error('The work runs again in its turn.'));
      const { get } = recordsOf(new Map());
      const ahead = { get, find: stop, nextId: stop, put: stop, remove: stop, clear: stop };
      await Promise.allSettled(works.map((work) => work(ahead)));
    },
    /** Runs a work. Throws its error if it fails after it wrote to the database. */
    run: async (work: Work): Promise<PromiseSettledResult<unknown>> => {
      hasWritten = false;
      const changes: RecordChanges = new Map();
      const [result] = await Promise.allSettled([work(recordsOf(changes))]);
      if (result.status === 'fulfilled') end(changes);
      else if (hasWritten) throw result.reason;
      return result;
    },
    /** Assigns no ID up to this one from now on. */
    passOver,
    /** Sends the changes, and the last IDs. */
    send,
  };

  async function load(model: string): Promise<Part> {
    const row = (await owned).find((one) => one.model === model);
    const part = row ? toPart(row) : await ownPart(ask, space, model);
    parts.set(model, part);
    return part;
  }

  async function passOver(model: string, id: number): Promise<void> {
    const part = await partOf(model);
    part.last = Math.max(part.last, id);
  }

  function write(changes: RecordChanges): Promise<void> {
    hasWritten = true;
    end(changes);
    return send();
  }

  function end(changes: RecordChanges): void {
    for (const [model, own] of changes) for (const [id, record] of own) note(ended, model, id, record);
    changes.clear();
  }

  async function send(): Promise<void> {
    const changes = [...ended].flatMap(([model, own]) =>
      [...own].map((change) => [model, ...change] as const),
    );
    ended.clear();
    count = 0;
    let rows: StoredRow[] = [];
    let size = 0;
    for (const [model, id, record] of changes) {
      known.delete(`${model} ${id}`);
      const row = { model, ...toRow(layout, model, id, record) };
      size += row.data?.length ?? 0;
      if (rows.push(row) < AT_ONCE && size < LONGEST) continue;
      await store(rows);
      [rows, size] = [[], 0];
    }
    await store(rows);
  }

  /** Sends a statement. Waits for an earlier one if there are several. */
  async function store(rows: readonly StoredRow[]): Promise<void> {
    const changed = new Set(rows.map(({ model }) => model));
    const written = [...parts].filter(([model, part]) => changed.has(model) || part.last !== part.storedLast);
    if (written.length === 0) return;
    const statement = storeStatement({ isNew, space }, written, rows);
    for (const [, part] of written) part.storedLast = part.last;
    const stored = ask(statement).then(({ rows: kept }) => {
      for (const { model, worn: isWorn } of kept) if (isWorn === true) worn.add(String(model));
    });
    stored.catch(() => {});
    if (sent.push(stored) > MOST_SENT) await sent.shift();
  }
}
