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
import { inTransaction } from './pools.ts';
import { type Ask, type DatabaseRow, type Reading, readRecords, toRow } from './records.ts';

/** Maximum number of statements that are sent without waiting for the first of them. */
const MOST_SENT = 4;

/** Maximum number of records in one statement, and of their characters, which a large last record can exceed. */
const AT_ONCE = 1000;
const LONGEST = 2 ** 23;

/** Begins a transaction of few records, of which PostgreSQL estimates many, and would read the whole table. */
export const BEGIN = 'begin; set local enable_seqscan = off';

/**
 * Its turn comes within 20 seconds, or the transaction fails. If its replica stops in the middle, the database ends it
 * after the same time, so that other replicas can write.
 */
const BEGIN_IN_TURN = `${BEGIN}; set local lock_timeout = '20s'; set local idle_in_transaction_session_timeout = '20s'`;

/** Runs the work of a request in a transaction. Those of a space run one after the other, in all replicas. */
export function transact<Result>(
  pool: pg.Pool,
  reading: Pick<Reading, 'layout' | 'space'>,
  work: (records: Records) => Promise<Result>,
): Promise<Result> {
  const { space } = reading;
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
    const writer = createWriter({ ...reading, ask, owned, sent });
    const result = await work(writer.records);
    await writer.send();
    return result;
  };
  return inTransaction(pool, run, BEGIN_IN_TURN);
}

/** Reads and writes the records of a space in a transaction. Changes wait until something reads them, or are many. */
export function createWriter({
  ask,
  owned,
  sent,
  ...reading
}: Reading & {
  /** The parts that the space owns. */
  readonly owned: Promise<readonly DatabaseRow[]>;
  /** Gets the statements that must end before the transaction does. */
  readonly sent: Promise<unknown>[];
}) {
  const { layout, space } = reading;
  const loading = new Map<string, Promise<Part>>();
  const parts = new Map<string, Part>();
  /** The new versions of records that are not sent, by model and ID; undefined for a removed record. */
  const changes = new Map<string, Map<number, RecordValues | undefined>>();
  const known = new Map<string, Promise<RecordValues | undefined>>();
  let count = 0;
  const partOf = (model: string): Promise<Part> => {
    const part = loading.get(model) ?? load(model);
    loading.set(model, part);
    return part;
  };
  const records: Records = {
    get: async (model, id) => {
      if (changes.get(model)?.has(id)) return changes.get(model)?.get(id);
      const name = `${model} ${id}`;
      const record = known.get(name) ?? readRecords({ ...reading, ask }, model, [id]).then(([one]) => one);
      known.set(name, record);
      return record;
    },
    find: async (model, query) => {
      if (changes.has(model)) await send();
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
      const part = await partOf(model);
      part.last = Math.max(part.last, id);
      await change(model, id, record);
    },
    remove: async (model, id) => {
      await partOf(model);
      await change(model, id, undefined);
    },
    clear: async (model) => {
      const part = await partOf(model);
      await send();
      known.clear();
      await ask(clearStatement(space, model));
      Object.assign(part, { base: null, last: 0, storedLast: 0 });
    },
  };
  return {
    records,
    /** Sends the changes, and the last IDs. */
    send,
  };

  async function load(model: string): Promise<Part> {
    const row = (await owned).find((one) => one.model === model);
    const part = row ? toPart(row) : await ownPart(ask, space, model);
    parts.set(model, part);
    return part;
  }

  async function change(model: string, id: number, record: RecordValues | undefined): Promise<void> {
    const own = changes.get(model) ?? new Map();
    changes.set(model, own.set(id, record));
    count += 1;
    if (count >= AT_ONCE) await send();
  }

  async function send(): Promise<void> {
    const all = [...changes].flatMap(([model, own]) => [...own].map((one) => [model, ...one] as const));
    changes.clear();
    count = 0;
    let rows: StoredRow[] = [];
    let size = 0;
    for (const [model, id, record] of all) {
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
    for (const [, part] of written) part.storedLast = part.last;
    const stored = ask(storeStatement(space, written, rows));
    stored.catch(() => {});
    if (sent.push(stored) > MOST_SENT) await sent.shift();
  }
}
