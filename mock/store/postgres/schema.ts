import type { Client, PoolClient } from 'pg';
import { UsageError } from '../../../spec/files/usage-error.ts';
import { type OwnApi, refuseOtherApi } from '../api.ts';

/** The mock uses one schema of the database, and leaves the others alone. */
export const SCHEMA = 'record_model_mock';

/** Returns the record as jsonb for its text; null if the text has a character that jsonb rejects. */
export function fieldsOf(data: string): string {
  return `case when ${data} like '%\\\\u0000%' or ${data} like '%\\\\ud%' then null else ${data}::jsonb end`;
}

/** Whether a text has this jsonb. */
export function hasFields(data: string): boolean {
  return !/\\u0000|\\ud/.test(data);
}

const isLive = (row: string) => `(${row}.data is not null and not ${row}.deleted)`;
const isMarked = (row: string) => `(${row}.data is not null and ${row}.deleted)`;
const counted = (kind: 'live' | 'deleted', row: string, name = ` as ${kind}`) =>
  `count(*) filter (where ${(kind === 'live' ? isLive : isMarked)(row)})${name}`;

/** The migrations in order. A database at step `n` has had the first `n`. Only add steps. */
const STEPS: readonly string[] = [
  `
  create sequence ${SCHEMA}.part_ids;
  create sequence ${SCHEMA}.replica_numbers;

  -- A session or a snapshot. \`extra\` is what a session has beside its records.
  create table ${SCHEMA}.space (
    id bigint generated always as identity primary key,
    kind text not null check (kind in ('session', 'snapshot')),
    name text collate "C" not null,
    began text not null,
    extra text,
    used timestamptz not null default clock_timestamp(),
    unique (kind, name)
  );

  -- Where the records of a model are. A part that is not owned is shared, and does not change.
  create table ${SCHEMA}.part (
    space bigint not null references ${SCHEMA}.space (id) on delete cascade,
    model text collate "C" not null,
    part bigint not null,
    owned boolean not null,
    primary key (space, model)
  ) with (fillfactor = 50);
  create index part_users on ${SCHEMA}.part (part);

  -- The last ID of each model. It changes in the transaction of the write.
  create table ${SCHEMA}.counter (
    space bigint not null,
    model text collate "C" not null,
    last bigint not null,
    primary key (space, model)
  ) with (fillfactor = 50);

  -- A record as JSON; \`owner\` is the value of the field that it is often found by, the link of a line to its parent.
  create table ${SCHEMA}.record (
    part bigint not null,
    id bigint not null,
    deleted boolean not null,
    owner bigint,
    data text not null,
    primary key (part, id)
  ) with (fillfactor = 80);
  create index record_live on ${SCHEMA}.record (part, id) where not deleted;
  create index record_owner on ${SCHEMA}.record (part, owner, id) where owner is not null;

  -- What replicas ask each other, and what they answer; nothing of it has to outlive the server.
  create unlogged table ${SCHEMA}.question (
    id bigint generated always as identity primary key,
    asked timestamptz not null default clock_timestamp(),
    body text not null
  );
  create unlogged table ${SCHEMA}.answer (
    question bigint not null,
    replica text not null,
    body text not null,
    primary key (question, replica)
  );
  `,
  `create table ${SCHEMA}.api (title text not null, version text not null, hash text not null)`,
  `
  -- The number of records of a part: the sum of its rows. Each write adds a row, so that writes don't wait for each
  -- other. A reader merges the rows from time to time.
  create table ${SCHEMA}.tally (part bigint not null, live bigint not null, deleted bigint not null);
  create index tally_part on ${SCHEMA}.tally (part);
  insert into ${SCHEMA}.tally
    select part, count(*) filter (where not deleted), count(*) filter (where deleted)
    from ${SCHEMA}.record group by part;
  create function ${SCHEMA}.count_added() returns trigger language plpgsql as $$ begin
    insert into ${SCHEMA}.tally
      select part, count(*) filter (where not deleted), count(*) filter (where deleted) from added group by part;
    return null;
  end $$;
  create function ${SCHEMA}.count_removed() returns trigger language plpgsql as $$ begin
    insert into ${SCHEMA}.tally
      select part, -count(*) filter (where not deleted), -count(*) filter (where deleted) from removed group by part;
    return null;
  end $$;
  create function ${SCHEMA}.count_marked() returns trigger language plpgsql as $$ begin
    insert into ${SCHEMA}.tally
      select new.part, case when new.deleted then -1 else 1 end, case when new.deleted then 1 else -1 end;
    return null;
  end $$;
  create trigger count_added after insert on ${SCHEMA}.record
    referencing new table as added for each statement execute function ${SCHEMA}.count_added();
  create trigger count_removed after delete on ${SCHEMA}.record
    referencing old table as removed for each statement execute function ${SCHEMA}.count_removed();
  create trigger count_marked after update on ${SCHEMA}.record
    for each row when (old.deleted is distinct from new.deleted) execute function ${SCHEMA}.count_marked();

  -- Sorts like Intl.Collator('es'): with normalization, and without a difference between strings that are equal to it.
  -- A server without ICU has no such collation. The mock then sorts itself.
  do $$ begin
    create collation ${SCHEMA}.spanish (provider = icu, locale = 'es-u-kk-true', deterministic = false);
  exception when others then null;
  end $$;
  `,
  `
  -- The record as jsonb, which is several times faster to read than its text. It is null for a text that jsonb rejects,
  -- with a NUL or half of a surrogate pair, and for a few others: the mock filters and sorts these itself.
  alter table ${SCHEMA}.record drop column if exists fields;
  alter table ${SCHEMA}.record add column fields jsonb;
  update ${SCHEMA}.record set fields = ${fieldsOf('data')};

  -- Whether the text has only common characters (isPlain), so that no condition on it needs the mock.
  alter table ${SCHEMA}.record add column plain boolean not null default false;
  drop index if exists ${SCHEMA}.record_unread;
  create index record_apart on ${SCHEMA}.record (part, id) where not plain;

  -- This compression takes half of the time. A server can be built without it, or be older than version 14.
  do $$ begin
    alter table ${SCHEMA}.record alter column data set compression lz4, alter column fields set compression lz4;
  exception when others then null;
  end $$;

  -- A part with a base has only the records that differ from it. A row without data is a record that was removed. So the
  -- first write after a snapshot copies nothing. A base has no base.
  alter table ${SCHEMA}.part add column base bigint;
  create index part_bases on ${SCHEMA}.part (base);
  alter table ${SCHEMA}.record alter column data drop not null;

  -- The number of records of a part with a base is the difference to that of the base.
  create or replace function ${SCHEMA}.count_added() returns trigger language plpgsql as $$ begin
    insert into ${SCHEMA}.tally
      select a.part, a.live - coalesce(b.live, 0), a.deleted - coalesce(b.deleted, 0)
      from (select part, ${counted('live', 'added')}, ${counted('deleted', 'added')} from added group by part) a
      left join lateral (
        select ${counted('live', 'r')}, ${counted('deleted', 'r')}
        from added join ${SCHEMA}.record r
          on r.part = (select base from ${SCHEMA}.part p where p.part = a.part limit 1) and r.id = added.id
        where added.part = a.part
      ) b on true;
    return null;
  end $$;
  create or replace function ${SCHEMA}.count_removed() returns trigger language plpgsql as $$ begin
    insert into ${SCHEMA}.tally
      select part, -${counted('live', 'removed', '')}, -${counted('deleted', 'removed', '')} from removed group by part;
    return null;
  end $$;
  create or replace function ${SCHEMA}.count_marked() returns trigger language plpgsql as $$ begin
    insert into ${SCHEMA}.tally
      select new.part, ${isLive('new')}::integer - ${isLive('old')}::integer,
        ${isMarked('new')}::integer - ${isMarked('old')}::integer;
    return null;
  end $$;
  drop trigger count_marked on ${SCHEMA}.record;
  create trigger count_marked after update on ${SCHEMA}.record for each row
    when (${isLive('old')} <> ${isLive('new')} or ${isMarked('old')} <> ${isMarked('new')})
    execute function ${SCHEMA}.count_marked();
  `,
];

