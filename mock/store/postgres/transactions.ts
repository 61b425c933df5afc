import type pg from 'pg';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Records } from '../store.ts';
import { idAfter } from '../table.ts';
import { findRecords } from './find.ts';
import { inTransaction } from './pools.ts';
import { type Ask, type DatabaseRow, type Reading, type RecordRow, readRecord, toRow } from './records.ts';
import { longStatement, SCHEMA } from './schema.ts';

/** Arbitrary advisory-lock keys begin here, one for each space. */
const FIRST_LOCK = 7_265_638_000_000;

/** Waits until no other transaction writes to the space $1, and lets none do so until the end of this one. */
export const LOCK_SPACE = `select pg_advisory_xact_lock(${FIRST_LOCK} + $1::bigint)`;

const OWNED = `select model, part, base, last from ${SCHEMA}.part where space = $1 and owned`;

/** The part of a model that a space owns. */
export type Part = {
  readonly part: string;
  base: string | null;
  /** The last ID that was used. */
  last: number;
  /** The last ID in the database. */
  storedLast: number;
};

function toPart({ base, last, part }: Readonly<Record<string, unknown>>): Part {
  return {
    part: String(part),
    base: base === null ? null : String(base),
    last: Number(last),
    storedLast: Number(last),
  };
}

const FIND_PART = `select part, base, exists (
    select from ${SCHEMA}.part o where o.part = p.part and o.space <> p.space or o.base = p.part
  ) as shared
  from ${SCHEMA}.part p where p.space = $1 and p.model = $2`;

/** Takes the part, makes a missing one, or makes one with the shared part as its base. */
const OWN = `insert into ${SCHEMA}.part as p (space, model, part, owned)
  values ($1, $2, nextval('${SCHEMA}.part_ids'), true)
  on conflict (space, model) do update set owned = true,
    part = case when $3 then excluded.part else p.part end,
    base = case when $3 then coalesce(p.base, p.part) else p.base end
  returning part, base, last`;

const COPY = `insert into ${SCHEMA}.record (part, id, deleted, owner, data, keys)
  select $1::bigint, id, deleted, owner, data, keys from ${SCHEMA}.record where part = $2`;

/** In a transaction that writes to the space: returns the part to write the records of a model to. */
export async function ownPart(ask: Ask, space: string, model: string): Promise<Part> {
  const [known] = (await ask({ name: 'find-part', text: FIND_PART, values: [space, model] })).rows;
  const isShared = known?.shared === true;
  const { rows } = await ask({ name: 'own-part', text: OWN, values: [space, model, isShared] });
  const own = toPart(rows[0] ?? {});
  // A part that has a base is copied, because bases have none. It has few records.
  if (isShared && known.base !== null)
    await ask({ name: 'copy-part', ...longStatement(COPY, [own.part, known.part]) });
  return own;
}

/** Selects 0 for no record, 1 for one, and 2 for one that is marked as deleted. */
const stateOf = (row: string) => `case when ${row}.data is null then 0 when ${row}.deleted then 2 else 1 end`;
const stateIn = (part: string) =>
  `(select ${stateOf('r')} from ${SCHEMA}.record r where r.part = ${part} and r.id = given.id)`;
const changeOf = (state: number) =>
  `count(*) filter (where now = ${state}) - count(*) filter (where was = ${state})`;

const PARTS = `own as materialized (
    select * from unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) as own (model, part, base, last)
  )`;
const GIVEN = `json_to_recordset($6)
    as given (model text, id bigint, deleted boolean, owner bigint, data text, keys jsonb) join own using (model)`;

/** Stores and removes records, and their numbers. */
const STORE = `with ${PARTS}, given as materialized (
    select own.part, own.base, given.*, ${stateIn('own.part')} as own_was, ${stateIn('own.base')} as base_was,
      ${stateOf('given')} as now
    from ${GIVEN}
  ), removed as (
    delete from ${SCHEMA}.record r using given
    where r.part = given.part and r.id = given.id and given.data is null and given.base is null
  ), stored as (
    insert into ${SCHEMA}.record (part, id, deleted, owner, data, keys)
    select part, id, deleted, owner, data, keys from given where data is not null or base is not null
    on conflict (part, id) do update set deleted = excluded.deleted, owner = excluded.owner, data = excluded.data,
      keys = excluded.keys
  ), counted as (
    select model, ${changeOf(1)} as live, ${changeOf(2)} as deleted
    from (select *, coalesce(own_was, base_was, 0) as was from given) given group by model
  )
  update ${SCHEMA}.part p set last = own.last, live = p.live + coalesce(counted.live, 0),
    deleted = p.deleted + coalesce(counted.deleted, 0)
  from own left join counted on counted.model = own.model where p.space = $1 and p.model = own.model`;

/** A record to store, or one without data to remove. */
type StoredRow = RecordRow & { readonly model: string };

const CLEAR = `with cleared as (
    update ${SCHEMA}.part set base = null, last = 0, live = 0, deleted = 0
    where space = $1 and model = $2 and owned returning part
  )
  delete from ${SCHEMA}.record r using cleared where r.part = cleared.part`;

/** Maximum number of statements that are sent without waiting for the first of them. */
const MOST_SENT = 4;

/** Maximum number of records in one statement, and of their characters, which a large last record can exceed. */
const AT_ONCE = 1000;
const LONGEST = 2 ** 23;

/** Begins a transaction of few records, of which PostgreSQL estimates many, and would read the whole table. */
export const BEGIN = 'begin; set local enable_seqscan = off';

/** A transaction has 20 seconds to get its turn, and to continue if its replica stops. */
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
      const record = known.get(name) ?? readRecord({ ...reading, ask }, model, id);
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
      await ask({ name: 'clear', ...longStatement(CLEAR, [space, model]) });
      Object.assign(part, { base: null, last: 0, storedLast: 0 });
    },
  };
  return { records, send };

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

  /** Stores records and the last IDs of their models. Waits for an earlier statement if there are several. */
  async function store(rows: readonly StoredRow[]): Promise<void> {
    const changed = new Set(rows.map(({ model }) => model));
    const written = [...parts].filter(([model, part]) => changed.has(model) || part.last !== part.storedLast);
    if (written.length === 0) return;
    for (const [, part] of written) part.storedLast = part.last;
    const own = written.map(([, part]) => part);
    const values = [
      space,
      written.map(([model]) => model),
      own.map(({ part }) => part),
      own.map(({ base }) => base),
      own.map(({ last }) => last),
      JSON.stringify(rows),
    ];
    const stored = ask({ name: 'store', text: STORE, values });
    stored.catch(() => {});
    if (sent.push(stored) > MOST_SENT) await sent.shift();
  }
}