export const VERSION = STEPS.length;

/** Arbitrary advisory-lock key. */
const LOCK = 7_265_636;

/** Milliseconds for a statement on all records of a model, and for a lock whose owner can be filling the database. */
export const LONG = 600_000;

export type OpenOptions = {
  /** The API of the records; absent if records of any API are accepted. */
  readonly api?: OwnApi | undefined;
  /** Whether the tables must exist. */
  readonly mustExist?: boolean | undefined;
};

/** Returns a statement with a longer time limit. */
export function longStatement(text: string, values: unknown[] = []) {
  return { text, values, query_timeout: LONG };
}

/** Returns a statement that takes a lock until the end of the transaction. */
export function lock(number: number) {
  return longStatement(`select pg_advisory_xact_lock(${number})`);
}

/**
 * Creates the tables (unless they must exist), or migrates those of an earlier release. Throws UsageError for tables
 * that the mock did not create.
 */
export async function migrate(
  client: Client | PoolClient,
  shown: string,
  { api, mustExist }: OpenOptions,
): Promise<void> {
  await client.query('begin');
  try {
    await client.query(lock(LOCK));
    const found = await readVersion(client, shown, mustExist);
    if (found > VERSION)
      throw new UsageError(
        `The schema ${SCHEMA} in ${shown} has version ${found}, but this release supports only up to ${VERSION}. Update record-model, or use another database.`,
      );
    for (const text of STEPS.slice(found)) await client.query(longStatement(text));
    if (found < VERSION) await client.query(`update ${SCHEMA}.version set version = ${VERSION}`);
    if (api) await takeApi(client, api, shown);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Notes whose records the database has, or throws UsageError if they are of another API. */
async function takeApi(client: Client | PoolClient, api: OwnApi, shown: string): Promise<void> {
  const [stored] = (await client.query(`select title, version, hash from ${SCHEMA}.api`)).rows;
  const { rows: spaces } = await client.query(`select 1 from ${SCHEMA}.space limit 1`);
  if (spaces.length > 0) {
    const filled = stored ? [] : (await client.query(longStatement(FILLED))).rows;
    const models = filled.map(({ model }) => String(model));
    refuseOtherApi(api, { stored, models, shown });
    if (stored) return;
  }
  await client.query(`delete from ${SCHEMA}.api`);
  await client.query(`insert into ${SCHEMA}.api values ($1, $2, $3)`, [api.title, api.version, api.hash]);
}

/** The models that have records. */
const FILLED = `select distinct model from ${SCHEMA}.part as one
  where exists (select 1 from ${SCHEMA}.record where record.part = one.part)`;

/** Returns the version of the schema; 0 for a new one. */
async function readVersion(client: Client | PoolClient, shown: string, mustExist = false): Promise<number> {
  const { rows } = await client.query(
    `select to_regnamespace('${SCHEMA}') is not null as known, to_regclass('${SCHEMA}.version') is not null as ours`,
  );
  const [{ known, ours }] = rows;
  if (known && !ours)
    throw new UsageError(
      `The schema ${SCHEMA} in ${shown} belongs to another application. Rename it, or use another database.`,
    );
  if (!known && mustExist)
    throw new UsageError(
      `${shown} contains no data of the mock: it has no schema ${SCHEMA}. Create it with: record-model mock --data ADDRESS`,
    );
  if (!known)
    await client.query(
      `create schema ${SCHEMA}; create table ${SCHEMA}.version (version integer not null); insert into ${SCHEMA}.version values (0)`,
    );
  const version = await client.query(`select version from ${SCHEMA}.version`);
  return Number(version.rows[0]?.version ?? 0);
}
